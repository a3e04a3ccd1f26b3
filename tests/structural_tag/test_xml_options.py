"""What options of schemas and a schema's own draft mean where members are written one by one in XML."""

# ruff: noqa: RUF001 - the name of a token of DeepSeek has fullwidth bars

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import Any

import pytest

import maskwright as mw

from .cases import accepts, vocabulary

_COMPILER = mw.Compiler(vocabulary())
DRAFT_4 = "http://json-schema.org/draft-04/schema#"
DRAFT_7 = "http://json-schema.org/draft-07/schema#"
ZIP = {"formats": {"zip": "^[0-9]{5}$"}}
LISTED = {"type": "array", "items": [{"type": "integer"}], "additionalItems": False}
ABOVE_3 = {"type": "number", "minimum": 3, "exclusiveMinimum": True}
TWICE_1 = {"type": "array", "contains": {"const": 1}, "minContains": 2}
BESIDE = {"$ref": "#/definitions/b", "type": "string"}
FURTHER = {"documents": {"https://example.org/z": {"type": "string", "pattern": "^z$"}}}
OWN = {"$id": "https://example.org/x", "$defs": {"z": {"$anchor": "z", "type": "string", "maxLength": 2}}}


@dataclass(frozen=True)
class Case:
    """The schema of a member with values that are accepted and rejected.

    Attributes:
        name: what it shows.
        member: the schema of the member.
        options: options of schemas.
        accepted: texts of the member's value.
        rejected: such texts.
        around: what stands beside the member in the whole schema.
    """

    name: str
    member: Any
    options: dict[str, Any]
    accepted: list[str]
    rejected: list[str]
    around: dict[str, Any] = field(default_factory=dict)


CASES = [
    Case("own formats in JSON", {"type": "array", "items": {"format": "zip"}}, ZIP, ['["12345"]'], ['["x"]']),
    Case(
        "words that are no keywords",
        {"type": "string", "example": "x", "maxLength": 2, "x-order": 1},
        {},
        ["ab"],
        ["abc"],
        around={"x-foo": 1},
    ),
    Case("own formats of strings", {"type": "string", "format": "zip"}, ZIP, ["12345"], ["x", "123456"]),
    Case(
        "own formats beside other keywords",
        {"type": "string", "format": "zip", "enum": ["12345", "x"]},
        ZIP,
        ["12345"],
        ["x", "54321"],
    ),
    Case(
        "another meaning of a standard format",
        {"type": "string", "format": "date"},
        {"formats": {"date": "^today$"}},
        ["today"],
        ["2026-01-01"],
    ),
    Case(
        "own formats as annotations",
        {"type": "string", "format": "zip"},
        {**ZIP, "enforce_formats": False},
        ["12345", "x"],
        [],
    ),
    Case("strings of ASCII", {"type": "string"}, {"ascii_only": True}, ["a\n~", ""], ["é", "a日"]),
    Case("JSON of ASCII", {"type": "array"}, {"ascii_only": True}, [r'["\u00e9"]'], ['["é"]']),
    Case("minimal escapes", {"type": "array"}, {"minimal_escapes": True}, ['["é"]'], [r'["\u00e9"]']),
    Case("plain numbers", {"type": "array"}, {"plain_numbers": True}, ["[1,-0.5]"], ["[1e3]"]),
    Case("a plain integer", {"type": "integer"}, {"plain_numbers": True}, ["1"], ["1.0", "1e3"]),
    Case("lone surrogates", {"type": "array"}, {"lone_surrogates": True}, [r'["\ud800"]'], []),
    Case("no lone surrogates", {"type": "array"}, {}, [], [r'["\ud800"]']),
    Case("keys that are not tracked", {"type": "object"}, {"track_keys": False}, ['{"x":1,"x":2}'], []),
    Case("keys that are tracked", {"type": "object"}, {}, ['{"x":1}'], ['{"x":1,"x":2}']),
    Case(
        "items that may be approximately unique",
        {"type": "array", "items": {"type": "number"}, "uniqueItems": True},
        {"approximate": ["uniqueItems"]},
        ["[1,2]", "[1,1]"],
        [],
    ),
    Case("integers of draft 4", {"type": "integer"}, {"default_draft": "4"}, ["1"], ["1.0"]),
    Case("integers", {"type": "integer"}, {}, ["1", "1.0"], []),
    Case("limits of draft 4", ABOVE_3, {"default_draft": "4"}, ["4"], ["3"]),
    Case("a list of schemas", LISTED, {"default_draft": "7"}, ["[]", "[1]"], ['["a"]', "[1,2]"]),
    Case("no keyword of the draft", TWICE_1, {"default_draft": "7"}, ["[1]"], ["[2]"]),
    Case("integers of draft 4 by name", {"type": "integer"}, {}, ["1"], ["1.0"], {"$schema": DRAFT_4}),
    Case("limits of draft 4 by name", ABOVE_3, {}, ["4"], ["3"], {"$schema": DRAFT_4}),
    Case("a list by the draft", LISTED, {}, ["[]", "[1]"], ['["a"]', "[1,2]"], {"$schema": DRAFT_7}),
    Case("no keyword of a draft by name", TWICE_1, {}, ["[1]"], ["[2]"], {"$schema": DRAFT_7}),
    Case(
        "nothing counts beside a reference",
        BESIDE,
        {},
        ["true"],
        ["[1]", "maybe"],
        {"$schema": DRAFT_7, "definitions": {"b": {"type": "boolean"}}},
    ),
    Case(
        "no length counts beside a reference",
        {"$ref": "#/definitions/b", "maxLength": 1},
        {},
        ["ab"],
        ["abc"],
        {"$schema": DRAFT_7, "definitions": {"b": {"type": "string", "maxLength": 2}}},
    ),
    Case(
        "an anchor and a URI of draft 4",
        {"$ref": "x#z"},
        {},
        ["ab"],
        ["abc"],
        {
            "$schema": DRAFT_4,
            "id": "https://example.org/x",
            "definitions": {"b": {"id": "#z", "type": "string", "maxLength": 2}},
        },
    ),
    Case(
        "a draft by a metaschema of one's own",
        LISTED,
        {"documents": {"https://example.org/meta": {"$schema": DRAFT_7}}},
        ["[1]"],
        ["[1,2]"],
        {"$schema": "https://example.org/meta"},
    ),
    Case(
        "further documents in JSON",
        {"type": "array", "items": {"$ref": "https://example.org/z"}},
        FURTHER,
        ['["z"]'],
        ['["a"]'],
    ),
    Case("an anchor", {"$ref": "#z"}, {}, ["ab"], ["abc"], OWN),
    Case("the schema's own URI", {"$ref": "https://example.org/x#/$defs/z"}, {}, ["ab"], ["abc"], OWN),
    Case("its own URI, relative", {"$ref": "x#z"}, {}, ["ab"], ["abc"], OWN),
    Case("both in JSON", {"type": "array", "items": {"$ref": "x#z"}}, {}, ['["ab"]'], ['["abc"]'], OWN),
    Case(
        "a member with a URI of its own",
        {"$id": "https://example.org/m", "$defs": {"z": {"enum": ["u", "v"]}}, "$ref": "#/$defs/z"},
        {},
        ["u"],
        ["1", "w"],
        {"$defs": {"z": {"type": "integer"}}},
    ),
    Case(
        "the whole in OpenAI's strict subset",
        {"type": "string"},
        {"openai_strict": True},
        ["x"],
        [],
        {"type": "object", "additionalProperties": False},
    ),
]


def _described(member: Any, around: dict[str, Any], **fields: Any) -> dict[str, Any]:
    schema = {**around, "properties": {"a": member}, "required": ["a"]}
    return {"type": "json_schema", "style": "qwen_xml", "json_schema": schema, **fields}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_options_hold_for_members_too(case: Case) -> None:
    described = _described(case.member, case.around)
    constraint = _COMPILER.compile(mw.Grammar.structural_tag(described, json_schema=case.options))
    for value in case.accepted:
        assert accepts(constraint, f"<parameter=a>{value}</parameter>"), value
    for value in case.rejected:
        assert not accepts(constraint, f"<parameter=a>{value}</parameter>"), value


@pytest.mark.parametrize(
    ("schema", "options", "location", "words"),
    [
        ({"properties": {"a": {}}}, {"order": "up"}, "", "'declared' or 'any', not 'up'"),
        ({"properties": {"a": {}}}, {"whitespace": "wide"}, "", "no white space named 'wide'"),
        ({"properties": {"a": {}}}, {"default_draft": "5"}, "", "no draft '5'"),
        ({"properties": {"a": {}}}, {"approximate": ["type"]}, "", "`type` cannot be enforced"),
        ({"properties": {"é": {}}}, {"ascii_only": True}, "/properties/é", "'é' is not ASCII"),
        ({"properties": {"a": {"enum": ["é"]}}}, {"ascii_only": True}, "/properties/a", "'é' is not ASCII"),
        (
            {"properties": {"a": {"$ref": "https://example.org/z"}}},
            FURTHER,
            "/properties/a/$ref",
            "within the schema",
        ),
        (
            {"properties": {"a": {"type": "string", "format": "bad"}}},
            {"formats": {"bad": "("}},
            "",
            "formats",
        ),
    ],
)
def test_what_cannot_be_held_to_is_refused_by_its_place(
    schema: dict[str, Any], options: dict[str, Any], location: str, words: str
) -> None:
    described = {"type": "json_schema", "style": "qwen_xml", "json_schema": schema}
    with pytest.raises(mw.StructuralTagError) as caught:
        mw.Grammar.structural_tag(described, json_schema=options)
    assert [problem.location for problem in caught.value.problems] == [f"#/json_schema{location}"]
    assert words in str(caught.value)


BLANKS_64 = " \n\t" + " " * 61


@pytest.mark.parametrize(
    ("fields", "options", "longest", "too_long"),
    [
        ({}, {}, BLANKS_64, BLANKS_64 + " "),
        ({"max_whitespace_cnt": 0}, {}, "", "\n"),
        ({"max_whitespace_cnt": 1}, {}, "\n", " \n"),
        ({"max_whitespace_cnt": 2}, {"whitespace": "compact"}, "\n ", "   "),
        ({}, {"whitespace": mw.Whitespace.free(3)}, "\n  ", "    "),
        ({}, {"whitespace": "compact"}, "\n", " "),
        ({}, {"whitespace": "spaced"}, "\n", "\n\n"),
        ({}, {"whitespace": mw.Whitespace.indented(2)}, "\n", "\n  "),
    ],
)
@pytest.mark.parametrize("any_order", [False, True])
@pytest.mark.parametrize("style", ["qwen_xml", "deepseek_xml", "glm_xml"])
def test_white_space_beside_members_is_bounded(
    fields: dict[str, Any], options: dict[str, Any], longest: str, too_long: str, any_order: bool, style: str
) -> None:
    schema = {"properties": {"a": {"type": "array"}, "b": {"type": "string"}}}
    described = {"type": "json_schema", "style": style, "json_schema": schema, "any_order": any_order}
    grammar = mw.Grammar.structural_tag({**described, **fields}, json_schema=options)
    constraint = _COMPILER.compile(grammar)
    layouts = {
        "qwen_xml": "0<parameter=a>1[]2</parameter>3<parameter=b>\nx\n</parameter>4",
        "deepseek_xml": '0<｜DSML｜parameter name="a" string="false">1[]2</｜DSML｜parameter>3'
        '<｜DSML｜parameter name="b" string="true">\nx\n</｜DSML｜parameter>4',
        "glm_xml": "0<arg_key>a</arg_key><arg_value>1[]2</arg_value>3"
        "<arg_key>b</arg_key><arg_value>x</arg_value>4",
    }
    text = layouts[style]
    places = "01234"
    for place in ["", *places]:
        filled = text
        for other in places:
            filled = filled.replace(other, too_long if other == place else longest)
        assert accepts(constraint, filled) == (place == ""), place


def test_white_space_where_no_member_comes_is_bounded() -> None:
    described = {"type": "json_schema", "style": "qwen_xml", "json_schema": {"properties": {"a": {}}}}
    for any_order in (False, True):
        grammar = mw.Grammar.structural_tag({**described, "any_order": any_order, "max_whitespace_cnt": 1})
        constraint = _COMPILER.compile(grammar)
        assert accepts(constraint, "")
        assert accepts(constraint, "\n")
        assert not accepts(constraint, "\n\n")


LINES = [
    ({"enum": ["a", "b"]}, {}, ["a", "\na\n"], ["\na", "a\n", "\n\na\n\n", "\nc\n", "\n\n"]),
    ({"type": "string", "const": "\na"}, {}, ["\na", "\n\na\n"], ["\na\n", "a"]),
    ({"type": "string", "pattern": "^[a-z]+$"}, {}, ["abc", "\nabc\n"], ["\nabc", "\n\n", "\n1\n"]),
    ({"type": "string", "pattern": "^.$"}, {}, ["<", "\n<\n"], ["\n</parameter>\n", "\n\n"]),
    ({"type": "string", "format": "date"}, {}, ["2026-01-02", "\n2026-01-02\n"], ["\n2026-01-02", "\nx\n"]),
    ({"type": "string", "format": "zip", "maxLength": 9}, ZIP, ["12345", "\n12345\n"], ["\n12345", "\n1\n"]),
    ({"type": "string", "format": "zip"}, {**ZIP, "enforce_formats": False}, ["x", "\nx\n", "\nx"], []),
    ({"anyOf": [{"const": "a"}, {"type": "null"}]}, {}, ["\na\n", "\nnull\n", "a"], ["\na", "\nb\n"]),
    ({"type": "string"}, {}, ["\n", "\na", "a\n\n"], []),
    ({"type": "string", "maxLength": 1}, {"ascii_only": True}, ["a", "\na\n"], ["\né\n", "\nab\n"]),
    ({"enum": ["a"]}, {"whitespace": "compact"}, ["a", "\na\n"], ["\na"]),
    ({"enum": ["a"]}, {"whitespace": mw.Whitespace.free(0)}, ["a"], ["\na\n"]),
]


@pytest.mark.parametrize(("member", "options", "accepted", "rejected"), LINES)
def test_a_string_may_stand_on_lines_of_its_own(
    member: Any, options: dict[str, Any], accepted: list[str], rejected: list[str]
) -> None:
    constraint = _COMPILER.compile(mw.Grammar.structural_tag(_described(member, {}), json_schema=options))
    for value in accepted:
        assert accepts(constraint, f"<parameter=a>{value}</parameter>"), value
    for value in rejected:
        assert not accepts(constraint, f"<parameter=a>{value}</parameter>"), value


@pytest.mark.parametrize("minimum", [0, 1, 3])
@pytest.mark.parametrize("maximum", [None, 0, 1, 3])
def test_line_ends_around_a_string_are_not_counted(minimum: int, maximum: int | None) -> None:
    lengths: dict[str, Any] = {"minLength": minimum, **({} if maximum is None else {"maxLength": maximum})}
    if maximum is not None and maximum < minimum:
        return  # there is no such string
    grammar = mw.Grammar.structural_tag(_described({"type": "string", **lengths}, {}))
    constraint = _COMPILER.compile(grammar)

    def keeps(value: str) -> bool:
        return minimum <= len(value) and (maximum is None or len(value) <= maximum)

    for length in range(7):
        for value in map("".join, itertools.product("a\n", repeat=length)):
            is_on_lines = length > 1 and value[0] == value[-1] == "\n" and keeps(value[1:-1])
            expected = keeps(value) or is_on_lines
            assert accepts(constraint, f"<parameter=a>{value}</parameter>") == expected, value


@pytest.mark.parametrize(
    "text",
    [
        '<parameter name="a">{}</parameter>',
        '<｜DSML｜parameter name="a" string="true">{}</｜DSML｜parameter>',
    ],
)
def test_where_models_write_no_lines_there_are_none(text: str) -> None:
    style = "minimax_xml" if "DSML" not in text else "deepseek_xml"
    grammar = mw.Grammar.structural_tag({**_described({"enum": ["x"]}, {}), "style": style})
    constraint = _COMPILER.compile(grammar)
    assert accepts(constraint, text.format("x"))
    assert not accepts(constraint, text.format("\nx\n"))


@pytest.mark.parametrize(
    ("fields", "accepted", "rejected"),
    [
        ({}, ["", "\n", " \n"], ["x", "\n" * 65]),
        ({"max_whitespace_cnt": 0}, [""], ["\n"]),
        ({"max_whitespace_cnt": 1}, ["", "\n"], ["\n\n"]),
    ],
)
@pytest.mark.parametrize(("member", "value"), [({"type": "string"}, "x"), ({"type": "integer"}, "1")])
def test_a_line_end_may_stand_between_key_and_value_of_glm(
    member: Any, value: str, fields: dict[str, Any], accepted: list[str], rejected: list[str]
) -> None:
    grammar = mw.Grammar.structural_tag({**_described(member, {}), "style": "glm_xml", **fields})
    constraint = _COMPILER.compile(grammar)
    for gap in [*accepted, *rejected]:
        text = f"<arg_key>a</arg_key>{gap}<arg_value>{value}</arg_value>"
        assert accepts(constraint, text) == (gap in accepted), gap
