"""Formats of one's own that are refused when they are made, and those near them that are not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import maskwright as mw
from maskwright.tool_calls import (
    CallId,
    Ending,
    JsonArguments,
    Key,
    Name,
    PythonArguments,
    Segment,
    Special,
    StringMark,
    Text,
    XmlArguments,
    get_format,
)

from .samples import BYTES, CALL, FORMATS, accepts, layout

XML = XmlArguments(opening=(Text("<"), Key(), Text(">")), closing=(Text("</>"),))
BRACKETS = Segment(begin=(Text("<r>"),), end=(Text("</r>"),))
ENDED = Segment(begin=(Text("<f>"),), end=(Ending("<e>"),), before_calls=False)
THINKING = Segment(begin=(Text("<t>"),), end=(Text("</t>"),))


def call(*parts: Any) -> dict[str, Any]:
    """A call of the form CALL, with other parts behind its name."""
    return {"call": (Text("CALL "), Name(), *parts)}


def identifier(pattern: str = "[0-9]", **fields: str) -> dict[str, Any]:
    return call(Text("#"), CallId(pattern, **fields), Text(" "), JsonArguments())


def parameters(*opening: Any, end: str = ".", **fields: Any) -> dict[str, Any]:
    """A call with parameters on lines, as far as the fields of XmlArguments do not say otherwise."""
    arguments = XmlArguments(opening=opening, **{"closing": (Text("\n"),), **fields})
    return call(Text("\n"), arguments, Text(end))


# Each: the fields, the one that is told, and a piece of what is said of it.
WRONG: dict[str, list[tuple[dict[str, Any], str, str]]] = {
    "names": [
        ({"name": "No Name"}, "name", "use lower-case letters"),
        ({"name": ""}, "name", "use lower-case letters"),
    ],
    "calls": [
        ({"call": ()}, "call", "one Name and one kind"),
        ({"call": (Text("a"), Name())}, "call", "one Name and one kind"),
        ({"call": (Text("a"), JsonArguments())}, "call", "one Name and one kind"),
        (call(Name(), JsonArguments()), "call", "one Name and one kind"),
        (call(CallId("a"), CallId("b"), JsonArguments()), "call", "one CallId at most"),
        ({"call": (Name(), JsonArguments())}, "call", "has to begin with a Text"),
        ({"call": (Name(), JsonArguments()), "placement": "start", "reserved": "a"}, "call", "has to begin"),
        ({"other_calls": ((Name(),),)}, "other_calls[0]", "one Name and one kind"),
        ({"other_calls": (CALL, (Name(), JsonArguments()))}, "other_calls[1]", "has to begin with a Text"),
        ({"call": (Text(""), Name(), JsonArguments())}, "call", "is empty"),
        ({"call": (Text("a"), JsonArguments(), Name(), Text("."))}, "call", "Name has to stand before"),
        (call(Key(), JsonArguments()), "call", "Key() stands only in the opening of XmlArguments"),
        (call(StringMark(), JsonArguments()), "call", "stands only in the opening of XmlArguments"),
        (call(JsonArguments(), Ending("<e>"), Text(".")), "call", "an Ending ends the whole text"),
        (call(JsonArguments(), Ending("<e>")), "call", "with parallel=False and no `end`"),
        ({"call": (CallId("1"), *CALL), "begin": (Text("a"),)}, "call", "a call that follows another"),
        (
            {"separator": (Text("."),), "end": (Text(".CALL END"),)},
            "end",
            "it begins with '.CALL ', as a call",
        ),
        ({**call(JsonArguments(), Ending("<e>")), "end": (Text("."),)}, "call", "an Ending ends"),
    ],
    "fixed parts": [
        ({"begin": (Name(),)}, "begin", "only Text and Special"),
        ({"begin": (Text(""),)}, "begin", "is empty"),
        ({"separator": (Ending("<e>"),)}, "separator", "only Text and Special"),
        ({"end": (Special(""),)}, "end", "is empty"),
        ({"end": (JsonArguments(),)}, "end", "only Text and Special"),
        ({"prompt": (Name(),)}, "prompt", "only Text and Special"),
    ],
    "ends of arguments": [
        (call(Text("("), PythonArguments()), "call", "PythonArguments need a Text or a Special right behind"),
        (call(Text(" "), PythonArguments(), Text("\n")), "call", "such as Text(')')"),
        (call(Text("("), PythonArguments(), Text(" )")), "call", "such as Text(')')"),
        (
            {**call(Text("("), PythonArguments(), Ending(")")), "parallel": False},
            "call",
            "PythonArguments need a Text",
        ),
        (call(PythonArguments(), Text(")")), "call", "between Name and PythonArguments"),
        (call(Text("\n"), JsonArguments(raw_bodies=True)), "call", "need a Text or a Special right behind"),
        (call(Text("\n"), XML), "call", "need a Text or a Special right behind"),
        ({**call(Text("\n"), XML, Ending("<e>")), "parallel": False}, "call", "XmlArguments need a Text"),
        # With several calls, what closes the last does not stand behind the first.
        ({**call(Text("\n"), XML), "end": (Text("."),)}, "call", "need a Text or a Special right behind"),
    ],
    "parameters": [
        (parameters(Text("<")), "call", "has one Key"),
        (parameters(Text("<"), Key(), Key(), Text(">")), "call", "has one Key"),
        (parameters(Text("@"), Key()), "call", "right behind the Key"),
        (parameters(Text("@"), Key(), StringMark(":", ": json ")), "call", "right behind the Key"),
        (parameters(StringMark(), Text("@"), Key(), Text(":")), "call", "StringMark stands behind the Key"),
        (parameters(Text("@"), Key(), Text(""), Text(":")), "call", "is empty"),
        (parameters(Text("@"), Key(), Name()), "call", "only Text, Special, Key and StringMark"),
        (
            parameters(Text("@"), Key(), Text(":"), StringMark(" ", " json ")),
            "call",
            "strings are marked by ': '",
        ),
        (parameters(Text("@"), Key(), Text(":"), StringMark("", "")), "call", "strings are marked by ':'"),
        (parameters(Text("@"), Key(), Text(":"), closing=()), "call", "cannot be empty"),
        (parameters(Text("@"), Key(), Text(":"), closing=(Ending("<e>"),)), "call", "only Text and Special"),
        (parameters(Text("@"), Key(), Text(":"), separator=(Name(),)), "call", "only Text and Special"),
        (parameters(Text("@"), Key(), Text(":"), end="@."), "call", "'@' opens a parameter"),
        (parameters(Text("@"), Key(), Text(":"), separator=(Text("."),)), "call", "'.@' opens a parameter"),
        (parameters(Key(), Text(":")), "call", "'' opens a parameter"),
        (parameters(Text("@"), Key(), Text(":"), after="x"), "call", "after='x' is no white space"),
        (parameters(Text("@"), Key(), Text(":"), after="\n", end="\n."), "call", "begins with it, too"),
        (
            parameters(Text("\n."), Key(), Text(":"), after="\n"),
            "call",
            "'\\n.' opens a parameter and '\\n.' stands behind the arguments",
        ),
    ],
    "identifiers": [
        (call(Text(" "), JsonArguments(), Text("#"), CallId("[0-9]+")), "call", "CallId needs a Text"),
        (call(Text("#"), CallId("[0-9]+"), JsonArguments()), "call", "CallId needs a Text"),
        ({"call": (Text("a"), CallId("[0-9]+"), Name(), JsonArguments())}, "call", "CallId needs a Text"),
        (call(CallId("[0-9]"), Text(" "), JsonArguments()), "call", "between Name and CallId"),
        (identifier("("), "call", "'(' is no regular expression"),
        (identifier(".*"), "call", "matches Text(text=' '), too"),
        (identifier("[a-z]{3}"), "call", "is written '0' for the first call"),
        (identifier(written="{nope}"), "call", "written='{nope}' of a CallId is no form with {number}"),
        (identifier(written="{number:9999999999}"), "call", "a number may have a width such as `:09`"),
        (identifier(identity="{text:>9}"), "call", "identity='{text:>9}' of a CallId is no form"),
        (identifier(identity="{text!r}"), "call", "identity='{text!r}' of a CallId is no form"),
        (identifier(written="{"), "call", "is no form"),
        (
            identifier(identity="{foo}"),
            "call",
            "identity='{foo}' of a CallId is no form with {name} and {text}",
        ),
        (identifier(identity="{"), "call", "is no form"),
        (identifier(identity="{name}"), "call", "needs {text} in it, once"),
    ],
    "placement": [
        ({"placement": "begin"}, "placement", "neither 'anywhere' nor 'start'"),
        ({"placement": "Start"}, "placement", "did you mean 'start'?"),
        ({"reserved": "a"}, "reserved", "only with placement='start'"),
        ({"placement": "start", "reserved": "("}, "reserved", "is no regular expression"),
    ],
    "other beginnings": [
        ({"begin": (Text("["),), "other_begins": ((Text("("),),)}, "other_begins[0]", "are known by '['"),
        ({"other_begins": ((Text("["),),)}, "other_begins[0]", "are known by 'CALL '"),
        (
            {"begin": (Special("<c>"), Text("[")), "other_begins": ((Special("<c>"),),)},
            "other_begins[0]",
            "of '<c>[' and '<c>', by which calls begin, one begins with the other",
        ),
        ({"begin": (Text("["),), "other_begins": ((Name(),),)}, "other_begins[0]", "only Text and Special"),
        (
            {
                "begin": (Special("<c>"), Text("[")),
                "other_begins": ((Special("<c>"), Text("<t>")),),
                "reasoning": replace(THINKING, begin=(Text("<c><t>"),)),
            },
            "call",
            "it begins with '<c><t>', as reasoning does",
        ),
    ],
    "segments": [
        ({"content": ()}, "content", "at least one kind"),
        (
            {"content": (BRACKETS, Segment())},
            "content[1]",
            "needs a `begin` and an `end`, unless it is prose",
        ),
        (
            {"content": (Segment(), BRACKETS)},
            "content[0]",
            "needs a `begin` and an `end`, unless it is prose",
        ),
        ({"content": (Segment(end=(Text("</r>"),)),)}, "content[0]", "needs a `begin` and an `end`"),
        ({"content": (Segment(begin=(Name(),)),)}, "content[0]", "only Text and Special"),
        ({"content": (Segment(margin="\n"),)}, "content[0]", "is prose"),
        ({"content": (Segment(before_calls=False),)}, "content[0]", "is prose"),
        ({"content": (replace(BRACKETS, before_calls=False, last=False),)}, "content[0]", "set last=True"),
        ({"content": (replace(BRACKETS, after="\n"),)}, "content[0]", "only reasoning has `after`"),
        ({"content": (replace(BRACKETS, before="\n"),)}, "content[0]", "only reasoning has `before`"),
        ({"content": (Segment(before="\n"),)}, "content[0]", "is prose"),
        (
            {"content": (BRACKETS,), "reasoning": replace(THINKING, before="\n")},
            "reasoning",
            "only where the content is prose",
        ),
        ({"content": (replace(BRACKETS, end=(Name(),)),)}, "content[0]", "only Text, Special and Ending"),
        ({"content": (replace(ENDED, before_calls=True),)}, "content[0]", "with before_calls=False"),
        ({"content": (replace(ENDED, end=(Text("."), *ENDED.end)),)}, "content[0]", "stands alone in `end`"),
        ({"reasoning": Segment()}, "reasoning", "needs a `begin` and an `end`"),
        ({"reasoning": Segment(begin=(Text("<t>"),))}, "reasoning", "needs a `begin` and an `end`"),
        ({"reasoning": replace(THINKING, end=(Ending("<e>"),))}, "reasoning", "only Text and Special"),
    ],
    "beginnings": [
        ({"content": (BRACKETS, BRACKETS)}, "content[1]", "begins with '<r>', as content[0] does"),
        ({"content": (BRACKETS,), "reasoning": BRACKETS}, "reasoning", "as content[0] does"),
        ({"content": (replace(BRACKETS, begin=(Text("CA"),)),)}, "call", "as content[0] does"),
        ({"reasoning": replace(THINKING, begin=(Text("CALL "),))}, "call", "as reasoning does"),
        (
            {"begin": (Text("\n<t>"),), "reasoning": replace(THINKING, before="\n")},
            "call",
            "begins with '\\n<t>', as reasoning does",
        ),
    ],
    "white space": [
        ({"gap": "x"}, "gap", "gap='x' is no white space"),
        ({"reasoning": replace(THINKING, margin="abc")}, "reasoning", "margin='abc' is no white space"),
        ({"reasoning": replace(THINKING, after="abc")}, "reasoning", "after='abc' is no white space"),
        ({"reasoning": replace(THINKING, before="abc")}, "reasoning", "before='abc' is no white space"),
        ({"content": (replace(BRACKETS, margin="-"),)}, "content[0]", "margin='-' is no white space"),
        (
            {"reasoning": replace(THINKING, margin="\n", end=(Text("\n"),))},
            "reasoning",
            "the `end` begins with",
        ),
        ({"reasoning": replace(THINKING, margin="\n ", end=(Text(" "),))}, "reasoning", "or is in it"),
        ({"gap": "\n", "reasoning": replace(THINKING, begin=(Text("\n"),))}, "gap", "there is '\\n' in it"),
        (
            {"begin": (Text("\nCALLS"),), "gap": "\n"},
            "gap",
            "what may follow, '\\nCALLSCALL ', begins with it",
        ),
        (
            {"begin": (Text("\n"),), "reasoning": replace(THINKING, after="\n")},
            "reasoning",
            "what may follow, '\\nCALL ', begins with it",
        ),
        (
            {"content": (Segment(begin=(Text("\n>"),)),), "reasoning": replace(THINKING, after="\n")},
            "reasoning",
            "what may follow, '\\n>', begins with it",
        ),
    ],
}
WRONG_CASES = [
    pytest.param(*case, id=f"{about}-{number}")
    for about, cases in WRONG.items()
    for number, case in enumerate(cases)
]


@pytest.mark.parametrize(("fields", "field", "problem"), WRONG_CASES)
def test_layouts_are_checked(fields: dict[str, Any], field: str, problem: str) -> None:
    with pytest.raises(mw.ToolCallError) as caught:
        layout(**fields)
    assert caught.value.location.endswith(f", {field}")
    assert str(caught.value).startswith(f"{caught.value.location}: ")
    assert problem in str(caught.value)


COMMA = "; a tuple of one is written with a comma, as in (x,)"
WRONG_TYPES: list[tuple[dict[str, Any], str]] = [
    ({"call": list(CALL)}, "call is a tuple, not list"),
    ({"other_calls": [CALL]}, "other_calls is a tuple, not list"),
    ({"other_calls": CALL}, f"other_calls[0] is a tuple, not Text{COMMA}"),
    ({"begin": None}, "begin is a tuple, not NoneType"),
    ({"end": Text(".")}, f"end is a tuple, not Text{COMMA}"),
    ({"separator": ", "}, "separator is a tuple, not str; write (Text(', '),)"),
    ({"models": "My model"}, "models is a tuple, not str"),
    ({"models": (5,)}, "models[0] is a str, not int"),
    ({"source": None}, "source is a str, not NoneType"),
    ({"gap": 5}, "gap is a str, not int"),
    ({"placement": None}, "placement is a str, not NoneType"),
    ({"reserved": 5}, "reserved is a str, not int"),
    ({"parallel": "no"}, "parallel is True or False, not 'no'"),
    ({"content": None}, "content is a tuple, not NoneType"),
    ({"content": BRACKETS}, f"content is a tuple, not Segment{COMMA}"),
    ({"content": ("x",)}, "content[0] is a Segment, not str"),
    ({"content": (Segment(begin=[Text("x")]),)}, "content[0].begin is a tuple, not list"),  # type: ignore[arg-type]
    ({"content": (Segment(begin=Text("x")),)}, f"content[0].begin is a tuple, not Text{COMMA}"),  # type: ignore[arg-type]
    (
        {"content": (Segment(begin="<x>", end="</x>"),)},  # type: ignore[arg-type]
        "content[0].begin is a tuple, not str; write (Text('<x>'),)",
    ),
    ({"content": (Segment(last=5),)}, "content[0].last is True or False, not 5"),  # type: ignore[arg-type]
    ({"reasoning": "<think>"}, "reasoning is a Segment or None, not str"),
    (parameters(after=5), "call[3].after is a str, not int"),
    ({"reasoning": Segment(after=None)}, "reasoning.after is a str, not NoneType"),  # type: ignore[arg-type]
    ({"call": ("CALL ", Name())}, "call[0] is a part, such as Text('x'), not str; write Text('CALL ')"),
    (call(Text(None), JsonArguments()), "call[2].text is a str, not NoneType"),  # type: ignore[arg-type]
    ({"call": (Text("a"), Name)}, "call[1] is a part, such as Text('x'), not Name itself; write Name()"),
    (parameters("@"), "call[3].opening[0] is a part, such as Text('x'), not str; write Text('@')"),
    (call(CallId(5)), "call[2].pattern is a str, not int"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("fields", "message"), WRONG_TYPES, ids=[case[1] for case in WRONG_TYPES])
def test_fields_of_layouts_are_of_their_types(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(TypeError) as caught:
        layout(**fields)
    assert str(caught.value) == f"format 'own': {message}"


def test_the_name_of_a_format_is_a_text() -> None:
    with pytest.raises(TypeError, match="the name of a format is a str, not int"):
        layout(name=5)


# What is near to something refused, and can be held to by grammar, parser and renderer.
RIGHT: dict[str, dict[str, Any]] = {
    "a parenthesis with more": call(Text(": "), PythonArguments(), Text(") end")),
    "a parenthesis behind all calls": {
        **call(Text("("), PythonArguments()),
        "end": (Text(")"),),
        "parallel": False,
    },
    "parameters up to the end of all": {**call(Text("\n"), XML), "end": (Text("."),), "parallel": False},
    "parameters up to what comes in any case": {
        **call(Text("\n"), XML),
        "separator": (Text("\n"), Text("and ")),
        "end": (Text("\n"), Text("end")),
    },
    "marks that differ": parameters(Text("@"), Key(), Text(":"), StringMark("", "json "), Text(" ")),
    "an identifier in front": {
        "call": (Text("#"), CallId("[0-9]+"), Text(" "), Name(), Text(" "), JsonArguments())
    },
    "an identifier behind the arguments": call(Text(" "), JsonArguments(), CallId("[0-9]+"), Text(";")),
    "an identifier at the end": {
        **call(JsonArguments(), CallId("[0-9]+")),
        "end": (Text("."),),
        "parallel": False,
    },
    "an ending behind an identifier": {
        **call(JsonArguments(), Text("#"), CallId("[0-9]+"), Text(";"), Ending("<e>")),
        "parallel": False,
    },
    "an ending": {**call(Text(" "), JsonArguments(raw_bodies=True), Ending("<e>")), "parallel": False},
    "a gap that prose begins with": {
        "gap": "\n",
        "reasoning": replace(THINKING, begin=(Text("\n<t>"),)),
    },
    "another beginning": {
        "begin": (Special("<c>"), Text("[")),
        "other_begins": ((Special("<c>"), Text("\n[")), (Special("<c>"), Special("<d>"))),
    },
    "an identifier that may be missing behind the arguments": {
        "other_calls": ((*CALL[:-1], Text("#"), CallId("[0-9]+"), Text(";")),),
    },
    "white space before the reasoning": {"reasoning": replace(THINKING, before="\n", after="\n")},
    "the white space that calls begin with": {
        "begin": (Text("\n"),),
        "reasoning": replace(THINKING, before="\n"),
    },
    "white space of another length": {"reasoning": replace(THINKING, after="\n\n"), "begin": (Text("\n"),)},
    "segments": {"content": (ENDED, BRACKETS), "reasoning": replace(THINKING, repeated=True, after="\n")},
}


@pytest.mark.parametrize("fields", RIGHT.values(), ids=RIGHT)
def test_what_is_not_refused_is_written_allowed_and_read(fields: dict[str, Any]) -> None:
    schema = {"properties": {"x": {"type": "string"}, "y": {"type": "integer"}}}
    own = layout(**fields)
    calls = mw.ToolCalls([{"name": "now", "parameters": schema}], own, typed_special_tokens=True)
    given = [{"name": "now", "arguments": {"x": "q", "y": 1}}] * (2 if own.parallel else 1)
    constraint = mw.Compiler(BYTES).compile(calls.grammar())
    for reasoning in [None] if own.reasoning is None else [None, "Hm."]:
        text = calls.render(given, reasoning=reasoning)
        for written in (text, text.removesuffix("<e>")):
            assert accepts(constraint, BYTES, written)
            message = calls.parse(written)
            assert message.is_complete
            assert message.reasoning == reasoning
            assert [{"name": read.name, "arguments": read.arguments} for read in message.calls] == given


def test_content_instead_of_calls_does_not_begin_as_reasoning_does() -> None:
    for reserved in (None, "CALL|CAKE"):
        own = layout(placement="start", reasoning=THINKING, reserved=reserved)
        constraint = mw.Compiler(BYTES).compile(mw.ToolCalls([{"name": "now"}], own).grammar())
        texts = {"So": True, "<t>So": False, "<t>So</t>So": True, "<t>So</t><t>": False, "CALL So": False}
        for text, is_allowed in texts.items():
            assert accepts(constraint, BYTES, text) is is_allowed, text
    own = layout(placement="start", reasoning=replace(THINKING, before="\n"))
    constraint = mw.Compiler(BYTES).compile(mw.ToolCalls([{"name": "now"}], own).grammar())
    texts = {"\nSo": True, "\n<t>So": False, "\n<t>So</t>So": True, "\n\n<t>So": True}
    for text, is_allowed in texts.items():
        assert accepts(constraint, BYTES, text) is is_allowed, text


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_that_comes_with_the_package_is_right(name: str) -> None:
    found = get_format(name)
    assert replace(found) == found
