"""What the decode loop needs of a language model, and a model put together from its parts.

Takes a network, a tokeniser and a vocabulary, read by :mod:`.gguf_model` or
:mod:`.transformers_model`, and gives one :class:`LanguageModel`. Whoever has another way to run a model
implements the same protocol and uses :func:`maskwright.generation.generate` unchanged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypedDict

import numpy as np
from numpy.typing import NDArray

from maskwright import Vocabulary

from .chat import ChatTemplate
from .llama import LlamaNetwork
from .text_encoding import TextEncoder

__all__ = ["LanguageModel", "LocalModel", "Message"]


class Message(TypedDict):
    """One turn of a conversation.

    Attributes:
        role: ``"system"``, ``"user"`` or ``"assistant"``.
        content: its text.

    Example:
        >>> from maskwright.generation import Message
        >>> Message(role="user", content="Is ice cold?")
        {'role': 'user', 'content': 'Is ice cold?'}
    """

    role: str
    content: str


class LanguageModel(Protocol):
    """A model that predicts one token at a time for one sequence.

    Attributes:
        vocabulary: the tokens that the logits stand for; there may be more logits than tokens.
        context_length: the most tokens of prompt and text together.

    Example:
        >>> import numpy as np
        >>> import maskwright as mw
        >>> from maskwright.generation import generate
        >>> class Indifferent:
        ...     vocabulary = mw.Vocabulary.from_tokens([b"yes", b"no", b"!", None], stop_ids=[3])
        ...     context_length = 100
        ...     def encode(self, text):
        ...         return [2] * len(text)
        ...     def forward(self, token_ids):
        ...         return np.zeros(self.vocabulary.size, dtype=np.float32)
        ...     def reset(self):
        ...         pass
        ...     def format_chat(self, messages):
        ...         return None
        >>> model = Indifferent()
        >>> constraint = mw.Compiler(model.vocabulary).compile(mw.Grammar.text("no!"))
        >>> "".join(generate(model, constraint, "Is ice warm?").text())
        'no!'
    """

    @property
    def vocabulary(self) -> Vocabulary:
        """The tokens that the logits stand for."""
        ...

    @property
    def context_length(self) -> int:
        """The most tokens of prompt and text together."""
        ...

    def encode(self, text: str) -> list[int]:
        """Encodes a prompt, in which special tokens may be named."""
        ...

    def forward(self, token_ids: Sequence[int]) -> NDArray[np.float32]:
        """Appends tokens to the sequence; gives the logits of the next one.

        They are a float32 array ``[logits]`` that the caller may change.
        """
        ...

    def reset(self) -> None:
        """Starts a new, empty sequence."""
        ...

    def format_chat(self, messages: Sequence[Message]) -> str | None:
        """Writes a conversation as a prompt, or gives None where the model has no chat template."""
        ...


@dataclass(frozen=True)
class LocalModel:
    """A :class:`LanguageModel` read from files.

    Attributes:
        name: what the files call the model, for people to read.
        vocabulary: its tokens.
        network: its weights and the cache of the current sequence.
        text_encoder: its tokeniser.
        chat_template: how it wants a conversation written, or None.

    Example:
        >>> from maskwright.generation import load_model  # doctest: +SKIP
        >>> model = load_model("model.gguf")  # doctest: +SKIP
        >>> prompt = model.format_chat([{"role": "user", "content": "Is ice cold?"}])  # doctest: +SKIP
        >>> logits = model.forward(model.encode(prompt))  # doctest: +SKIP
    """

    name: str
    vocabulary: Vocabulary = field(repr=False)
    network: LlamaNetwork = field(repr=False)
    text_encoder: TextEncoder = field(repr=False)
    chat_template: ChatTemplate | None = field(default=None, repr=False)

    @property
    def context_length(self) -> int:
        """The most tokens of prompt and text together."""
        return self.network.config.context_length

    def encode(self, text: str) -> list[int]:
        """Encodes a prompt, in which special tokens may be named.

        Args:
            text: the prompt.

        Returns:
            Its token ids, with the model's start token first where it wants one.
        """
        return self.text_encoder.encode_prompt(text)

    def forward(self, token_ids: Sequence[int]) -> NDArray[np.float32]:
        """Appends tokens to the sequence and predicts the next one.

        Args:
            token_ids: one or more ids.

        Returns:
            The logits of the next token: a new float32 array ``[logits]``.

        Raises:
            ModelError: no ids, an id that the model does not have, or a full context.
        """
        return self.network.forward(token_ids)

    def reset(self) -> None:
        """Starts a new, empty sequence."""
        self.network.reset()

    def format_chat(self, messages: Sequence[Message]) -> str | None:
        """Writes a conversation as the model was trained to read it.

        Args:
            messages: the turns so far; the model is to write the next one.

        Returns:
            The prompt, or None where the model has no chat template.

        Raises:
            ModelError: the template is faulty or refuses these messages, or one has no role or content.
            TypeError: they are no several, or one is no mapping.
        """
        return None if self.chat_template is None else self.chat_template.render(messages)
