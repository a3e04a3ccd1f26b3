"""Patterns of pydantic's as those of ECMA-262, which ``pattern`` of JSON Schema is.

Pydantic matches by Rust's ``regex`` or by Python's :mod:`re`, and puts a pattern into its schema as it
is; of a compiled one it leaves out the flags. What these have and ECMA-262 writes otherwise is written
so here: flags for all that follows, names of groups, the ends of the text. All else is left, and is
read, or refused, as what it is in ECMA-262.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

__all__ = ["ecma_pattern"]

_PIECE = re.compile(
    r"""
      (?P<comment> \(\?\# [^)]* \) )
    | (?P<name> \(\?P< )
    | \(\? (?P<flags> [a-zA-Z]* (?:-[a-zA-Z]+)? ) (?P<end> [:)] )
    | (?P<opening> \( )
    | (?P<closing> \) )
    | (?P<bar> \| )
    | \\x\{ (?P<code_point> [0-9A-Fa-f]+ ) \}
    | \\ (?P<property> [pP] ) (?P<letter> [A-Z] )
    | \\ (?P<ends> [AzZ] )
    | (?P<at_most> \{, (?=[0-9]+\}) )
    | (?P<brackets> \[ \^? \]? (?: \\. | [^\]\\] )* \] )
    | (?P<escape> \\. )
    | (?P<space> \s+ | \#[^\n]* )
    | .
    """,
    re.VERBOSE | re.DOTALL,
)
_WITHOUT_MEANING = re.compile("[auxU]")
"""Flags that ECMA-262 has not, and that change nothing but by white space, which is left out here."""


def ecma_pattern(pattern: str | re.Pattern[str]) -> str:
    r"""A pattern of Rust or Python, compiled or not, as one of ECMA-262.

    Example:
        >>> ecma_pattern(r"(?i)\A(?P<sign>[+-])?ab|c\z")
        '(?i:^(?<sign>[+-])?ab)|(?i:c$)'
        >>> ecma_pattern(re.compile("a  # a letter", re.VERBOSE | re.IGNORECASE))
        '(?i:a)'
    """
    if isinstance(pattern, str):
        return _Writer().written(pattern)
    flags = "".join(flag for flag in "imsx" if pattern.flags & getattr(re, flag.upper()))
    return _Writer().written(f"(?{flags}){pattern.pattern}" if flags else pattern.pattern)


@dataclass(slots=True)
class _Level:
    """A group that has been opened, or the whole pattern.

    Attributes:
        is_verbose: whether white space and what follows ``#`` is left out.
        is_by_line: whether ``^`` and ``$`` match at every line.
        around: what was opened here for flags that hold for all that follows, up to the end of the group.
    """

    is_verbose: bool = False
    is_by_line: bool = False
    around: list[str] = field(default_factory=list)

    def inner(self) -> _Level:
        return _Level(self.is_verbose, self.is_by_line)

    def take(self, flags: str) -> None:
        on, _, off = flags.partition("-")
        self.is_verbose = ("x" in on or self.is_verbose) and "x" not in off
        self.is_by_line = ("m" in on or self.is_by_line) and "m" not in off


class _Writer:
    """Writes one pattern piece by piece."""

    def __init__(self) -> None:
        self._levels = [_Level()]
        self._out: list[str] = []

    def written(self, pattern: str) -> str:
        for piece in _PIECE.finditer(pattern):
            self._write(piece)
        return "".join(self._out) + ")" * len(self._levels[0].around)

    def _write(self, piece: re.Match[str]) -> None:
        level, text = self._levels[-1], piece[0]
        match piece.lastgroup:
            case "comment":
                pass
            case "space":
                self._out += [] if level.is_verbose else [text]
            case "name" | "opening":
                self._open("(?<" if piece["name"] else text, level.inner())
            case "end":
                self._write_flags(piece["flags"], level, is_group=piece["end"] == ":")
            case "closing":
                self._out.append(")" * len(level.around) + text)
                if len(self._levels) > 1:
                    self._levels.pop()
            case "bar":
                self._out.append(")" * len(level.around) + "|" + "".join(level.around))
            case _:
                self._out.append(_spelled(piece, is_by_line=level.is_by_line))

    def _open(self, text: str, inside: _Level) -> None:
        self._out.append(text)
        self._levels.append(inside)

    def _write_flags(self, flags: str, level: _Level, *, is_group: bool) -> None:
        told = _WITHOUT_MEANING.sub("", flags).removesuffix("-")
        if is_group:
            inside = level.inner()
            inside.take(flags)
            self._open(f"(?{told}:", inside)
            return
        level.take(flags)
        if told:
            level.around.append(f"(?{told}:")
            self._out.append(f"(?{told}:")


def _spelled(piece: re.Match[str], *, is_by_line: bool) -> str:
    """What is no group, as ECMA-262 spells it."""
    match piece.lastgroup:
        case "ends":
            anchor = "^" if piece["ends"] == "A" else "$"
            return f"(?-m:{anchor})" if is_by_line else anchor
        case "code_point":
            return f"\\u{{{piece['code_point']}}}"
        case "letter":
            return f"\\{piece['property']}{{{piece['letter']}}}"
        case "at_most":
            return "{0,"
        case "brackets":
            return _brackets(piece[0])
        case _:
            return piece[0]


def _brackets(text: str) -> str:
    """A class in which a bracket may come first that ECMA-262 would close it with."""
    escaped = re.sub(r"\A(\[\^?)\]", r"\1\\]", text)
    return re.sub(r"\\x\{([0-9A-Fa-f]+)\}", r"\\u{\1}", escaped)
