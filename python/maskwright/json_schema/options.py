"""The options of :meth:`maskwright.Grammar.json_schema`, checked and put as the core takes them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from maskwright._native import JsonSchemaOptions
from maskwright.checking import did_you_mean, flag, mapping, several, string, told
from maskwright.errors import GrammarError
from maskwright.json_schema.whitespace import Whitespace

__all__ = ["DRAFTS", "SchemaOptions", "checked_recipe", "draft_uri", "schema_options"]

DRAFTS: Mapping[str, str] = {
    "4": "http://json-schema.org/draft-04/schema#",
    "6": "http://json-schema.org/draft-06/schema#",
    "7": "http://json-schema.org/draft-07/schema#",
    "2019-09": "https://json-schema.org/draft/2019-09/schema",
    "2020-12": "https://json-schema.org/draft/2020-12/schema",
}
"""The drafts of JSON Schema by name, with the URIs that ``$schema`` knows them by."""


def draft_uri(draft: str) -> str:
    """The URI of a draft, given by name or by URI.

    Raises:
        GrammarError: it is neither.

    Example:
        >>> draft_uri("7")
        'http://json-schema.org/draft-07/schema#'
    """
    if not isinstance(draft, str):
        raise TypeError(f"default_draft must be a string, not {type(draft).__name__}")
    if draft in DRAFTS:
        return DRAFTS[draft]
    if any(draft.rstrip("#") == uri.rstrip("#") for uri in DRAFTS.values()):
        return draft
    names = ", ".join(repr(name) for name in DRAFTS)
    near = did_you_mean(draft, [*DRAFTS, *DRAFTS.values()])
    raise GrammarError(f"there is no draft {draft!r} of JSON Schema; give one of {names}, or its URI{near}")


@dataclass(frozen=True, slots=True)
class SchemaOptions:
    """Options that have been checked.

    Attributes:
        native: as the core takes them.
        recipe: as they are saved, with places for the schema and its documents. To be copied.
    """

    native: JsonSchemaOptions
    recipe: dict[str, Any]


Flags = tuple[bool, bool, bool, bool, bool, bool]
_FLAGS = (
    "ascii_only",
    "minimal_escapes",
    "plain_numbers",
    "lone_surrogates",
    "track_keys",
    "enforce_formats",
)


def schema_options(
    order: str,
    whitespace: Whitespace | str,
    flags: Flags,
    default_draft: str,
    formats: Mapping[str, str] | None,
    approximate: Collection[str],
) -> SchemaOptions:
    """The options of a grammar; a few that were given before are remembered, since most grammars share them.

    Args:
        order: ``"declared"`` or ``"any"``.
        whitespace: a name, or a :class:`maskwright.Whitespace`.
        flags: `ascii_only`, `minimal_escapes`, `plain_numbers`, `lone_surrogates`, `track_keys` and
            `enforce_formats`.
        default_draft: a draft by name or by URI.
        formats: regular expressions by the names of formats.
        approximate: names of keywords.

    Raises:
        GrammarError: a value is not one of those that there are.
        TypeError: a value has another type.
    """
    named = () if formats is None else tuple(named_formats(formats).items())
    # What else is empty may be no truth value, such as an array.
    keywords = () if isinstance(approximate, tuple) and not approximate else tuple(keyword_names(approximate))
    try:
        return _options(order, whitespace, default_draft, named, keywords, *flags)
    except TypeError:
        # What cannot be remembered has the wrong type, and is refused by its name.
        return _options.__wrapped__(order, whitespace, default_draft, named, keywords, *flags)


@lru_cache(maxsize=16, typed=True)
def _options(
    order: str,
    whitespace: Whitespace | str,
    default_draft: str,
    formats: tuple[tuple[str, str], ...],
    approximate: tuple[str, ...],
    *flags: *Flags,  # each an argument of its own, lest 1 is taken for True
) -> SchemaOptions:
    layout = whitespace if isinstance(whitespace, Whitespace) else Whitespace.named(whitespace)
    shared: dict[str, Any] = {
        **{name: flag(value, name) for name, value in zip(_FLAGS, flags, strict=True)},
        "formats": dict(formats),
        "approximate": list(approximate),
        "default_draft": draft_uri(default_draft),
    }
    native = JsonSchemaOptions(any_order=is_any_order(order), whitespace=layout, **shared)
    recipe = {"schema": "", "documents": {}, "order": order, "whitespace": layout._recipe(), **shared}
    return SchemaOptions(native, recipe)


def checked_recipe(recipe: Any) -> dict[str, Any]:
    """The recipe of a grammar of a JSON Schema: its text, its documents and its options.

    Raises:
        MaskwrightError, LookupError, TypeError, ValueError: it is none.

    Example:
        >>> flags = (False, False, False, False, True, True)
        >>> made = schema_options("declared", "free", flags, "2020-12", None, ()).recipe
        >>> checked_recipe(made) == made
        True
    """
    given = mapping(recipe, "the recipe of a schema", "{'schema': '{}'}")
    options = schema_options(
        given["order"],
        Whitespace._from_recipe(given["whitespace"]),
        tuple(given[name] for name in _FLAGS),  # as many as there are
        given["default_draft"],
        given["formats"],
        given["approximate"],
    )
    documents = mapping(given["documents"], "documents", "{'https://example.org/name': '{}'}")
    texts = {uri: string(text, "a document") for uri, text in documents.items()}
    return {**options.recipe, "schema": string(given["schema"], "schema"), "documents": texts}


def is_any_order(order: str) -> bool:
    """Whether an option value for the order of properties means any order.

    Raises:
        GrammarError: it is neither ``"declared"`` nor ``"any"``.
        TypeError: it is no string.
    """
    if not isinstance(order, str):
        raise TypeError(f"the order of properties is 'declared' or 'any', not {told(order)}")
    if order not in ("declared", "any"):
        raise GrammarError(f"the order of properties is 'declared' or 'any', not {told(order)}")
    return order == "any"


def keyword_names(keywords: Collection[str]) -> list[str]:
    """Names of keywords as a list, sorted, so that equal sets are equal options.

    Raises:
        TypeError: it is one string, or has something else in it.
    """
    listed = several(keywords, "approximate")
    if not all(isinstance(keyword, str) for keyword in listed):
        raise TypeError("approximate must be several names of keywords, such as {'uniqueItems'}")
    return sorted(set(listed))


def named_formats(formats: Mapping[str, str] | None) -> dict[str, str]:
    """Formats of the caller's own as a dictionary.

    Raises:
        TypeError: it is no mapping, or a name or a regular expression is not a string.
    """
    named = dict(mapping(formats, "formats", "{'zip': '[0-9]{5}'}"))
    for name, pattern in named.items():
        if not isinstance(pattern, str):
            raise TypeError(
                f"formats must hold regular expressions as strings, not {told(pattern)} as {name!r}"
            )
    return named
