"""The formats that are known by name: those that come with the package, and those that were registered."""

from __future__ import annotations

import re
from collections.abc import Iterable

from maskwright.checking import did_you_mean, several, told
from maskwright.errors import ToolCallError
from maskwright.tool_calls.formats import BUILT_IN
from maskwright.tool_calls.layout import ToolCallFormat
from maskwright.tool_calls.layout_checks import check_format_name

__all__ = ["format_names", "get_format", "register"]

_REGISTERED: dict[str, ToolCallFormat] = {}
_LONGEST_NAME = 100
"""More of a name that stands for no format is not looked at."""


def register(layout: ToolCallFormat, *, aliases: Iterable[str] = ()) -> ToolCallFormat:
    """Makes a format of one's own known by its name, in this process.

    Args:
        layout: the format.
        aliases: further names.

    Returns:
        The format.

    Raises:
        ToolCallError: another format has the name already, or a format cannot be called so.
        TypeError: it is no format, or a name is no string.

    Example:
        >>> from maskwright.tool_calls import JsonArguments, Name, Text, ToolCallFormat
        >>> layout = ToolCallFormat(
        ...     name="example", models=(), source="this example",
        ...     call=(Text("CALL "), Name(), Text(" "), JsonArguments(), Text("!")),
        ... )
        >>> get_format(register(layout).name) is layout
        True
    """
    if not isinstance(layout, ToolCallFormat):
        raise TypeError(f"layout is a ToolCallFormat, not {type(layout).__name__}")
    names = [layout.name, *several(aliases, "aliases")]
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"aliases holds {type(name).__name__}, but a name is a str")
        check_format_name(name, "aliases")
        known = BUILT_IN.get(name) or _REGISTERED.get(name)
        if known is not None and known != layout:
            raise ToolCallError(f"there is a format {name!r} already; choose another name", location="name")
    _REGISTERED.update(dict.fromkeys(names, layout))
    return layout


def get_format(name: str | ToolCallFormat) -> ToolCallFormat:
    r"""The format of a name. A format itself is given back as it is.

    Raises:
        ToolCallError: there is no format of this name.

    Example:
        >>> get_format("hermes").gap
        '\n'
    """
    if isinstance(name, ToolCallFormat):
        return name
    found = (BUILT_IN.get(name) or _REGISTERED.get(name)) if isinstance(name, str) else None
    if found is None:
        known = format_names()
        listed = ", ".join(known) + (did_you_mean(name, known) or _for_models_called(name))
        raise ToolCallError(
            f"there is no tool-call format {told(name)}; there are {listed}", location="format"
        )
    return found


def _for_models_called(name: object) -> str:
    """What is said of the name of a model or of a family, given in place of a format's; or nothing."""
    words = _words(name) if isinstance(name, str) else []
    layouts = {layout.name: layout for layout in map(get_format, format_names())}
    most = 0
    found: list[str] = []
    for layout in layouts.values():
        # A model's name has the family's in it; a family's is the beginning of those of its models.
        families = [_words(model) for model in layout.models]
        shared = max((_shared(words, family) for family in families), default=0)
        if shared > most:
            most, found = shared, []
        if shared == most > 0:
            found.append(repr(layout.name))
    return f"; perhaps {' or '.join(found)}, by the names of its models" if found else ""


def _words(name: str) -> list[str]:
    """The words and numbers of the name of a model, without remarks in parentheses and the owner's name."""
    plain = re.sub(r"\(.*?\)", "", name[-_LONGEST_NAME:].lower()).rpartition("/")[2]
    return re.findall(r"[a-z]+|[0-9.]*[0-9]", plain)


def _shared(words: list[str], family: list[str]) -> int:
    """How many words a model's name shares with that of a family, of which it has all, or the first; or 0."""
    if words == family[: len(words)]:
        return len(words)
    lengths = range(len(words) - len(family) + 1)
    return len(family) if any(words[at : at + len(family)] == family for at in lengths) else 0


def format_names() -> list[str]:
    """The names of all formats, aliases too, in alphabetical order.

    Example:
        >>> "hermes" in format_names()
        True
    """
    return sorted({*BUILT_IN, *_REGISTERED})
