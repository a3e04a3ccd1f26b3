"""Checks that the fields of a description, and what stands in them, are of the types that are declared.

Takes dataclasses and reads their annotations, so that a new field is checked as it is declared.
"""

from __future__ import annotations

from dataclasses import fields
from functools import cache
from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from maskwright.checking import flag, string, told
from maskwright.tool_calls.parts import Key, Part, Segment, StringMark, Text

__all__ = ["check_fields"]

_PARTS = get_args(Part | Key | StringMark)
_EXAMPLES = {Text: "a part, such as Text('x')", Segment: "a Segment"}
"""What stands for the kinds of things that fields hold, in messages."""


def check_fields(described: Any, where: str) -> None:
    """Checks the fields of a dataclass, and of what these hold.

    A part that stands where another kind of part should is let pass: that is no question of types.

    Args:
        described: the dataclass.
        where: what messages put before the names of its fields.

    Raises:
        TypeError: one is of another type; it says which.

    Example:
        >>> check_fields(Text(None), "call[0].")
        Traceback (most recent call last):
        TypeError: call[0].text is a str, not NoneType
    """
    kind: type = type(described)
    declared = _declared(kind)
    for field in fields(described):
        _check(getattr(described, field.name), declared[field.name], f"{where}{field.name}")


@cache
def _declared(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _check(value: Any, declared: Any, path: str) -> None:
    """Checks a value against an annotation: a simple type, a dataclass, a tuple, or a choice of these."""
    origin = get_origin(declared)
    if declared is bool:
        flag(value, path)
    elif declared is str or origin is Literal:
        string(value, path)
    elif origin is tuple:
        if not isinstance(value, tuple):
            raise TypeError(f"{path} is a tuple, not {type(value).__name__}{_as_tuple(value, declared)}")
        for at, item in enumerate(value):
            _check(item, get_args(declared)[0], f"{path}[{at}]")
    else:
        _check_choice(value, get_args(declared) or (declared,), path)


def _check_choice(value: Any, kinds: tuple[type, ...], path: str) -> None:
    if value is None and NoneType in kinds:
        return
    if str in kinds:
        string(value, path)
        return
    allowed = _PARTS if Text in kinds else tuple(kind for kind in kinds if kind is not NoneType)
    if not isinstance(value, allowed):
        expected = _EXAMPLES[allowed[0]] + (" or None" if NoneType in kinds else "")
        found = value.__name__ if isinstance(value, type) else type(value).__name__
        raise TypeError(f"{path} is {expected}, not {found}{_as_part(value, allowed)}")
    check_fields(value, f"{path}.")


def _as_tuple(value: Any, declared: Any) -> str:
    """How to make a tuple of what is none, where that is plain."""
    if isinstance(value, (*_PARTS, Segment)):
        return "; a tuple of one is written with a comma, as in (x,)"
    holds_parts = Text in get_args(get_args(declared)[0])
    return f"; write (Text({told(value)}),)" if isinstance(value, str) and holds_parts else ""


def _as_part(value: Any, allowed: tuple[type, ...]) -> str:
    """How to make a part of what is none, where that is plain."""
    if isinstance(value, type) and issubclass(value, allowed):
        return f" itself; write {value.__name__}()"
    return f"; write Text({told(value)})" if isinstance(value, str) and Text in allowed else ""
