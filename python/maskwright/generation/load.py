"""One way in to every kind of model file.

Takes a path, or nothing for the default model, and gives a model or only the parts that are asked for.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import SupportsIndex

from maskwright import Vocabulary, nested_json
from maskwright.checking import can_be_a_name, path_of, told
from maskwright.errors import ModelError, VocabularyError
from maskwright.vocabulary.detect import HEAD_LENGTH, detect_json_kind, detect_kind

from .default_model import default_model_path
from .gguf_file import read_gguf
from .gguf_model import load_gguf_model
from .model import LocalModel
from .text_encoding import TextEncoder, check_json_length, encoder_from_gguf, encoder_from_json
from .transformers_model import load_transformers_model

__all__ = ["load_model", "load_text_encoder", "load_vocabulary"]


def load_model(path: str | Path | None = None, *, progress: bool = False) -> LocalModel:
    """Reads a model and makes it ready to run on the CPU.

    Args:
        path: a GGUF file or a folder as ``transformers`` saves it; None for the default model,
            SmolLM2-135M-Instruct, which is fetched once and kept in the user's cache.
        progress: show on standard error how far fetching has come.

    Returns:
        The model.

    Raises:
        ModelError: the model cannot be fetched, read or run; the message says why.
        VocabularyError: its tokens cannot be read.
        TypeError: the path is neither a ``str`` nor a path.

    Example:
        >>> from maskwright.generation import load_model  # doctest: +SKIP
        >>> model = load_model("model.gguf")  # doctest: +SKIP
        >>> prompt = model.format_chat([{"role": "user", "content": "Is ice cold?"}])  # doctest: +SKIP
    """
    path = default_model_path(progress=progress) if path is None else _named(path)
    if path.is_dir():
        return load_transformers_model(path)
    if _kind(path) == "gguf":
        return load_gguf_model(path)
    raise ModelError(
        f"{path}: a model is a GGUF file or a folder with config.json, tokenizer.json and *.safetensors",
        source=str(path),
    )


def load_vocabulary(
    path: str | Path | None = None,
    *,
    stop_ids: Iterable[SupportsIndex] | None = None,
    size: SupportsIndex | None = None,
    progress: bool = False,
) -> Vocabulary:
    """Reads the vocabulary of a model or of a tokeniser file, without any weights.

    Args:
        path: anything that :meth:`maskwright.Vocabulary.from_file` reads, or a model's folder; None for
            the default model.
        stop_ids: see :class:`maskwright.Vocabulary`.
        size: see :class:`maskwright.Vocabulary`.
        progress: show on standard error how far fetching has come.

    Raises:
        ModelError: the default model cannot be fetched, or no file can have the path.
        VocabularyError: the tokens cannot be read, the folder has no ``tokenizer.json``, or no stop id can
            be found.
        TypeError: an argument is of another type.

    Example:
        >>> from maskwright.generation import load_vocabulary  # doctest: +SKIP
        >>> compiler = maskwright.Compiler(load_vocabulary("model.gguf"))  # doctest: +SKIP
    """
    path = default_model_path(progress=progress) if path is None else _named(path)
    if path.is_dir():
        folder, path = path, path / "tokenizer.json"
        if not path.exists():
            raise VocabularyError(
                f"{folder}: this folder has no tokenizer.json, and no other file is looked for in one; give "
                "the tokeniser's file itself, such as tokenizer.model, tekken.json, *.tiktoken or *.gguf",
                source=str(folder),
            )
    return Vocabulary.from_file(path, stop_ids=stop_ids, size=size)


def load_text_encoder(path: str | Path | None = None, *, progress: bool = False) -> TextEncoder | None:
    """Reads the tokeniser of a model or of a ``tokenizer.json``, without any weights.

    Args:
        path: a GGUF file, a ``tokenizer.json`` or a model's folder; None for the default model.
        progress: show on standard error how far fetching has come.

    Returns:
        The tokeniser, or None where the path is of another kind, which has tokens but no tokeniser.

    Raises:
        ModelError: the file is missing, damaged, JSON of more than 128 MiB, or its tokeniser is of an unknown
            kind.
        TypeError: the path is neither a ``str`` nor a path.

    Example:
        >>> from maskwright.generation import load_text_encoder  # doctest: +SKIP
        >>> token_ids = load_text_encoder("tokenizer.json").encode_plain("Ice is cold.")  # doctest: +SKIP
    """
    path = default_model_path(progress=progress) if path is None else _named(path)
    if path.is_dir():
        return encoder_from_json(path / "tokenizer.json")
    kind = _kind(path)
    if kind == "gguf":
        return encoder_from_gguf(read_gguf(path))
    return encoder_from_json(path) if kind == "tokenizer-json" else None


def _named(path: str | Path) -> Path:
    """The path that was given; no text at all would be the folder that the process is in."""
    named = path_of(path, "path")
    if not os.fspath(path):
        raise ModelError("the path is empty; give that of a file or folder, or None for the default model")
    if not can_be_a_name(path):
        raise ModelError(f"{told(os.fspath(path))}: no file can be called so", source=str(path))
    return named


def _kind(path: Path) -> str | None:
    """The kind of a file, by its content, as far as it makes a difference here."""
    try:
        with path.open("rb") as file:
            kind = detect_kind(file.read(HEAD_LENGTH), str(path))
        if kind == "json":
            check_json_length(path)
            return detect_json_kind(nested_json.loads(path.read_bytes()), str(path))
    except ModelError:
        raise
    except FileNotFoundError as error:
        problem = "there is no such file or folder; names of models on a hub are not looked up"
        raise ModelError(f"{path}: {problem}", source=str(path)) from error
    except OSError as error:
        raise ModelError(f"{path}: cannot be read: {error.strerror}", source=str(path)) from error
    except (ValueError, RecursionError):  # of no kind (VocabularyError), or no JSON
        return None
    return kind
