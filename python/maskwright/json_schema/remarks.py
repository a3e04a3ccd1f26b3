"""Words of a JSON Schema that ask for nothing, and were rather meant to ask for something.

Takes the texts of schemas and gives remarks. JSON Schema lets everybody add keywords and formats, so a
misspelt one is no error, and what it was meant to ask for is not asked for. Neither is one that another draft
has than that of the schema, such as ``prefixItems`` in draft 7, nor one that stands beside ``$ref`` there,
nor a format of strings that is not known, such as ``phone``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

from maskwright import nested_json
from maskwright.checking import edits_between, nearest_names
from maskwright.json_schema.json_text import json_pointer
from maskwright.json_schema.options import DRAFTS
from maskwright.json_schema.subschemas import ANNOTATIONS, DEMANDS, WITH_SCHEMAS, Place, subschemas

__all__ = ["FORMATS", "SchemaRemark", "schema_remarks"]

_MOST_WORDS = 1000
"""So many words that are not known are looked at: each takes some tenths of a millisecond."""
_NEAR = 0.85
"""How alike two longer words are, of 1, where one is taken for a misspelling."""
_SHORTEST, _SHORT = 3, 6
"""Of a word of up to so many letters, only their order may be wrong; and one of them."""
_LONGEST = 40
"""No word of more letters is compared letter by letter."""

_REMARKS = ANNOTATIONS | frozenset(
    """
    $anchor $dynamicAnchor $id $recursiveAnchor $schema $vocabulary contentEncoding contentMediaType id
    """.split()  # noqa: SIM905 - a table
)
"""Keywords that no text fails, and no less where they are misspelt."""
_KEYWORDS = WITH_SCHEMAS | DEMANDS | _REMARKS
_BESIDE_REFERENCES = (WITH_SCHEMAS | DEMANDS) - {"$ref", "$defs", "definitions", "type"}
"""What is meant to ask for something beside ``$ref``; a type there mostly says what the reference says."""
_OF_OPENAPI = frozenset(["discriminator", "example", "externalDocs", "nullable", "xml"])
_ADDED = frozenset(["allow", "container", "cost", "isRequired", "multiple", "num", "requiredIf", "when"])
_KNOWN_ELSEWHERE = _OF_OPENAPI | _ADDED
"""Words of OpenAPI, and such as people add for forms and tools: meant so, though some are nearly keywords."""

FORMATS = frozenset(
    """
    date date-time duration email hostname idn-email idn-hostname ipv4 ipv6 iri iri-reference json-pointer
    regex relative-json-pointer time uri uri-reference uri-template uuid
    """.split()  # noqa: SIM905 - a table
)
_MEANT = {"url": "uri"}
_FORMATS_ELSEWHERE = frozenset(
    """
    decimal double float int int8 int16 int32 int64 int128 uint uint8 uint16 uint32 uint64 uint128
    binary byte directory-path file-path password path
    """.split()  # noqa: SIM905 - a table
)
"""Formats of OpenAPI, Rust and pydantic that tell how a number is held, or what any text is for."""
_BESIDE_FORMATS = frozenset(["anyOf", "const", "enum", "pattern"])
"""Where one of these stands beside a format, what is asked for is mostly said by it."""

_FROM = {
    **dict.fromkeys(["const", "contains", "propertyNames"], "6"),
    **dict.fromkeys(["if", "then", "else"], "7"),
    **dict.fromkeys(["dependentRequired", "dependentSchemas", "maxContains", "minContains"], "2019-09"),
    **dict.fromkeys(["$recursiveRef", "unevaluatedItems", "unevaluatedProperties"], "2019-09"),
    **dict.fromkeys(["$dynamicRef", "prefixItems"], "2020-12"),
}
"""The first draft that has a keyword, where that is not draft 4."""
_UP_TO = {"additionalItems": "2019-09", "$recursiveRef": "2019-09"}
"""The last draft that has a keyword, where that is not the newest."""
_ORDER = {name: place for place, name in enumerate(DRAFTS)}
_BY_URI = {uri.rstrip("#"): name for name, uri in DRAFTS.items()}


class SchemaRemark(NamedTuple):
    """A word of a schema that asks for nothing, and was rather meant to.

    Attributes:
        location: where it stands, as a JSON pointer such as ``"#/properties/a"``, with the URI in front where
            it is in one of the further documents: of a keyword the schema that has it, of a format the
            ``format``.
        word: the keyword or the name of a format.
        suggestion: the word that it is near; ``""`` where it is near none, as a format that is not known, or
            is spelt rightly and asks for nothing all the same, as one that the draft of the schema lacks.
        message: what is to be said of it, with its place.

    Example:
        >>> import maskwright as mw
        >>> mw.Grammar.json_schema({"items": {"maxLenght": 3}}).remarks()[0].suggestion
        'maxLength'
    """

    location: str
    word: str
    suggestion: str
    message: str


def schema_remarks(recipe: Mapping[str, Any]) -> Iterator[SchemaRemark]:
    """Remarks on the keywords and formats of a schema and its documents, in the order in which they stand.

    Args:
        recipe: that of a grammar of a JSON Schema.

    Returns:
        The remarks, each made when it is asked for. Of words that are no keywords the first thousand are
        looked at. There are none on a document that cannot be read.
    """
    documents = recipe["documents"]
    formats = FORMATS.union(recipe["formats"]) if recipe["enforce_formats"] else None
    words = (
        word
        for uri, text in (("", recipe["schema"]), *documents.items())
        for word in _Reader(
            uri, formats, frozenset(documents), _BY_URI[recipe["default_draft"].rstrip("#")]
        ).unknown_words(_read(text))
    )
    return (remark for word in islice(words, _MOST_WORDS) if (remark := word.remark()) is not None)


def _read(text: str) -> Any:
    """The schema of a text; None where it is not JSON, or nests deeper than Python reads."""
    try:
        return nested_json.loads(text, parse_int=nested_json.exact_integer)
    except (ValueError, RecursionError):
        return None  # a document to which nothing refers, which nobody has read before


@dataclass(frozen=True)
class _Unknown:
    """A word that asks for nothing.

    Attributes:
        location: where it stands.
        word: the word.
        problem: why, where that is known; else it is said of a word that is near another.
        formats: where it is the name of a format, the formats that there are; None of a keyword.
    """

    location: str
    word: str
    problem: str = ""
    formats: frozenset[str] | None = None

    def remark(self) -> SchemaRemark | None:
        """What is said of it; None where it is no keyword, and near none."""
        if self.problem:
            return SchemaRemark(
                self.location, self.word, "", f"{self.location}: `{self.word}` {self.problem}"
            )
        is_keyword = self.formats is None
        near = _nearest(self.word, _KEYWORDS if self.formats is None else self.formats)
        if is_keyword and (near is None or near in _REMARKS):
            return None
        told = f"`{self.word}` is no keyword" if is_keyword else f"the format `{self.word:.60}` is not known"
        advice = f"did you mean `{near}`?" if near else "say what it means by `pattern`, or by `formats`"
        message = f"{self.location}: {told} and asks for nothing; {advice}"
        return SchemaRemark(self.location, self.word, near or "", message)


@dataclass(frozen=True)
class _Reader:
    """Finds the words of one document.

    Attributes:
        uri: that of the document; ``""`` for the schema itself.
        formats: the formats that ask for something; None where none does, and none was meant to.
        documents: the URIs of all documents. A dialect that is one of them says itself what its keywords are.
        default_draft: the draft where nothing else is known.
    """

    uri: str
    formats: frozenset[str] | None
    documents: frozenset[str]
    default_draft: str

    def unknown_words(self, schema: Any) -> Iterator[_Unknown]:
        open_places: list[tuple[Place, Any, str]] = [((), schema, self.default_draft)]
        while open_places:
            place, node, draft = open_places.pop()
            if not isinstance(node, dict):
                continue
            draft = self._draft(node.get("$schema"), draft)
            for key, value in node.items():
                problem = _problem(key, value, node, draft)
                if problem or _is_no_keyword(key):
                    yield _Unknown(self._at(place), key, problem)
            name = node.get("format")
            if self.formats is not None and isinstance(name, str) and _is_meant(name, node, self.formats):
                yield _Unknown(self._at((*place, "format")), name, formats=self.formats)
            open_places += reversed([(*inner, draft) for inner in subschemas(place, node)])

    def _at(self, place: Place) -> str:
        return self.uri + json_pointer(*place)

    def _draft(self, dialect: object, draft: str) -> str:
        """The draft of a schema; ``""`` where a document says which keywords there are."""
        if not isinstance(dialect, str):
            return draft
        uri = dialect.rstrip("#")
        if uri in {document.rstrip("#") for document in self.documents}:
            return ""
        return _BY_URI.get(uri.replace("/hyper-schema", "/schema"), self.default_draft)


def _is_no_keyword(key: str) -> bool:
    """Whether a key is none of JSON Schema, and was perhaps meant as one."""
    # What begins with a mark, as `_format` or `x-type`, is meant to ask for nothing.
    is_unknown = key not in _KEYWORDS and key not in _KNOWN_ELSEWHERE
    return is_unknown and key[:1].isalpha() and key[1:2] != "-"


def _is_meant(name: str, schema: Mapping[str, Any], known: frozenset[str]) -> bool:
    """Whether a format is not known, and was meant to ask for something."""
    if name in known or name in _FORMATS_ELSEWHERE or name.startswith("x-") or not name[:1].isalnum():
        return False
    if _nearest(name, known) is not None:
        return True
    types = schema.get("type", "string")
    is_of_strings = types == "string" or (isinstance(types, list) and "string" in types)
    return is_of_strings and not _BESIDE_FORMATS & schema.keys()


def _problem(key: str, value: object, schema: Mapping[str, Any], draft: str) -> str:
    """Why a key that is spelt rightly asks for nothing; ``""`` where it asks for something or is unknown."""
    if key == "nullable" and value is True:
        return 'is OpenAPI\'s and asks for nothing; where null may come, add "null" to `type`'
    if not draft:
        return ""
    if _is_before(draft, _FROM.get(key, "4")):
        return f"is a keyword only since draft {_FROM[key]}, and asks for nothing in draft {draft}"
    if _is_before(_UP_TO.get(key, "2020-12"), draft):
        return f"is a keyword only up to draft {_UP_TO[key]}, and asks for nothing in draft {draft}"
    if key in _BESIDE_REFERENCES and isinstance(schema.get("$ref"), str) and _is_before(draft, "2019-09"):
        return (
            f"stands beside `$ref`, and asks for nothing there in draft {draft}; put the two into an `allOf`"
        )
    return ""


def _is_before(draft: str, other: str) -> bool:
    return _ORDER[draft] < _ORDER[other]


def _nearest(word: str, known: frozenset[str]) -> str | None:
    """The word that another one was rather meant to be; None where it is like none."""
    if word in _MEANT and _MEANT[word] in known:
        return _MEANT[word]
    if not 0 < len(word) <= _LONGEST:
        return None
    near = [(edits, other) for other in known if (edits := _mistakes(word, other)) is not None]
    if near:
        return min(near)[1]
    return next(iter(nearest_names(word, known, likeness=_NEAR)), None) if len(word) > _SHORT else None


def _mistakes(word: str, meant: str) -> int | None:
    """How many mistakes make a word of the one that was meant; None where these are too many."""
    word, meant = word.lower(), meant.lower()
    if word[0] == meant[:1] and sorted(word) == sorted(meant):
        return int(word != meant)
    most = 1 if min(len(word), len(meant)) <= _SHORT else 2
    # Most words are told apart by their lengths and letters, which is sooner looked at than their order.
    are_apart = abs(len(word) - len(meant)) > most or len({*word} ^ {*meant}) > 2 * most
    if are_apart or len(meant) <= _SHORTEST:
        return None
    mistakes = edits_between(word, meant)
    return mistakes if mistakes <= most else None
