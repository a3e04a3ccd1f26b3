"""Tools, calls and vocabularies that the tests of tool calls share."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache
from typing import Any

import maskwright as mw
from maskwright.tool_calls import JsonArguments, Name, Text, ToolCallFormat, format_names, get_format
from maskwright.tool_calls.headers import special_names
from only_bytes import only_bytes

WEATHER: dict[str, Any] = {
    "name": "get_weather",
    "description": "The forecast for a city.",
    "parameters": {
        "type": "object",
        "properties": {
            "city": {"type": "string"},
            "days": {"type": "integer", "minimum": 0, "maximum": 14},
            "units": {"enum": ["C", "F"]},
            "options": {
                "type": "object",
                "properties": {
                    "wind": {"type": "boolean"},
                    "hours": {
                        "type": "array",
                        "items": {"type": ["number", "null"], "maximum": 24},
                        "maxItems": 3,
                    },
                },
                "additionalProperties": False,
            },
            "station": {"type": ["string", "null", "integer"], "maxLength": 9, "maximum": 99, "minimum": 0},
        },
        "required": ["city"],
    },
}
NOW = {"name": "now", "description": "The time."}
ANY_CODE = {"type": "custom", "name": "code"}
TOOLS: list[dict[str, Any]] = [WEATHER, NOW]

_SHORT = {**WEATHER["parameters"]["properties"], "city": {"type": "string", "maxLength": 6}}
SHORT_TOOLS = [{**WEATHER, "parameters": {**WEATHER["parameters"], "properties": _SHORT}}, NOW]
"""The same tools with short strings, so that random texts come to an end."""

ARGUMENTS: dict[str, Any] = {
    "city": 'Rome "x" </p>\nß}',
    "days": 3,
    "units": "C",
    "options": {"wind": True, "hours": [1.5, None]},
    "station": None,
}

STOPS = ("<|return|>", "<|call|>", "<eos>")

FORMATS = sorted({get_format(name).name for name in format_names()} - {"example"})
"""The formats that come with the package, each once."""

BYTES = only_bytes()
"""A vocabulary without special tokens."""

CALL = (Text("CALL "), Name(), Text(" "), JsonArguments(), Text(";"))


def layout(**fields: Any) -> ToolCallFormat:
    """A format of one's own, with calls of the form CALL as far as the fields do not say otherwise."""
    return ToolCallFormat(**{"name": "own", "models": (), "source": "a test", "call": CALL, **fields})


def calls_of(layout: ToolCallFormat) -> list[dict[str, Any]]:
    """As many calls as a message of the format may have, two at most."""
    calls: list[dict[str, Any]] = [{"name": "get_weather", "arguments": ARGUMENTS}]
    return [*calls, {"name": "now", "arguments": {}}] if layout.parallel else calls


def content_of(layout: ToolCallFormat) -> str:
    """Content that may stand beside calls in a message of the format."""
    can_have = layout.placement != "start" and any(segment.before_calls for segment in layout.content)
    return "Let me <tool_ look." if can_have else ""


def reasoning_of(layout: ToolCallFormat) -> str | None:
    """Reasoning, where messages of the format may have it."""
    return None if layout.reasoning is None else "It may\nrain."


def example(layout: ToolCallFormat) -> dict[str, Any]:
    """The arguments of `render` for a message with all that the format has."""
    return {"calls": calls_of(layout), "content": content_of(layout), "reasoning": reasoning_of(layout)}


@cache
def vocabulary_of(name: str) -> mw.Vocabulary:
    """All single bytes, and the special tokens of a format."""
    names = [*sorted(special_names(get_format(name)) - {*STOPS}), *STOPS]
    return mw.Vocabulary.from_tokens(
        [*(bytes([byte]) for byte in range(256)), *(None for _ in names)],
        special_tokens={special: 256 + at for at, special in enumerate(names)},
        stop_ids=[256 + names.index(stop) for stop in STOPS],
    )


def tokens_of(vocabulary: mw.Vocabulary, text: str) -> list[int]:
    """A text as tokens: special ones where their names stand, single bytes elsewhere."""
    special = vocabulary.special_tokens
    tokens: list[int] = []
    at = 0
    while at < len(text):
        name = next((name for name in special if text.startswith(name, at)), None)
        tokens += list(text[at].encode()) if name is None else [special[name]]
        at += 1 if name is None else len(name)
    return tokens


def text_of(vocabulary: mw.Vocabulary, tokens: list[int]) -> str:
    """The text of tokens, special ones spelled by their names."""
    names = {token: name for name, token in vocabulary.special_tokens.items()}
    pieces = (names[token].encode() if token in names else bytes([token]) for token in tokens)
    return b"".join(pieces).decode()


@cache
def compiled(name: str) -> mw.Constraint:
    """The constraint of a format with the tools above."""
    return mw.Compiler(vocabulary_of(name)).compile(mw.ToolCalls(TOOLS, format=name).grammar())


def accepts(constraint: mw.Constraint, vocabulary: mw.Vocabulary, text: str) -> bool:
    """Whether a text may be written to its end."""
    matcher = constraint.matcher()
    tokens = tokens_of(vocabulary, text)
    return matcher.accept_tokens(tokens) == len(tokens) and (matcher.is_complete or matcher.is_finished)


def refused_at(constraint: mw.Constraint, vocabulary: mw.Vocabulary, text: str) -> str:
    """As much of a text as may be written."""
    tokens = tokens_of(vocabulary, text)
    return text_of(vocabulary, tokens[: constraint.matcher().accept_tokens(tokens)])


def cut(text: str, source: random.Random) -> Iterator[str]:
    """A text in pieces of random lengths."""
    at = 0
    while at < len(text):
        length = source.randint(1, 9)
        yield text[at : at + length]
        at += length


_ENDS = frozenset(b'"}])>,{:\n <T1e/')


def random_text(constraint: mw.Constraint, vocabulary: mw.Vocabulary, source: random.Random) -> str | None:
    """A random complete text, or None where it did not end soon. What ends values comes often."""
    matcher = constraint.matcher()
    tokens: list[int] = []
    while not (matcher.is_complete and source.random() < 0.3):
        allowed = [token for token in matcher.allowed_tokens() if not 0x7F <= token < 256]
        allowed = [token for token in allowed if token not in vocabulary.stop_ids]
        if not allowed:
            break
        likely = [token for token in allowed if token >= 256 or token in _ENDS]
        token = source.choice(likely if likely and source.random() < 0.75 else allowed)
        assert matcher.accept(token)
        tokens.append(token)
        if len(tokens) > 400:
            return None
    return text_of(vocabulary, tokens)


def constraint_of(calls: mw.ToolCalls) -> tuple[mw.Constraint, mw.Vocabulary]:
    """The constraint of calls in a format that is known by name, and its vocabulary."""
    vocabulary = vocabulary_of(calls.format.name)
    return mw.Compiler(vocabulary).compile(calls.grammar()), vocabulary


DEFINITIONS = {"colour": {"enum": ["red", "green"]}, "count": {"type": "integer"}}


def tool_with(schema: dict[str, Any]) -> mw.Tool:
    return mw.Tool("t", parameters={"properties": {"p": schema}, "required": ["p"], "$defs": DEFINITIONS})
