"""Words of a JSON Schema that ask for nothing, and are nearly those that ask for something.

Takes the text of a schema and gives remarks. JSON Schema lets everybody add keywords and formats, so a
misspelt one is no error, and what it was meant to ask for is not asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from maskwright import nested_json
from maskwright.checking import nearest_names
from maskwright.json_schema.json_text import json_pointer

__all__ = ["FORMATS", "misspelt_words"]

_MOST_REMARKS = 5
_MOST_WORDS = 1000
"""So many words that are not known are looked at: each takes some tenths of a millisecond."""
_NEAR = 0.82
"""How alike two words are, of 1, where one is taken for a misspelling."""

_ONE_SCHEMA = frozenset(
    """
    additionalItems additionalProperties contains contentSchema else if items not propertyNames then
    unevaluatedItems unevaluatedProperties
    """.split()  # noqa: SIM905 - a table
)
_LISTED_SCHEMAS = frozenset(["allOf", "anyOf", "items", "oneOf", "prefixItems"])
_NAMED_SCHEMAS = frozenset(
    ["$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"]
)
_DEMANDS = frozenset(
    """
    $dynamicRef $recursiveRef $ref const dependentRequired enum exclusiveMaximum exclusiveMinimum format
    maxContains maximum maxItems maxLength maxProperties minContains minimum minItems minLength minProperties
    multipleOf pattern required type uniqueItems
    """.split()  # noqa: SIM905 - a table
)
_REMARKS = frozenset(
    """
    $anchor $comment $dynamicAnchor $id $recursiveAnchor $schema $vocabulary contentEncoding contentMediaType
    default deprecated description examples id readOnly title writeOnly
    """.split()  # noqa: SIM905 - a table
)
"""Keywords that no text fails, and no less where they are misspelt."""
_KEYWORDS = _ONE_SCHEMA | _LISTED_SCHEMAS | _NAMED_SCHEMAS | _DEMANDS | _REMARKS
_OF_OPENAPI = frozenset(["discriminator", "example", "externalDocs", "nullable", "xml"])
"""Known elsewhere, and meant so."""

FORMATS = frozenset(
    """
    date date-time duration email hostname idn-email idn-hostname ipv4 ipv6 iri iri-reference json-pointer
    regex relative-json-pointer time uri uri-reference uri-template uuid
    """.split()  # noqa: SIM905 - a table
)
_MEANT = {"url": "uri"}

Place = tuple[str | int, ...]


def misspelt_words(text: str) -> list[str]:
    """Remarks on the first few keywords and formats of a schema that are nearly ones that there are.

    Args:
        text: the schema as JSON.

    Returns:
        A line for each, with its place; none where the text cannot be read.

    Example:
        >>> misspelt_words('{"maxLenght": 3}')
        ['#: `maxLenght` is no keyword and asks for nothing; did you mean `maxLength`?']
    """
    try:
        schema = nested_json.loads(text)
    except (ValueError, RecursionError):
        return []  # what is wrong with it is told by those who need it
    unknown = islice(_unknown_words(schema), _MOST_WORDS)
    remarks = (remark for word in unknown if (remark := word.remark()) is not None)
    return list(islice(remarks, _MOST_REMARKS))


@dataclass(frozen=True)
class _Unknown:
    """A word that asks for nothing.

    Attributes:
        place: where it stands.
        word: the word.
        is_format: whether it is the name of a format, and not a keyword.
    """

    place: Place
    word: str
    is_format: bool = False

    def remark(self) -> str | None:
        """What is said of it; None where no word is near."""
        near = _nearest(self.word, FORMATS if self.is_format else _KEYWORDS)
        if near is None or near in _REMARKS:
            return None
        told = f"the format `{self.word}` is not known" if self.is_format else f"`{self.word}` is no keyword"
        return f"{json_pointer(*self.place)}: {told} and asks for nothing; did you mean `{near}`?"


def _unknown_words(schema: Any) -> Iterator[_Unknown]:
    open_places: list[tuple[Place, Any]] = [((), schema)]
    while open_places:
        place, node = open_places.pop()
        if not isinstance(node, dict):
            continue
        for key in node:
            # What begins with a mark, as `_format` or `x-type`, is meant to ask for nothing.
            if key not in _KEYWORDS and key not in _OF_OPENAPI and key[:1].isalpha() and key[1:2] != "-":
                yield _Unknown(place, key)
        name = node.get("format")
        if isinstance(name, str) and name not in FORMATS:
            yield _Unknown((*place, "format"), name, is_format=True)
        open_places += reversed(list(_within(place, node)))


def _within(place: Place, node: dict[str, Any]) -> Iterator[tuple[Place, Any]]:
    """The schemas that stand in a schema, with their places."""
    for key, value in node.items():
        if key in _ONE_SCHEMA and isinstance(value, dict):
            yield (*place, key), value
        elif key in _LISTED_SCHEMAS and isinstance(value, list):
            yield from (((*place, key, at), inner) for at, inner in enumerate(value))
        elif key in _NAMED_SCHEMAS and isinstance(value, dict):
            yield from (((*place, key, name), inner) for name, inner in value.items())


def _nearest(word: str, known: frozenset[str]) -> str | None:
    if word in _MEANT and _MEANT[word] in known:
        return _MEANT[word]
    return next(iter(nearest_names(word, known, likeness=_NEAR)), None)
