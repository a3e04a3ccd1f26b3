"""What nests as deep as it may, and deeper, on a thread with a stack of as many bytes as the argument says.

The end of a stack is the end of the process, so `test_small_stacks` runs this file as one of its own. It
prints as JSON how each case ends: what its masks allow, or the name of its error. That has to be the same
whatever the stack.
"""

from __future__ import annotations

import gc
import json
import pickle
import sys
import tempfile
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import maskwright as mw
from maskwright.tool_calls import ToolCalls

TOKENS = [
    *(bytes([byte]) for byte in range(256)),
    b'{"',
    b'":',
    b"[[",
    b"}}",
    b"a" * 50_000,
    b"[" * 50_000,
    None,
]
VOCABULARY = mw.Vocabulary.from_tokens(TOKENS, stop_ids=[len(TOKENS) - 1])
DEEPEST = mw.Budget(nesting=1000)
TOO_DEEP = 100_000
"""Brackets that no budget allows."""

Wrap = Callable[[Any], Any]
Case = Callable[[], str]


def nested(wrap: Wrap, levels: int, innermost: Any) -> Any:
    for _ in range(levels):
        innermost = wrap(innermost)
    return innermost


def member(schema: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"a": schema}, "required": ["a"]}


def referring(wrap: Wrap, levels: int) -> dict[str, Any]:
    """Definitions each of which refers to the next."""
    definitions = {f"d{at}": wrap({"$ref": f"#/$defs/d{at + 1}"}) for at in range(levels)}
    definitions[f"d{levels}"] = {"type": "string"}
    return {"$ref": "#/$defs/d0", "$defs": definitions}


def listing(schema: Any) -> dict[str, Any]:
    return {"type": "array", "items": schema, "minItems": 1}


APPLICATORS: dict[str, Wrap] = {
    "properties": member,
    "additionalProperties": lambda inner: {
        "type": "object",
        "additionalProperties": inner,
        "minProperties": 1,
    },
    "items": listing,
    "contains": lambda inner: {"type": "array", "contains": inner, "minContains": 1},
    "differing": lambda inner: {**listing(inner), "uniqueItems": True},
    "allOf": lambda inner: {"allOf": [inner, {"minLength": 1}]},
    "anyOf": lambda inner: {"anyOf": [inner, {"type": "null"}]},
    "oneOf": lambda inner: {"oneOf": [inner, {"type": "null"}]},
    "not": lambda inner: {"not": inner},
    "not a member": lambda inner: {"not": member(inner)},
    "if": lambda inner: {"if": member(inner), "else": {"required": ["b"]}},
    "unevaluated": lambda inner: {**member(inner), "unevaluatedProperties": False},
}
GROUPS = {
    "optional": ("(", "a", ")?"),
    "repeated": ("(", "ab", ")*c"),
    "chosen": ("(c", "a", "|bd)e"),
    "ahead": ("(?=a", "b", ")"),
    "not ahead": ("(?!a", "b", ")"),
    "not ahead in groups": ("(?:(?!x)", "a", ".)*"),
}
RULES: dict[str, Callable[[int, int], str]] = {
    "chain": lambda at, _: f'r{at} ::= "(" r{at + 1} ")"',
    "left": lambda at, levels: f'r{at} ::= r{(at + 1) % levels} "x" | "y"',
    "right": lambda at, _: f'r{at} ::= "y"? r{at + 1}',
}


def ends(grammar: mw.Grammar, text: bytes = b"", budget: mw.Budget = DEEPEST) -> str:
    """What is allowed at the beginning, after a text, and where forced and likely bytes lead from there."""
    constraint = mw.Compiler(VOCABULARY, budget=budget).compile(grammar)
    matcher = constraint.matcher()
    seen = [len(matcher.allowed_tokens())]
    for piece in (text, *(b"[", b"{", b'"', b"a", b":") * 5):
        matcher.accept_bytes(piece)
        matcher.accept_bytes(matcher.forced_bytes(64))
        seen.append(len(matcher.allowed_tokens()))
    matcher.validate([ord("a"), ord("a")])
    told = [matcher.forced_tokens(), matcher.expected()[:3], list(matcher.fork().allowed_bytes())[:9]]
    return f"{seen} {told}"


def written_deeply(value: Any) -> str:
    """JSON text. Python writes it by native recursion, so it is to be called before the thread is begun."""
    usual = sys.getrecursionlimit()
    sys.setrecursionlimit(10_000)
    try:
        return json.dumps(value)
    finally:
        sys.setrecursionlimit(usual)


def schema_cases(levels: int) -> dict[str, Case]:
    def of(given: dict[str, Any], text: bytes = b"") -> Case:
        written = written_deeply(given)
        return lambda: ends(mw.Grammar.json_schema(written, budget=DEEPEST), text)

    array, thing = nested(lambda inner: [inner], levels, 1), nested(lambda inner: {"a": inner}, levels, 1)
    cases = {
        "enum": of({"enum": [array, thing]}, b"[" * (levels // 2)),
        "not enum": of({"not": {"enum": [array, thing]}}, b"[" * (levels // 2)),
        "differing constants": of(
            {"type": "array", "uniqueItems": True, "items": {"enum": [array, thing, 1]}}
        ),
    }
    for name, wrap in APPLICATORS.items():
        cases[name] = of(nested(wrap, levels, {"type": "string"}), b'{"a":' * (levels // 2))
    for name in ("properties", "items", "contains", "allOf", "not a member"):
        cases[f"references, {name}"] = of(referring(APPLICATORS[name], levels))
    for name, (begin, middle, end) in GROUPS.items():
        many = levels if "groups" not in name else levels // 8
        pattern = begin * many + middle + end * many
        cases[f"pattern, {name}"] = of({"type": "string", "pattern": f"^{pattern}"})
    return {f"schema, {name}, {levels}": case for name, case in cases.items()}


def regex_ends(pattern: str) -> str:
    return ends(mw.Grammar.regex(pattern + ".*", budget=DEEPEST))


def gbnf_ends(text: str) -> str:
    return ends(mw.Grammar.gbnf(text, budget=DEEPEST), b"(" * 200)


def text_cases(levels: int) -> dict[str, Case]:
    cases: dict[str, Case] = {}
    for name, (begin, middle, end) in GROUPS.items():
        many = levels if "groups" not in name else levels // 8
        pattern = begin * many + middle + end * many
        cases[f"regex, {name}"] = partial(regex_ends, pattern)
    groups = "(" * levels + '"a"' + ' "b")* "c"' * levels
    cases["gbnf, groups"] = partial(gbnf_ends, f"root ::= {groups}")
    for name, rule in RULES.items():
        rules = [f"root ::= r0\nr{levels} ::= " + '"a"', *(rule(at, levels) for at in range(levels))]
        cases[f"gbnf, {name}"] = partial(gbnf_ends, "\n".join(rules))
    return {f"{name}, {levels}": case for name, case in cases.items()}


VALUES = nested(listing, TOO_DEEP, {})
KEPT: list[Any] = [VALUES]
"""Objects that hold one another, for the main thread to free: Python 3.13 does so by native recursion."""

MEMBERS = written_deeply(nested(member, 80, {"type": "string"}))


def composed(levels: int) -> str:
    grammar = mw.Grammar.text("a")
    for _ in range(levels):
        inner = mw.Grammar.repeat(grammar, separator=",", budget=DEEPEST)
        grammar = mw.Grammar.sequence(["(", inner, ")"], budget=DEEPEST)
    KEPT.extend([grammar, pickle.loads(pickle.dumps(grammar))])
    return ends(grammar, b"(" * levels)


def composed_too_deep() -> str:
    grammar = mw.Grammar.text("a")
    while True:
        grammar = mw.Grammar.sequence(["(", grammar, ")"])
        KEPT.append(grammar)


def deep_stack() -> str:
    """A text whose frames nest without end, and which may go on in each of them."""
    matcher = mw.Compiler(VOCABULARY).compile(mw.Grammar.gbnf('root ::= "(" root "x"? | "y"')).matcher()
    assert matcher.accept_bytes(b"(" * 50_000 + b"y" + b"x" * 50)
    return str(matcher.allowed_tokens())


def deep_document() -> str:
    matcher = mw.Compiler(VOCABULARY).compile(mw.Grammar.json_schema({})).matcher()
    assert matcher.accept_bytes(b'[{"a":' * 10_000)
    assert matcher.accept_bytes(b"1" + b"}]" * 10_000)
    return str(matcher.is_complete)


def compared_document() -> str:
    """Arrays in a text are values that others have to differ from."""
    grammar = mw.Grammar.json_schema({"type": "array", "uniqueItems": True})
    matcher = mw.Compiler(VOCABULARY).compile(grammar).matcher()
    assert matcher.accept_bytes(b"[" + b'{"a":' * 40_000 + b"1")
    return str(matcher.accept_bytes(b"}" * 40_000 + b","))


def long_history() -> str:
    matcher = mw.Compiler(VOCABULARY).compile(mw.Grammar.gbnf('root ::= "[" root "]" | "a"')).matcher()
    assert matcher.accept_tokens([ord("[")] * 100_000) == 100_000
    fork = matcher.fork()
    matcher.reset()
    fork.rollback(50_000)
    assert fork.accept_bytes(b"a" + b"]" * 50_000)
    return str(fork.step_count)


def ahead_of_time() -> str:
    grammar = mw.Grammar.json_schema(written_deeply(nested(member, 20, {"enum": ["a"]})))
    told: list[tuple[int, ...]] = []
    compiler = mw.Compiler(VOCABULARY)
    compiler.compile(grammar, warm="all", progress=lambda *now: told.append(now))
    warming = compiler.compile(grammar, warm=20).warming
    assert told
    assert warming is not None
    return str(warming.wait(60))


def batch() -> str:
    grammar = mw.Grammar.json_schema(MEMBERS)
    constraint = mw.Compiler(VOCABULARY).compile(grammar)
    matchers = [constraint.matcher() for _ in range(80)]
    for at, matcher in enumerate(matchers):
        assert matcher.accept_bytes(b'{"a":' * at)
    mask = mw.allocate_mask(80, VOCABULARY.size)
    mw.fill_masks(matchers, mask, threads=3)
    accepted = mw.accept_batch(matchers, [ord("{")] * 80, threads=3)
    return f"{int(np.bitwise_count(mask).sum()) if hasattr(np, 'bitwise_count') else 0} {accepted.tolist()}"


def saved() -> str:
    grammar = mw.Grammar.json_schema('{"enum": [' + "[" * 150 + "1" + "]" * 150 + "]}")
    with tempfile.TemporaryDirectory() as folder:
        compiler, path = mw.Compiler(VOCABULARY), Path(folder) / "saved"
        constraint = compiler.compile(grammar)
        before = constraint.matcher().allowed_tokens()
        constraint.save(path)
        compiler.save_pool(path.with_suffix(".pool"))
        other = mw.Compiler(VOCABULARY)
        other.load_pool(path.with_suffix(".pool"))
        assert other.load(path).matcher().allowed_tokens() == before
    return str(before)


def called(name: str, text: str) -> str:
    tool = mw.Tool("f", parameters={"type": "object", "properties": {"a": {}}})
    calls = ToolCalls([tool], format=name)
    return str(calls.parse(text))[:200]


CASES: dict[str, Case] = {
    "schema, values in values": lambda: ends(mw.Grammar.json_schema(VALUES)),
    "schema, brackets": lambda: ends(mw.Grammar.json_schema("[" * TOO_DEEP)),
    "schema, strict": lambda: ends(mw.Grammar.json_schema("[" * TOO_DEEP, openai_strict=True)),
    "regex, brackets": lambda: ends(mw.Grammar.regex("(" * TOO_DEEP)),
    "gbnf, brackets": lambda: ends(mw.Grammar.gbnf("root ::= " + "(" * TOO_DEEP)),
    "structural tag, brackets": lambda: ends(mw.Grammar.structural_tag('{"format":' * TOO_DEEP)),
    "composed": lambda: composed(300),
    "composed too deep": composed_too_deep,
    "deep stack": deep_stack,
    "deep document": deep_document,
    "compared document": compared_document,
    "long history": long_history,
    "ahead of time": ahead_of_time,
    "batch": batch,
    "saved": saved,
    "json call": lambda: called("hermes", '<tool_call>{"name":"f","arguments":{"a":' + "[" * TOO_DEEP),
    "python call": lambda: called("pythonic", "[f(a=" + "[" * 150 + "]" * 150 + ")]"),
    "python call, too deep": lambda: called("pythonic", "[f(a=" + "[" * TOO_DEEP + "]" * TOO_DEEP + ")]"),
    "python call, signs": lambda: called("pythonic", "[f(a=" + "-" * TOO_DEEP + "1)]"),
    **schema_cases(200),
    **schema_cases(480),
    **text_cases(200),
    **text_cases(480),
}


def run_all(outcomes: dict[str, str]) -> None:
    # What was there before has nothing to free, and is not looked through after each case.
    gc.freeze()
    for name, case in CASES.items():
        try:
            outcomes[name] = case()
        except mw.MaskwrightError as error:
            outcomes[name] = type(error).__name__
        # What is freed is freed here.
        gc.collect()


def main() -> None:
    stack, outcomes = int(sys.argv[1]), dict[str, str]()
    threading.stack_size(stack)
    thread = threading.Thread(target=run_all, args=[outcomes])
    thread.start()
    thread.join()
    assert outcomes.keys() == CASES.keys(), f"an error ended it after {list(outcomes)[-1:]}"
    json.dump(outcomes, sys.stdout)


if __name__ == "__main__":
    main()
