"""The cases of the training run: JSON Schemas, regular expressions, GBNF grammars and tool calls with texts.

They are data, in ``cases/``. Documents of schemas are values there, with their members in the order in which
the schema declares them, and are written in several layouts here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal, get_args

import maskwright as mw

__all__ = ["LAYOUTS", "Case", "Layout", "Order", "WhiteSpace", "other_cases", "schema_cases"]

FOLDER = Path(__file__).parent / "cases"

Layout = Literal["spaced", "indented", "compact", "escaped"]
Order = Literal["any", "declared"]
WhiteSpace = Literal["free", "spaced"]
LAYOUTS: tuple[Layout, ...] = get_args(Layout)


@dataclass(frozen=True, slots=True)
class Case:
    """A grammar and texts that it accepts.

    Attributes:
        name: what it is called in messages.
        grammar: reads the grammar. What is read is new at each call: reading is trained too.
        texts: texts of the grammar, each complete.
    """

    name: str
    grammar: Callable[[], mw.Grammar]
    texts: tuple[str, ...]


def schema_cases(
    *,
    order: Order = "any",
    white_space: WhiteSpace = "free",
    layouts: Sequence[Layout] = LAYOUTS,
    turn: int = 0,
) -> list[Case]:
    """The JSON Schemas with their documents.

    Args:
        order: the order of members, as for ``Grammar.json_schema``.
        white_space: where white space may stand, likewise.
        layouts: the layouts of the documents: one for each schema, in turn.
        turn: how many layouts and documents are moved from the front to the back, so that rounds differ in
            the document that meets a fresh compiler and in how it is laid out.
    """
    cases: list[Case] = []
    for path in sorted(FOLDER.glob("schemas/*.json")):
        for name, entry in _read(path).items():
            schema = json.dumps(entry["schema"], ensure_ascii=False)
            # A model keeps to one layout; which states a text meets depends on it.
            layout = layouts[(len(cases) + turn) % len(layouts)]
            texts = [_laid_out(document, layout) for document in entry["documents"]]
            read = partial(mw.Grammar.json_schema, schema, order=order, whitespace=white_space)
            cases.append(Case(f"{path.stem}: {name}", read, _turned(texts, turn)))
    return cases


def other_cases(turn: int = 0) -> list[Case]:
    """The regular expressions, the GBNF grammars and the tool calls, with their texts.

    Args:
        turn: how many texts of each are moved from the front to the back.
    """
    cases: list[Case] = []
    for name, entry in _read(FOLDER / "regular_expressions.json").items():
        read = partial(mw.Grammar.regex, entry["pattern"])
        cases.append(Case(f"regular expression: {name}", read, _turned(entry["texts"], turn)))
    for name, entry in _read(FOLDER / "gbnf.json").items():
        source = "\n".join(entry["grammar"])
        cases.append(Case(f"GBNF: {name}", partial(mw.Grammar.gbnf, source), _turned(entry["texts"], turn)))
    return [*cases, *_tool_cases(turn)]


def _tool_cases(turn: int) -> list[Case]:
    entry = _read(FOLDER / "tool_calls.json")
    cases: list[Case] = []
    for layout in entry["formats"]:
        calls = _tool_calls(entry["tools"], layout)
        texts = [calls.render(message["calls"], content=message["content"]) for message in entry["messages"]]
        read = partial(_tool_grammar, entry["tools"], layout)
        cases.append(Case(f"tool calls: {layout}", read, _turned(texts, turn)))
    return cases


def _tool_calls(tools: Any, layout: str) -> mw.ToolCalls:
    # The vocabulary of the training run has no special tokens of these families.
    return mw.ToolCalls(tools, layout, reasoning="off", order="any", typed_special_tokens=True)


def _tool_grammar(tools: Any, layout: str) -> mw.Grammar:
    return _tool_calls(tools, layout).grammar()


def _laid_out(document: Any, layout: Layout) -> str:
    match layout:
        case "spaced":
            return json.dumps(document, ensure_ascii=False)
        case "indented":
            return json.dumps(document, ensure_ascii=False, indent=2)
        case "compact":
            return json.dumps(document, ensure_ascii=False, separators=(",", ":"))
        case "escaped":
            return json.dumps(document)


def _turned(texts: Sequence[str], turn: int) -> tuple[str, ...]:
    turn %= len(texts)
    return (*texts[turn:], *texts[:turn])


def _read(path: Path) -> dict[str, Any]:
    entries: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return entries
