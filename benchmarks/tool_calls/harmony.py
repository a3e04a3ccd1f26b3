"""A whole conversation of gpt-oss in its own vocabulary, special tokens as tokens.

The texts are written here as the format's documentation has them, and not by the renderer. A model writes
from ``<|start|>assistant`` to ``<|call|>`` or ``<|return|>``; what stands between two such texts comes from
elsewhere.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import maskwright as mw
from benchmarks.suite.report import table
from benchmarks.tool_calls.cases import Call
from benchmarks.tool_calls.families import families, tokeniser_of
from benchmarks.tool_calls.reading import problems_of_reading
from benchmarks.tool_calls.walking import Walker

__all__ = ["TURNS", "WRONG", "Turn", "replay_conversation", "show_conversation"]

_WEATHER = {
    "type": "object",
    "properties": {
        "location": {"type": "string", "description": "City and country."},
        "unit": {"enum": ["celsius", "fahrenheit"]},
        "days": {"type": "integer", "minimum": 1, "maximum": 10},
    },
    "required": ["location"],
}
_TRAINS = {
    "type": "object",
    "properties": {
        "from": {"type": "string"},
        "to": {"type": "string"},
        "via": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["from", "to"],
}
TOOLS: Sequence[Mapping[str, Any]] = (
    {"type": "function", "function": {"name": "get_weather", "parameters": _WEATHER}},
    {"type": "function", "function": {"name": "find_trains", "parameters": _TRAINS}},
)


@dataclass(frozen=True, slots=True)
class Turn:
    """What the model writes from the prompt to the end of its turn.

    Attributes:
        name: of the turn.
        text: what it writes, special tokens spelled by their names.
        content: what it says in it.
        reasoning: what it thinks.
        calls: what it calls.
    """

    name: str
    text: str
    content: str = ""
    reasoning: str | None = None
    calls: Sequence[Call] = ()


TURNS = (
    Turn(
        "analysis, call",
        "<|channel|>analysis<|message|>The user asks about the weather in Zürich. I need get_weather.<|end|>"
        "<|start|>assistant<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>"
        '{"location": "Zürich, Switzerland", "days": 3}<|call|>',
        reasoning="The user asks about the weather in Zürich. I need get_weather.",
        calls=[Call("get_weather", {"location": "Zürich, Switzerland", "days": 3})],
    ),
    Turn(
        "analysis, preamble, call",
        "<|channel|>analysis<|message|>Rain on day 2. Now trains; tell the user what comes.<|end|>"
        "<|start|>assistant<|channel|>commentary<|message|>**Weather**: found. Now I look for trains…<|end|>"
        "<|start|>assistant<|channel|>commentary to=functions.find_trains <|constrain|>json<|message|>"
        '{"from": "Zürich HB", "to": "Genève", "via": ["Bern", "Lausanne"]}<|call|>',
        content="**Weather**: found. Now I look for trains…",
        reasoning="Rain on day 2. Now trains; tell the user what comes.",
        calls=[Call("find_trains", {"from": "Zürich HB", "to": "Genève", "via": ["Bern", "Lausanne"]})],
    ),
    Turn(
        "recipient in the role",
        " to=functions.get_weather<|channel|>commentary <|constrain|>json<|message|>"
        '{"location": "Genève", "unit": "celsius"}<|call|>',
        calls=[Call("get_weather", {"location": "Genève", "unit": "celsius"})],
    ),
    Turn(
        "analysis, answer",
        "<|channel|>analysis<|message|>All is known: answer.<|end|>"
        "<|start|>assistant<|channel|>final<|message|>Take the 9:02 from Zürich HB; it is dry in Genève "
        '(18 °C). Tags such as <tool_call> or {"name": 1} mean nothing here. 🚆<|return|>',
        content="Take the 9:02 from Zürich HB; it is dry in Genève (18 °C). "
        'Tags such as <tool_call> or {"name": 1} mean nothing here. 🚆',
        reasoning="All is known: answer.",
    ),
)
"""The turns of the model, in their order."""

_CALL = "<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>"
WRONG = (
    ("a channel that there is not", "<|channel|>", "thoughts<|message|>"),
    ("a tool that there is not", "<|channel|>commentary to=functions.get_w", "ind <|constrain|>json"),
    ("a tool of another namespace", "<|channel|>commentary to=", "browser.search"),
    ("arguments of a wrong type", _CALL + '{"location": ', "7}<|call|>"),
    ("a required argument that is missing", _CALL + "{", "}<|call|>"),
    ("prose before the arguments", _CALL, "Sure: {"),
    ("a call that ends before its arguments do", _CALL + '{"location": "Rome"', "<|call|>"),
    ("reasoning that ends the turn", "<|channel|>analysis<|message|>Hm.", "<|return|>"),
    ("a call after the answer", "<|channel|>final<|message|>Done.", "<|start|>assistant"),
    ("text after a call", _CALL + '{"location": "Rome"}', " and more<|call|>"),
)
"""What is wrong: a name, the beginning that is right, and what cannot follow it, from its first item on."""


@dataclass(slots=True)
class Conversation:
    """What came out.

    Attributes:
        rows: for each turn: its name, tokens, special ones among them, whether accepted, whether read right.
        wrong: for each wrong text: its name, and whether it was rejected at the right place.
        steps: nanoseconds of each token.
        problems: what went wrong.
    """

    rows: list[tuple[str, int, int, bool, bool]] = field(default_factory=list)
    wrong: list[tuple[str, bool]] = field(default_factory=list)
    steps: list[int] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        """What is saved."""
        percentiles = np.percentile(self.steps, [50, 99, 99.9]) / 1000
        return {
            "turns": self.rows,
            "wrong texts": self.wrong,
            "TBM in microseconds, p50, p99, p99.9": [round(float(value), 2) for value in percentiles],
            "problems": self.problems,
        }


def replay_conversation() -> Conversation:
    """Replays all turns under one constraint, reads them, and walks along what is wrong."""
    tokeniser = tokeniser_of(next(family for family in families() if family.layout.name == "harmony"))
    made = mw.ToolCalls(TOOLS, "harmony")
    constraint = mw.Compiler(tokeniser.vocabulary).compile(made.grammar())
    found = Conversation()
    walker = Walker(tokeniser, found.steps)
    for turn in TURNS:
        tokens = tokeniser.encode(turn.text)
        place = walker.walk(constraint, tokens, timed=True)
        accepted = place.token == len(tokens) and place.may_end
        expected = (turn.content, turn.reasoning, turn.calls)
        problems = problems_of_reading(made, tokeniser.vocabulary, turn.text, tokens, expected)
        specials = sum(token in tokeniser.names for token in tokens)
        found.rows.append((turn.name, len(tokens), specials, accepted, not problems))
        found.problems += [f"{turn.name}: {problem}" for problem in problems]
        if not accepted:
            found.problems.append(f"{turn.name}: {place} of {len(tokens)} tokens")
    for name, right, rest in WRONG:
        place = walker.walk(constraint, tokeniser.encode(right + rest))
        expected_item = len(tokeniser.items(right))
        found.wrong.append((name, place.item == expected_item))
        if place.item != expected_item:
            found.problems.append(f"{name}: {place} instead of item {expected_item}")
    return found


def show_conversation(found: Conversation) -> None:
    """Prints the tables."""
    columns = ["turn", "tokens", "special", "accepted", "read right"]
    print(table(columns, [[*row[:3], _yes(row[3]), _yes(row[4])] for row in found.rows]))
    print(
        table(["wrong", "rejected at the right place"], [[name, _yes(right)] for name, right in found.wrong])
    )
    print(json.dumps(found.as_dict()["TBM in microseconds, p50, p99, p99.9"]), "µs: TBM p50, p99, p99.9")
    for problem in found.problems:
        print(problem)


def _yes(value: bool) -> str:
    return "yes" if value else "no"
