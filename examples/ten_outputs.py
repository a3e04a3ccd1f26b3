"""Ten prompts for the default model, each answered under a grammar and without one.

Every constrained output is checked by other means than maskwright where there are any: Python's ``re``, the
list of choices, ``json``. The exit code is 1 if one of them does not match.

    python examples/ten_outputs.py
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass

import maskwright as mw
from maskwright.generation import LocalModel, generate, load_model

MAX_TOKENS = 120


@dataclass(frozen=True)
class Task:
    """A prompt, the grammar for its answer, and another way to see that the answer fits."""

    prompt: str
    grammar: mw.Grammar
    fits: Callable[[str], bool]


def by_regex(prompt: str, pattern: str) -> Task:
    """A task whose grammar is a regular expression, checked by Python's ``re``."""
    return Task(prompt, mw.Grammar.regex(pattern), lambda text: re.fullmatch(pattern, text) is not None)


def by_choice(prompt: str, *choices: str) -> Task:
    """A task with fixed answers."""
    return Task(prompt, mw.Grammar.choice(choices), lambda text: text in choices)


def by_gbnf(prompt: str, text: str, fits: Callable[[str], bool]) -> Task:
    """A task whose grammar is in llama.cpp's notation."""
    return Task(prompt, mw.Grammar.gbnf(text), fits)


def is_recipe(text: str) -> bool:
    """Whether a text is JSON of the form that the recipe's grammar describes."""
    recipe = json.loads(text)
    return set(recipe) == {"dish", "minutes", "ingredients"} and 2 <= len(recipe["ingredients"]) <= 4


def is_balanced(text: str) -> bool:
    """Whether a text is made of digits, operators and balanced parentheses."""
    while (shorter := re.sub(r"\((?:[0-9]+)(?:[-+*/][0-9]+)*\)", "1", text)) != text:
        text = shorter
    return re.fullmatch(r"[0-9]+(?:[-+*/][0-9]+)*", text) is not None


RECIPE = r"""
root        ::= "{\"dish\": " string ", \"minutes\": " [1-9] [0-9]? ", \"ingredients\": [" list "]}"
list        ::= string (", " string){1,3}
string      ::= "\"" [a-z ]{3,20} "\""
"""
SUM = r"""
root ::= sum
sum  ::= sum [-+*/] sum | "(" sum ")" | [1-9] [0-9]?   # ambiguous and left-recursive, and that is fine
"""
HAIKU = r"""
root ::= line "\n" line "\n" line
line ::= word (" " word){2,4} [,.]?
word ::= [A-Za-z] [a-z]{1,8}
"""

TASKS = [
    by_choice("Is this review positive or negative? 'I loved every minute.'", "positive", "negative"),
    by_regex("Describe a person as JSON.", r'\{"name": "[A-Z][a-z]{2,9}", "age": [1-9][0-9]?\}'),
    by_regex(
        "When was the first landing on the Moon?", r"(19|20)[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
    ),
    by_regex("What is the capital of France?", r"The capital of France is [A-Z][a-z]{2,12}\."),
    by_regex("Make up an e-mail address.", r"[a-z]{3,10}(\.[a-z]{3,10})?@[a-z]{3,10}\.(com|org|net)"),
    by_regex("List three fruits.", r"(?:[1-3]\. [A-Z][a-z]{2,11}\n){3}"),
    by_regex("Name an animal that is not a cat.", r"(?!.*[Cc]at)(?:A|An) [a-z]{2,12}( [a-z]{2,12})?\."),
    by_gbnf("Write a small recipe as JSON.", RECIPE, is_recipe),
    by_gbnf("Write an arithmetic expression that has the value 12.", SUM, is_balanced),
    by_gbnf("Write a haiku about the sea.", HAIKU, lambda text: text.count("\n") == 2),
]


def answer(model: LocalModel, prompt: str, constraint: mw.Constraint | None) -> tuple[str, bool]:
    """What the model writes, and whether it came to an end."""
    # A model without a chat template goes on from the prompt as it is.
    chat = model.format_chat([{"role": "user", "content": prompt}]) or prompt
    generation = generate(model, constraint, chat, max_tokens=MAX_TOKENS)
    text = "".join(generation.text())
    return text, generation.statistics.finish_reason == "stop"


def main() -> int:
    """Runs all tasks and prints the answers."""
    from rich.console import Console  # noqa: PLC0415 - part of the extra `cli`
    from rich.markup import escape  # noqa: PLC0415

    console = Console()
    model = load_model()
    compiler = mw.Compiler(model.vocabulary)
    misfits = 0
    for number, task in enumerate(TASKS, start=1):
        text, ended = answer(model, task.prompt, compiler.compile(task.grammar))
        free, _ = answer(model, task.prompt, None)
        fits = ended and task.fits(text)
        misfits += not fits
        console.print(f"\n[bold]{number}. {escape(task.prompt)}[/bold]")
        console.print(
            f"[green]under the grammar[/green] ({'fits' if fits else 'DOES NOT FIT'}): {escape(text)}"
        )
        console.print(f"[dim]without[/dim]: {escape(' '.join(free.split())[:160])}")
    console.print(f"\n{len(TASKS) - misfits} of {len(TASKS)} outputs fit their grammar")
    return 1 if misfits else 0


if __name__ == "__main__":
    sys.exit(main())
