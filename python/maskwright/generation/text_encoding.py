"""Text to token ids, by the ``tokenizers`` package.

Takes a tokeniser in one of the shapes that model files carry (a ``tokenizer.json``, or the tokens,
merges and scores of a GGUF file) and gives a :class:`TextEncoder`. Two kinds of text are told apart:
a *prompt* may name special tokens (a chat template does), while *plain* text may not, so that a text
to be checked cannot smuggle one in. Decoding is not done here: a vocabulary knows its tokens' bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any

from maskwright.errors import ModelError
from maskwright.vocabulary.reading import LARGEST_TEXT

from .gguf_file import GgufFile
from .optional import require

__all__ = ["TextEncoder", "check_json_length", "encoder_from_gguf", "encoder_from_json"]

# GGUF's token types, as far as they matter here.
_CONTROL, _USER_DEFINED = 3, 4

# The merges of SentencePiece are all cuts of all tokens, which take the squares of the tokens' lengths in
# time and memory. The largest vocabularies in use have 9 million, and runs of up to 512 spaces 45.
_MOST_CUT_CHARACTERS = 1 << 27

# Where the pre-tokenisers `llama-bpe` and `qwen2` split a text before merges apply, as the tokenizer.json
# of those models says; the two differ in how many digits stay together.
_LLAMA3_SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
_QWEN2_SPLIT = _LLAMA3_SPLIT.replace(r"\p{N}{1,3}", r"\p{N}")


class TextEncoder:
    """Turns text into token ids.

    Attributes:
        start_id: the token that a prompt begins with, or None where the model wants none.

    Example:
        >>> from maskwright.generation import load_text_encoder  # doctest: +SKIP
        >>> encoder = load_text_encoder("tokenizer.json")  # doctest: +SKIP
        >>> prompt_ids = encoder.encode_prompt("<|im_start|>user")  # doctest: +SKIP
        >>> text_ids = encoder.encode_plain("<|im_start|> as it is typed")  # doctest: +SKIP
    """

    def __init__(self, tokenizer: Any, *, start_id: int | None = None, source: str = "") -> None:
        """Wraps a ``tokenizers.Tokenizer``.

        Args:
            tokenizer: the tokeniser, with its special tokens added.
            start_id: what :meth:`encode_prompt` puts first.
            source: the file that it was made from, for messages.
        """
        self.start_id = start_id
        self._source = source
        self._tokenizer = tokenizer
        self._lock = Lock()

    def encode_prompt(self, text: str) -> list[int]:
        """Encodes a prompt: special tokens may be named, and the start token is put first if it is not there.

        Args:
            text: the prompt.

        Returns:
            The token ids.

        Raises:
            ModelError: it holds half of a surrogate pair, or the tokeniser fails on it.
        """
        ids = self._encode(text, plain=False)
        if self.start_id is not None and ids[:1] != [self.start_id]:
            ids.insert(0, self.start_id)
        return ids

    def encode_plain(self, text: str) -> list[int]:
        """Encodes text in which the names of special tokens mean nothing special.

        Args:
            text: any text.

        Returns:
            The token ids, without a start token.

        Raises:
            ModelError: it holds half of a surrogate pair, or the tokeniser fails on it.
        """
        return self._encode(text, plain=True)

    def _encode(self, text: str, *, plain: bool) -> list[int]:
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise ModelError(
                f"the text has {text[error.start]!r} at position {error.start}, half of a surrogate pair, "
                "which no tokeniser takes; leave it out, or give the text in UTF-8"
            ) from error
        whose = f"{self._source}: its" if self._source else "the"
        problem = f"{whose} tokeniser is damaged, or has no tokens for some part of the text"
        # The switch belongs to the tokeniser, not to the call.
        with self._lock, _refused(problem, self._source):
            self._tokenizer.encode_special_tokens = plain
            ids: list[int] = self._tokenizer.encode(text, add_special_tokens=False).ids
            return ids


def encoder_from_json(path: Path) -> TextEncoder:
    """Reads a ``tokenizer.json``.

    Args:
        path: the file.

    Returns:
        Its encoder; the start token is the one that its post-processor puts before every text.

    Raises:
        ModelError: the file is missing, damaged or too large, or ``tokenizers`` is not installed.
    """
    tokenizers = require("tokenizers")
    source = str(path)
    with _refused(f"{path}: not a readable tokenizer.json", source):
        check_json_length(path)
        tokenizer = tokenizers.Tokenizer.from_file(source)
        # Before anything is encoded: padding that finds no memory ends the process.
        tokenizer.no_padding()
        tokenizer.no_truncation()
        added = tokenizer.encode("").ids
    return TextEncoder(tokenizer, start_id=added[0] if added else None, source=source)


def check_json_length(path: Path) -> None:
    """Refuses JSON that takes too much memory to be read.

    Raises:
        ModelError: it is larger than a vocabulary's file may be.
        OSError: it is not there.
    """
    length = path.stat().st_size
    if length > LARGEST_TEXT:
        raise ModelError(
            f"{path}: the file has {length} bytes, but JSON may have {LARGEST_TEXT}; is this a tokeniser?",
            source=str(path),
        )


def encoder_from_gguf(file: GgufFile) -> TextEncoder:
    """Builds the tokeniser that a GGUF file describes.

    Args:
        file: the header of the file.

    Returns:
        Its encoder.

    Raises:
        ModelError: the kind of tokeniser or its way to split text is not known (the message names it),
            what it needs is missing, its tokens are too long for its merges to be found, or ``tokenizers``
            is not installed.
    """
    kind = file.require("tokenizer.ggml.model", str)
    if kind not in _BUILDERS:
        raise ModelError(
            f"{file.path}: tokenisers of the kind {kind!r} cannot be run; known are "
            f"{', '.join(sorted(_BUILDERS))}",
            source=str(file.path),
        )
    tokens: list[str] = file.require("tokenizer.ggml.tokens", list)
    build, adds_start = _BUILDERS[kind]
    source = str(file.path)
    with _refused(f"{file.path}: its tokeniser is damaged", source):
        tokenizer = build(file, tokens)
        _add_special_tokens(tokenizer, tokens, file.metadata.get("tokenizer.ggml.token_type", []))
    adds_start = file.metadata.get("tokenizer.ggml.add_bos_token", adds_start)
    start_id = file.metadata.get("tokenizer.ggml.bos_token_id") if adds_start else None
    return TextEncoder(tokenizer, start_id=start_id, source=source)


@contextmanager
def _refused(problem: str, source: str) -> Iterator[None]:
    """Makes a :class:`ModelError` of whatever the ``tokenizers`` package raises.

    Its native code raises bare exceptions, and panics on what it takes for granted, such as a token that a
    template names.

    Args:
        problem: what the message begins with.
        source: the file concerned, or ``""``.
    """
    try:
        yield
    except ModelError:
        raise
    except BaseException as error:
        if not isinstance(error, Exception) and not _is_panic(error):
            raise
        raise ModelError(f"{problem}: {error}", source=source) from error


def _is_panic(error: BaseException) -> bool:
    # The class cannot be imported: each native library has one of its own by this name.
    return (type(error).__module__, type(error).__name__) == ("pyo3_runtime", "PanicException")


def _build_byte_level(file: GgufFile, tokens: Sequence[str]) -> Any:
    """Byte-level BPE: merges apply inside the pieces that the pre-tokeniser splits text into."""
    tokenizers = require("tokenizers")
    name = file.metadata.get("tokenizer.ggml.pre", "default")
    if name not in _PRE_TOKENIZERS:
        raise ModelError(
            f"{file.path}: the pre-tokeniser {name!r} is not known; known are "
            f"{', '.join(sorted(_PRE_TOKENIZERS))}. A folder with the model's tokenizer.json works instead",
            source=str(file.path),
        )
    merges = [tuple(merge.split(" ", 1)) for merge in file.require("tokenizer.ggml.merges", list)]
    vocabulary = {token: token_id for token_id, token in enumerate(tokens)}
    # Llama 3 takes a piece that is a token as it is, whether or not merges lead to it.
    model = tokenizers.models.BPE(vocab=vocabulary, merges=merges, ignore_merges=name == "llama-bpe")
    tokenizer = tokenizers.Tokenizer(model)
    tokenizer.pre_tokenizer = _PRE_TOKENIZERS[name](tokenizers.pre_tokenizers)
    if name == "qwen2":
        tokenizer.normalizer = tokenizers.normalizers.NFC()
    return tokenizer


def _build_sentencepiece(file: GgufFile, tokens: Sequence[str]) -> Any:
    """SentencePiece BPE: any two neighbours whose joined text is a token may merge, best score first."""
    tokenizers = require("tokenizers")
    scores: list[float] = file.require("tokenizer.ggml.scores", list)
    vocabulary = {token: token_id for token_id, token in enumerate(tokens)}
    _check_cuts(vocabulary, str(file.path))
    ranked = []
    for token, token_id in vocabulary.items():
        for cut in range(1, len(token)):
            left, right = vocabulary.get(token[:cut]), vocabulary.get(token[cut:])
            if left is not None and right is not None:
                ranked.append((-scores[token_id], left, right))
    ranked.sort()
    merges = [(tokens[left], tokens[right]) for _, left, right in ranked]
    unknown_id = file.metadata.get("tokenizer.ggml.unknown_token_id", 0)
    tokenizer = tokenizers.Tokenizer(
        tokenizers.models.BPE(
            vocab=vocabulary,
            merges=merges,
            unk_token=tokens[unknown_id],
            fuse_unk=True,
            byte_fallback=True,
        )
    )
    normalizers = tokenizers.normalizers
    steps = [normalizers.Replace(" ", "\u2581")]
    if file.metadata.get("tokenizer.ggml.add_space_prefix", True):
        steps.insert(0, normalizers.Prepend("\u2581"))
    tokenizer.normalizer = normalizers.Sequence(steps)
    return tokenizer


def _check_cuts(tokens: Iterable[str], source: str) -> None:
    lengths = [len(token) for token in tokens]
    if sum(length**2 for length in lengths) > _MOST_CUT_CHARACTERS:
        raise ModelError(
            f"{source}: its tokens, the longest of {max(lengths)} characters, are too long for its tokeniser "
            f"to be run: the squares of their lengths sum to more than {_MOST_CUT_CHARACTERS}; "
            "Vocabulary.from_file reads the tokens alone",
            source=source,
        )


def _add_special_tokens(tokenizer: Any, tokens: Sequence[str], token_types: Sequence[int]) -> None:
    added_token = require("tokenizers").AddedToken
    for kind, special in ((_CONTROL, True), (_USER_DEFINED, False)):
        # `special=` alone decides whether plain text may name the token; none takes spaces with it.
        added = [
            added_token(token, special=special, normalized=False)
            for token, token_type in zip(tokens, token_types, strict=False)
            if token_type == kind and token
        ]
        if added:
            (tokenizer.add_special_tokens if special else tokenizer.add_tokens)(added)


def _split_then_bytes(pre_tokenizers: Any, pattern: str) -> Any:
    regex = require("tokenizers").Regex(pattern)
    return pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(regex, behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )


def _gpt2(pre_tokenizers: Any) -> Any:
    return pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)


def _smollm(pre_tokenizers: Any) -> Any:
    return pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), _gpt2(pre_tokenizers)])


_PRE_TOKENIZERS: dict[str, Callable[[Any], Any]] = {
    "gpt-2": _gpt2,
    "llama-bpe": lambda pre_tokenizers: _split_then_bytes(pre_tokenizers, _LLAMA3_SPLIT),
    "qwen2": lambda pre_tokenizers: _split_then_bytes(pre_tokenizers, _QWEN2_SPLIT),
    "smollm": _smollm,
}

# Each kind's builder, and whether a prompt begins with the start token where the file does not say.
_BUILDERS: dict[str, tuple[Callable[[GgufFile, Sequence[str]], Any], bool]] = {
    "gpt2": (_build_byte_level, False),
    "llama": (_build_sentencepiece, True),
}
