"""Arguments of another type: each is refused by its name, and never taken for something else."""

from __future__ import annotations

import dataclasses
import math
import re
from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

import maskwright as mw
from maskwright.generation import Sampling, generate
from maskwright.json_schema import schema_text

ANY: Any = mw
ANY_GENERATE: Any = generate
ANY_BYTEARRAY: Any = bytearray
VOCABULARY = mw.Vocabulary.from_tokens([b"a", b"b", None], stop_ids=[2])
COMPILER = mw.Compiler(VOCABULARY)
CONSTRAINT = COMPILER.compile(mw.Grammar.regex("[ab]*"))
HUGE = 10**30

TOOL = {"name": "f", "parameters": {"type": "object", "properties": {"a": {"type": "string"}}}}


def tools(**options: Any) -> Any:
    return ANY.ToolCalls([TOOL], "hermes", **options)


def call_of(**fields: Any) -> Any:
    return ANY.ToolCalls([TOOL], "qwen3-coder").render([{"name": "f", **fields}])


def schema(**options: Any) -> Any:
    return ANY.Grammar.json_schema({}, **options)


def fill(**options: Any) -> Any:
    return ANY.fill_masks([CONSTRAINT.matcher()], mw.allocate_mask(1, 3), **options)


SEVERAL: list[tuple[str, Callable[[Any], Any]]] = [
    ("choices", ANY.Grammar.choice),
    ("except_", lambda value: ANY.Grammar.any_token(except_=value)),
    ("parts", ANY.Grammar.sequence),
    ("parts", ANY.Grammar.any_of),
    ("members", ANY.Grammar.any_order),
    ("tags", lambda value: ANY.Grammar.free_text(tags=value)),
    ("stops", lambda value: ANY.Grammar.free_text(stops=value)),
    ("forbidden", lambda value: ANY.Grammar.free_text(forbidden=value)),
    ("forbidden", lambda value: ANY.Grammar.regex("a", forbidden=value)),
    ("approximate", lambda value: schema(approximate=value)),
    ("separators", ANY.Whitespace.spaced),
    ("separators", lambda value: ANY.Whitespace.indented(2, value)),
    ("matchers", lambda value: ANY.fill_masks(value, mw.allocate_mask(1, 3))),
    ("matchers", lambda value: ANY.accept_batch(value, [0])),
    ("token_ids", lambda value: ANY.accept_batch([CONSTRAINT.matcher()], value)),
    ("token_ids", lambda value: ANY.Matcher.accept_tokens(CONSTRAINT.matcher(), value)),
    ("token_ids", lambda value: ANY.Matcher.validate(CONSTRAINT.matcher(), value)),
    ("tokens", ANY.Vocabulary.from_tokens),
    ("token_ids", VOCABULARY.decode),
    ("calls", lambda value: tools().render(value)),
]


@pytest.mark.parametrize(("name", "call"), SEVERAL)
def test_several_are_no_single_thing(name: str, call: Callable[[Any], Any]) -> None:
    for value in (None, 5, 1.5, True, "text", b"bytes", object(), np.array(0)):
        with pytest.raises(TypeError, match=f"^{name} must be several, .* not one {type(value).__name__}$"):
            call(value)


def taking(name: str, make: Callable[..., Any]) -> tuple[str, Callable[[Any], Any]]:
    return name, lambda value: make(**{name: value})


def regex(**options: Any) -> Any:
    return ANY.Grammar.regex("a", **options)


FLAGS: list[tuple[str, Callable[[Any], Any]]] = [
    *[
        taking(name, regex)
        for name in ("case_insensitive", "dot_matches_newline", "multi_line", "verbose", "ascii", "search")
    ],
    ("also_text", lambda value: ANY.Grammar.token("a", also_text=value)),
    ("text_between", lambda value: ANY.Grammar.free_text(text_between=value)),
    ("text_after", lambda value: ANY.Grammar.free_text(text_after=value)),
    ("required", lambda value: ANY.Grammar.any_order([mw.Member("a", value)])),
    *[
        taking(name, schema)
        for name in (
            *("ascii_only", "minimal_escapes", "plain_numbers", "lone_surrogates"),
            *("track_keys", "enforce_formats", "openai_strict"),
        )
    ],
    *[
        taking(name, tools)
        for name in (
            *("parallel", "reasoning_opened", "minimal_escapes", "plain_numbers"),
            *("enforce_formats", "typed_special_tokens"),
        )
    ],
    *[
        (f"Settings({field.name}=...)", taking(field.name, ANY.Settings)[1])
        for field in dataclasses.fields(mw.Settings)
    ],
]


@pytest.mark.parametrize(("name", "call"), FLAGS)
def test_a_flag_is_a_truth_value(name: str, call: Callable[[Any], Any]) -> None:
    wrong: list[Any] = [0, 1, "false", "", [], np.array([1, 2])]
    for value in wrong:
        with pytest.raises(TypeError, match=f"^{re.escape(name)} is True or False, not "):
            call(value)


def test_settings_hold_truth_values_of_python() -> None:
    settings = ANY.Settings(pool=np.False_)
    assert settings == mw.Settings(pool=False)
    assert type(settings.pool) is bool


WHOLE_NUMBERS: list[tuple[str, Callable[[Any], Any]]] = [
    ("threads", lambda value: fill(threads=value)),
    ("threads", lambda value: ANY.accept_batch([CONSTRAINT.matcher()], [0], threads=value)),
    ("rows", lambda value: ANY.allocate_mask(value, 3)),
    ("vocabulary_size", lambda value: ANY.allocate_mask(1, value)),
]


@pytest.mark.parametrize(("name", "call"), WHOLE_NUMBERS)
def test_numbers_of_things_are_integers_within_reason(name: str, call: Callable[[Any], Any]) -> None:
    for number in (HUGE, -HUGE, -1):
        with pytest.raises(
            mw.ArgumentError, match=f"^{name} must be from [01] to [0-9]+, not {number}$"
        ) as caught:
            call(number)
        assert caught.value.argument == name
    for value in ("2", 1.5, math.nan, True, [1], np.array([1, 2]), b"2"):
        with pytest.raises(TypeError, match=f"^{name} is an int, not {type(value).__name__}$"):
            call(value)
    call(np.int64(1))


def of_matcher(method: str) -> Callable[[Any], Any]:
    """A method of a matcher."""
    bound: Callable[[Any], Any] = getattr(CONSTRAINT.matcher(), method)
    return bound


INTEGERS: list[tuple[str, Callable[[Any], Any]]] = [
    ("token_id", of_matcher("accept")),
    ("each of token_ids", lambda value: CONSTRAINT.matcher().accept_tokens([0, value])),
    ("each of token_ids", lambda value: CONSTRAINT.matcher().validate([0, value])),
    ("each of token_ids", lambda value: mw.accept_batch([CONSTRAINT.matcher()], [value])),
    ("steps", of_matcher("rollback")),
    ("limit", of_matcher("forced_bytes")),
    ("limit", of_matcher("forced_tokens")),
    ("row", lambda value: CONSTRAINT.matcher().fill_mask(mw.allocate_mask(2, 3), value)),
    ("token_id", VOCABULARY.token_bytes),
    ("each of stop_ids", lambda value: ANY.Vocabulary.from_tokens([b"a", b"b"], stop_ids=[1, value])),
    ("top_k", lambda value: Sampling(top_k=value)),
    ("max_tokens", lambda value: ANY_GENERATE(None, CONSTRAINT, "a", max_tokens=value)),
    ("token_id", lambda value: tools().parser(vocabulary=VOCABULARY).feed_token(value)),
]


@pytest.mark.parametrize(("name", "call"), INTEGERS)
def test_integers_are_no_other_things(name: str, call: Callable[[Any], Any]) -> None:
    for value in ("2", 1.5, True, None, [1], b"2"):
        with pytest.raises(TypeError, match=f"^{name} is an int, not {type(value).__name__}$"):
            call(value)


def vocabulary(**options: Any) -> Any:
    return ANY.Vocabulary.from_tokens([b"a", b"b"], stop_ids=[1], **options)


def prose(**options: Any) -> Any:
    return ANY.Grammar.free_text(tags=[mw.Tag("a", "b")], **options)


# Those that may also be something else, such as None or a name.
INTEGERS_OR_ELSE: list[tuple[str, Callable[[Any], Any]]] = [
    taking("size", vocabulary),
    ("the id of 'x'", lambda value: vocabulary(special_tokens={"x": value})),
    ('warm, if it is not "all",', lambda value: COMPILER.compile(mw.Grammar.text("a"), warm=value)),
    *[
        taking(name, make)
        for name in ("minimum", "maximum")
        for make in (prose, partial(ANY.Grammar.repeat, "a"))
    ],
    ("a token that is not given by its name", ANY.Grammar.token),
    ("a token that is not given by its name", lambda value: ANY.Grammar.any_token(except_=[value])),
    ("maximum", ANY.Whitespace.free),
    ("width", ANY.Whitespace.indented),
    ("reasoning_budget", lambda value: ANY.ToolCalls([TOOL], "deepseek-r1", reasoning_budget=value)),
    ("seed", lambda value: Sampling(seed=value)),
    ("top_k", lambda value: Sampling(top_k=value)),
]


@pytest.mark.parametrize(("name", "call"), INTEGERS_OR_ELSE)
def test_integers_are_those_of_python_and_of_numpy(name: str, call: Callable[[Any], Any]) -> None:
    for value in (1.5, True, np.True_, [1], b"2", np.array([1, 2])):
        with pytest.raises(TypeError, match=f"^{name} is an int, not {type(value).__name__}$"):
            call(value)
    call(np.int64(1 if name != "size" else 3))


def test_integers_of_numpy_are_those_of_python() -> None:
    three = np.int64(3)
    assert vocabulary(size=three).size == 3
    assert vocabulary(special_tokens={"x": np.uint8(1)}).special_tokens == {"x": 1}
    assert mw.Whitespace.indented(three) == mw.Whitespace.indented(3)
    repeated = mw.Grammar.repeat("a", minimum=three, maximum=three)
    assert str(repeated) == str(mw.Grammar.repeat("a", minimum=3, maximum=3))
    assert Sampling(top_k=three, seed=three) == Sampling(top_k=3, seed=3)  # type: ignore[arg-type]


def test_truth_values_of_numpy_are_no_integers() -> None:
    with pytest.raises(TypeError, match=r"^each of stop_ids is an int, not bool"):
        ANY.Vocabulary.from_tokens([b"a", b"b"], stop_ids=[np.True_])
    with pytest.raises(TypeError, match=r"^seed is an int, not bool"):
        Sampling(seed=True)


NUMBERS: list[tuple[str, Callable[[Any], Any]]] = [
    *[taking(name, Sampling) for name in ("temperature", "top_p", "min_p")],
    ("timeout", COMPILER.compile(mw.Grammar.text("a"), warm=1).warming.wait),  # type: ignore[union-attr]
]


@pytest.mark.parametrize(("name", "call"), NUMBERS)
def test_numbers_are_no_other_things(name: str, call: Callable[[Any], Any]) -> None:
    for value in ("0.5", True, np.True_, [1], b"2", np.array([0.5]), 1j, np.complex64(1)):
        with pytest.raises(TypeError, match=f"^{name} is a number, not {type(value).__name__}$"):
            call(value)
    call(np.float32(0.5))
    call(1)


def test_a_number_beyond_all_floats_is_infinite() -> None:
    with pytest.raises(mw.MaskwrightError, match="temperature has to be a finite number"):
        Sampling(temperature=10**400)
    warming = COMPILER.compile(mw.Grammar.text("a"), warm=1).warming
    assert warming is not None
    assert warming.wait(10**400)


def test_an_array_of_one_integer_is_one() -> None:
    one: Any = np.array(1)
    assert CONSTRAINT.matcher().accept(one)
    assert vocabulary(size=np.array(3)).size == 3
    with pytest.raises(TypeError, match="size is an int, not ndarray"):
        vocabulary(size=np.array([3]))


def nested(depth: int) -> Any:
    """Lists within one another, deeper than Python writes."""
    value: Any = []
    for _ in range(depth):
        value = [value]
    return value


UNTOLD: list[Callable[[Any], Any]] = [
    lambda value: tools(parallel=value),
    lambda value: tools(tool_choice=[value]),
    lambda value: tools().render([{"name": value}]),
    lambda value: ANY.ToolCalls([TOOL], "command-r7b").render([{"name": "f", "id": value}]),
    lambda value: mw.tools_from([{"name": value}]),
    lambda value: mw.tools_from([{"name": "f", "strict": value}]),
    lambda value: mw.tools_from([{"name": "f", "parameters": {"type": value}}]),
    lambda value: mw.tools_from([{"type": value}]),
    lambda value: mw.tools_from([{"type": "custom", "name": "f", "format": grammar_of(value)}]),
]
UNTOLD_KEYS: list[Callable[[Any], Any]] = [
    lambda key: call_of(arguments={key: 1}),
    lambda key: ANY.ToolCalls([TOOL], "pythonic").render([{"name": "f", "arguments": {"a": {key: 1}}}]),
    lambda key: tools().render([{"name": "f", key: 1}]),
    lambda key: ANY.Grammar.json_schema({"enum": [{key: 1}]}),
]


def grammar_of(syntax: Any) -> dict[str, Any]:
    return {"type": "grammar", "syntax": syntax, "definition": "a"}


@pytest.mark.parametrize("call", UNTOLD)
def test_what_is_nested_too_deeply_to_be_written_is_told_by_its_type(call: Callable[[Any], Any]) -> None:
    with pytest.raises((mw.MaskwrightError, TypeError), match="a list"):
        call(nested(100_000))


def test_a_type_is_told_with_its_article() -> None:
    deep = OrderedDict(a=nested(100_000))
    with pytest.raises(mw.ToolError, match="name: an OrderedDict is no name"):
        mw.tools_from([{"name": deep}])


def test_what_an_argument_itself_raises_is_not_hidden() -> None:
    class Faulty:
        def __index__(self) -> int:
            raise LookupError("faulty")

    for name in ("accept", "rollback", "forced_tokens"):
        with pytest.raises(LookupError, match="faulty"):
            of_matcher(name)(Faulty())


PATHS: list[Callable[[Any], Any]] = [
    COMPILER.load,
    COMPILER.load_pool,
    COMPILER.save_pool,
    CONSTRAINT.save,
    mw.Vocabulary.from_file,
]


@pytest.mark.parametrize("call", PATHS)
def test_paths_are_no_other_things(call: Callable[[Any], Any]) -> None:
    for value in (None, 5, b"path", ["path"]):
        with pytest.raises(TypeError, match=f"^path is a str or a path, not {type(value).__name__}$"):
            call(value)


MAPPINGS: list[tuple[str, Callable[[Any], Any]]] = [
    ("documents", lambda value: schema(documents=value)),
    ("formats", lambda value: schema(formats=value)),
    ("special_tokens", lambda value: ANY.Vocabulary.from_tokens([b"a"], stop_ids=[0], special_tokens=value)),
    ("json_schema", lambda value: ANY.Grammar.structural_tag({"type": "any_text"}, json_schema=value)),
]


@pytest.mark.parametrize(("name", "call"), MAPPINGS)
def test_values_by_name_are_a_mapping(name: str, call: Callable[[Any], Any]) -> None:
    wrong: list[Any] = [[], 0, "", ("a",), np.array([1, 2])]
    for value in wrong:
        with pytest.raises(TypeError, match=f"^{name} must be a mapping, such as .*, not "):
            call(value)
    with pytest.raises(TypeError, match=f"^{name} has the key 5, but its keys are strings"):
        call({5: "x"})


OTHERS: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: schema(order=np.array([1, 2])), TypeError, "'declared' or 'any', not array"),
    (lambda: schema(order=None), TypeError, "'declared' or 'any', not None"),
    (lambda: tools(order="sorted"), mw.GrammarError, "'declared' or 'any', not 'sorted'"),
    (lambda: tools(whitespace=2), TypeError, "whitespace is a name, such as .* not 2"),
    (lambda: schema(whitespace=None), TypeError, "whitespace is a name, such as .* not None"),
    (lambda: schema(default_draft=7), TypeError, "default_draft must be a string, not int"),
    (lambda: ANY.Grammar.repeat(5), TypeError, r"^grammar is a maskwright\.Grammar or a str, not int$"),
    (lambda: ANY.Vocabulary.from_file("a", kind=3), TypeError, "kind is a str, .* or None, not int"),
    (lambda: tools(budget=5), TypeError, r"budget is a maskwright\.Budget.* not int"),
    (lambda: tools(reasoning=np.array([1, 2])), mw.ToolCallError, "none of 'off', 'auto' and 'forced'"),
    (
        lambda: ANY.ToolCalls([TOOL], "deepseek-r1", reasoning_budget=-1),
        mw.ToolCallError,
        "-1 is no number of tokens",
    ),
    (lambda: ANY.ToolCalls([TOOL], ["hermes"]), mw.ToolCallError, r"no tool-call format \['hermes'\]"),
    (
        lambda: tools().render([{"name": "f", "z": 1, 5: 1}]),
        mw.ToolCallError,
        "calls: 'z' is no part of a call; a call has `name`, `arguments` and `id`",
    ),
    (lambda: ANY_GENERATE(None, CONSTRAINT, None), TypeError, "prompt is a str, not NoneType"),
    (
        lambda: ANY_GENERATE(None, "a", "a"),
        TypeError,
        r"constraint is a maskwright\.Constraint or None, not str",
    ),
    (
        lambda: ANY_GENERATE(None, None, "a", sampling={}),
        TypeError,
        "sampling is a Sampling or None, not dict",
    ),
    (
        lambda: ANY_GENERATE(None, None, "a", max_tokens=-(10**5000)),
        mw.MaskwrightError,
        r"1 or more, not about -10\*\*5000",
    ),
    (lambda: tools().parse(None), TypeError, "a text is a str or bytes, not NoneType"),
    (lambda: tools().parser(vocabulary={}), TypeError, r"vocabulary is a maskwright\.Vocabulary, not dict"),
    (lambda: tools().render([], content=5), TypeError, "content is a str, not int"),
    (lambda: tools().render([], reasoning=b"x"), TypeError, "reasoning is a str, not bytes"),
    (lambda: call_of(name=["f"]), mw.ToolCallError, r"there is no tool \['f'\]"),
    (
        lambda: call_of(arguments=None),
        mw.ToolCallError,
        "'f' are a dict, or the text of a custom tool, not None",
    ),
    (lambda: call_of(arguments={5: 1}), mw.ToolCallError, "'f' have the name 5, but names are strings"),
    (lambda: call_of(arguments={"a": "\ud800"}), mw.ToolCallError, r"text, but there is '\\ud800' in it"),
    (lambda: tools().parser(vocabulary=VOCABULARY).feed_token([]), TypeError, "token_id is an int, not list"),
    (lambda: ANY.tool_calls.register("mine"), TypeError, "layout is a ToolCallFormat, not str"),
    (lambda: ANY.tool_calls.register(tools().format, aliases=5), TypeError, "aliases must be several"),
    (
        lambda: tools().render({"name": "f"}),
        TypeError,
        "calls come in an order, so they must be such as a list",
    ),
    (lambda: schema_text({}, limit=ANY.__name__), TypeError, "limit is an int, not str"),
    (lambda: schema_text({}, limit=-1), mw.ArgumentError, "limit must be from 0 to"),
    (lambda: tools().render(["f"]), TypeError, "calls holds str; a call is a ToolCall or a dict"),
    (lambda: ANY.fill_masks([0], mw.allocate_mask(1, 3)), TypeError, "matchers holds int; make one"),
    (
        lambda: ANY.Grammar.structural_tag({"type": "any_text"}, special_tokens=[None]),
        TypeError,
        "special_tokens must be several names",
    ),
    (
        lambda: CONSTRAINT.matcher().accept_bytes(ANY.__name__),
        TypeError,
        "data is bytes, not str; a text becomes",
    ),
    (
        lambda: CONSTRAINT.matcher().accept_bytes(ANY_BYTEARRAY(b"a")),
        TypeError,
        r"data is bytes, not bytearray; .* by bytes\(data\)$",
    ),
    (
        lambda: ANY.Vocabulary.from_tokens({b"b": 1, b"a": 0}, stop_ids=[0]),
        TypeError,
        "tokens come in an order, so they must be such as a list, not dict",
    ),
    *[
        (
            lambda value=value: ANY.Vocabulary.from_tokens([b"a"], stop_ids=value),
            TypeError,
            f"stop_ids must be several, such as a list, not one {type(value).__name__}",
        )
        for value in (0, True, b"\x00", "0")
    ],
    (lambda: ANY.Vocabulary("gpt2"), TypeError, r"such as Vocabulary\.from_file\(path\)"),
    (lambda: ANY.Vocabulary.from_tokens([b"a"], stop_ids=[0], size=0), mw.VocabularyError, "the size is 0"),
    (
        lambda: ANY.Vocabulary.from_tokens([b"a"], stop_ids=[0], special_tokens={5: 0}),
        TypeError,
        "special_tokens has the key 5, but its keys are strings, as in ",
    ),
    (
        lambda: ANY.Compiler.compile(COMPILER, mw.Grammar.text("a"), warm="some"),
        ValueError,
        'or "all", but it',
    ),
    (lambda: COMPILER.compile(mw.Grammar.text("a"), warm=-1), ValueError, 'or "all", but it is -1'),
    (
        lambda: COMPILER.compile(mw.Grammar.text("a"), warm="all").warming.wait(math.nan),  # type: ignore[union-attr]
        ValueError,
        "timeout is a number of seconds, not nan",
    ),
]


@pytest.mark.parametrize(("call", "error", "message"), OTHERS)
def test_other_arguments_are_refused_by_name(
    call: Callable[[], Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        call()


def compiler() -> Any:
    """A compiler for a small vocabulary."""
    return mw.Compiler(mw.Vocabulary.from_tokens([b"a", None], stop_ids=[1]))


UNORDERED: list[tuple[str, Callable[[Any], object]]] = [
    ("parts", mw.Grammar.sequence),
    ("examples", lambda examples: compiler().compile(mw.Grammar.regex("a"), warm=1, examples=examples)),
    ("token_ids", lambda token_ids: mw.accept_batch([], token_ids)),
    ("matchers", lambda matchers: mw.accept_batch(matchers, [])),
    ("token_ids", compiler().vocabulary.decode),
    ("token_ids", CONSTRAINT.matcher().accept_tokens),
    ("token_ids", CONSTRAINT.matcher().validate),
]


# What has an order is a list, be it read once or an array of NumPy.
ORDERED: list[Callable[[list[int]], Any]] = [
    list,
    tuple,
    iter,
    np.array,
    lambda ids: (token for token in ids),
]


@pytest.mark.parametrize("made_of", ORDERED)
def test_tokens_come_in_the_order_of_whatever_has_one(made_of: Callable[[list[int]], Any]) -> None:
    matcher = compiler().compile(mw.Grammar.regex("aa")).matcher()
    assert matcher.validate(made_of([0, 0, 1])) == 3
    assert matcher.accept_tokens(made_of([0, 1, 0])) == 1


@pytest.mark.parametrize(("name", "call"), UNORDERED)
@pytest.mark.parametrize("value", [set(), frozenset(), {}])
def test_what_has_no_order_is_refused_where_order_matters(
    name: str, call: Callable[[Any], object], value: Any
) -> None:
    message = f"{name} come in an order, so they must be such as a list, not {type(value).__name__}"
    with pytest.raises(TypeError, match=f"^{message}$"):
        call(value)


@pytest.mark.parametrize("name", ["budget", "vocabulary"])
def test_a_compiler_keeps_what_it_was_made_with(name: str) -> None:
    with pytest.raises(AttributeError):
        setattr(compiler(), name, None)


BEYOND_DIGITS = 10**5000
"""More than Python writes in digits."""

TOLD_BY_SIZE: list[tuple[type[Exception] | tuple[type[Exception], ...], Callable[[int], Any]]] = [
    *[((mw.MaskwrightError, TypeError), call) for call in (*UNTOLD, *UNTOLD_KEYS)],
    (mw.GrammarError, lambda number: mw.Grammar.repeat("a", minimum=number)),
    (mw.GrammarError, lambda number: mw.Grammar.repeat("a", maximum=number)),
    (mw.GrammarError, mw.Grammar.token),
    (mw.GrammarError, lambda number: mw.Grammar.token(number, also_text=True)),
    (mw.GrammarError, lambda number: mw.Grammar.any_token(except_=[number])),
    (mw.GrammarError, mw.Whitespace.free),
    (mw.GrammarError, mw.Whitespace.indented),
    (TypeError, lambda number: schema(order=number)),
    (TypeError, lambda number: schema(whitespace=number)),
    (TypeError, lambda number: schema(track_keys=number)),
    (TypeError, lambda number: schema(formats={"a": number})),
    (TypeError, lambda number: schema(documents={number: {}})),
    (ValueError, lambda number: mw.Budget(states=number)),
    (TypeError, lambda number: ANY.Budget(compile_time=number)),
    (mw.ToolCallError, lambda number: tools(reasoning=number)),
    (mw.ToolCallError, lambda number: tools(tool_choice={"type": number})),
    (mw.ToolCallError, lambda number: ANY.ToolCalls([TOOL], number)),
]


@pytest.mark.parametrize("number", [BEYOND_DIGITS, -BEYOND_DIGITS], ids=["positive", "negative"])
@pytest.mark.parametrize("at", range(len(TOLD_BY_SIZE)))
def test_integers_of_very_many_digits_are_told_by_their_size(at: int, number: int) -> None:
    kind, call = TOLD_BY_SIZE[at]
    with pytest.raises(kind, match=rf"about {'-' if number < 0 else ''}10\*\*5000"):
        call(number)
