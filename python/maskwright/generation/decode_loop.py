"""The decode loop: a model writes, a constraint keeps it to a grammar.

Takes a model, a constraint (or none) and a prompt, and gives a :class:`Generation`, which yields tokens
as they are chosen and ends with :class:`Statistics`.

The mask of the next token depends on the tokens before it, not on the model's logits, so that it is
computed on a second thread while the model runs. What is left of its cost is the time by which it
finishes after the model.
"""

from __future__ import annotations

import codecs
import os
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from time import perf_counter
from typing import Literal, SupportsIndex
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from maskwright import Constraint, Matcher, allocate_mask, apply_mask
from maskwright.checking import counted, integer, string, told
from maskwright.errors import ArgumentError, ModelError

from .model import LanguageModel
from .sampling import Sampler, Sampling

__all__ = ["Generation", "Piece", "Statistics", "generate"]

FinishReason = Literal["stop", "length"]


@dataclass(frozen=True)
class Piece:
    """One token that was written.

    Attributes:
        token_id: its id.
        data: its bytes, which need not be whole characters; empty for a special token.

    Example:
        >>> from maskwright.generation import Piece
        >>> b"".join(piece.data for piece in (Piece(7, b"ye"), Piece(3, b"s")))
        b'yes'
    """

    token_id: int
    data: bytes


@dataclass(frozen=True)
class Statistics:
    """What a generation cost.

    Attributes:
        prompt_tokens: the number of tokens of the prompt.
        prompt_seconds: the time the model took for them.
        tokens: the number of tokens written; a stop token is not counted.
        decode_seconds: the time from the first logits to the end.
        mask_microseconds: the time spent on masks and on accepting tokens, on either thread.
        hidden_microseconds: the part of it during which the model was running anyway.
        finish_reason: ``"stop"`` where the model ended the text, ``"length"`` where a limit did.
        is_complete: whether the text satisfies the constraint. After ``"length"`` it may be only the
            beginning of one that does.

    Example:
        >>> from maskwright.generation import Statistics
        >>> costs = Statistics(9, 0.5, 20, 2.0, 400.0, 300.0, "length", is_complete=False)
        >>> costs.tokens_per_second, costs.hidden_share
        (10.0, 0.75)
    """

    prompt_tokens: int
    prompt_seconds: float
    tokens: int
    decode_seconds: float
    mask_microseconds: float
    hidden_microseconds: float
    finish_reason: FinishReason
    is_complete: bool

    @property
    def tokens_per_second(self) -> float:
        """Tokens written per second, the prompt's time left out; 0 where nothing was written."""
        return self.tokens / self.decode_seconds if self.decode_seconds > 0 else 0.0

    @property
    def hidden_share(self) -> float:
        """The share of the time on masks that the model hides, from 0 to 1; 1 where there was none."""
        return self.hidden_microseconds / self.mask_microseconds if self.mask_microseconds > 0 else 1.0


def generate(
    model: LanguageModel,
    constraint: Constraint | None,
    prompt: str,
    *,
    max_tokens: SupportsIndex = 256,
    sampling: Sampling | None = None,
) -> Generation:
    """Lets a model write text that a constraint allows.

    Args:
        model: the model; its current sequence is forgotten.
        constraint: what the text has to satisfy, compiled for the model's vocabulary; None for any text.
        prompt: what the text goes on from, with the chat template already applied where one is wanted.
        max_tokens: the most tokens to write.
        sampling: how to choose among the allowed tokens; None takes the likeliest always.

    Returns:
        An iterator over the tokens, which runs the model as it is read.

    Raises:
        ArgumentError: `max_tokens` is less than 1, or the prompt is empty.
        ModelError: the prompt fills the model's context, or the constraint was compiled for another
            vocabulary than the model's. Where another generation of the model begins before this one has
            ended, going on with this one raises it, too.
        TypeError: an argument is of another type.

    Example:
        >>> from maskwright.generation import generate, load_model  # doctest: +SKIP
        >>> model = load_model()  # doctest: +SKIP
        >>> "".join(generate(model, None, "The capital of France is", max_tokens=4).text())  # doctest: +SKIP
        ' Paris. It is'
    """
    max_tokens = integer(max_tokens, "max_tokens")
    string(prompt, "prompt")
    if constraint is not None and not isinstance(constraint, Constraint):
        raise TypeError(f"constraint is a maskwright.Constraint or None, not {type(constraint).__name__}")
    if sampling is not None and not isinstance(sampling, Sampling):
        raise TypeError(f"sampling is a Sampling or None, not {type(sampling).__name__}")
    if max_tokens < 1:
        raise ArgumentError(f"max_tokens has to be 1 or more, not {told(max_tokens)}", argument="max_tokens")
    if not hasattr(model, "vocabulary") or not hasattr(model, "forward"):
        raise TypeError(
            "model is a LanguageModel, such as maskwright.generation.load_model() gives, not "
            f"{type(model).__name__}"
        )
    if constraint is not None and not constraint.vocabulary._is_like(model.vocabulary):
        raise ModelError(
            f"the constraint is for another vocabulary, {constraint.vocabulary!r}, than that of the model, "
            f"{model.vocabulary!r}; compile its grammar by maskwright.Compiler(model.vocabulary)",
            source="constraint",
        )
    prompt_ids = model.encode(prompt)
    if not prompt_ids:
        raise ArgumentError(
            "the prompt is empty; the model needs at least one token to go on from", argument="prompt"
        )
    if len(prompt_ids) >= model.context_length:
        raise ModelError(
            f"the prompt has {counted(len(prompt_ids), 'token')}, and the model's context holds "
            f"{model.context_length}; nothing can be written after it"
        )
    # The last token that is written need not be read by the model again.
    room = model.context_length - len(prompt_ids) + 1
    return Generation(model, constraint, prompt_ids, min(max_tokens, room), Sampler(sampling or Sampling()))


class _Sequence:
    """What a model has read for one generation."""

    __slots__ = ("__weakref__",)


_LATEST: WeakValueDictionary[int, _Sequence] = WeakValueDictionary()
"""The sequence that each model, by its identity, has read last; a generation keeps its own, and the model."""


class Generation:
    """One text being written; iterate over it once, for its tokens or for its :meth:`text`.

    Made by :func:`generate`.

    Example:
        >>> from maskwright.generation import generate, load_model  # doctest: +SKIP
        >>> generation = generate(load_model(), None, "The capital of France is")  # doctest: +SKIP
        >>> tokens = [piece.token_id for piece in generation]  # doctest: +SKIP
        >>> generation.statistics.finish_reason  # doctest: +SKIP
        'stop'
    """

    def __init__(
        self,
        model: LanguageModel,
        constraint: Constraint | None,
        prompt_ids: list[int],
        max_tokens: int,
        sampler: Sampler,
    ) -> None:
        self._model = model
        self._constraint = constraint
        self._prompt_ids = prompt_ids
        self._max_tokens = max_tokens
        self._sampler = sampler
        self._statistics: Statistics | None = None
        self._pieces = self._run()

    @property
    def statistics(self) -> Statistics:
        """What the generation cost.

        Raises:
            ModelError: the generation has not ended.
        """
        if self._statistics is None:
            raise ModelError("the statistics are known only when the generation has ended")
        return self._statistics

    def __iter__(self) -> Iterator[Piece]:
        return self._pieces

    def text(self) -> Iterator[str]:
        """The text, in pieces of whole characters.

        Yields:
            Text that is not empty. Bytes that are not UTF-8 come as U+FFFD.

        Example:
            >>> from maskwright.generation import generate, load_model  # doctest: +SKIP
            >>> generation = generate(load_model(), None, "The capital of France is")  # doctest: +SKIP
            >>> for piece in generation.text():  # doctest: +SKIP
            ...     print(piece, end="", flush=True)
        """
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        for piece in self._pieces:
            if text := decoder.decode(piece.data):
                yield text
        if text := decoder.decode(b"", final=True):
            yield text

    def __repr__(self) -> str:
        ended = self._statistics
        state = "not ended"
        if ended is not None:
            state = f"{counted(ended.tokens, 'token')}, ended by {ended.finish_reason!r}"
        return f"<maskwright.generation.Generation: {state}>"

    def _run(self) -> Iterator[Piece]:
        model, vocabulary = self._model, self._model.vocabulary
        masks = _Masks(vocabulary.size, self._constraint)
        stop_ids = frozenset(vocabulary.stop_ids)
        count, reason = 0, "length"
        sequence = _LATEST[id(model)] = _Sequence()
        model.reset()
        begin = perf_counter()
        masks.begin_next()
        logits = model.forward(self._prompt_ids)
        prompt_seconds = perf_counter() - begin
        begin = perf_counter()
        while count < self._max_tokens:
            token_id = self._choose(logits, masks)
            if token_id in stop_ids:
                reason = "stop"
                break
            count += 1
            yield Piece(token_id, vocabulary.token_bytes(token_id) or b"")
            if count < self._max_tokens:
                if _LATEST.get(id(model)) is not sequence:
                    raise ModelError(
                        "another generation of this model has begun since, and a model has one sequence; "
                        "read one to its end before the next, or load the model twice"
                    )
                masks.begin_next()
                logits = model.forward([token_id])
        decode_seconds = perf_counter() - begin
        self._statistics = Statistics(
            prompt_tokens=len(self._prompt_ids),
            prompt_seconds=prompt_seconds,
            tokens=count,
            decode_seconds=decode_seconds,
            mask_microseconds=masks.total_seconds * 1e6,
            hidden_microseconds=masks.hidden_seconds * 1e6,
            finish_reason="stop" if reason == "stop" else "length",
            is_complete=masks.is_complete,
        )

    def _choose(self, logits: NDArray[np.float32], masks: _Masks) -> int:
        """The next token, already accepted."""
        size = self._model.vocabulary.size
        if logits.ndim != 1 or logits.size < size:
            raise ModelError(
                f"the model gave logits of shape {logits.shape} for a vocabulary of {size} tokens"
            )
        # There may be more logits than tokens: matrices are padded to round sizes.
        logits = logits[:size]
        masks.apply(logits)
        token_id = self._sampler.choose(logits)
        masks.accept(token_id)
        return token_id


class _Masks:
    """The masks of one generation, each computed on a second thread; a constraint of None allows all.

    The thread ends when this is gone. It is not waited for: a generation that nobody goes on with is ended by
    the garbage collector, on any thread, even within `threading` while that holds the locks waiting takes.
    A child that the process forks goes on with a thread and a mask of its own: the thread is not there, and
    what it held when the process forked, such as the mask, is held for good.

    Attributes:
        total_seconds: the time spent on masks and on accepting, on either thread.
        hidden_seconds: the part of it for which the model did not have to wait.
    """

    def __init__(self, size: int, constraint: Constraint | None) -> None:
        self.total_seconds = 0.0
        self.hidden_seconds = 0.0
        self._matcher: Matcher | None = None
        if constraint is None:
            return
        self._matcher = constraint.matcher()
        self._size = size
        self._start()

    def _start(self) -> None:
        """Makes what belongs to the process."""
        self._process_id = os.getpid()
        self._mask: NDArray[np.int32] = allocate_mask(1, self._size)
        self._threads = ThreadPoolExecutor(1, thread_name_prefix="maskwright-mask")
        self._pending: Future[float] | None = None

    @property
    def is_complete(self) -> bool:
        """Whether the text so far satisfies the constraint."""
        return self._matcher is None or self._matcher.is_complete

    def begin_next(self) -> None:
        """Begins to compute the mask of the next token; the matcher is not to be used until it is applied."""
        if self._matcher is None:
            return
        if self._process_id != os.getpid():
            self._start()
        self._pending = self._threads.submit(self._fill, self._matcher)

    def apply(self, logits: NDArray[np.float32]) -> None:
        """Waits for the mask and applies it in place.

        Raises:
            ModelError: nothing is allowed: the vocabulary has no token for what the grammar needs next.
        """
        if self._matcher is not None and self._process_id != os.getpid():
            self.begin_next()  # the process was forked while the parent's thread was at work
        if self._matcher is None or self._pending is None:
            return
        begin = perf_counter()
        was_ready = self._pending.done()
        fill_seconds = self._pending.result()
        waited = 0.0 if was_ready else perf_counter() - begin
        self._pending = None
        if not self._mask.any():
            raise ModelError("no token of the vocabulary can continue the text, which is not complete")
        begin = perf_counter()
        apply_mask(logits, self._mask[0])
        self.total_seconds += fill_seconds + (perf_counter() - begin)
        self.hidden_seconds += max(0.0, fill_seconds - waited)

    def accept(self, token_id: int) -> None:
        """Commits a chosen token."""
        if self._matcher is None:
            return
        begin = perf_counter()
        if not self._matcher.accept(token_id):
            raise ModelError(f"the token {token_id} was allowed by the mask and then refused")
        self.total_seconds += perf_counter() - begin

    def _fill(self, matcher: Matcher) -> float:
        begin = perf_counter()
        matcher.fill_mask(self._mask, 0)
        return perf_counter() - begin
