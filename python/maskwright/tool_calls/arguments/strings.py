r"""Strings that are written without quotes, up to a closing such as ``</parameter>``.

Takes what a schema says of a string and gives the texts that it may be. None has the closing in it, since it
would end there. Patterns are read as ``pattern`` of JSON Schema is: as ECMA-262, and matching anywhere.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from maskwright.errors import ToolCallError, UnsupportedFeatureError
from maskwright.grammar import Grammar
from maskwright.tool_calls.arguments.options import ArgumentOptions
from maskwright.tool_calls.parts import Part, fixed_text
from maskwright.tools import Tool

__all__ = ["StringRule", "closed_body", "closed_string", "ends_within"]

_BEYOND_ASCII = r"[^\x00-\x7f]"


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

    @property
    def is_of_lengths(self) -> bool:
        """Whether it says nothing but how many characters there are."""
        return self == StringRule(self.location, minimum=self.minimum, maximum=self.maximum)

    @property
    def schema(self) -> dict[str, Any]:
        """The rule as a JSON Schema."""
        keywords = {
            "enum": self.choices,
            "minLength": self.minimum,
            "maxLength": self.maximum,
            "pattern": self.pattern,
            "format": self.format,
        }
        return {keyword: value for keyword, value in keywords.items() if value is not None}

    @property
    def schema_on_lines(self) -> dict[str, Any]:
        """The schema of a rule of lengths alone, where a line end may stand on both sides and is not counted.

        Such strings may begin with a line end themselves; one schema of both costs far less than two.
        """
        if self.maximum is None:
            return self.schema
        longer = {"minLength": self.minimum + 2, "pattern": r"^\n[\s\S]*\n$"}
        ways = [{"maxLength": self.maximum}, longer]
        return {"minLength": self.minimum, "maxLength": self.maximum + 2, "anyOf": ways}

    def takes_length_of(self, choice: str) -> bool:
        """Whether a string has as many characters as it must."""
        return self.minimum <= len(choice) and (self.maximum is None or len(choice) <= self.maximum)


def closed_string(
    rule: StringRule,
    closing: Sequence[Part],
    options: ArgumentOptions,
    excluded: str = "",
    *,
    on_lines: bool = False,
) -> Grammar:
    """The texts of strings under a rule, with the closing behind them.

    Args:
        rule: what the schema says.
        closing: what stands behind.
        options: how arguments are written.
        excluded: a regular expression of texts that would be read as something else than a string, or ``""``.
        on_lines: whether a string may stand on lines of its own, with a line end on both sides that is no
            part of it. Where any string will do, that makes no difference.

    Raises:
        UnsupportedFeatureError: a choice cannot be written so, or a pattern cannot be enforced.
        SchemaError: a pattern is not well formed.
    """
    if not options.enforce_formats:
        rule = replace(rule, format=None)
    if not excluded and rule.is_any and not options.ascii_only:
        return options.pieces.text_up_to(closing)
    # A parser of text takes the name of a special token for the token, so that it is left out, too.
    close = fixed_text(closing)
    conditions = []
    if excluded:
        conditions.append(f"^(?:{excluded})$")
    if options.ascii_only:
        conditions.append(_BEYOND_ASCII)
    demands: list[dict[str, Any]] = [{"not": {"pattern": pattern}} for pattern in conditions]
    own = options.own_format(rule.format)
    if own is not None:
        demands.append({"pattern": own})
        rule = replace(rule, format=None)
    is_of_lengths = on_lines and not excluded and own is None and rule.is_of_lengths
    schema = {**(rule.schema_on_lines if is_of_lengths else rule.schema), "allOf": demands}
    body = Grammar._string_content(json.dumps(schema), rule.location, closing=close, budget=options.budget)
    _check_choices(rule, close, excluded, ascii_only=options.ascii_only)
    make = options.pieces
    has_lines = on_lines and not is_of_lengths
    string = make.any_of([body, make.joined(["\n", body, "\n"])]) if has_lines else body
    return make.joined([string, *make.fixed(closing)])


def _check_choices(rule: StringRule, close: str, excluded: str, *, ascii_only: bool) -> None:
    """Refuses choices that cannot be written, rather than leaving them out."""
    for choice in rule.choices or ():
        problem = ""
        if ends_within(choice, close):
            problem = f"has {close!r} in it, where it would end"
        elif excluded and re.fullmatch(excluded, choice):
            problem = "would be read as another value that the parameter may have"
        elif ascii_only and not choice.isascii():
            problem = "is not ASCII, and there are no escapes where strings are written without quotes"
        if problem and rule.takes_length_of(choice):
            raise UnsupportedFeatureError(
                f"{rule.location}: the string {choice!r} {problem}", feature="enum", location=rule.location
            )


def ends_within(text: str, close: str) -> bool:
    """Whether a text with its closing behind it would be read as ending before its end."""
    return (text + close).find(close) < len(text)


def closed_body(tool: Tool, body: Grammar, closing: Sequence[Part], options: ArgumentOptions) -> Grammar:
    """The text of a custom tool, which must not have in it what closes it.

    The text of a regular expression is kept free of the name of a special token, too, which a parser of text
    would take for the token. That of another grammar cannot be.

    Raises:
        ToolCallError: the closing is text, and the grammar is not a regular expression, from which it could
            be taken out.
    """
    kind, arguments = body._recipe
    if kind == "regex":
        return Grammar._regex(**{**arguments, "closing": fixed_text(closing)}, budget=options.budget)
    if options.pieces.has_exact_special(closing):
        return body
    raise ToolCallError(
        f"tool {tool.name!r}: its text ends at {fixed_text(closing)!r}, which only the text of a regular "
        "expression can be kept free of; use a format where a special token ends it, such as 'harmony'",
        location=tool.name,
    )
