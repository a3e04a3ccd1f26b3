"""Recipes of grammars as JSON, and back.

The recipe of a grammar is the name of the class method that made it, with its arguments. Arguments of a
composed grammar hold other grammars, some of them more than once. As JSON, its recipe is the kind
``"composition"`` with the list ``grammars``: the recipes of all grammars in it, each once and those that it
holds before it, with ``{"grammar": index}`` where a grammar stands in the arguments. The last one is the
whole.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from maskwright.grammar import Grammar

__all__ = ["COMPOSITION", "DESCRIBED", "composition_steps", "flat_recipe", "grammars_in", "held_grammars"]

COMPOSITION = "composition"
DESCRIBED = "described"
"""The kind of a grammar that was made part by part, of a JSON Schema or for a format of tool calls."""

_COMPOSED = frozenset({"sequence", "any_of", "repeat", "free_text", "any_order", DESCRIBED})
"""The kinds whose arguments hold grammars."""

Recipe = tuple[str, dict[str, Any]]


def flat_recipe(grammar: Grammar) -> Recipe:
    """The recipe of a grammar as JSON has it. Takes time in proportion to the grammars in it."""
    kind, arguments = grammar._recipe
    if kind not in _COMPOSED:
        return kind, arguments
    grammars = grammars_in(grammar)
    indices = {id(at): index for index, at in enumerate(grammars)}
    return COMPOSITION, {
        "grammars": [[at._recipe[0], _with_references(*at._recipe, indices)] for at in grammars]
    }


def grammars_in(
    grammar: Grammar, held_by: Callable[[str, dict[str, Any]], list[Grammar]] | None = None
) -> list[Grammar]:
    """A grammar and all in it, each once and after those that it holds: as its flat recipe lists them.

    Args:
        grammar: the grammar.
        held_by: the grammars that a recipe holds; None for :func:`held_grammars`, which finds all.
    """
    found: dict[int, Grammar] = {}
    waiting = [(grammar, False)]
    while waiting:
        at, is_held = waiting.pop()
        if id(at) in found:
            continue
        held = (held_by or held_grammars)(*at._recipe)
        if held and not is_held:
            waiting.append((at, True))
            waiting.extend((other, False) for other in held)
            continue
        found[id(at)] = at
    return list(found.values())


def held_grammars(kind: str, arguments: dict[str, Any]) -> list[Grammar]:
    """The grammars that the arguments of a recipe hold."""
    held: list[Grammar] = []

    def note(value: Any) -> Any:
        held.append(value)
        return value

    if kind in _COMPOSED:
        _replaced(arguments, lambda value: hasattr(value, "_recipe"), note)
    return held


def composition_steps(arguments: dict[str, Any], make: Callable[[str, dict[str, Any]], Grammar]) -> Grammar:
    """The grammar of a flat recipe, made step by step.

    Raises:
        ValueError, TypeError, LookupError: it is no such recipe.
    """
    made: list[Grammar] = []

    def is_reference(value: Any) -> bool:
        return isinstance(value, dict) and value.keys() == {"grammar"} and isinstance(value["grammar"], int)

    def resolve(value: dict[str, int]) -> Grammar:
        if not 0 <= value["grammar"] < len(made):
            raise ValueError(f"the grammar {value['grammar']} is named before it is there")
        return made[value["grammar"]]

    for kind, step in arguments["grammars"]:
        if kind == COMPOSITION:
            raise ValueError("a composition stands in another one")
        made.append(make(kind, _replaced(step, is_reference, resolve) if kind in _COMPOSED else step))
    return made[-1]


def _with_references(kind: str, arguments: dict[str, Any], indices: dict[int, int]) -> dict[str, Any]:
    if kind not in _COMPOSED:
        return arguments
    replaced = _replaced(
        arguments, lambda value: hasattr(value, "_recipe"), lambda value: {"grammar": indices[id(value)]}
    )
    assert isinstance(replaced, dict)
    return replaced


def _replaced(value: Any, is_it: Callable[[Any], bool], replace: Callable[[Any], Any]) -> Any:
    """A copy of lists and dicts within one another with some of the values replaced."""
    if is_it(value):
        return replace(value)
    if isinstance(value, list):
        return [_replaced(item, is_it, replace) for item in value]
    if isinstance(value, dict):
        return {key: _replaced(item, is_it, replace) for key, item in value.items()}
    return value
