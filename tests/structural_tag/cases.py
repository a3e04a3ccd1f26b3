"""Structural tags with texts that they accept and reject.

A text is a string, or a list of strings and ids of tokens; the ids are those of :func:`vocabulary`.
"""

# ruff: noqa: RUF001 - the name of a token of DeepSeek has fullwidth bars

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import maskwright as mw

__all__ = ["CALL", "CASES", "END", "STOP", "THINK", "TOOL", "Case", "Text", "accepts", "tag", "vocabulary"]

Text = str | list[str | int]
"""A text, or its pieces, of which some are tokens."""

_JOINTS = ["<a>", "</a>", ">1", "1</f>", "<f=", "a><f", '"}', "ab", "``", "</", "日本", ",<"]
THINK = 256 + len(_JOINTS)
TOOL, END, CALL, VALUE, STOP = range(THINK + 1, THINK + 6)


def vocabulary() -> mw.Vocabulary:
    """All single bytes by their values, tokens that join tags and what is in them, and special tokens."""
    tokens: list[bytes | None] = [bytes([byte]) for byte in range(256)]
    tokens += [text.encode() for text in _JOINTS]
    tokens += [None] * 6
    special = {
        "<think>": THINK,
        "<tool>": TOOL,
        "<end>": END,
        "<call>": CALL,
        "<arg_value>": VALUE,
        "<stop>": STOP,
    }
    return mw.Vocabulary.from_tokens(tokens, special_tokens=special, stop_ids=[STOP])


def accepts(constraint: mw.Constraint, text: Text) -> bool:
    """Whether a whole text is accepted."""
    matcher = constraint.matcher()
    for piece in [text] if isinstance(text, str) else text:
        moved = matcher.accept(piece) if isinstance(piece, int) else matcher.accept_bytes(piece.encode())
        if not moved:
            return False
    return matcher.is_complete


@dataclass(frozen=True)
class Case:
    """A structural tag with texts.

    Attributes:
        name: what it shows.
        description: the structural tag.
        accepted: texts that it accepts.
        rejected: texts that it rejects.
    """

    name: str
    description: dict[str, Any]
    accepted: list[Text]
    rejected: list[Text] = field(default_factory=list)


def text(value: str) -> dict[str, Any]:
    return {"type": "const_string", "value": value}


def tag(begin: Any, content: dict[str, Any], end: Any) -> dict[str, Any]:
    return {"type": "tag", "begin": begin, "content": content, "end": end}


def token(name: Any) -> dict[str, Any]:
    return {"type": "token", "token": name}


ANY = {"type": "any_text"}
TOKENS = {"type": "any_tokens"}
INTEGER = {"type": "json_schema", "json_schema": {"type": "integer"}}
POINT = {
    "type": "object",
    "properties": {"x": {"type": "integer"}, "y": {"type": "string"}},
    "required": ["x"],
    "additionalProperties": False,
}
F = {"begin": "<f=a>", "content": INTEGER, "end": "</f>"}
G = {"begin": "<f=b>", "content": ANY, "end": ["</f>", "</g>"]}
TRIGGERED = {"type": "triggered_tags", "triggers": ["<f="], "tags": [F, G]}
BY_TOKEN = {
    "type": "token_triggered_tags",
    "trigger_tokens": ["<tool>", CALL],
    "tags": [tag(token("<tool>"), INTEGER, token("<end>")), tag(token(CALL), text("x"), "y")],
}
SEPARATED = {"type": "tags_with_separator", "tags": [F, tag("<b>", ANY, "</b>")], "separator": ","}
DISPATCH = {"type": "dispatch", "rules": [["#n", INTEGER], ["#t", text("!")]], "excludes": ["stop"]}
TOKEN_DISPATCH = {
    "type": "token_dispatch",
    "rules": [["<tool>", INTEGER], [CALL, text("!")]],
    "exclude_tokens": ["<think>"],
}
LEGACY = {
    "type": "structural_tag",
    "structures": [
        {"begin": "<f=a>", "schema": {"type": "integer"}, "end": "</f>"},
        {"begin": "<f=b>", "schema": '{"type": "null"}', "end": "</f>"},
        {"begin": "<g>", "end": "</g>"},
    ],
    "triggers": ["<f=", "<g"],
}
AGENT = {
    "type": "sequence",
    "elements": [tag("<think>", ANY, "</think>"), {**TRIGGERED, "at_least_one": False}],
}

XML = {
    "type": "json_schema",
    "json_schema": {
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "age": {"type": "integer"},
            "any": {"anyOf": [{"type": "null"}, {"enum": ["a", "b"]}]},
        },
        "required": ["name", "age"],
    },
}

CASES = [
    Case("a constant", text("a<b"), ["a<b"], ["", "a", "a<bc"]),
    Case("an empty constant", text(""), [""], ["a"]),
    Case(
        "a value under a schema",
        {"type": "json_schema", "json_schema": POINT},
        ['{"x":1}', '{ "x": 1, "y": "a" }'],
        ['{"y":"a"}', '{"y":"a","x":1}', '{"x":1,"z":1}', "1"],
    ),
    Case("a boolean schema", {"type": "json_schema", "json_schema": True}, ["1", "[{}]"], ["", "x"]),
    Case(
        "members in any order",
        {"type": "json_schema", "json_schema": POINT, "any_order": True},
        ['{"x":1,"y":"a"}', '{"y":"a","x":1}'],
        ['{"y":"a"}', '{"x":1,"x":1}'],
    ),
    Case(
        "white space by number",
        {"type": "json_schema", "json_schema": POINT, "style": "json", "max_whitespace_cnt": 1},
        ['{"x":1}', '{ "x": 1}'],
        ['{"x":  1}'],
    ),
    Case(
        "members in the XML of Qwen",
        tag("<f>", {**XML, "style": "qwen_xml"}, "</f>"),
        [
            "<f><parameter=name>Bob</parameter><parameter=age>1</parameter></f>",
            "<f>\n<parameter=name>\n<b>日\n</parameter>\n<parameter=age>\n1\n</parameter>\n</f>",
            "<f><parameter=name></parameter><parameter=age>1</parameter><parameter=any>null</parameter></f>",
            "<f><parameter=name></parameter><parameter=age>1</parameter><parameter=any>a</parameter></f>",
        ],
        [
            "<f><parameter=name>Bob</parameter></f>",
            "<f><parameter=age>1</parameter><parameter=name>Bob</parameter></f>",
            "<f><parameter=name>Bob</parameter><parameter=age>x</parameter></f>",
            "<f><parameter=name>Bob</parameter><parameter=age>1</parameter><parameter=x>1</parameter></f>",
            "<f><parameter=name></parameter><parameter=age>1</parameter><parameter=any>c</parameter></f>",
        ],
    ),
    Case(
        "members in the XML of Qwen, by the older type",
        {"type": "qwen_xml_parameter", "json_schema": XML["json_schema"]},
        ["<parameter=name>Bob</parameter><parameter=age>1</parameter>"],
        ["<parameter=name>Bob</parameter>"],
    ),
    Case(
        "members in XML in any order",
        {**XML, "style": "minimax_xml", "any_order": True},
        [
            '<parameter name="age">1</parameter> <parameter name="name">Bob</parameter>',
            '<parameter name="name">Bob</parameter><parameter name="age">1</parameter>',
        ],
        ['<parameter name="name">Bob</parameter><parameter name="name">Bob</parameter>'],
    ),
    Case(
        "members in the XML of DeepSeek",
        {**XML, "style": "deepseek_xml"},
        [
            '<｜DSML｜parameter name="name" string="true">Bob</｜DSML｜parameter>'
            '<｜DSML｜parameter name="age" string="false">1</｜DSML｜parameter>',
        ],
        [
            '<｜DSML｜parameter name="name" string="false">"Bob"</｜DSML｜parameter>'
            '<｜DSML｜parameter name="age" string="false">1</｜DSML｜parameter>',
        ],
    ),
    Case(
        "members in the XML of a later DeepSeek",
        {**XML, "style": "deepseek_v4_1_xml"},
        [
            '<｜DSML｜ parameter name="name" string="true">Bob</｜DSML｜ parameter>'
            '<｜DSML｜ parameter name="age" string="false">1</｜DSML｜ parameter>',
        ],
    ),
    Case(
        "members in the XML of GLM",
        {**XML, "style": "glm_xml"},
        [
            "<arg_key>name</arg_key><arg_value>Bob</arg_value><arg_key>age</arg_key><arg_value>1</arg_value>",
            [
                "<arg_key>name</arg_key>",
                VALUE,
                "B</arg_value>\n<arg_key>age</arg_key><arg_value>1</arg_value>",
            ],
        ],
        ["<arg_key>name</arg_key><arg_value>Bob</arg_value>"],
    ),
    Case(
        "a grammar",
        {"type": "grammar", "grammar": 'root ::= "(" root ")" | [0-9]+'},
        ["1", "((12))"],
        ["", "(1", "1)"],
    ),
    Case(
        "a grammar with the name of its syntax",
        {"type": "grammar", "grammar": 'root ::= "(" root ")" | [0-9]+', "syntax": "ebnf"},
        ["1", "((12))"],
        ["", "(1", "1)"],
    ),
    Case("a regular expression", {"type": "regex", "pattern": "[a-z]{2}|x"}, ["ab", "x"], ["", "abc", "y"]),
    Case(
        "a regular expression without some texts",
        {"type": "regex", "pattern": "[a-z.]+|q", "excludes": ["bad", ".."]},
        ["good", "b.ad", "q"],
        ["abadb", "a..b", "", "qq1"],
    ),
    Case(
        "flags of a regular expression beside excluded texts",
        {"type": "regex", "pattern": "(?i:ab)+.", "excludes": ["c"]},
        ["aBAb.", "ab\t"],
        ["abc", "ab\n"],
    ),
    Case(
        "comments of a regular expression beside excluded texts",
        {"type": "regex", "pattern": "(?x) a | b c  # (c", "excludes": ["c", "x"]},
        ["a"],
        ["bc", "b", "a "],
    ),
    Case("any text", ANY, ["", "<a> 日本\n"]),
    Case("any text but some", {**ANY, "excludes": ["<f", "ab"]}, ["", "<", "a<b"], ["<f", "xaby"]),
    Case("a little text", {**ANY, "max_chars": 3}, ["", "a\n日"], ["abcd"]),
    Case(
        "a little text but some",
        tag("", {**ANY, "max_chars": 4, "excludes": ["ab", "."]}, "</a>"),
        ["</a>", "<a</</a>", "日本日本</a>"],
        ["ab</a>", ".</a>", "abcde</a>", "日本日本日</a>"],
    ),
    Case("no tokens of text", {**ANY, "max_tokens": 0}, [""], ["a"]),
    Case("a token by name", token("<tool>"), [[TOOL]], ["", "<tool>", [CALL]]),
    Case("a token by id", token(CALL), [[CALL]], ["<call>", [TOOL]]),
    Case("any token", {"type": "exclude_token"}, [[TOOL], [ord("a")], [256]], ["", [TOOL, TOOL], [STOP]]),
    Case(
        "a token but some",
        {"type": "exclude_token", "exclude_tokens": ["<tool>", ord("a")]},
        [[END], [ord("b")]],
        [[TOOL], [ord("a")]],
    ),
    Case(
        "a token but some, by the older name of the field",
        {"type": "exclude_token", "excludes": ["<tool>"]},
        [[END]],
        [[TOOL]],
    ),
    Case(
        "any tokens",
        {"type": "any_tokens", "exclude_tokens": ["<end>"]},
        ["", [TOOL, ord("a"), 256]],
        [[END], [TOOL, END]],
    ),
    Case("two tokens", {**TOKENS, "max_tokens": 2}, ["", [TOOL], [TOOL, 258]], [[TOOL, TOOL, TOOL]]),
    Case("a sequence", {"type": "sequence", "elements": [text("a"), INTEGER]}, ["a1", "a-12"], ["a", "1"]),
    Case(
        "a choice", {"type": "or", "elements": [text("a"), INTEGER, text("ab")]}, ["a", "1", "ab"], ["", "b"]
    ),
    Case("an option", {"type": "optional", "content": text("ab")}, ["", "ab"], ["a", "abab"]),
    Case("once or more", {"type": "plus", "content": text("ab")}, ["ab", "abab"], ["", "aba"]),
    Case("any number of times", {"type": "star", "content": text("ab")}, ["", "abab"], ["aba"]),
    Case(
        "a number of times",
        {"type": "repeat", "min": 2, "max": 3, "content": text("ab")},
        ["abab", "ababab"],
        ["ab", "abababab"],
    ),
    Case(
        "a number of times and more",
        {"type": "repeat", "min": 2, "max": -1, "content": text("a")},
        ["aa", "a" * 50],
        ["a"],
    ),
    Case("no times", {"type": "repeat", "min": 0, "max": 0, "content": text("a")}, [""], ["a"]),
    Case("a tag", tag("<a>", INTEGER, "</a>"), ["<a>1</a>"], ["<a></a>", "1</a>", "<a>1"]),
    Case("a tag of several ends", tag("<", INTEGER, [">", "/>", ""]), ["<1>", "<1/>", "<1"], ["<1/"]),
    Case("a tag of nothing", tag("", INTEGER, ""), ["1"], [""]),
    Case(
        "text in a tag stops before its end",
        tag("<a>", ANY, "</a>"),
        ["<a></a>", "<a><a></b></</a>"],
        ["<a>", "<a></a></a>", "<a></a>."],
    ),
    Case(
        "text in a tag stops before each end",
        tag("<a>", ANY, ["</a>", "."]),
        ["<a>x.", "<a>x</a>"],
        ["<a>.</a>", "<a></a>."],
    ),
    Case(
        "text in a sequence in a tag stops before the end",
        tag(
            "<a>",
            {"type": "sequence", "elements": [ANY, text("!"), {"type": "star", "content": ANY}]},
            "</a>",
        ),
        ["<a>!</a>", "<a>x!!y</a>"],
        ["<a></a>!</a>", "<a>x</a>"],
    ),
    Case(
        "only the nearest tag ends text",
        tag("<a>", tag("<b>", ANY, "</b>"), "</a>"),
        ["<a><b></a></b></a>"],
        ["<a><b></b></b></a>"],
    ),
    Case(
        "an end that overlaps itself may come early",
        tag("```", ANY, "```"),
        ["``````", "```x```", "```````", "````````"],
        ["```", "`````````"],
    ),
    Case(
        "tokens as ends",
        tag(token("<tool>"), TOKENS, token("<end>")),
        [[TOOL, END], [TOOL, CALL, ord("a"), 256, END]],
        [[TOOL], [TOOL, END, END], "<tool><end>"],
    ),
    Case(
        "one token before the end",
        tag(token("<tool>"), {"type": "exclude_token"}, token("<end>")),
        [[TOOL, CALL, END]],
        [[TOOL, END], [TOOL, END, END]],
    ),
    Case(
        "text before a token",
        tag("<t>", ANY, token("<end>")),
        [["<t>", END], ["<t>ab<end>", END]],
        ["<t><end>", [END]],
    ),
    Case(
        "triggered tags",
        TRIGGERED,
        ["", "a <f", "<f=a>1</f>", "x<f=a>1</f>y<f=b><f=</g> <f", "<f=b></f><f=b></f>"],
        ["<f=", "<f=c>", "<f=a>x", "<f=a>1", "<f=a>1</f><f="],
    ),
    Case(
        "at least one triggered tag, which comes first",
        {**TRIGGERED, "at_least_one": True},
        ["<f=a>1</f>", "<f=a>1</f> and <f=b></f>"],
        ["", "x<f=a>1</f>", "<f=a>1</f><f="],
    ),
    Case(
        "one triggered tag at most",
        {**TRIGGERED, "stop_after_first": True},
        ["", "x", "x<f=a>1</f>"],
        ["x<f=a>1</f>y", "<f=a>1</f><f=a>1</f>"],
    ),
    Case(
        "exactly one triggered tag",
        {**TRIGGERED, "at_least_one": True, "stop_after_first": True},
        ["<f=a>1</f>", "<f=b>x</g>"],
        ["", "x<f=a>1</f>", "<f=a>1</f>y"],
    ),
    Case(
        "triggered tags without some text",
        {**TRIGGERED, "excludes": ["bad", "<f=a"]},
        ["ba d<f=a>1</f><f=b>bad</f>"],
        ["bad", "<f=a>1</f>bad"],
    ),
    Case(
        "triggers that begin alike, one of them unused",
        {**TRIGGERED, "triggers": ["<f", "<f=b", "<f=a>", "[x]"]},
        ["<", "<f=a>1</f>", "<f=b></f>[x"],
        ["<f", "<f=", "<f=b", "[x]"],
    ),
    Case(
        "triggered tags in a tag stop before its end",
        tag("<r>", TRIGGERED, "</r>"),
        ["<r></r>", "<r>a<f=b></r></f>b</r>"],
        ["<r></r></r>", "<r>"],
    ),
    Case(
        "tags triggered by tokens",
        BY_TOKEN,
        ["", [ord("a"), 258], [TOOL, "1", END, THINK, CALL, "xy"], [CALL, "xy", ord("."), TOOL, "2", END]],
        [[TOOL], [TOOL, "x"], [CALL, "y"], [TOOL, "1"], [CALL, "xy", TOOL]],
    ),
    Case(
        "at least one tag triggered by a token",
        {**BY_TOKEN, "at_least_one": True, "exclude_tokens": ["<think>"]},
        [[TOOL, "1", END], [CALL, "xy", ord("a")]],
        ["", [ord("a")], [TOOL, "1", END, THINK]],
    ),
    Case(
        "one tag triggered by a token at most",
        {**BY_TOKEN, "stop_after_first": True},
        ["", [THINK, TOOL, "1", END]],
        [[TOOL, "1", END, ord("a")]],
    ),
    Case(
        "exactly one tag triggered by a token",
        {**BY_TOKEN, "at_least_one": True, "stop_after_first": True},
        [[TOOL, "1", END]],
        ["", [THINK, TOOL, "1", END], [TOOL, "1", END, CALL, "xy"]],
    ),
    Case(
        "tags triggered by tokens in a tag that a token ends",
        tag(token("<think>"), BY_TOKEN, token("<end>")),
        [[THINK, END], [THINK, TOOL, "1", END, ord("a"), END]],
        [[THINK, END, END]],
    ),
    Case(
        "tags with a separator",
        SEPARATED,
        ["", "<f=a>1</f>", "<b>,</b>,<f=a>1</f>,<b></b>"],
        ["<b></b>,", ",", "<b></b><b></b>", " <b></b>"],
    ),
    Case(
        "at least one tag with a separator",
        {**SEPARATED, "at_least_one": True},
        ["<b></b>", "<b></b>,<b></b>"],
        ["", ","],
    ),
    Case(
        "one tag at most",
        {**SEPARATED, "stop_after_first": True},
        ["", "<b></b>"],
        ["<b></b>,<b></b>"],
    ),
    Case(
        "exactly one tag",
        {**SEPARATED, "stop_after_first": True, "at_least_one": True},
        ["<b></b>"],
        ["", "<b></b>,<b></b>"],
    ),
    Case(
        "tags without a separator",
        {**SEPARATED, "separator": ""},
        ["", "<b></b><b></b>"],
        ["<b></b>,<b></b>"],
    ),
    Case(
        "dispatch",
        DISPATCH,
        ["", "#", "a#n12b#t!c", "#n1#n2", "#n0#", "#t!sto p"],
        ["#n", "#tx", "stop", "#t!stop"],
    ),
    Case("dispatch once", {**DISPATCH, "loop": False}, ["", "a", "a#t!"], ["a#t!b", "#n1#n1"]),
    Case(
        "patterns of which one begins the other",
        {"type": "dispatch", "rules": [["#a", text("1")], ["#ab", text("2")]]},
        ["#a1", "#ab2", "#a1#ab2."],
        ["#a2", "#ab1", "#ab"],
    ),
    Case(
        "dispatch in a tag goes on behind its end unless that is excluded",
        tag("<r>", {**DISPATCH, "excludes": []}, "</r>"),
        ["<r></r>", "<r></r>#n1</r>"],
        ["<r>"],
    ),
    Case(
        "dispatch in a tag",
        tag("<r>", {**DISPATCH, "excludes": ["</r>"]}, "</r>"),
        ["<r></r>", "<r>a#t!</r>"],
        ["<r></r></r>"],
    ),
    Case(
        "dispatch by tokens",
        TOKEN_DISPATCH,
        ["", [ord("a"), TOOL, "1", END, CALL, "!", 258]],
        [[THINK], [TOOL, "x"], [CALL], [CALL, "!", THINK]],
    ),
    Case(
        "dispatch by tokens once",
        {**TOKEN_DISPATCH, "loop": False},
        ["", [END, TOOL, "1"]],
        [[TOOL, "1", END], [THINK]],
    ),
    Case(
        "the legacy form",
        LEGACY,
        ["", "a<f=a>1</f>b<f=b>null</f><g>[]</g>", "<"],
        ["<f=a>x", "<f=c>", "<g<", "<f=b>1</f>"],
    ),
    Case(
        "the legacy form without its type",
        {key: value for key, value in LEGACY.items() if key != "type"},
        ["<f=a>1</f>"],
        ["<f=c>"],
    ),
    Case(
        "the legacy form as a format",
        {"type": "structural_tag", "format": LEGACY},
        ["<f=a>1</f>"],
        ["<f=c>"],
    ),
    Case("the whole object", {"type": "structural_tag", "format": text("a")}, ["a"], ["b"]),
    Case("the whole object without its type", {"format": text("a")}, ["a"], ["b"]),
    Case(
        "reasoning, then calls",
        AGENT,
        ["<think>a</think>", "<think><f=c></think>I call <f=a>1</f>."],
        ["", "<f=a>1</f>", "<think></think><f=c>"],
    ),
    Case(
        "tags in tags",
        tag("<r>", {**SEPARATED, "tags": [tag("<i>", {**TRIGGERED, "excludes": ["."]}, "</i>")]}, "</r>"),
        ["<r></r>", "<r><i></i></r>", "<r><i>a<f=a>1</f></i>,<i></r></i></r>"],
        ["<r>.</r>", "<r><i>.</i></r>", "<r><i></i>,</r>"],
    ),
    Case(
        "a recursive schema and a recursive grammar",
        tag(
            "<a>",
            {
                "type": "or",
                "elements": [
                    {
                        "type": "json_schema",
                        "json_schema": {"type": "array", "items": {"$ref": "#"}, "maxItems": 2},
                    },
                    {"type": "grammar", "grammar": 'root ::= "(" root* ")"'},
                ],
            },
            "</a>",
        ),
        ["<a>[[],[[]]]</a>", "<a>(()(()))</a>"],
        ["<a>[[],[],[]]</a>", "<a>(()</a>", "<a>([])</a>"],
    ),
]
