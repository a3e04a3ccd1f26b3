"""The white space between the tokens of a JSON text."""

from __future__ import annotations

import re
from typing import Any, Self, SupportsIndex, final

from maskwright.checking import did_you_mean, integer, several, told
from maskwright.errors import GrammarError

__all__ = ["Whitespace"]

_BLANKS = r"[ \t\n\r]*"
_GREATEST_RUN = (1 << 32) - 1
_GREATEST_INDENT = 1000


@final
class Whitespace:
    """Where white space may, or must, stand between the tokens of a JSON text. Immutable.

    Inside strings it has no say. Made by one of the class methods; the first two and :meth:`free` can also
    be given by name, as ``whitespace="compact"``.

    Attributes:
        maximum: the greatest length of one run where white space is free, else None.
        item_separator: what stands between items and between members, where it is not free.
        key_separator: what stands between a key and its value, where it is not free.
        indent: how many blanks each level is indented by; None for one line.

    Example:
        >>> import maskwright as mw
        >>> mw.Whitespace.spaced()
        Whitespace.spaced(separators=(', ', ': '))
    """

    __slots__ = ("_hash", "indent", "item_separator", "key_separator", "maximum")

    maximum: int | None
    item_separator: str
    key_separator: str
    indent: int | None
    _hash: int

    def __init__(self, *_: object, **__: object) -> None:
        raise TypeError("a Whitespace is made by Whitespace.free, .compact, .spaced or .indented")

    @classmethod
    def _of(cls, *, maximum: int | None, separators: tuple[str, str], indent: int | None) -> Self:
        whitespace = object.__new__(cls)
        item_separator, key_separator = _pair(separators)
        values = {
            "maximum": maximum,
            "item_separator": _checked_separator(item_separator, "item", ","),
            "key_separator": _checked_separator(key_separator, "key", ":"),
            "indent": indent,
        }
        for name, value in values.items():
            object.__setattr__(whitespace, name, value)
        # Schemas look up their options by it, each time.
        object.__setattr__(whitespace, "_hash", hash(whitespace._values()))
        return whitespace

    @classmethod
    def free(cls, maximum: SupportsIndex = 64) -> Self:
        """Blanks, tabs and line ends as the model likes, at every place where JSON allows them.

        Args:
            maximum: the greatest length of one run, so that a model cannot write blanks for ever.

        Raises:
            GrammarError: the number is negative or 2**32 and more.
            TypeError: it is no integer.

        Example:
            >>> import maskwright as mw
            >>> mw.Whitespace.free(maximum=2).maximum
            2
        """
        return cls._of(
            maximum=_checked_number("maximum", maximum, _GREATEST_RUN), separators=(",", ":"), indent=None
        )

    @classmethod
    def compact(cls) -> Self:
        """No white space at all: ``{"a":1,"b":[2,3]}``. As a name, ``"compact"`` or ``"none"``.

        Example:
            >>> import maskwright as mw
            >>> mw.Whitespace.compact().item_separator
            ','
        """
        return cls._of(maximum=None, separators=(",", ":"), indent=None)

    @classmethod
    def spaced(cls, separators: tuple[str, str] = (", ", ": ")) -> Self:
        """One line with fixed separators; the default ones are those of :func:`json.dumps`.

        Args:
            separators: what stands between items and members, and between a key and its value: one comma,
                or one colon, with blanks around it.

        Raises:
            GrammarError: a separator is something else, or they are not two.
            TypeError: they are no several.

        Example:
            >>> import maskwright as mw
            >>> mw.Whitespace.spaced((",", ": ")).key_separator
            ': '
        """
        return cls._of(maximum=None, separators=separators, indent=None)

    @classmethod
    def indented(cls, width: SupportsIndex, separators: tuple[str, str] = (",", ": ")) -> Self:
        """Every item and member on a line of its own, as ``json.dumps(..., indent=width)`` writes them.

        Args:
            width: how many blanks each level is indented by, from 0 to 1000.
            separators: as for :meth:`spaced`; the line end comes after the first.

        Raises:
            GrammarError: the width is out of range, or the separators are not two of those.
            TypeError: the width is no integer, or the separators are no several.

        Example:
            >>> import maskwright as mw
            >>> mw.Whitespace.indented(2).indent
            2
        """
        indent = _checked_number("width", width, _GREATEST_INDENT)
        return cls._of(maximum=None, separators=separators, indent=indent)

    @classmethod
    def named(cls, name: str) -> Whitespace:
        """The white space that has a name: ``"free"``, ``"compact"``, ``"none"`` or ``"spaced"``.

        Raises:
            GrammarError: there is no such name.
            TypeError: it is no string.

        Example:
            >>> import maskwright as mw
            >>> mw.Whitespace.named("none") == mw.Whitespace.compact()
            True
        """
        if not isinstance(name, str):
            raise TypeError(
                "whitespace is a name, such as 'compact', or a Whitespace, such as Whitespace.indented(2), "
                f"not {told(name)}"
            )
        found = _NAMED.get(name)
        if found is None:
            raise GrammarError(
                f"there is no white space named {told(name)}; give 'free', 'compact', 'spaced' or a "
                f"Whitespace, such as Whitespace.indented(2){did_you_mean(name, _NAMED)}"
            )
        return found

    def _recipe(self) -> list[int | str | None]:
        """What :meth:`_from_recipe` takes, as JSON has it."""
        return list(self._values())

    @classmethod
    def _from_recipe(cls, recipe: list[int | str | None]) -> Self:
        """The white space of a recipe.

        Raises:
            GrammarError, TypeError, ValueError: it is no recipe.
        """
        maximum, item_separator, key_separator, indent = recipe
        if not isinstance(item_separator, str) or not isinstance(key_separator, str):
            raise TypeError("a separator must be a string")
        for number, greatest in ((maximum, _GREATEST_RUN), (indent, _GREATEST_INDENT)):
            if number is not None:
                _checked_number("white space", number, greatest)  # type: ignore[arg-type]
        return cls._of(maximum=maximum, separators=(item_separator, key_separator), indent=indent)  # type: ignore[arg-type]

    def __reduce__(self) -> tuple[Any, ...]:
        return Whitespace._from_recipe, (self._recipe(),)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a Whitespace cannot be changed")

    def __delattr__(self, name: str) -> None:
        raise AttributeError("a Whitespace cannot be changed")

    def _values(self) -> tuple[int | None, str, str, int | None]:
        return self.maximum, self.item_separator, self.key_separator, self.indent

    def __eq__(self, other: object) -> bool:
        return self._values() == other._values() if isinstance(other, Whitespace) else NotImplemented

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        if self.maximum is not None:
            return f"Whitespace.free(maximum={self.maximum})"
        separators = (self.item_separator, self.key_separator)
        if self.indent is not None:
            return f"Whitespace.indented({self.indent}, separators={separators})"
        return "Whitespace.compact()" if separators == (",", ":") else f"Whitespace.spaced({separators=})"


def _pair(separators: tuple[str, str]) -> list[str]:
    listed = several(separators, "separators")
    if len(listed) != 2:
        raise GrammarError(
            "separators are two, one of items and one of keys, such as (', ', ': '), but here they are "
            f"{len(listed)}"
        )
    return listed


def _checked_separator(separator: str, kind: str, mark: str) -> str:
    if isinstance(separator, str) and re.fullmatch(_BLANKS + mark + _BLANKS, separator):
        return separator
    raise GrammarError(
        f"the {kind} separator {told(separator)} is not one {mark!r} with blanks, tabs or line ends around it"
    )


def _checked_number(name: str, value: SupportsIndex, greatest: int) -> int:
    number = integer(value, name)
    if not 0 <= number <= greatest:
        raise GrammarError(f"{name} must be a whole number from 0 to {greatest}, not {told(number)}")
    return number


_NAMED = {
    "free": Whitespace.free(),
    "compact": Whitespace.compact(),
    "none": Whitespace.compact(),
    "spaced": Whitespace.spaced(),
}
