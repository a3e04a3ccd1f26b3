"""Values whose members are written one by one, in the XML of some model families.

Takes a JSON Schema of an object and gives the grammar of its members in a style. The front end is that of
:mod:`maskwright.tool_calls.arguments`, so that a member is the same here and in a tool-call format: a string
as it is, up to its closing, and anything else as JSON. Only what stands between members is more free here:
white space may come before and after each, around JSON, and in ``glm_xml`` between key and value, in runs as
long as those within JSON may be; a line break where white space within JSON is not free. In ``qwen_xml``, a
string may stand on lines of its own, as Qwen3-Coder writes it: a line break before and after it is then no
part of it. Where any string will do, the two need not be told apart.

| style | one member |
|---|---|
| ``qwen_xml``, ``qwen_xml_parameter`` | ``<parameter=KEY>VALUE</parameter>`` |
| ``minimax_xml`` | ``<parameter name="KEY">VALUE</parameter>`` |
| ``deepseek_xml`` | ``<｜DSML｜parameter name="KEY" string="true">VALUE</｜DSML｜parameter>`` |
| ``deepseek_v4_1_xml`` | ``<｜DSML｜ parameter name="KEY" string="true">VALUE</｜DSML｜ parameter>`` |
| ``glm_xml`` | ``<arg_key>KEY</arg_key><arg_value>VALUE</arg_value>`` |

``string`` is ``"false"`` where the value is JSON. What some vocabularies have as a special token, such as
``｜DSML｜`` and ``<arg_key>``, may be the token or its characters.
"""

# ruff: noqa: RUF002 - the name of DeepSeek's token has fullwidth bars

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from maskwright.budget import Budget
from maskwright.checking import told
from maskwright.composition import Member
from maskwright.errors import UnsupportedFeatureError
from maskwright.grammar import Grammar
from maskwright.json_schema import Whitespace
from maskwright.json_schema.options import draft_uri
from maskwright.structural_tag.context import Context, Inner
from maskwright.tool_calls.arguments.options import ArgumentOptions
from maskwright.tool_calls.arguments.schema_view import Parameter, parameters_of, with_schema
from maskwright.tool_calls.arguments.strings import closed_string
from maskwright.tool_calls.arguments.xml_arguments import opening_of
from maskwright.tool_calls.formats.deepseek_dsml import MARK
from maskwright.tool_calls.parts import Key, Special, StringMark, Text, XmlArguments
from maskwright.tool_calls.pieces import Piece
from maskwright.tools import Tool

__all__ = ["xml_grammar"]

_WHERE = "where members are written one by one"


def _dsml(word: str) -> XmlArguments:
    return XmlArguments(
        opening=(
            *(Text("<"), MARK, Text(f'{word} name="'), Key()),
            *(Text('" string="'), StringMark(), Text('">')),
        ),
        closing=(Text("</"), MARK, Text(f"{word}>")),
    )


@dataclass(frozen=True, slots=True)
class _Style:
    """How one member is written.

    Attributes:
        layout: what stands around its name and value.
        has_gap: whether white space may stand before the last part of what opens it.
        has_lines: whether a string may stand on lines of its own.
    """

    layout: XmlArguments
    has_gap: bool = False
    has_lines: bool = False


_QWEN = _Style(
    XmlArguments(opening=(Text("<parameter="), Key(), Text(">")), closing=(Text("</parameter>"),)),
    has_lines=True,
)

_STYLES: dict[str, _Style] = {
    "qwen_xml": _QWEN,
    "qwen_xml_parameter": _QWEN,
    "minimax_xml": _Style(
        XmlArguments(opening=(Text('<parameter name="'), Key(), Text('">')), closing=(Text("</parameter>"),))
    ),
    "deepseek_xml": _Style(_dsml("parameter")),
    "deepseek_v4_1_xml": _Style(_dsml(" parameter")),
    "glm_xml": _Style(
        XmlArguments(
            opening=(
                *(Special("<arg_key>", also_text=True), Key(), Special("</arg_key>", also_text=True)),
                Special("<arg_value>", also_text=True),
            ),
            closing=(Special("</arg_value>", also_text=True),),
        ),
        has_gap=True,
    ),
}
"""The layout of one member in each style."""

_BY_NAME = ("whitespace", "order", "enforce_formats")
"""The options of schemas that have fields of their own in the options of arguments."""

_OF_THE_WHOLE = ("openai_strict",)
"""The options of schemas that are about a whole schema, which is checked, and not about its parts."""


def xml_grammar(
    schema: Any, style: str, inner: Inner, context: Context, *, options: Mapping[str, Any], field: str
) -> Grammar:
    """The grammar of an object in a style.

    The front end of arguments takes schemas as well formed; so the schema is compiled for JSON first, which
    says what is wrong with it, and where.

    Args:
        schema: the schema of the object.
        style: the style.
        inner: the format that it stands in.
        context: what is the same for all formats.
        options: the options of schemas.
        field: what says the style in the format.
    """
    known_style = _STYLES.get(style)
    if known_style is None:
        known = ", ".join(f"`{name}`" for name in ("json", *_STYLES))
        return context.refuse(
            (*inner.place, field),
            f"the style `{style}`",
            f"its layout is not described here; there are {known}",
        )
    if not isinstance(schema, Mapping):
        return context.refuse(
            (*inner.place, "json_schema"),
            f"a schema that is {schema} in the style `{style}`",
            "which members there are must be said; give the schema of an object",
        )
    place = (*inner.place, "json_schema")
    checked = context.made(lambda: Grammar.json_schema(schema, budget=context.budget, **options), place)
    if checked is context.nothing:
        return checked
    if schema.get("type", "object") != "object":
        found = told(schema["type"])
        message = f"must be 'object', since members are written one by one; found {found:.60}"
        context.problems.add((*place, "type"), message)
        return context.nothing
    chosen = _argument_options(options, context.budget)
    return context.made(lambda: with_schema(_members(schema, known_style, chosen), checked, chosen), place)


def _argument_options(options: Mapping[str, Any], budget: Budget) -> ArgumentOptions:
    """The options of schemas as those of arguments."""
    named = {name: options[name] for name in _BY_NAME if name in options}
    left = options.keys() - {*_BY_NAME, *_OF_THE_WHOLE}
    return ArgumentOptions(budget=budget, further={name: options[name] for name in left}, **named)


def _members(schema: Mapping[str, Any], style: _Style, options: ArgumentOptions) -> Grammar:
    """The members of an object, with white space around each."""
    if options.further.get("default_draft") is not None:
        schema = {"$schema": draft_uri(options.further["default_draft"]), **schema}
    make = options.pieces
    space = Grammar.regex(_space(options.whitespace), budget=options.budget)
    parameters = parameters_of(Tool("value", parameters=schema), _WHERE)
    members = [
        (make.joined([_member(parameter, style, options, space), space]), parameter.is_required)
        for parameter in parameters
    ]
    if options.order == "any":
        in_any_order = [Member(member, required=is_required) for member, is_required in members]
        return make.joined([space, make.in_any_order(in_any_order, "")])
    return make.joined(
        [
            space,
            *(
                member if is_required else Grammar.repeat(member, maximum=1, budget=options.budget)
                for member, is_required in members
            ),
        ]
    )


def _space(whitespace: Whitespace | str) -> str:
    """A run of white space beside members: as in JSON where that is free, and else a line break or none.

    The layouts that models are trained on have a line break before and after a value.
    """
    chosen = _chosen(whitespace)
    return r"\n?" if chosen.maximum is None else rf"[ \t\r\n]{{0,{chosen.maximum}}}"


def _chosen(whitespace: Whitespace | str) -> Whitespace:
    return whitespace if isinstance(whitespace, Whitespace) else Whitespace.named(whitespace)


def _opened(
    parameter: Parameter, style: _Style, options: ArgumentOptions, space: Grammar, is_string: bool
) -> list[Piece]:
    """What opens a member."""
    opening, make = opening_of(style.layout, parameter.name, is_string), options.pieces
    gap = [space] if style.has_gap else []
    return [*make.fixed(opening[:-1]), *gap, *make.fixed(opening[-1:])]


def _member(parameter: Parameter, style: _Style, options: ArgumentOptions, space: Grammar) -> Grammar:
    """One member: a string, or JSON, or either."""
    if options.ascii_only and not parameter.name.isascii():
        raise UnsupportedFeatureError(
            f"{parameter.location}: the name {parameter.name!r} is not ASCII, and there are no escapes in "
            "the names of members that are written one by one",
            feature="ascii_only",
            location=parameter.location,
        )
    ways: list[Grammar] = []
    make, closing = options.pieces, style.layout.closing
    if parameter.may_be_string:
        on_lines = style.has_lines and _chosen(options.whitespace).maximum != 0
        rules = parameter.string_rules()
        strings = [closed_string(rule, closing, options, on_lines=on_lines) for rule in rules]
        if strings:
            opening = _opened(parameter, style, options, space, True)
            ways.append(make.joined([*opening, make.any_of(strings)]))
    other = parameter.other_grammar(options) if parameter.other_types else None
    if other is not None:
        opening = _opened(parameter, style, options, space, False)
        ways.append(make.joined([*opening, space, other, space, *make.fixed(closing)]))
    # Where there is no way at all, that shows when it is compiled.
    return make.any_of(ways or [Grammar.regex("(?!)", budget=options.budget)])
