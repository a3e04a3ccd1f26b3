"""The options of :meth:`maskwright.Grammar.json_schema`, checked and put as the core takes them."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from maskwright.errors import GrammarError

__all__ = ["DRAFTS", "draft_uri", "is_any_order", "keyword_names", "named_formats"]

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
    raise GrammarError(f"there is no draft {draft!r} of JSON Schema; give one of {names}, or its URI")


def is_any_order(order: str) -> bool:
    """Whether an option value for the order of properties means any order.

    Raises:
        GrammarError: it is neither ``"declared"`` nor ``"any"``.
    """
    if order not in ("declared", "any"):
        raise GrammarError(f"the order of properties is 'declared' or 'any', not {order!r}")
    return order == "any"


def keyword_names(keywords: Collection[str]) -> list[str]:
    """Names of keywords as a list, sorted, so that equal sets are equal options.

    Raises:
        TypeError: it is one string, or has something else in it.
    """
    if isinstance(keywords, str) or not all(isinstance(keyword, str) for keyword in keywords):
        raise TypeError("approximate must be several names of keywords, such as {'uniqueItems'}")
    return sorted(set(keywords))


def named_formats(formats: Mapping[str, str] | None) -> dict[str, str]:
    """Formats of the caller's own as a dictionary.

    Raises:
        TypeError: a name or a regular expression is not a string.
    """
    named = dict(formats or {})
    for name, pattern in named.items():
        if not isinstance(name, str) or not isinstance(pattern, str):
            raise TypeError(
                f"formats must map names to regular expressions as strings, not {name!r} to {pattern!r}"
            )
    return named
