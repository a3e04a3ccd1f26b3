"""Masks as arrays: making them, filling many at once, and applying them to logits.

A mask has one bit for each token id: bit ``id % 32`` (the lowest first) of int32 word ``id // 32`` is 1
where the token is allowed. A batch is an array of shape ``[rows, words]``.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Any, Protocol, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from maskwright import _native
from maskwright._native import Matcher
from maskwright.checking import counted, in_order, whole_number
from maskwright.device_masks import disallow
from maskwright.errors import MaskBufferError

__all__ = ["accept_batch", "allocate_mask", "apply_mask", "fill_draft_masks", "fill_masks"]


class Tensor(Protocol):
    """What types say of a tensor of torch, which need not be installed."""

    def numpy(self) -> Any:
        """An array that shares its memory."""
        ...


Mask = NDArray[np.int32] | Tensor
Logits = NDArray[np.floating[Any]] | Tensor

#: More threads, rows or tokens than this are no number of them.
_LARGEST = 1 << 32

#: For each type of logits: the unsigned type of the same width, and the bits of minus infinity.
_MINUS_INFINITY: dict[str, tuple[type[np.unsignedinteger[Any]], int]] = {
    "float64": (np.uint64, 0xFFF0_0000_0000_0000),
    "float32": (np.uint32, 0xFF80_0000),
    "float16": (np.uint16, 0xFC00),
    "bfloat16": (np.uint16, 0xFF80),
}


def allocate_mask(rows: SupportsIndex, vocabulary_size: SupportsIndex) -> NDArray[np.int32]:
    """An int32 array ``[rows, ceil(vocabulary_size / 32)]`` in which every token is allowed.

    Rows of sequences without a constraint can stay as they are.

    Raises:
        TypeError: an argument is no integer.
        ArgumentError: an argument is negative or beyond 2**32, or there is no token.
        MemoryError: the machine has not so much memory.

    Example:
        >>> import maskwright as mw
        >>> mw.allocate_mask(2, 100).shape
        (2, 4)
    """
    rows = whole_number(rows, "rows", least=0, greatest=_LARGEST)
    size = whole_number(vocabulary_size, "vocabulary_size", least=1, greatest=_LARGEST)
    return np.full((rows, -(-size // 32)), -1, dtype=np.int32)


def fill_masks(
    matchers: Iterable[Matcher | None],
    mask: Mask,
    *,
    held: NDArray[np.uint64] | None = None,
    threads: SupportsIndex | None = None,
) -> None:
    """Writes the mask of ``matchers[i]`` into row ``i``, on several threads and with the GIL released.

    The threads are kept for the next call, until one asks for another number of them. A forked process starts
    its own. The calling thread begins, and wakes the others where what is left is worth it.

    Args:
        matchers: distinct matchers, of one vocabulary size; None for a row in which every token is allowed,
            as for a sequence without a constraint.
        mask: int32 array ``[rows, words]`` with at least as many rows, from NumPy or torch (CPU). It is
            contiguous by rows: :meth:`Matcher.fill_mask`, which writes one, takes some rows of an array, such
            as ``mask[::2]``, and this does not.
        held: uint64 array with as many numbers: the identity of the mask that each row holds already, 0
            where that is not known. A row that holds its matcher's mask is not written. Afterwards
            ``held`` says what the rows hold now, so that the next call can be given the same arrays. Set a
            number to 0 when the row was changed by anything else. A row that was copied elsewhere need
            not be copied again while its number stays the same and is not 0.
        threads: how many threads work, the calling one among them; by default as many as there are
            cores that the process may use. More than 256 never do.

    Raises:
        TypeError: an argument is of another type.
        ArgumentError: `threads` is no number of threads.
        MaskBufferError: an array has another shape, type or layout, or a matcher is of another vocabulary
            size: then the rows of the others are filled, as ``held`` says.
        MatcherBusyError: a matcher is in use by another thread, or stands twice in the batch.
        BudgetExceededError: steps needed more than their budgets: those of its ``rows``, which hold
            nothing of use and whose numbers are 0. All other rows are filled.

    Example:
        >>> import numpy as np
        >>> import maskwright as mw
        >>> vocabulary = mw.Vocabulary.from_tokens([b"a", b"b", None], stop_ids=[2])
        >>> constraint = mw.Compiler(vocabulary).compile(mw.Grammar.regex("ab"))
        >>> matchers = [constraint.matcher() for _ in range(3)]
        >>> mask = mw.allocate_mask(3, vocabulary.size)
        >>> held = np.zeros(3, dtype=np.uint64)
        >>> mw.fill_masks(matchers, mask, held=held)
        >>> mask.tolist()
        [[1], [1], [1]]
    """
    _native.fill_masks(_workers(threads), _listed(matchers), mask, held)


def fill_draft_masks(
    matchers: Iterable[Matcher | None],
    drafts: Iterable[Iterable[SupportsIndex]],
    mask: Mask,
    *,
    threads: SupportsIndex | None = None,
) -> NDArray[np.int64]:
    """Writes the masks along drafted tokens, on several threads and with the GIL released. No matcher moves.

    In speculative decoding, a model judges all tokens that another one has guessed at once, and each place
    needs its mask. Those of ``matchers[i]`` are in ``len(drafts[i]) + 1`` rows, behind those of the matcher
    before: the first is the mask of the next token, as of :meth:`Matcher.fill_mask`, each other one that
    behind a token more of the draft. Behind a token that is not allowed, and behind one that ends the text,
    the rows allow everything: what is sampled there is thrown away.

    Args:
        matchers: distinct matchers, of one vocabulary size; None for a sequence without a constraint, whose
            rows allow everything, whatever is drafted.
        drafts: for each matcher the ids of the drafted tokens, perhaps none.
        mask: int32 array ``[rows, words]`` with at least as many rows as there are tokens and matchers
            together, from NumPy or torch (CPU), contiguous by rows.
        threads: as for :func:`fill_masks`.

    Returns:
        For each matcher how many tokens of its draft are allowed one after the other, as of
        :meth:`Matcher.validate`.

    Raises:
        TypeError: an argument is of another type.
        ArgumentError: there are not as many drafts as matchers, or `threads` is no number of threads.
        TokenIdError: an id is outside its vocabulary.
        MaskBufferError: the array has another shape, type or layout, or a matcher is of another vocabulary
            size.
        MatcherBusyError: a matcher is in use by another thread, or stands twice in the batch.
        BudgetExceededError: steps needed more than their budgets: those of the matchers that its ``rows``
            number, whose masks hold nothing of use. All others are filled.

    Example:
        >>> import maskwright as mw
        >>> vocabulary = mw.Vocabulary.from_tokens([b"a", b"b", None], stop_ids=[2])
        >>> constraint = mw.Compiler(vocabulary).compile(mw.Grammar.regex("abb?"))
        >>> matchers = [constraint.matcher(), constraint.matcher()]
        >>> mask = mw.allocate_mask(5, vocabulary.size)
        >>> mw.fill_draft_masks(matchers, [[0, 1], [1]], mask).tolist()
        [2, 0]
        >>> mask.tolist()
        [[1], [2], [6], [1], [-1]]
    """
    listed = [in_order(draft, "each of drafts") for draft in in_order(drafts, "drafts")]
    return _native.fill_draft_masks(_workers(threads), _listed(matchers), listed, mask)


def accept_batch(
    matchers: Iterable[Matcher | None],
    token_ids: Iterable[SupportsIndex],
    *,
    threads: SupportsIndex | None = None,
) -> NDArray[np.bool_]:
    """Accepts ``token_ids[i]`` in ``matchers[i]``. Says for each whether it was allowed.

    Where a matcher is None, any token is, and the id is not looked at.

    Raises:
        TypeError: an argument is of another type.
        ArgumentError: there are not as many tokens as matchers, or `threads` is no number of threads.
        TokenIdError: an id is outside its vocabulary; then no matcher has changed.
        MatcherBusyError: a matcher is in use by another thread, or stands twice in the batch.
        BudgetExceededError: steps needed more than their budgets: those of its ``rows``. Then no matcher has
            changed, and the same call without them goes on.

    Example:
        >>> import maskwright as mw
        >>> vocabulary = mw.Vocabulary.from_tokens([b"a", b"b", None], stop_ids=[2])
        >>> constraint = mw.Compiler(vocabulary).compile(mw.Grammar.regex("ab"))
        >>> matchers = [constraint.matcher(), constraint.matcher(), None]
        >>> mw.accept_batch(matchers, [0, 1, 1]).tolist()
        [True, False, True]
    """
    return _native.accept_batch(_workers(threads), _listed(matchers), in_order(token_ids, "token_ids"))


def apply_mask(logits: Logits, mask: Mask) -> None:
    """Sets the logits of all disallowed tokens to minus infinity, in place.

    The mask of a matcher that is finished allows nothing: all logits of its row would be minus infinity, and
    no token could be sampled. Leave that row out, or let its mask be full of ones.

    Args:
        logits: ``[rows, size]`` or ``[size]``: a NumPy array of float16, float32 or float64, or a torch
            tensor (bfloat16 too) on any device. There may be fewer than the mask has bits: those behind the
            last one are left out of account. In the memory of the CPU, they are contiguous by rows: where a
            model pads its logits, pass all of them, or copy the part ``logits[:, :size]``. On a device, any
            layout will do.
        mask: int32 ``[rows, words]`` or ``[words]`` with as many rows, from NumPy or torch, contiguous by
            rows where it is in the memory of the CPU and the logits are. It is only read,
            so threads may share it, and may be filled again when this returns: where the logits are on a
            device and it is not, it is copied there, and the call waits for the copy. Pass a tensor on that
            device to wait for nothing.

    On CUDA and ROCm this is a kernel of Triton, where there is Triton. The first call of a process makes it
    ready, and the first with another type of logits: seconds at worst. Make one before a graph is captured.

    Raises:
        MaskBufferError: the shapes do not fit, an array has another type, byte order or layout, such as a
            sparse or nested tensor, or the logits cannot be written.

    Example:
        >>> import numpy as np
        >>> import maskwright as mw
        >>> logits = np.zeros(4, dtype=np.float32)
        >>> mw.apply_mask(logits, np.array([0b0101], dtype=np.int32))
        >>> logits
        array([  0., -inf,   0., -inf], dtype=float32)
    """
    if isinstance(logits, np.ndarray):
        _apply_to_array(logits, logits.dtype.name, mask)
    elif getattr(getattr(logits, "device", None), "type", None) == "cpu" and hasattr(logits, "numpy"):
        _apply_to_cpu_tensor(logits, mask)
    elif hasattr(logits, "masked_fill_"):
        _apply_on_device(logits, mask)
    else:
        raise MaskBufferError(f"logits must be a NumPy array or a torch tensor, not {type(logits).__name__}")


def _apply_to_array(logits: NDArray[Any], type_name: str, mask: Any) -> None:
    _check_type(type_name)
    if not logits.dtype.isnative:
        raise MaskBufferError(
            f"the logits are {type_name} in the byte order of another machine ({logits.dtype.str}); pass an "
            f"array in that of this one, such as logits.astype(numpy.{type_name})"
        )
    unsigned, pattern = _MINUS_INFINITY[type_name]
    _native.fill_disallowed(logits.view(unsigned), mask, pattern)


def _check_type(type_name: str) -> None:
    if type_name not in _MINUS_INFINITY:
        raise MaskBufferError(f"logits must be of {', '.join(_MINUS_INFINITY)}, not {type_name}")


def _type_of_tensor(tensor: Any) -> str:
    return str(tensor.dtype).removeprefix("torch.")


def _apply_to_cpu_tensor(logits: Any, mask: Any) -> None:
    import torch  # noqa: PLC0415 - only where a tensor was given

    type_name = _type_of_tensor(logits)
    _check_type(type_name)
    _check_dense(logits, "logits")
    try:
        # NumPy has no bfloat16: its bits travel as integers.
        shared = logits.detach()
        shared = shared.view(torch.int16) if type_name == "bfloat16" else shared
        array = shared.numpy()
    except (TypeError, RuntimeError) as error:
        raise MaskBufferError(
            f"the logits are a tensor whose memory cannot be shared: {error}; apply the mask to a copy of "
            "them, such as logits.clone()"
        ) from error
    _apply_to_array(array, type_name, mask)


def _check_dense(tensor: Any, what: str) -> None:
    """Refuses a tensor whose numbers do not lie in memory by rows and columns."""
    import torch  # noqa: PLC0415 - only where a tensor was given

    if tensor.is_nested or tensor.layout != torch.strided:
        kind = "nested" if tensor.is_nested else f"of the layout {tensor.layout}"
        raise MaskBufferError(
            f"the {what} are a tensor that is {kind}; pass a plain one, such as {what}.to_dense() or, of a "
            f"nested one, {what}.to_padded_tensor(0) gives"
        )


def _apply_on_device(logits: Any, mask: Any) -> None:
    import torch  # noqa: PLC0415 - only where a tensor was given

    _check_type(_type_of_tensor(logits))
    words = _as_tensor(mask)
    for what, tensor in (("logits", logits), ("mask", words)):
        if tensor.device.type == "meta":
            raise MaskBufferError(f"the {what} are a tensor on the meta device, which has no memory to share")
        _check_dense(tensor, what)
    if words.dtype != torch.int32 or words.dim() not in (1, 2):
        raise MaskBufferError(
            f"the mask must be int32 of shape [rows, words] or [words], not {_type_of_tensor(words)} "
            f"of shape {list(words.shape)}"
        )
    # Waits, so that nobody writes over the mask, in pinned memory say, while it is still being read.
    words = _by_rows(words.resolve_neg().to(logits.device))
    rows, columns = words.shape[0], words.shape[1] * 32
    if logits.dim() not in (1, 2) or _by_rows(logits).shape[0] != rows or logits.shape[-1] > columns:
        raise MaskBufferError(
            f"logits of shape {list(logits.shape)} do not fit a mask of {counted(rows, 'row')} of "
            f"{columns} bits; pass the number of logits as size= when the vocabulary is made"
        )
    if logits.numel() != 0:
        disallow(_by_rows(logits.detach()), words)


def _by_rows(tensor: Any) -> Any:
    """A tensor of one or two dimensions as one of rows."""
    return tensor if tensor.dim() == 2 else tensor.unsqueeze(0)


def _as_tensor(mask: Any) -> Any:
    """The mask as a tensor where it is; only that of an array that cannot be written is copied."""
    import torch  # noqa: PLC0415 - only where a tensor was given

    if isinstance(mask, np.ndarray) and not mask.flags.writeable:
        mask = mask.copy()
    try:
        return torch.as_tensor(mask)
    except (TypeError, ValueError, RuntimeError) as error:
        raise MaskBufferError(f"the mask must be an int32 array from NumPy or torch: {error}") from error


def _listed(matchers: Iterable[Matcher | None]) -> list[Matcher | None]:
    listed = in_order(matchers, "matchers")
    for matcher in listed:
        if not isinstance(matcher, Matcher) and matcher is not None:
            raise TypeError(
                f"matchers holds {type(matcher).__name__}; make one by Constraint.matcher(), "
                "or give None for a row in which everything is allowed"
            )
    return listed


#: The system is asked once: it reads files to know what a container may use.
_usable_cores = functools.cache(_native.usable_cores)

#: The threads of the last call, by their number; at most one entry.
_kept_workers: dict[int, _native.Workers] = {}


def _workers(threads: SupportsIndex | None) -> _native.Workers:
    """The kept threads if they are so many and belong to this process, else new ones."""
    if threads is None:
        threads = _usable_cores()
    threads = whole_number(threads, "threads", least=1, greatest=_LARGEST)
    workers = _kept_workers.get(threads)
    if workers is None or not workers.are_here:
        workers = _native.Workers(threads)
        _kept_workers.clear()
        _kept_workers[threads] = workers
    return workers
