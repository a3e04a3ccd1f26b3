"""Schemas made to hurt: each ends in a constraint that works or in a typed error, within its budgets."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest

import maskwright as mw

BUDGET = mw.Budget(compile_time=timedelta(seconds=10), step_time=timedelta(seconds=10))
# What must work may take its time on a busy machine.
PATIENT = mw.Budget(compile_time=timedelta(minutes=2), step_time=timedelta(minutes=2))
DEEP = mw.Budget(nesting=1_000, compile_time=timedelta(seconds=10), step_time=timedelta(seconds=10))


@dataclass(frozen=True)
class Hostile:
    """A schema, built when its test runs, a short valid document, and what the schema must not allow."""

    name: str
    schema: Callable[[], Any]
    valid: Callable[[], str]
    invalid: str | None = None
    options: dict[str, Any] = field(default_factory=dict)


def of(text: str) -> Callable[[], str]:
    """A document that needs no building."""
    return lambda: text


def denying_itself(denied: Any) -> dict[str, Any]:
    """A schema that holds where it holds: whether it fails is asked to know whether it fails."""
    chosen = {"if": {"type": ["number"]}, "then": {}}
    itself = {"not": {"allOf": [chosen, {"not": {"$ref": "#"}}]}}
    return {"allOf": [{"if": {}, "then": {"not": denied}}, itself]}


def choices_in_choices(kind: str) -> dict[str, Any]:
    """A choice between a constant and another such choice, and so on."""
    count = 40_000
    choices = {
        f"c{number}": {"type": kind, "anyOf": [{"$ref": f"#/$defs/c{number + 1}"}, {"const": number}]}
        for number in range(count)
    }
    return {"$ref": "#/$defs/c0", "$defs": {**choices, f"c{count}": {"type": kind}}}


def different_lists(kinds: int) -> dict[str, Any]:
    """Linked lists that must differ, whose nodes are each of a kind of their own."""
    lists: dict[str, Any] = {f"l{kinds}": {"type": "null"}}
    for number in range(kinds):
        lists[f"l{number}"] = {
            "type": ["object", "null"],
            "properties": {"next": {"$ref": f"#/$defs/l{number + 1}"}},
            "required": ["next"],
            "additionalProperties": False,
        }
    items = {"$ref": "#/$defs/l0"}
    return {"type": "array", "uniqueItems": True, "minItems": 100, "items": items, "$defs": lists}


def properties(count: int, *, required: bool) -> dict[str, Any]:
    """A closed object of many integers."""
    names = [f"p{number}" for number in range(count)]
    closed = {"type": "object", "properties": {name: {"type": "integer"} for name in names}}
    return closed | {"additionalProperties": False, "required": names if required else []}


def full_document(count: int) -> str:
    """A document with every property of `properties`."""
    return json.dumps({f"p{number}": number for number in range(count)})


def long_text() -> str:
    """A schema of more than 200,000 lines."""
    many = {f"p{number}": {"type": "string", "maxLength": number} for number in range(50_000)}
    return json.dumps({"type": "object", "properties": many}, indent=1)


def mostly_unreached() -> str:
    """A schema of more than 200,000 lines of which a text meets two properties."""
    definitions = {f"d{number}": {"type": "string", "maxLength": number} for number in range(50_000)}
    reached = {"a": {"$ref": "#/$defs/d7"}, "b": {"$ref": "#/$defs/d49999"}}
    return json.dumps({"type": "object", "properties": reached, "$defs": definitions}, indent=1)


def nested_items(depth: int) -> str:
    """Arrays in arrays, as text, since json.dumps does not go that deep."""
    return '{"type":"array","items":' * depth + '{"type":"null"}' + "}" * depth


def nested_value(depth: int) -> str:
    """A schema whose constant is deep."""
    return '{"const":' + "[" * depth + "]" * depth + "}"


def chain(count: int) -> dict[str, Any]:
    """A reference to a reference, and so on."""
    links: dict[str, Any] = {f"d{number}": {"$ref": f"#/$defs/d{number + 1}"} for number in range(count)}
    return {"$ref": "#/$defs/d0", "$defs": links | {f"d{count}": {"type": "integer"}}}


def product(outer: str, inner: str, count: int) -> dict[str, Any]:
    """A conjunction or the like of choices, whose naive expansion has 2**count members."""
    names = [f"k{number}" for number in range(count)]
    choices = [
        {inner: [{"properties": {name: {"const": 1}}}, {"properties": {name: {"const": 2}}}]}
        for name in names
    ]
    return {"type": "object", outer: choices}


def doubling(keyword: str, depth: int) -> dict[str, Any]:
    """Definitions that each name the next one twice."""
    definitions: dict[str, Any] = {
        f"d{number}": {keyword: [{"$ref": f"#/$defs/d{number + 1}"}, {"$ref": f"#/$defs/d{number + 1}"}]}
        for number in range(depth)
    }
    return {"$ref": "#/$defs/d0", "$defs": definitions | {f"d{depth}": {"type": "integer"}}}


def tower(depth: int) -> str:
    """A negation of a negation, and so on, as text."""
    return '{"not":' * depth + '{"type":"integer"}' + "}" * depth


def branches(*, discriminated: bool) -> dict[str, Any]:
    """One of 60 objects."""
    kinds = [
        {
            "type": "object",
            "properties": {"kind": {"const": f"k{number}"}}
            if discriminated
            else {f"k{number}": {"type": "integer"}},
            "required": ["kind" if discriminated else f"k{number}"],
        }
        for number in range(60)
    ]
    return {"oneOf": kinds}


def dynamic_tower(depth: int) -> dict[str, Any]:
    """Resources that each redefine the same dynamic anchor."""
    resources: dict[str, Any] = {
        f"r{number}": {
            "$id": f"r{number}",
            "$ref": f"r{number + 1}",
            "$defs": {"anchor": {"$dynamicAnchor": "item", "maximum": number}},
        }
        for number in range(depth)
    }
    last = {
        "$id": f"r{depth}",
        "$dynamicRef": "#item",
        "$defs": {"anchor": {"$dynamicAnchor": "item", "type": "integer"}},
    }
    return {"$id": "https://example.com/root", "$ref": "r0", "$defs": resources | {f"r{depth}": last}}


MUTUAL = {
    "$ref": "#/$defs/even",
    "$defs": {
        "even": {"type": "array", "items": {"$ref": "#/$defs/odd"}},
        "odd": {"type": "object", "additionalProperties": {"$ref": "#/$defs/even"}},
    },
}
STRANGE_KEYS = ["\0", "\u2028", "\U0001f600", "é", '"', "\\", ""]
STRINGS = {"enum": [f"value {number}" for number in range(10_000)]}


def items_of_kinds(count: int) -> Hostile:
    return Hostile(
        f"items of {count} kinds",
        lambda: {"type": "array", "allOf": [{"contains": {"const": number}} for number in range(count)]},
        lambda: json.dumps(list(range(count))),
        json.dumps([*range(count - 1), "x"] * 2),
    )


# Each of these is accepted, allows its valid document and does not allow its invalid one.
WORKING = [
    items_of_kinds(12),
    items_of_kinds(20),
    Hostile(
        "different linked lists",
        lambda: {
            "type": "array",
            "uniqueItems": True,
            "minItems": 2,
            "items": {"$ref": "#/$defs/list"},
            "$defs": {
                "list": {
                    "type": ["object", "null"],
                    "properties": {"next": {"$ref": "#/$defs/list"}},
                    "required": ["next"],
                    "additionalProperties": False,
                }
            },
        },
        of('[{"next":null},null,{"next":{"next":null}}]'),
        '[{"next":null},{"next":null}]',
    ),
    Hostile(
        "66,000 arrays that must not come out",
        lambda: {"type": "array", "not": {"enum": [[number] for number in range(66_000)]}},
        of("[66000]"),
        "[65999]",
    ),
    Hostile(
        "a choice of hundreds of objects without a type",
        lambda: {
            "oneOf": [
                {"properties": {"kind": {"const": number}, "x": {"minimum": number}}, "required": ["kind"]}
                for number in range(500)
            ]
        },
        of('{"kind":7,"x":7}'),
        '{"kind":7,"x":6}',
    ),
    Hostile(
        "divisors between bounds, one of which divides",
        lambda: {
            "type": "integer",
            "minimum": 0,
            "maximum": 1000,
            "oneOf": [{"multipleOf": divisor} for divisor in (2, 3, 7, 11, 13, 17, 19, 23)],
        },
        of("943"),
        "42",
    ),
    Hostile(
        "more than is listed between bounds, and a denied divisor",
        lambda: {
            "type": "integer",
            "minimum": 0,
            "maximum": 1_000_000,
            "multipleOf": 12,
            "not": {"multipleOf": 494},
        },
        of("3.10176e5"),
        "8.892e3",
    ),
    Hostile(
        "a divisor greater than most of what lies between bounds",
        lambda: {"type": "number", "minimum": -50, "maximum": 999_950, "multipleOf": 261_505},
        of("523010"),
        "5230",
    ),
    Hostile(
        "combinations of divisors",
        lambda: {
            "type": "integer",
            "allOf": [
                {"oneOf": [{"multipleOf": divisor}, {"multipleOf": divisor + 1}]}
                for divisor in (96, 124, 330)
            ],
            "not": {"multipleOf": 64},
        },
        of(str(97 * 125 * 331)),
        str(96 * 97 * 125 * 331),
    ),
    Hostile(
        "alternatives of divisors between bounds that leave three numbers",
        lambda: {
            "type": "number",
            "minimum": -4000,
            "maximum": -3000,
            "allOf": [
                {"anyOf": [{"multipleOf": 33}, {"multipleOf": 12}, {"multipleOf": 77}]},
                {"anyOf": [{"multipleOf": 35}, {"not": {"anyOf": [{"multipleOf": 6}, {"multipleOf": 7}]}}]},
                {"anyOf": [{"multipleOf": 7}, {"not": {"multipleOf": 11}}]},
            ],
            "not": {"multipleOf": 8},
        },
        of("-3.85e3"),
        "-3.0e3",
    ),
    Hostile(
        "choices of divisors above a bound",
        lambda: {
            "type": "number",
            "exclusiveMinimum": 0.5,
            "allOf": [
                {"anyOf": [{"multipleOf": 10, "not": {"multipleOf": 77}}, {"multipleOf": 12}]},
                {
                    "oneOf": [
                        {"not": {"multipleOf": 1000}},
                        {"allOf": [{"multipleOf": 5}, {"multipleOf": 100}]},
                        {"minimum": 10.5},
                        {"multipleOf": 1000},
                    ]
                },
            ],
        },
        of("1.0E1"),
        "2.2872500E3",
    ),
    Hostile("200,000 lines", long_text, of('{"p3":"abc","p49999":"x"}'), '{"p3":"abcd"}'),
    Hostile(
        "200,000 lines, little reached", mostly_unreached, of('{"a":"abcdefg","b":"x"}'), '{"a":"abcdefgh"}'
    ),
    Hostile("10,000 strings", lambda: STRINGS, of('"value 9999"'), '"value 10000"'),
    Hostile("10,000 numbers", lambda: {"enum": list(range(10_000))}, of("9999"), "10000"),
    Hostile(
        "10,000 objects", lambda: {"enum": [{"a": n} for n in range(10_000)]}, of('{"a":9999}'), '{"a":10000}'
    ),
    Hostile("1,000 required", lambda: properties(1_000, required=True), lambda: full_document(1_000), "{}"),
    Hostile(
        "1,000 optional", lambda: properties(1_000, required=False), lambda: full_document(1_000), '{"q":1}'
    ),
    Hostile(
        "1,000 required in any order",
        lambda: properties(1_000, required=True),
        lambda: full_document(1_000),
        "{}",
        {"order": "any"},
    ),
    Hostile(
        "1,000 optional in any order",
        lambda: properties(1_000, required=False),
        lambda: full_document(1_000),
        '{"q":1}',
        {"order": "any"},
    ),
    Hostile(
        "400 members that each need others",
        lambda: {"type": "object", "dependentRequired": {f"a{n}": [f"b{n}", "c"] for n in range(400)}},
        of('{"a7":1,"c":2,"b7":3,"b8":4}'),
        '{"a7":1,"b7":3}',
    ),
    Hostile(
        "200 prefixes of keys",
        lambda: {
            "type": "object",
            "patternProperties": {f"^p{n}_": {"minimum": n} for n in range(200)},
            "additionalProperties": False,
        },
        of('{"p7_x":7,"p199_":200}'),
        '{"p7_x":6}',
    ),
    Hostile("mutual recursion", lambda: MUTUAL, of('[{"a":[{}]}]'), "[1]"),
    Hostile("20,000 references", lambda: chain(20_000), of("1"), "null"),
    Hostile("doubled allOf", lambda: doubling("allOf", 64), of("1"), "null"),
    Hostile("doubled anyOf", lambda: doubling("anyOf", 64), of("1"), "null"),
    Hostile("towers of not", lambda: tower(400), of("1"), "null"),
    Hostile(
        "60 objects with a discriminator",
        lambda: branches(discriminated=True),
        of('{"kind":"k59"}'),
        '{"kind":"k60"}',
    ),
    Hostile("long strings", lambda: {"type": "string", "maxLength": 1_000_000}, of('"abc"'), "1"),
    Hostile("long arrays", lambda: {"type": "array", "maxItems": 1_000_000}, of("[1,2]"), "{}"),
    Hostile("large maxProperties", lambda: {"type": "object", "maxProperties": 10**12}, of('{"a":1}'), "[]"),
    Hostile(
        "minimum of 300 digits",
        lambda: {"type": "integer", "minimum": 10**299},
        of("1" + "0" * 299),
        "9" * 299,
    ),
    Hostile(
        "key of a megabyte",
        lambda: {"type": "object", "properties": {"a" * 1_000_000: {"type": "integer"}}},
        of('{"a":1}'),
        "[]",
    ),
    Hostile(
        "constant of a megabyte",
        lambda: {"const": "a" * 1_000_000},
        lambda: json.dumps("a" * 1_000_000),
        '"a"',
    ),
    Hostile(
        "300 different items",
        lambda: {"type": "array", "uniqueItems": True},
        lambda: json.dumps(list(range(300))),
        "[1,1]",
    ),
    Hostile(
        "strange keys",
        lambda: {"required": STRANGE_KEYS, "type": "object"},
        lambda: json.dumps(dict.fromkeys(STRANGE_KEYS, 1)),
        "{}",
    ),
    Hostile(
        "1,000 documents",
        lambda: {"$ref": "https://example.com/999"},
        of("1"),
        "null",
        {"documents": {f"https://example.com/{n}": {"type": "integer"} for n in range(1_000)}},
    ),
]

# Each of these is accepted, and then allows its document, or is refused by a typed error.
BOUNDED = [
    Hostile(
        "900 nested arrays, deep budget",
        lambda: nested_items(900),
        lambda: "[" * 900 + "]" * 900,
        None,
        {"budget": DEEP},
    ),
    Hostile("deep constant", lambda: nested_value(600), lambda: "[" * 600 + "]" * 600),
    Hostile("circle", lambda: {"$ref": "#"}, of("1")),
    Hostile("strings of 40,000 choices in one another", lambda: choices_in_choices("string"), of('"a"')),
    Hostile("numbers of 40,000 choices in one another", lambda: choices_in_choices("number"), of("1")),
    Hostile("different lists of 40,000 kinds", lambda: different_lists(40_000), of('[null,{"next":null}')),
    Hostile(
        "different items that are such arrays themselves",
        lambda: {"type": "array", "items": {"$ref": "#"}, "uniqueItems": True, "minItems": 2},
        of("[]"),
    ),
    Hostile(
        "different items, some of which are such arrays",
        lambda: {"type": "array", "contains": {"$ref": "#"}, "uniqueItems": True},
        of("[[]]"),
    ),
    Hostile(
        "circle through a denial of itself",
        lambda: denying_itself({"unevaluatedProperties": False}),
        of('{"a":1}'),
    ),
    Hostile(
        "the same with items",
        lambda: denying_itself({"unevaluatedItems": False}),
        of("[1]"),
    ),
    Hostile(
        "circle of two",
        lambda: {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}},
        of("1"),
    ),
    Hostile("circle of not", lambda: {"not": {"$ref": "#"}}, of("1")),
    Hostile("product of anyOf", lambda: product("allOf", "anyOf", 24), of("{}")),
    Hostile(
        "product of oneOf",
        lambda: product("allOf", "oneOf", 24),
        lambda: json.dumps({f"k{n}": 1 for n in range(24)}),
    ),
    Hostile(
        "oneOf of anyOf",
        lambda: product("oneOf", "anyOf", 24),
        lambda: json.dumps({f"k{n}": 3 - 2 * (not n) for n in range(24)}),
    ),
    Hostile("60 objects without a discriminator", lambda: branches(discriminated=False), of('{"k3":1}')),
    Hostile(
        "long strings with a pattern",
        lambda: {"type": "string", "maxLength": 1_000_000, "pattern": "^a+b"},
        of('"aab"'),
    ),
    Hostile(
        "1,000,000 items",
        lambda: {"type": "array", "minItems": 1_000_000, "items": {"type": "null"}},
        lambda: "[" + "null," * 200_000,
    ),
    Hostile("many properties demanded", lambda: {"type": "object", "minProperties": 10**9}, of('{"a":1')),
    Hostile(
        "many contained",
        lambda: {"type": "array", "contains": {"const": 1}, "minContains": 1_000_000},
        of("[1,2"),
    ),
    Hostile(
        "nested repetition", lambda: {"type": "string", "pattern": "(a+)+$"}, lambda: json.dumps("a" * 300)
    ),
    Hostile(
        "ambiguous repetition",
        lambda: {"type": "string", "pattern": "(a|a)*b"},
        lambda: json.dumps("a" * 300 + "b"),
    ),
    Hostile("repeated repetition", lambda: {"type": "string", "pattern": "(x{1000}){1000}"}, of('"xx')),
    Hostile("bounded gap", lambda: {"type": "string", "pattern": ".{0,100000}y"}, of('"xxy"')),
    Hostile("tiny multipleOf", lambda: '{"type":"number","multipleOf":1e-300}', of("1")),
    Hostile("huge multipleOf", lambda: '{"type":"number","multipleOf":1e300}', of("0")),
    Hostile(
        "odd multipleOf",
        lambda: '{"type":"number","multipleOf":123456789.123456789}',
        of("123456789.123456789"),
    ),
    Hostile("constant of many digits", lambda: '{"const":1e999999999999}', of("1e999999999999")),
    Hostile("maximum of many digits", lambda: '{"type":"number","maximum":1e999999999999}', of("1")),
    Hostile("minimum of many digits", lambda: '{"type":"integer","minimum":-1e999999999999}', of("1")),
    Hostile(
        "surrogate key",
        lambda: '{"type":"object","properties":{"\\ud800":{"type":"integer"}}}',
        of('{"a":1}'),
    ),
    Hostile("tower of dynamic references", lambda: dynamic_tower(300), of("0")),
    Hostile(
        "unique objects",
        lambda: {"type": "array", "uniqueItems": True, "items": {"type": "object"}},
        lambda: json.dumps([{"a": n} for n in range(300)]),
    ),
    Hostile("duplicate keys", lambda: '{"type":"integer","type":"string"}', of('"a"')),
]

NO_SCHEMAS = [
    "[]",
    "1",
    '"text"',
    "null",
    "{",
    "",
    "NaN",
    '{"minimum":NaN}',
    '{"minimum":1e}',
    "\ufeff{",
    "{}{}",
]


def matcher_of(vocabulary: mw.Vocabulary, case: Hostile, budget: mw.Budget = BUDGET) -> mw.Matcher:
    """A matcher of the case, of which one mask has been computed."""
    options = {"budget": budget} | case.options
    grammar = mw.Grammar.json_schema(case.schema(), **options)
    matcher = mw.Compiler(vocabulary, budget=options["budget"]).compile(grammar).matcher()
    mask = mw.allocate_mask(1, vocabulary.size)
    matcher.fill_mask(mask)
    assert mask.any()
    return matcher


@pytest.mark.parametrize("case", WORKING, ids=lambda case: case.name)
def test_works(byte_vocabulary: mw.Vocabulary, case: Hostile) -> None:
    """The constraint allows what is valid, and not what is invalid."""
    matcher = matcher_of(byte_vocabulary, case, PATIENT)
    rejecting = matcher.fork()
    assert matcher.accept_bytes(case.valid().encode())
    assert matcher.is_complete
    if case.invalid is not None:
        assert not (rejecting.accept_bytes(case.invalid.encode()) and rejecting.is_complete)


@pytest.mark.parametrize("case", BOUNDED, ids=lambda case: case.name)
def test_works_or_is_refused(byte_vocabulary: mw.Vocabulary, case: Hostile) -> None:
    """The constraint allows the text, or a typed error says why there is none."""
    try:
        allowed = matcher_of(byte_vocabulary, case).accept_bytes(case.valid().encode())
    except mw.MaskwrightError:
        return
    assert allowed


def test_nesting_is_bounded(byte_vocabulary: mw.Vocabulary) -> None:
    """By default a schema nests no deeper than the budget says."""
    with pytest.raises(mw.BudgetExceededError) as caught:
        matcher_of(byte_vocabulary, Hostile("deep", lambda: nested_items(5_000), of("[]")))
    assert caught.value.budget == "nesting"


def test_a_limit_that_no_budget_raises_is_told_as_one(byte_vocabulary: mw.Vocabulary) -> None:
    """Nobody is sent to raise a budget where the limit is fixed."""
    schema = {"type": "array", "contains": {"const": 1}, "minContains": 1_000_000}
    with pytest.raises(mw.BudgetExceededError, match="a fixed limit of 100000 is used up") as caught:
        matcher_of(byte_vocabulary, Hostile("counted", lambda: schema, of("[]")))
    assert (caught.value.budget, caught.value.limit) == ("", 100_000)
    assert "Budget(" not in str(caught.value)
    assert "no budget raises it" in str(caught.value)


@pytest.mark.parametrize("text", NO_SCHEMAS)
def test_what_is_no_schema_is_refused(text: str) -> None:
    """Text that is no JSON, or JSON that is no schema, is a typed error."""
    with pytest.raises(mw.MaskwrightError):
        mw.Grammar.json_schema(text, budget=BUDGET)


@pytest.mark.parametrize("depth", [200, 300, 100_000])
def test_patterns_nest_as_deep_in_schemas_as_alone(depth: int) -> None:
    """Each of these groups is two levels of an expression. Any text before them would take them in."""
    pattern = "(" * depth + "a" + "b)*c" * depth
    in_whole_string = {"pattern": f"^{pattern}$"}
    if 2 * depth <= mw.Budget().nesting:
        mw.Grammar.regex(pattern)
        mw.Grammar.json_schema(in_whole_string)
        return
    with pytest.raises(mw.BudgetExceededError) as alone:
        mw.Grammar.regex(pattern)
    with pytest.raises(mw.BudgetExceededError) as in_schema:
        mw.Grammar.json_schema(in_whole_string)
    assert (alone.value.budget, in_schema.value.budget) == ("nesting", "nesting")
