"""Where the tokens come from: a tokeniser's file, a model, or the default model.

Takes option values and gives a vocabulary, and a tokeniser where the file has one. No weights are read.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from maskwright import Vocabulary
from maskwright.errors import ModelError, VocabularyError
from maskwright.generation import TextEncoder, load_text_encoder, load_vocabulary

from .display import warn

__all__ = ["ModelOption", "ProgressOption", "VocabularyOptions"]

_PANEL = "Vocabulary (default: that of SmolLM2-135M-Instruct, fetched once)"

ModelOption = Annotated[
    Path | None,
    typer.Option(
        metavar="PATH",
        help="A *.gguf file, or a folder with config.json, tokenizer.json and *.safetensors.",
        exists=True,
    ),
]
ProgressOption = Annotated[
    bool, typer.Option("--progress/--no-progress", help="Show on standard error what takes long.")
]


@dataclass(frozen=True)
class VocabularyOptions:
    """The option values of a command that needs tokens but no model."""

    vocabulary: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH",
            help="A tokeniser's file: tokenizer.json, *.gguf, and whatever else Vocabulary.from_file reads.",
            exists=True,
            rich_help_panel=_PANEL,
        ),
    ] = None
    model: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH",
            help="A model whose vocabulary is used: a *.gguf file or a model's folder.",
            exists=True,
            rich_help_panel=_PANEL,
        ),
    ] = None
    stop_id: Annotated[
        list[int] | None,
        typer.Option(
            metavar="ID",
            help="A token that ends a text, once for each; no other does then. *.tiktoken files do not tell.",
            rich_help_panel=_PANEL,
        ),
    ] = None
    size: Annotated[
        int | None,
        typer.Option(
            metavar="NUMBER",
            help="The number of logits of the model, where that is more than the file has ids.",
            rich_help_panel=_PANEL,
        ),
    ] = None
    progress: ProgressOption = True

    def load_vocabulary(self) -> Vocabulary:
        """Reads the vocabulary.

        Raises:
            typer.BadParameter: both options were given.
            ModelError: the default model cannot be fetched.
            VocabularyError: the tokens cannot be read.
        """
        stop_ids = self.stop_id or None
        try:
            return load_vocabulary(self._path(), stop_ids=stop_ids, size=self.size, progress=self.progress)
        except VocabularyError as error:
            if "stop_ids" in str(error) or "as size" in str(error):
                error.add_note(
                    "hint: here, stop_ids are given by --stop-id, once for each, and size by --size"
                )
            raise

    def load_text_encoder(self) -> TextEncoder | None:
        """Reads the tokeniser, or gives None where the file has tokens only, or no package can run it.

        Raises:
            typer.BadParameter: both options were given.
            ModelError: the tokeniser cannot be read or fetched.
        """
        try:
            return load_text_encoder(self._path(), progress=self.progress)
        except ModelError as error:
            if not isinstance(error.__cause__, ImportError):
                raise
            warn(f"byte by byte, and not token by token: {error}", style="dim")
            return None

    def _path(self) -> Path | None:
        if self.vocabulary is not None and self.model is not None:
            raise typer.BadParameter("--vocabulary and --model exclude each other; give one of them")
        return self.vocabulary if self.vocabulary is not None else self.model
