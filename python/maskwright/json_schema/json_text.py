"""Python values as JSON text.

Takes what :mod:`json` would load (mappings, lists, strings, numbers, booleans, None) and gives JSON text that
means exactly that: the order of keys is kept, integers keep all their digits, and nothing is converted
silently. The standard encoder turns a key ``1`` into ``"1"``, writes ``NaN`` and fails on deep nesting; this
one has no recursion, and says where a value stands that is not JSON. What is nothing but dicts, lists and
scalars as :mod:`json` makes them, which is nearly every schema, the extension writes in the same way.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from json.encoder import encode_basestring_ascii
from typing import Any

import numpy as np

from maskwright._native import plain_json_text
from maskwright.checking import told, told_key
from maskwright.errors import BudgetExceededError, SchemaError

__all__ = ["json_pointer", "json_text"]

_LONE_SURROGATE = re.compile("[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]")
"""Half of a surrogate pair, which a string of Python may hold, and no text does."""

_COMMON_SCALARS = (str, int, float, type(None))


def json_pointer(*keys: str | int) -> str:
    r"""The JSON pointer, after ``#``, of a place in a document.

    It can be printed whatever the keys are: half of a surrogate pair is shown as its escape.

    Example:
        >>> json_pointer("properties", "a/b", 0)
        '#/properties/a~1b/0'
        >>> print(json_pointer("\ud800"))
        #/\ud800
    """
    pointer = "#" + "".join("/" + told_key(key).replace("~", "~0").replace("/", "~1") for key in keys)
    return pointer if pointer.isascii() else pointer.encode("utf-8", "backslashreplace").decode()


def json_text(value: object, *, limit: int, document: str = "") -> str:
    """Writes a value as JSON.

    Args:
        value: the value.
        limit: the greatest length of the text in characters.
        document: the URI to put before places in error messages.

    Raises:
        SchemaError: something in it is not JSON, or contains itself; it says where.
        BudgetExceededError: the text is longer than the limit (`grammar_bytes`).

    Example:
        >>> json_text({"maximum": 10**30, "type": ["string", "null"]}, limit=1000)
        '{"maximum":1000000000000000000000000000000,"type":["string","null"]}'
    """
    plain = plain_json_text(value, limit)
    # Where there is an escape of a surrogate, it may be half of a pair: the writer below tells where.
    if plain is not None and "\\ud" not in plain:
        return plain
    writer = _Writer(limit, document)
    writer.write(value)
    return "".join(writer.pieces)


@dataclass(slots=True)
class _Open:
    """A list or mapping whose members are being written.

    Attributes:
        container: the list or mapping; kept, so that its id stays its own.
        members: those still to come, with their keys or positions.
        key: the key or position of the one being written.
        end: what closes it.
    """

    container: object
    members: Iterator[tuple[Any, Any]]
    key: Any
    end: str


class _Writer:
    """Writes one value, without recursion."""

    def __init__(self, limit: int, document: str) -> None:
        self.pieces: list[str] = []
        self._limit = limit
        self._length = 0
        self._document = document
        self._open: list[_Open] = []
        self._open_ids: set[int] = set()

    def write(self, value: object) -> None:
        if not self._opens("", value):
            self._put(self._scalar(value))
        while self._open:
            self._continue(self._open[-1])

    def _continue(self, innermost: _Open) -> None:
        """Writes members of a container up to one that is a container itself, or to its end."""
        is_object = innermost.end == "}"
        for key, member in innermost.members:
            before = "" if innermost.key is None else ","
            innermost.key = key
            if is_object:
                before += self._key(key) + ":"
            if self._opens(before, member):
                return
            self._put(before + self._scalar(member))
        self._put(innermost.end)
        self._open_ids.remove(id(innermost.container))
        self._open.pop()

    def _opens(self, before: str, value: object) -> bool:
        """Begins a container, with what stands before it; gives False where the value is none."""
        if isinstance(value, _COMMON_SCALARS):
            return False
        members: Iterator[tuple[Any, Any]]
        if isinstance(value, list | tuple):
            begin, members, end = "[", iter(enumerate(value)), "]"
        elif isinstance(value, Mapping):
            begin, members, end = "{", iter(value.items()), "}"
        else:
            return False
        if id(value) in self._open_ids:
            raise self._error("the value contains itself", "refer to schemas by $ref instead")
        self._put(before + begin)
        self._open_ids.add(id(value))
        self._open.append(_Open(value, members, None, end))
        return True

    def _put(self, piece: str) -> None:
        self._length += len(piece)
        if self._length > self._limit:
            raise BudgetExceededError(
                f"the budget `grammar_bytes` of {self._limit} is used up writing a schema as JSON; "
                "raise it by Budget(grammar_bytes=...)",
                budget="grammar_bytes",
                limit=self._limit,
            )
        self.pieces.append(piece)

    def _key(self, key: object) -> str:
        if isinstance(key, str):
            return self._string(key)
        remedy = f"write it as {told(told_key(key))}"
        raise self._error(f"a key must be a string, not {_shown(key)}", remedy)

    def _scalar(self, value: object) -> str:
        if isinstance(value, str):
            return self._string(value)
        if value is None:
            return "null"
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, int):
            return _integer_text(value)
        if isinstance(value, float):
            if math.isfinite(value):
                return float.__repr__(value)
            raise self._error(f"{value!r} is not a number of JSON", "leave the bound out instead")
        if isinstance(value, Decimal):
            if value.is_finite():
                return str(value)
            raise self._error(f"{value!r} is not a number of JSON", "leave the bound out instead")
        raise self._error(f"{_shown(value)} is not a JSON value", _instead_of(value))

    def _string(self, text: str) -> str:
        lone = None if text.isascii() else _LONE_SURROGATE.search(text)
        if lone is not None:
            problem = f"a string has a lone surrogate at position {lone.start()}, which is no text"
            raise self._error(problem, "leave it out")
        return encode_basestring_ascii(text)

    def _error(self, problem: str, remedy: str = "") -> SchemaError:
        keys = [container.key for container in self._open if container.key is not None]
        location = self._document + json_pointer(*keys)
        return SchemaError(f"{location}: {problem}" + (f"; {remedy}" if remedy else ""), location=location)


def _integer_text(value: int) -> str:
    """The digits of an integer of any size; `str` refuses those of more than some thousand digits."""
    if -(10**18) < value < 10**18:
        return int.__repr__(value)
    return format(Decimal(int(value)), "f")


def _shown(value: object) -> str:
    text = told(value)
    shown = text if len(text) <= 40 else text[:37] + "..."
    return f"{shown} of type {type(value).__name__}"


def _instead_of(value: object) -> str:
    """What to give in place of something that is not JSON."""
    if isinstance(value, type):
        return "a type is a schema only by itself; put in what maskwright.json_schema.schema_text makes of it"
    if isinstance(value, Enum):
        return "give its value"
    if isinstance(value, np.generic):
        return "give the number of Python that its method item() makes"
    return "use str, int, float, bool, None, lists and dicts"
