r"""Strings that are written without quotes, up to a closing such as ``</parameter>``.

Takes what a schema says of a string and gives the texts that it may be. None has the closing in it, since it
would end there. Patterns are read as ``pattern`` of JSON Schema is: as ECMA-262, and matching anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from maskwright.errors import ToolCallError, UnsupportedFeatureError
from maskwright.grammar import Grammar
from maskwright.tool_calls.arguments.options import ArgumentOptions
from maskwright.tool_calls.layout import Part, fixed_text
from maskwright.tool_calls.pieces import fixed_pieces, has_exact_special, joined, text_up_to
from maskwright.tools import Tool

__all__ = ["StringRule", "closed_body", "closed_string"]

_FORMATS = {
    "date": r"(?:\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\d|30)"
    r"|02-(?:0[1-9]|1\d|2[0-8]))|(?:(?:\d\d(?:0[48]|[2468][048]|[13579][26]))"
    r"|(?:[02468][048]|[13579][26])00)-02-29)",
    "uuid": r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}",
    "ipv4": r"(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)",
}
"""The formats that can be written as a short regular expression, exactly."""

_OTHER_FORMATS = frozenset(
    {
        "date-time",
        "duration",
        "email",
        "hostname",
        "idn-email",
        "idn-hostname",
        "ipv6",
        "iri",
        "iri-reference",
    }
    | {"json-pointer", "regex", "relative-json-pointer", "time", "uri", "uri-reference", "uri-template"}
)
"""The other formats that JSON Schema defines. Further names are annotations."""


@dataclass(frozen=True, slots=True)
class StringRule:
    """What a schema says of a string.

    Attributes:
        location: where it says so, as a JSON pointer.
        choices: the only strings, where these are listed.
        minimum: the least number of characters.
        maximum: the greatest, or None.
        pattern: a regular expression, or None.
        format: the name of a format, or None.
    """

    location: str
    choices: tuple[str, ...] | None = None
    minimum: int = 0
    maximum: int | None = None
    pattern: str | None = None
    format: str | None = None

    @property
    def is_any(self) -> bool:
        """Whether any string will do."""
        return self == StringRule(self.location)


def closed_string(
    rule: StringRule, closing: Sequence[Part], options: ArgumentOptions, excluded: str = ""
) -> Grammar:
    """The texts of strings under a rule, with the closing behind them.

    Args:
        rule: what the schema says.
        closing: what stands behind.
        options: how arguments are written.
        excluded: a regular expression of texts that would be read as something else than a string, or ``""``.

    Raises:
        UnsupportedFeatureError: a format, or a choice, cannot be written so.
    """
    typed = options.typed_specials
    if rule.format is not None and not options.enforce_formats:
        rule = StringRule(rule.location, rule.choices, rule.minimum, rule.maximum, rule.pattern)
    if rule.format in _OTHER_FORMATS:
        location = f"{rule.location}/format"
        raise UnsupportedFeatureError(
            f"{location}: the format {rule.format!r} cannot be enforced where strings are written without "
            "quotes; "
            "give a pattern, or enforce_formats=False",
            feature="format",
            location=location,
        )
    if not excluded and rule.format not in _FORMATS and _without_format(rule).is_any:
        return text_up_to(closing, typed=typed)
    if rule.choices is not None:
        body = _choices(rule, closing, excluded)
    else:
        body = _pattern(rule, closing, options, excluded)
    return joined([body, *fixed_pieces(closing, typed=typed)])


def _without_format(rule: StringRule) -> StringRule:
    return StringRule(rule.location, rule.choices, rule.minimum, rule.maximum, rule.pattern)


def _choices(rule: StringRule, closing: Sequence[Part], excluded: str) -> Grammar:
    close = fixed_text(closing)
    choices = [
        choice
        for choice in rule.choices or ()
        if len(choice) >= rule.minimum and (rule.maximum is None or len(choice) <= rule.maximum)
    ]
    for choice in choices:
        problem = ""
        if close in choice:
            problem = f"has {close!r} in it, where it would end"
        elif excluded and re.fullmatch(excluded, choice):
            problem = "would be read as another value that the parameter may have"
        if problem:
            raise UnsupportedFeatureError(
                f"{rule.location}: the string {choice!r} {problem}", feature="enum", location=rule.location
            )
    if rule.pattern is None and rule.format is None:
        return Grammar.choice(choices)
    raise UnsupportedFeatureError(
        f"{rule.location}: an enum beside a pattern or a format cannot be enforced where strings are written "
        "without quotes; list only the strings that match",
        feature="enum",
        location=rule.location,
    )


def _pattern(rule: StringRule, closing: Sequence[Part], options: ArgumentOptions, excluded: str) -> Grammar:
    conditions = (
        [] if has_exact_special(closing, typed=options.typed_specials) else [_without(fixed_text(closing))]
    )
    if excluded:
        conditions.append(f"(?!(?:{excluded})$)")
    if rule.minimum or rule.maximum is not None:
        greatest = "" if rule.maximum is None else rule.maximum
        conditions.append(rf"(?=[\s\S]{{{rule.minimum},{greatest}}}$)")
    if rule.pattern is not None:
        conditions.append(rf"(?=[\s\S]*?(?:{rule.pattern}))")
    if rule.format in _FORMATS:
        conditions.append(f"(?={_FORMATS[rule.format]}$)")
    return Grammar.regex("".join(conditions) + r"[\s\S]*", ecma=True, budget=options.budget)


def _without(close: str) -> str:
    return rf"(?![\s\S]*{re.escape(close)})"


def closed_body(tool: Tool, body: Grammar, following: Sequence[Part], options: ArgumentOptions) -> Grammar:
    """The text of a custom tool where something follows that it must not have in it.

    Raises:
        ToolCallError: what follows is text, and the grammar is not a regular expression, from which it could
            be taken out.
    """
    if has_exact_special(following[:1], typed=options.typed_specials):
        return body
    close = fixed_text(following[:1])
    kind, arguments = body._recipe
    if kind != "regex":
        raise ToolCallError(
            f"tool {tool.name!r}: its text ends at {close!r}, which only the text of a regular expression "
            "can be "
            "kept free of; use a format where a special token ends it, such as 'harmony'",
            location=tool.name,
        )
    flags = {name: value for name, value in arguments.items() if name not in ("pattern", "verbose")}
    if arguments["verbose"] or arguments["search"]:
        raise ToolCallError(
            f"tool {tool.name!r}: the flags `verbose` and `search` cannot be used where the text ends at "
            f"{close!r}",
            location=tool.name,
        )
    return Grammar.regex(f"{_without(close)}(?:{arguments['pattern']})", budget=options.budget, **flags)
