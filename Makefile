# headproof: everything from a bare machine with Python >= 3.11 and make.
#
#   make demo     the constructions at work, figures in demo-output/
#   make test     the whole test suite
#   make core     the tests of empirical/ as where no optional library is installed
#   make check    linter, formatter and type checker
#   make format   let the linter and formatter rewrite what they can
#   make clean    remove the environment and everything generated
#
# PYTHON=python3.12         the interpreter to build the environment with
# TORCH_INDEX=URL           package index asked first for torch; empty: the usual one

PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin/python -u
STAMP := $(VENV)/.installed

# On Linux x86-64 the usual index serves torch with several GB of GPU libraries, and nothing here needs them.
ifeq ($(shell uname -sm),Linux x86_64)
TORCH_INDEX ?= https://download.pytorch.org/whl/cpu
else
TORCH_INDEX ?=
endif

.DEFAULT_GOAL := help
.PHONY: help demo test core check format clean

help:
	@sed -n 's/^#   //p' Makefile

demo: $(STAMP)
	@echo "headproof: running the demo, figures go to demo-output/"
	@$(RUN) -m constructions.demo --out demo-output

test: $(STAMP)
	@echo "headproof: running the whole test suite"
	@$(RUN) -m pytest

core: $(STAMP)
	@echo "headproof: running the tests of empirical/ with the optional libraries hidden"
	@$(RUN) -m pytest -p tests.without_extras empirical

check: $(STAMP)
	@echo "headproof: linter, formatter, type checker"
	@$(RUN) -m ruff check .
	@$(RUN) -m ruff format --check .
	@$(RUN) -m mypy

format: $(STAMP)
	@$(RUN) -m ruff check --fix .
	@$(RUN) -m ruff format .

# torch comes first and alone: where its own index cannot be reached, pip gives up on that one package within
# seconds (or finds a local wheel it has been told about), and the install that follows takes the usual build.
$(STAMP): pyproject.toml constraints.txt
	@echo "headproof: preparing the environment in $(VENV) (once, about a minute on a fast connection)"
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "headproof needs Python 3.11 or newer and '$(PYTHON)' is not: try make PYTHON=python3.12" >&2; exit 1; }
	@$(VENV)/bin/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear $(VENV)
	@if [ -n "$(TORCH_INDEX)" ]; then \
	  echo "headproof: installing torch, CPU build"; \
	  $(VENV)/bin/python -m pip install -qq --retries 0 --timeout 10 --index-url "$(TORCH_INDEX)" --no-deps \
	    "$$(grep '^torch==' constraints.txt)" \
	  || echo "headproof: no CPU build from $(TORCH_INDEX), taking the usual one (large on Linux)"; \
	fi
	@echo "headproof: installing headproof and the libraries it needs"
	@$(VENV)/bin/python -m pip install -qq --constraint constraints.txt --editable '.[hf,cluster,endpoint,images,dev]'
	@touch $@

clean:
	rm -rf $(VENV) demo-output build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
