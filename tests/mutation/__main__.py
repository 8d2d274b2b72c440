"""Command line: `python -m tests.mutation --sample 200 --seed 0`."""

import sys

from theory import command_line

try:
    from tests.mutation.session import main
except ModuleNotFoundError as missing:
    remedy = "`pip install -c constraints.txt -e '.[mutation]'` brings it"
    print(f"error: {missing.name} is not installed; {remedy}", file=sys.stderr)
    sys.exit(2)

if __name__ == "__main__":
    sys.exit(command_line.run(main, "python -m tests.mutation"))
