"""What a docstring says: what a function is for, and what its parameters are.

| style | parameters |
|---|---|
| Google | below ``Args:`` or ``Attributes:``, each as ``name: text`` or ``name (type): text`` |
| NumPy | below ``Parameters`` and a line of hyphens, each as ``name : type`` with the text below it |
| Sphinx | each as ``:param name: text`` or ``:param type name: text`` |

What is not written so is passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile
from textwrap import dedent
from typing import NamedTuple

__all__ = ["Docstring", "docstring_of"]

_OF_PARAMETERS = r"(?:Keyword |Other )?(?:Args|Arguments|Parameters|Params)|Attributes"
_OF_OTHERS = r"Returns?|Yields?|Raises|Warns|Examples?|Notes?|References|See Also|Todo|Warnings?"
_HEADER = re.compile(rf"(?:(?P<parameters>{_OF_PARAMETERS})|{_OF_OTHERS})(?P<colon>:)?\s*")
_HYPHENS = re.compile(r"-{3,}\s*")
_FIELD = re.compile(
    r":(?:param(?:eter)?|arg(?:ument)?|key(?:word)?|type|returns?|rtype|raises?|yields?|meta)\b[^:]*:.*"
)
_OF_GOOGLE = re.compile(r"\*{0,2}(?P<names>\w+)(?:\s*\(.*?\))?\s*:(?P<text>.*)")
_OF_NUMPY = re.compile(r"(?P<names>\*{0,2}\w+(?:, ?\*{0,2}\w+)*)(?:\s*:.*)?(?P<text>)")
_OF_SPHINX = re.compile(
    r":(?:param(?:eter)?|arg(?:ument)?|key(?:word)?)\s+(?:[^:]*\s)?\*{0,2}(?P<names>\w+)\s*:(?P<text>.*)"
)
_BROKEN_LINE = re.compile(r"(?<=[^\s=-])[ \t]*\n(?=[^\W\d_]|[\"'(`])")
"""The end of a line that the next goes on: none before an item of a list, or what is indented."""


class Docstring(NamedTuple):
    """What a docstring says.

    Attributes:
        description: what stands before the first section, paragraphs in one line each.
        parameters: the descriptions of parameters by their names, each in one line.
    """

    description: str
    parameters: dict[str, str]


def docstring_of(text: str) -> Docstring:
    r"""What a docstring says, in any of the styles above.

    Args:
        text: the docstring, without the indentation that its lines have in common.

    Example:
        >>> docstring_of("Adds two\nnumbers.\n\nArgs:\n    a: The first.\n    b (int): The other.")
        Docstring(description='Adds two numbers.', parameters={'a': 'The first.', 'b': 'The other.'})
    """
    lines = text.expandtabs().strip().splitlines()
    first = next((at for at in range(len(lines)) if _begins_section(lines, at)), len(lines))
    described: dict[str, list[str]] = {}
    for at in range(first, len(lines)):
        described |= _parameters_at(lines, at)
    # A parameter of which nothing is said, such as one with its type alone, has no description.
    parameters = {name: " ".join(" ".join(said).split()) for name, said in described.items()}
    description = _BROKEN_LINE.sub(" ", "\n".join(lines[:first]).strip())
    return Docstring(description, {name: said for name, said in parameters.items() if said})


def _begins_section(lines: Sequence[str], at: int) -> bool:
    """Whether a section begins at a line; a Sphinx field is one by itself."""
    header = _HEADER.fullmatch(lines[at])
    if header is None:
        return _FIELD.fullmatch(lines[at]) is not None
    return header["colon"] is not None or _is_underlined(lines, at)


def _is_underlined(lines: Sequence[str], at: int) -> bool:
    return at + 1 < len(lines) and _HYPHENS.fullmatch(lines[at + 1]) is not None


def _parameters_at(lines: Sequence[str], at: int) -> dict[str, list[str]]:
    """The parameters of the section that begins at a line, if one does, with the lines about them."""
    if _OF_SPHINX.fullmatch(lines[at]):
        return dict(_entries([lines[at], *_indented(lines[at + 1 :])], _OF_SPHINX))
    header = _HEADER.fullmatch(lines[at])
    if header is None or header["parameters"] is None:
        return {}
    if _is_underlined(lines, at):
        end = next((to for to in range(at + 1, len(lines)) if _begins_section(lines, to)), len(lines))
        return dict(_entries(lines[at + 2 : end], _OF_NUMPY))
    if header["colon"] is None:
        return {}
    return dict(_entries(dedent("\n".join(_indented(lines[at + 1 :]))).splitlines(), _OF_GOOGLE))


def _indented(lines: Sequence[str]) -> list[str]:
    """The lines up to the first that is not indented; empty ones count as if they were."""
    return list(takewhile(lambda line: not line or line[0].isspace(), lines))


def _entries(lines: Sequence[str], head: re.Pattern[str]) -> Iterator[tuple[str, list[str]]]:
    """The names that a section lists, with what is said of them behind the name and indented below it."""
    for at, line in enumerate(lines):
        found = head.fullmatch(line)
        if found is not None:
            said = [found["text"], *_indented(lines[at + 1 :])]
            yield from ((name.strip(" *"), said) for name in found["names"].split(","))
