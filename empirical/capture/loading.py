"""Models from the disk: a folder with config.json and safetensors, or a GGUF file.

Weights are read into float32, whatever they are stored in. Nothing is downloaded, no code that comes with a model is
run, and no pickle is opened.
"""

from __future__ import annotations

import hashlib
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from empirical.capture.families import family
from empirical.capture.hugging_face import HuggingFace, rope_settings
from theory.errors import InputError

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

_PICKLES = (".bin", ".pt", ".pth", ".ckpt", ".pkl", ".pickle")
_SAFE: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}


def check_model(path: Path) -> Any:
    """The config of the model at `path`, whose weights are not read.

    InputError unless its family and its RoPE settings are known.
    """
    folder, files = _place(path)
    with _errors(path):
        from transformers import AutoConfig

        config = AutoConfig.from_pretrained(folder, **files)
    try:
        rope_settings(config)
        family(config.model_type)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
    return config


def load_model(path: Path, config: Any = None) -> HuggingFace:
    """The model at `path`, on the GPU if there is one.

    `config` is that of `check_model`, if it has been called already: for GGUF it takes seconds.

    InputError, in one line, for what is no model in safetensors or GGUF, is of a family that is not known, whose config
    and weights do not fit together, or that fails the self-test.
    """
    folder, files = _place(path)
    config = config or check_model(path)
    if "gguf_file" not in files:
        _check_weights(folder, config)
    with _errors(path):
        from transformers import AutoModelForCausalLM

        loaded: Any = AutoModelForCausalLM.from_pretrained(
            folder,
            config=config,
            dtype=torch.float32,
            use_safetensors=True,
            output_loading_info=True,
            ignore_mismatched_sizes=True,  # they are refused below, by name
            **files,
        )
    model, found = loaded
    for key, stored, wanted in sorted(found["mismatched_keys"]):
        raise InputError(
            f"{path}: {key} has shape {tuple(stored)} in the weights, but {tuple(wanted)} by the config; "
            "give the config.json that belongs to them"
        )
    for kind, what in (
        ("missing_keys", "that the config calls for are not in the weights"),
        ("unexpected_keys", "of the weights have no place in the model of the config"),
    ):
        if names := sorted(found[kind]):
            raise InputError(
                f"{path}: {len(names)} tensors {what}, {names[0]} first; "
                "give the config.json that belongs to the weights, and all their files"
            )
    for name, weight in model.named_parameters():
        if not weight.isfinite().all():
            raise InputError(f"{path}: {name} has weights that are NaN or infinite; get the model anew")
    return _adapter(path, model)


def random_model(path: Path, seed: int, config: Any = None) -> HuggingFace:
    """A model of the same architecture as that at `path`, with the random weights that training would start from.

    `config` as in `load_model`.
    """
    config = config or check_model(path)
    with _errors(path), torch.random.fork_rng():
        from transformers import AutoModelForCausalLM

        torch.manual_seed(seed)
        model = AutoModelForCausalLM.from_config(config, dtype=torch.float32)
    return _adapter(path, model)


def _adapter(path: Path, model: Any) -> HuggingFace:
    try:
        return HuggingFace(model.to("cuda" if torch.cuda.is_available() else "cpu"))
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


def load_tokenizer(path: Path) -> PreTrainedTokenizerBase:
    """The tokenizer beside the model. InputError if there is none."""
    folder, files = _place(path)
    with _quiet():
        try:
            from transformers import AutoTokenizer

            return AutoTokenizer.from_pretrained(folder, **files)
        except Exception as error:
            raise InputError(
                f"{path} has no tokenizer that can be read ({_message(error)}); "
                "put its tokenizer.json there, or give --tokens"
            ) from error


def digest(path: Path) -> str:
    """sha256 of the config and all weights of the model at `path`, in the order of their names."""
    folder, files = _place(path)
    found = hashlib.sha256()
    for file in [path] if files.get("gguf_file") else [folder / "config.json", *sorted(folder.glob("*.safetensors"))]:
        with file.open("rb") as stream:
            found.update(hashlib.file_digest(stream, "sha256").digest())
    return found.hexdigest()


def _place(path: Path) -> tuple[Path, dict[str, Any]]:
    """The folder of the model, and what else its loaders are told."""
    if path.is_file():
        if path.suffix in _PICKLES:
            raise InputError(f"{path} may be a pickle, which can run code; save the model as safetensors")
        with path.open("rb") as stream:
            if stream.read(4) != b"GGUF":
                raise InputError(f"{path} is no GGUF file; give one, or a folder with config.json and safetensors")
        return path.parent, {"gguf_file": path.name, **_SAFE}
    if not path.is_dir():
        raise InputError(f"{path} does not exist; give a folder with config.json and safetensors, or a GGUF file")
    if not (path / "config.json").is_file():
        raise InputError(f"{path} has no config.json; give the folder that a model was saved to")
    if not any(path.glob("*.safetensors")):
        if any(file.suffix in _PICKLES for file in path.iterdir()):
            raise InputError(f"{path} has its weights in a pickle, which can run code; save them as safetensors")
        raise InputError(f"{path} has no weights; put its safetensors there")
    return path, dict(_SAFE)


def _check_weights(folder: Path, config: Any) -> None:
    from safetensors import SafetensorError, safe_open

    if quantised := getattr(config, "quantization_config", None):
        kind = quantised.get("quant_method") if isinstance(quantised, dict) else type(quantised).__name__
        raise InputError(f"{folder} is quantised ({kind}); give unquantised safetensors, or a GGUF file")
    for file in sorted(folder.glob("*.safetensors")):
        try:
            with safe_open(file, framework="pt"):  # reads the header, and compares it with the size of the file
                pass
        except (SafetensorError, OSError) as error:
            raise InputError(f"{file} is damaged or no safetensors ({_message(error)}); get it anew") from error


@contextmanager
def _errors(path: Path) -> Iterator[None]:
    """Whatever a loader raises, in one line."""
    with _quiet():
        try:
            yield
        except ImportError as error:
            raise InputError(f"{path} needs a library ({_message(error)}); install headproof[hf]") from error
        except Exception as error:
            raise InputError(f"{path} cannot be loaded: {_message(error)}; give a complete model") from error


def _message(error: Exception) -> str:
    return textwrap.shorten(str(error) or type(error).__name__, 200).rstrip(".")


@contextmanager
def _quiet() -> Iterator[None]:
    """Without reports and progress bars of the library, which go to standard error."""
    try:
        from transformers.utils import logging
    except ImportError as error:
        raise InputError("models are read by the library transformers; install headproof[hf]") from error
    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        with redirect_stderr(StringIO()):  # some bars do not ask the library
            yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()
