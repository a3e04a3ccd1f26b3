"""JSON texts of strangers: the readers and writers of :mod:`json`, whatever the stack of the thread.

They follow what is nested by native recursion. Python counts the levels, and raises a ``RecursionError`` at
its limit; but a thread with a small stack comes to the end of that first, and with it the process to its own.
So they are called where there is enough for the limit.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from maskwright._native import with_enough_stack

__all__ = ["dumps", "exact_integer", "loads", "without_surrogates"]

_SURROGATE = re.compile("[\ud800-\udfff]")


def loads(text: str | bytes, **hooks: Callable[..., Any] | None) -> Any:
    """As :func:`json.loads`, on enough stack.

    Raises:
        json.JSONDecodeError: it is not JSON.
        RecursionError: it nests deeper than Python reads.
    """
    return with_enough_stack(lambda: json.loads(text, **hooks))  # type: ignore[arg-type]


def exact_integer(digits: str) -> int | Decimal:
    """For `parse_int` of :func:`loads`: an integer with all its digits, however many there are.

    The interpreter refuses to make an `int` of some thousand digits, since the time for it grows faster than
    their number; such an integer is a decimal, whose time does not.

    Example:
        >>> exact_integer("-12"), str(exact_integer("9" * 5000)) == "9" * 5000
        (-12, True)
    """
    try:
        return int(digits)
    except ValueError:
        return Decimal(digits)


def dumps(value: Any, *, allow_nan: bool = True) -> str:
    """As :func:`json.dumps`, on enough stack; characters beyond ASCII are written as they are.

    Raises:
        RecursionError: it nests deeper than Python writes.
        TypeError, ValueError: something in it is not JSON.
    """
    return with_enough_stack(lambda: json.dumps(value, ensure_ascii=False, allow_nan=allow_nan))


def without_surrogates(text: str) -> str:
    r"""JSON text with halves of surrogate pairs as escapes: no encoding of text has them.

    Example:
        >>> without_surrogates('["\ud800", "é"]')
        '["\\ud800", "é"]'
    """
    return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
