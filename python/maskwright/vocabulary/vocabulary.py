"""The public class: a vocabulary, built from a token table and held in native memory with its trie."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, SupportsIndex

from maskwright import _native
from maskwright.checking import in_order, integer, mapping
from maskwright.sharing import Shared
from maskwright.vocabulary.detect import Kind
from maskwright.vocabulary.files import complete_table_from_file
from maskwright.vocabulary.options import SpecialNames, apply_options, check_given_size, ids_by_name
from maskwright.vocabulary.sentencepiece_model import table_from_sentencepiece
from maskwright.vocabulary.table import TokenTable, check_lengths, vocabulary_error
from maskwright.vocabulary.tiktoken_file import table_from_tiktoken_encoding
from maskwright.vocabulary.transformers_tokenizer import folder_of, table_from_transformers

__all__ = ["Vocabulary"]


class Vocabulary(Shared):
    """All tokens of one tokeniser: their bytes, the special ones by name, and the ids that end a generation.

    Build it once with one of the ``from_`` methods; it is immutable and may be shared by threads and by any
    number of compilers; a copy is itself. A token's bytes are what the tokeniser's decoder writes for it in
    the middle of a text; special and unused ids have none.

    The trie takes some 40 bytes of memory for each byte of the tokens. So that it stays below a gigabyte, a
    token of more than 65,536 bytes, tokens of more than 16,777,216 bytes together and more than 4,194,304 ids
    are a `VocabularyError`. The largest tokenisers in use have some two million bytes.

    Every ``from_`` method takes these options, by keyword:

    - ``stop_ids``: the ids that end a generation. ``None`` takes all that can be found: what the tokeniser
      declares, what ``generation_config.json``, ``tokenizer_config.json`` and ``special_tokens_map.json`` in
      its folder declare, and well-known names such as ``<|im_end|>``. One of these files that is there and
      cannot be read is a `VocabularyError`. Ids given here are used alone, and none of the others is looked
      for; what is no integer is a `TypeError`.
    - ``size``: the number of logits of the model, where that is more than the tokeniser has ids. The ids in
      between have no bytes and are never allowed. What is no integer is a `TypeError`, as an id is.

    Example:
        >>> vocabulary = Vocabulary.from_tokens([b"a", b"b", b"ab", None], stop_ids=[3])
        >>> vocabulary.size, vocabulary.token_count, vocabulary.stop_ids
        (4, 4, (3,))
        >>> vocabulary.decode([2, 0, 3])
        b'aba'
    """

    __slots__ = ("_native", "_source", "_special_tokens")

    _elsewhere = "make it there from the file or tokeniser that this one was made from"

    def __init__(self, table: TokenTable | None = None) -> None:
        if not isinstance(table, TokenTable):
            raise TypeError("a Vocabulary is made by a method from_..., such as Vocabulary.from_file(path)")
        check_lengths(table)
        self._native = _native.Vocabulary(
            table.tokens, dict(table.special_tokens), list(table.stop_ids), table.size
        )
        self._special_tokens = MappingProxyType(dict(table.special_tokens))
        self._source = table.source

    @classmethod
    def from_tokens(
        cls,
        tokens: Sequence[bytes | None],
        *,
        special_tokens: Mapping[str, SupportsIndex] | None = None,
        stop_ids: Iterable[SupportsIndex] = (),
        size: SupportsIndex | None = None,
    ) -> Vocabulary:
        """Builds a vocabulary from the bytes of each id.

        Args:
            tokens: the bytes of the token of each id; ``None`` or ``b""`` for an id without text. Tokens need
                not be UTF-8, and two ids may have the same bytes.
            special_tokens: ids by the names under which grammars may refer to them. A token that is to have
                no text has to be ``None`` in ``tokens``.
            stop_ids: the ids that end a generation, at least one; they lose their bytes. An id beyond the
                tokens will do, within ``size``.
            size: the number of logits; ``None`` for the length of ``tokens``.

        Returns:
            The vocabulary.

        Raises:
            VocabularyError: a token is not bytes, an id lies outside ``0 <= id < size``, there is no stop
                id, or the tokens are too long or too many.
            TypeError: the tokens or the names of special ones are no several, or the size or an id is no
                integer.

        Example:
            >>> Vocabulary.from_tokens([b"yes", b"no", None], stop_ids=[2], size=8)
            Vocabulary(size=8, token_count=3, stop_ids=(2,), source='a list of tokens')
        """
        source = "a list of tokens"
        # The place of a token is its id.
        given = in_order(tokens, "tokens")
        unfit = set(map(type, given)) - {bytes, type(None)}
        if unfit:
            kinds = ", ".join(sorted(kind.__name__ for kind in unfit))
            raise vocabulary_error(source, f"each token has to be bytes or None, but some are {kinds}")
        named = mapping(special_tokens, "special_tokens", "{'<|im_end|>': 2}")
        width = len(given) if size is None else integer(size, "size")
        table = TokenTable([token or None for token in given], ids_by_name(named), (), width, source)
        return cls(apply_options(table, stop_ids=stop_ids, size=None))

    @classmethod
    def from_transformers(
        cls,
        tokenizer: Any,
        *,
        stop_ids: Iterable[SupportsIndex] | None = None,
        size: SupportsIndex | None = None,
        special_tokens: SpecialNames | None = None,
    ) -> Vocabulary:
        """Builds a vocabulary from a tokeniser object of ``transformers`` or ``tokenizers``.

        Args:
            tokenizer: a fast or slow tokeniser, or a ``tokenizers.Tokenizer``.
            stop_ids: see the class; ``None`` starts from the tokeniser's ``eos_token_id``.
            size: see the class; it is ``model.config.vocab_size``.
            special_tokens: names of further tokens to treat as special, such as added tokens that the
                tokeniser does not flag; or names with their ids.

        Returns:
            The vocabulary.

        Raises:
            VocabularyError: the object is no tokeniser, its tokens have no fixed bytes, or no stop id can be
                found.
            TypeError: an option is of another type.

        Example:
            >>> from transformers import AutoTokenizer  # doctest: +SKIP
            >>> tokenizer = AutoTokenizer.from_pretrained("models/qwen3")  # doctest: +SKIP
            >>> vocabulary = Vocabulary.from_transformers(tokenizer, size=151936)  # doctest: +SKIP
        """
        table = table_from_transformers(tokenizer)
        folder = folder_of(tokenizer)
        return cls(
            apply_options(table, stop_ids=stop_ids, size=size, special_tokens=special_tokens, folder=folder)
        )

    @classmethod
    def from_tiktoken(
        cls,
        encoding: Any,
        *,
        stop_ids: Iterable[SupportsIndex] | None = None,
        size: SupportsIndex | None = None,
    ) -> Vocabulary:
        """Builds a vocabulary from a ``tiktoken.Encoding``.

        Args:
            encoding: what ``tiktoken.get_encoding`` gives.
            stop_ids: see the class; an encoding declares none, so ``None`` goes by well-known names.
            size: see the class.

        Returns:
            The vocabulary.

        Raises:
            VocabularyError: the object is not an encoding, or no stop id can be found.
            TypeError: an option is of another type.

        Example:
            >>> import tiktoken  # doctest: +SKIP
            >>> vocabulary = Vocabulary.from_tiktoken(tiktoken.get_encoding("o200k_base"))  # doctest: +SKIP
        """
        return cls(apply_options(table_from_tiktoken_encoding(encoding), stop_ids=stop_ids, size=size))

    @classmethod
    def from_sentencepiece(
        cls,
        processor_or_path: Any,
        *,
        stop_ids: Iterable[SupportsIndex] | None = None,
        size: SupportsIndex | None = None,
        special_tokens: SpecialNames | None = None,
    ) -> Vocabulary:
        """Builds a vocabulary from a SentencePiece model.

        Args:
            processor_or_path: a loaded ``SentencePieceProcessor``, or the path of a model file.
            stop_ids: see the class; ``None`` starts from the model's end-of-sequence id. A processor does not
                tell where its file lies, so no other files count there.
            size: see the class.
            special_tokens: names of further tokens to treat as special, or names with their ids.

        Returns:
            The vocabulary. The space that SentencePiece puts in front of a text is part of the first token's
            bytes, as it is of every token that begins a word.

        Raises:
            VocabularyError: it is neither a processor nor the path of a model that can be read, or no stop id
                can be found.
            TypeError: an option is of another type.

        Example:
            >>> vocabulary = Vocabulary.from_sentencepiece("tokenizer.model", size=32064)  # doctest: +SKIP
        """
        folder = None
        if isinstance(processor_or_path, str | os.PathLike):
            check_given_size(size, str(processor_or_path))
            folder = Path(processor_or_path).parent
        table = table_from_sentencepiece(processor_or_path)
        return cls(
            apply_options(table, stop_ids=stop_ids, size=size, special_tokens=special_tokens, folder=folder)
        )

    @classmethod
    def from_file(
        cls,
        path: str | os.PathLike[str],
        *,
        kind: Kind | None = None,
        stop_ids: Iterable[SupportsIndex] | None = None,
        size: SupportsIndex | None = None,
        special_tokens: SpecialNames | None = None,
    ) -> Vocabulary:
        """Builds a vocabulary from a tokeniser file.

        Args:
            path: a ``tokenizer.json``, a ``.tiktoken`` file, a SentencePiece model, a Tekken file or a GGUF
                model.
            kind: which of ``"tokenizer-json"``, ``"tiktoken"``, ``"sentencepiece"``, ``"tekken"`` and
                ``"gguf"`` it is; ``None`` to tell from the content.
            stop_ids: see the class.
            size: see the class.
            special_tokens: names of further tokens to treat as special, or names with their ids. A
                ``.tiktoken`` file names no special tokens, so there it is ``{"<|endoftext|>": 100257}``.

        Returns:
            The vocabulary.

        Raises:
            VocabularyError: the file cannot be read, is damaged or of another kind, its tokens have no fixed
                bytes, or no stop id can be found; or it has more than 134,217,728 bytes (128 MiB) and is JSON
                or a ``.tiktoken`` file, which take up to 27 times as much memory while they are read.
            TypeError: the path, or an option, is of another type.

        Example:
            >>> import pathlib, tempfile
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     path = pathlib.Path(folder, "one.tiktoken")
            ...     _ = path.write_text("YWI= 0")  # the base64 of b"ab", and its id
            ...     named = {"<|end|>": 1}
            ...     vocabulary = Vocabulary.from_file(path, special_tokens=named, stop_ids=[1], size=2)
            >>> vocabulary.token_bytes(0), vocabulary.special_tokens["<|end|>"]
            (b'ab', 1)
        """
        return cls(
            complete_table_from_file(
                path, kind=kind, stop_ids=stop_ids, size=size, special_tokens=special_tokens
            )
        )

    @property
    def size(self) -> int:
        """The number of ids, which is the width of a mask; valid ids are ``0 <= id < size``."""
        return self._native.size

    @property
    def token_count(self) -> int:
        """The number of ids that the tokeniser has, with or without bytes; at most ``size``."""
        return self._native.token_count

    @property
    def stop_ids(self) -> tuple[int, ...]:
        """The ids that end a generation; they have no bytes."""
        return tuple(self._native.stop_ids)

    @property
    def special_tokens(self) -> Mapping[str, int]:
        """The ids of the tokens that a grammar may refer to by name; read-only."""
        return self._special_tokens

    @property
    def max_token_bytes(self) -> int:
        """The length of the longest token, in bytes."""
        return self._native.max_token_bytes

    @property
    def missing_bytes(self) -> bytes:
        """The byte values that occur in no token, in ascending order; text with them cannot be generated."""
        return self._native.missing_bytes

    @property
    def memory_bytes(self) -> int:
        """The native memory that the vocabulary takes, and what all its compilers share, in bytes."""
        return self._native.memory_bytes

    def token_bytes(self, token_id: SupportsIndex) -> bytes | None:
        """Gives the bytes of a token, or ``None`` for an id without text.

        Raises:
            TokenIdError: the id is outside ``0 <= id < size``.
            TypeError: it is no integer.

        Example:
            >>> vocabulary = Vocabulary.from_tokens([b"a", b"ab", None], stop_ids=[2])
            >>> vocabulary.token_bytes(1), vocabulary.token_bytes(2)
            (b'ab', None)
        """
        return self._native.token_bytes(token_id)

    def decode(self, token_ids: Iterable[SupportsIndex]) -> bytes:
        """Joins the bytes of tokens; ids without text add nothing.

        Raises:
            TokenIdError: an id is outside ``0 <= id < size``.
            TypeError: they are no ids, or a text.

        Example:
            >>> vocabulary = Vocabulary.from_tokens([b"a", b"ab", None], stop_ids=[2])
            >>> vocabulary.decode([0, 1, 2])
            b'aab'
        """
        ids = in_order(token_ids, "token_ids")
        return b"".join(self._native.token_bytes(token_id) or b"" for token_id in ids)

    def _has_token(self, name: str) -> bool:
        """Whether there is a token of this name or text. Takes time in proportion to the vocabulary."""
        text = name.encode()
        return name in self.special_tokens or any(
            self._native.token_bytes(token_id) == text for token_id in range(self.token_count)
        )

    def _is_like(self, other: Vocabulary) -> bool:
        """Whether the two are the same, as :meth:`Compiler.load` tells vocabularies apart."""
        return self._native is other._native or self._native.is_like(other._native)

    def __len__(self) -> int:
        return self.size

    def __repr__(self) -> str:
        return (
            f"Vocabulary(size={self.size}, token_count={self.token_count}, stop_ids={self.stop_ids},"
            f" source={self._source!r})"
        )
