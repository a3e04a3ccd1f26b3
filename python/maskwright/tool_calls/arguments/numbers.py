"""Numbers as they are read in every way of writing arguments, and the JSON values that hold them.

A number without a fraction or an exponent is an `int`. Any other is the nearest `float`, but for two: it is
an exact `int` where the schema says that only an integer can stand there and it is one, such as ``1e3``, and
where it is an integer too large for a `float`. What takes more than :data:`MOST_DIGITS` digits is refused,
so that no text of a model makes work that grows faster than the text.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any

from maskwright import nested_json
from maskwright.tool_calls.arguments.schema_view import Place, is_integer_at, place_within

__all__ = [
    "MOST_DIGITS",
    "STRING_OF_PYTHON",
    "UnreadableNumberError",
    "bounded",
    "check_literals",
    "json_value",
    "read_fraction",
    "read_integer",
    "settled",
]

MOST_DIGITS = 4300
"""The greatest number of digits in a row, and of those of an integer that is written with an exponent."""

_WRITTEN = re.compile(r"([+-]?)([0-9]*)\.?([0-9]*)(?:[eE]([+-]?)0*([0-9]*))?")
_LONG = re.compile(rf"[0-9_]{{{MOST_DIGITS + 1}}}")
STRING_OF_PYTHON = r"""(?s:"(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+')"""
"""A regular expression of strings between single quotes or double ones."""
_LONG_OR_STRING = re.compile(f"{_LONG.pattern}|{STRING_OF_PYTHON}")
_EXPONENT_DIGITS = 9
_HUGE = 10**_EXPONENT_DIGITS
_BOUND = 10**MOST_DIGITS


class UnreadableNumberError(ValueError):
    """A number that JSON may hold, and that is not read."""


class _Fraction(float):
    """A number that is written with a fraction or an exponent, until it is known what the schema says of it.

    Attributes:
        text: how it is written.
    """

    __slots__ = ("text",)
    text: str


def read_integer(text: str) -> int:
    """The value of digits with or without a sign.

    Raises:
        UnreadableNumberError: there are too many.
    """
    _check_length(text)
    return int(text)


def read_fraction(text: str) -> float | int:
    """The value of a number with a fraction or an exponent, to be passed to :func:`settled`.

    Raises:
        UnreadableNumberError: it has too many digits, or is too large and no integer.
    """
    _check_length(text)
    number = _Fraction(text)
    if math.isfinite(number):
        number.text = text.replace("_", "")
        return number
    exact = _integer(text.replace("_", ""))
    if exact is None:
        raise UnreadableNumberError("a number is too large for a float, and is no integer")
    return exact


def bounded(number: int) -> int:
    """An integer that was read otherwise, such as from hexadecimal digits.

    Raises:
        UnreadableNumberError: it has too many decimal digits.
    """
    if abs(number) >= _BOUND:
        raise UnreadableNumberError(f"an integer has more than {MOST_DIGITS} digits")
    return number


def check_literals(text: str) -> None:
    """Checks that there are not too many digits in a row in literals of Python, before Python reads them.

    Raises:
        UnreadableNumberError: there are.
    """
    if _LONG.search(text) is None:
        return
    for found in _LONG_OR_STRING.finditer(text):
        if found.group()[0] not in "\"'":
            _check_length(found.group())


def json_value(text: str, place: Place | None) -> Any:
    """The value of a JSON text, without the constants that Python adds to JSON.

    Args:
        text: the text.
        place: the schema that the value is to satisfy, as far as it is known.

    Raises:
        UnreadableNumberError: a number in it has too many digits.
        ValueError: it is no JSON text, or is nested too deeply.
    """
    fractions: list[float | int] = []
    unreadable: list[UnreadableNumberError] = []

    def number(read: Callable[[str], float | int], written: str) -> float | int:
        # What begins as a number may go on as no JSON at all, so it is not refused before its end.
        try:
            return read(written)
        except UnreadableNumberError as error:
            unreadable.append(error)
            return 0

    def fraction(written: str) -> float | int:
        fractions.append(number(read_fraction, written))
        return fractions[-1]

    def whole_number(written: str) -> float | int:
        return number(read_integer, written)

    try:
        value = nested_json.loads(
            text, parse_constant=_no_constant, parse_int=whole_number, parse_float=fraction
        )
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if unreadable:
        raise unreadable[0]
    return settled(value, place) if fractions else value


def settled(value: Any, place: Place | None) -> Any:
    """A value in which all numbers are as the schema has them. Changes lists and dicts within it.

    Raises:
        UnreadableNumberError: an integer is written with an exponent, and has too many digits.
    """
    whole = [value]
    are_integers: dict[Any, bool] = {}
    waiting: list[tuple[Any, Any, Place | None]] = [(whole, 0, place)]
    while waiting:
        holder, key, at = waiting.pop()
        part = holder[key]
        if isinstance(part, _Fraction):
            if at is not None and at[1] not in are_integers:
                are_integers[at[1]] = is_integer_at(at)
            exact = _integer(part.text) if at is not None and are_integers[at[1]] else None
            holder[key] = float(part) if exact is None else exact
        elif isinstance(part, Mapping):
            waiting += [(part, name, at and place_within(at, name)) for name in part]
        elif isinstance(part, list):
            waiting += [(part, index, at and place_within(at, index)) for index in range(len(part))]
    return whole[0]


def _integer(text: str) -> int | None:
    """The value of a number where it is an integer, else None.

    Raises:
        UnreadableNumberError: it has too many digits.
    """
    written = _WRITTEN.fullmatch(text)
    assert written is not None, text
    sign, before, after, exponent_sign, exponent_digits = (group or "" for group in written.groups())
    digits = (before + after).lstrip("0")
    significant = digits.rstrip("0")
    if not significant:
        return 0
    # Beyond this, an exponent is far out of bounds, with however many digits.
    exponent = int(exponent_digits or 0) if len(exponent_digits) <= _EXPONENT_DIGITS else _HUGE
    zeros = len(digits) - len(significant) - len(after) + (-exponent if exponent_sign == "-" else exponent)
    if zeros < 0:
        return None
    if len(significant) + zeros > MOST_DIGITS:
        raise UnreadableNumberError(f"an integer has more than {MOST_DIGITS} digits")
    return int(f"{sign}{significant}{'0' * zeros}")


def _check_length(text: str) -> None:
    if len(text) > MOST_DIGITS and _LONG.search(text) is not None:
        raise UnreadableNumberError(f"a number has more than {MOST_DIGITS} digits in a row")


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no number of JSON")
