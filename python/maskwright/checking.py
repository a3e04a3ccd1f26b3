"""Checks of arguments that many functions have: what is of another type is refused by its name."""

from __future__ import annotations

import difflib
import math
import operator
import os
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, SupportsIndex, TypeVar

import numpy as np

from maskwright.errors import ArgumentError, GrammarError

__all__ = [
    "can_be_a_name",
    "counted",
    "did_you_mean",
    "edits_between",
    "first_repeated",
    "flag",
    "forbidden_texts",
    "in_order",
    "integer",
    "mapping",
    "nearest_names",
    "number",
    "path_of",
    "several",
    "string",
    "told",
    "told_key",
    "whole_number",
]

Item = TypeVar("Item")

_TRUTH_VALUES = (bool, np.bool_)
_NUMBERS = (int, float, np.integer, np.floating)
_MOST_DIGITS = 40
_MOST_CHARACTERS = 200
_LONGEST_NAME = 100
"""Beyond so many characters nothing is a misspelt name: comparing takes the product of the lengths."""


def told(value: object) -> str:
    """A value as messages tell it: as :func:`repr`, but an integer of many digits by its size.

    Of what is long it is the beginning. Python itself writes integers of some thousands of digits only, and
    raises an error for others; so it does for what is nested deeply, and so may an object of the caller's.
    What cannot be written is told by its type.

    Example:
        >>> told(-1), told("a"), told(10**5000)
        ('-1', "'a'", 'about 10**5000')
    """
    try:
        written = repr(value)
    except Exception:  # whatever a stranger's __repr__ does
        written = ""
    if isinstance(value, int) and not 0 < len(written) <= _MOST_DIGITS:
        power = round((value.bit_length() - 1) * math.log10(2))
        return f"about {'-' if value < 0 else ''}10**{power}"
    if len(written) > _MOST_CHARACTERS:
        return f"{written[: _MOST_CHARACTERS - 1]}…"
    return written or _with_article(type(value).__name__)


def _with_article(noun: str) -> str:
    return f"{'an' if noun[:1] in 'aeiouAEIOU' else 'a'} {noun}"


def told_key(key: object) -> str:
    """A key of a mapping as messages tell it: as it is, and :func:`told` where it is no string.

    Example:
        >>> told_key("a"), told_key(1)
        ('a', '1')
    """
    return key if isinstance(key, str) else told(key)


def counted(count: int, noun: str) -> str:
    """A number of things, as messages tell it.

    Example:
        >>> counted(1, "token"), counted(2, "token")
        ('1 token', '2 tokens')
    """
    return f"{count} {noun}{'' if count == 1 else 's'}"


def did_you_mean(given: object, known: Iterable[str], quoted: Callable[[str], str] = repr) -> str:
    """What a message that refuses a name ends with: which one is near it, or nothing.

    Args:
        given: what was given.
        known: the names that there are. Upper case, and what stands between words, make no difference.
        quoted: writes a name as the message does.

    Example:
        >>> did_you_mean("Qwen3_Coder", ["hermes", "qwen3-coder"]), did_you_mean("x", ["hermes"])
        ("; did you mean 'qwen3-coder'?", '')
    """
    near = nearest_names(given, known) if isinstance(given, str) else []
    return f"; did you mean {quoted(near[0])}?" if near else ""


def nearest_names(given: str, known: Iterable[str], *, count: int = 1, likeness: float = 0.6) -> list[str]:
    """The names that are spelt most like one that was given, the nearest first.

    Args:
        given: what was given.
        known: the names that there are. Upper case, and what stands between words, make no difference.
        count: so many are given at most.
        likeness: how like it they are at least, of 1.

    Example:
        >>> nearest_names("Maxlenght", ["maxLength", "minLength"], count=2)
        ['maxLength', 'minLength']
    """
    if len(given) > _LONGEST_NAME:
        return []
    spelt = {_plainly(name): name for name in known if name}
    return [spelt[near] for near in difflib.get_close_matches(_plainly(given), spelt, count, likeness)]


def edits_between(given: str, name: str) -> int:
    """How many letters were added, left out, mistaken, or written before the one that they follow.

    The distance of optimal string alignment: neighbours that changed places are one mistake. Takes the
    product of the lengths. Upper case, and what stands between words, make no difference.

    Example:
        >>> edits_between("tpye", "type"), edits_between("maxLenght", "maxLength"), edits_between("a", "bc")
        (1, 1, 2)
    """
    given, name = _plainly(given), _plainly(name)
    before: list[int] = []
    row = list(range(len(name) + 1))
    for at, letter in enumerate(given):
        earlier, before, row = before, row, [at + 1]
        for place, other in enumerate(name):
            edits = min(before[place] + (letter != other), before[place + 1] + 1, row[place] + 1)
            have_changed_places = at and place and given[at - 1] == other and letter == name[place - 1]
            row.append(min(edits, earlier[place - 1] + 1) if have_changed_places else edits)
    return row[-1]


def _plainly(name: str) -> str:
    return name.lower().replace("_", "-").replace(" ", "-")


def flag(value: bool, name: str) -> bool:
    """A truth value.

    Raises:
        TypeError: it is anything else; a string such as ``"false"`` would count as true.

    Example:
        >>> flag(True, "parallel")
        True
    """
    if not isinstance(value, _TRUTH_VALUES):
        raise TypeError(f"{name} is True or False, not {told(value)}")
    return bool(value)


def several(values: Iterable[Item], name: str) -> list[Item]:
    """Several values as a list; of a mapping, its keys. Where their order matters, see :func:`in_order`.

    Raises:
        TypeError: they are no several, or one text.

    Example:
        >>> several(("a", "b"), "parts")
        ['a', 'b']
    """
    if type(values) is list:
        return values.copy()
    # An array of no dimension has the method that iterables have, and is one value all the same.
    is_one = isinstance(values, str | bytes | bytearray) or getattr(values, "ndim", None) == 0
    if is_one or not isinstance(values, Iterable):
        raise TypeError(f"{name} must be several, such as a list, not one {type(values).__name__}")
    return list(values)


def forbidden_texts(values: Iterable[str]) -> list[str]:
    """The texts that the argument `forbidden` lists.

    Raises:
        TypeError: they are no several, or one is no text.
        GrammarError: one is empty.

    Example:
        >>> forbidden_texts({"</a>": None})
        ['</a>']
    """
    listed = several(values, "forbidden")
    for value in listed:
        if not isinstance(value, str):
            raise TypeError(f"forbidden holds {type(value).__name__}, but only text can be forbidden")
        if not value:
            raise GrammarError("a forbidden text is empty, and so it is in every text; leave it out")
    return listed


def in_order(values: Iterable[Item], name: str) -> list[Item]:
    """Several values in their order as a list.

    Raises:
        TypeError: as :func:`several`; or they are a set, which has no order, or a mapping.

    Example:
        >>> in_order(("b", "a"), "examples")
        ['b', 'a']
    """
    if type(values) is list:
        return values.copy()
    if isinstance(values, set | frozenset | Mapping):
        raise TypeError(
            f"{name} come in an order, so they must be such as a list, not {type(values).__name__}"
        )
    return several(values, name)


def string(value: str, name: str) -> str:
    """A text.

    Raises:
        TypeError: it is anything else.

    Example:
        >>> string("root", "root")
        'root'
    """
    if not isinstance(value, str):
        raise TypeError(f"{name} is a str, not {type(value).__name__}{_text_from(value)}")
    return value


def _text_from(value: object) -> str:
    """How to make a text of what is none, where that is plain."""
    if isinstance(value, bytes | bytearray):
        return "; bytes become text by decode()"
    if isinstance(value, os.PathLike):
        return "; give what is in the file, as by read_text()"
    if isinstance(value, re.Pattern):
        return "; give its pattern, and its flags as arguments"
    return ""


def mapping(values: Mapping[str, Item] | None, name: str, example: str) -> Mapping[str, Item]:
    """Values by name; none at all for None.

    Raises:
        TypeError: they are something else, or a name is no string.

    Example:
        >>> mapping(None, "documents", "{'https://example.org/name': {...}}")
        {}
    """
    if values is None:
        return {}
    if not isinstance(values, Mapping):
        raise TypeError(f"{name} must be a mapping, such as {example}, not {type(values).__name__}")
    for key in values:
        if not isinstance(key, str):
            raise TypeError(f"{name} has the key {told(key)}, but its keys are strings, as in {example}")
    return values


def path_of(value: str | os.PathLike[str], name: str) -> Path:
    """A path.

    Raises:
        TypeError: it is anything else.

    Example:
        >>> path_of("tokenizer.json", "path").name
        'tokenizer.json'
    """
    if not isinstance(value, str | os.PathLike):
        raise TypeError(f"{name} is a str or a path, not {type(value).__name__}")
    return Path(value)


def can_be_a_name(path: str | os.PathLike[str]) -> bool:
    r"""Whether a file could be called so: the system takes no null characters, and only what it can encode.

    Example:
        >>> can_be_a_name("a.json"), can_be_a_name("a\0b")
        (True, False)
    """
    try:
        return b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        return False


def integer(value: SupportsIndex, name: str) -> int:
    """An integer, of Python or of NumPy.

    Raises:
        TypeError: it is anything else; a truth value would count as 0 or 1.

    Example:
        >>> integer(2, "seed")
        2
    """
    if not isinstance(value, _TRUTH_VALUES):
        try:
            return operator.index(value)
        except TypeError:
            pass
    raise TypeError(f"{name} is an int, not {type(value).__name__}")


def number(value: float, name: str) -> float:
    """A number, of Python or of NumPy; one beyond all floats counts as infinite.

    Raises:
        TypeError: it is anything else.

    Example:
        >>> number(0.5, "temperature")
        0.5
    """
    if isinstance(value, _TRUTH_VALUES) or not isinstance(value, _NUMBERS):
        raise TypeError(f"{name} is a number, not {type(value).__name__}")
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def first_repeated(values: Iterable[Item]) -> Item | None:
    """The first value that comes a second time; None where each comes once.

    Example:
        >>> first_repeated(["a", "b", "a"])
        'a'
    """
    known: set[Item] = set()
    for value in values:
        if value in known:
            return value
        known.add(value)
    return None


def whole_number(
    value: Any, name: str, *, least: int, greatest: int, hint: str = "", argument: str = ""
) -> int:
    """A number of things.

    Args:
        value: what was given.
        name: what messages call it.
        least: the least that it may be.
        greatest: the greatest.
        hint: why it may not be greater, and what to do instead.
        argument: the name of the argument or field, where `name` is more than that.

    Raises:
        TypeError: it is no integer.
        ArgumentError: it is too small or too great.

    Example:
        >>> whole_number(2, "threads", least=1, greatest=64)
        2
    """
    whole = integer(value, name)
    if not least <= whole <= greatest:
        reason = f": {hint}" if hint and whole > greatest else ""
        raise ArgumentError(
            f"{name} must be from {least} to {greatest}, not {told(whole)}{reason}", argument=argument or name
        )
    return whole
