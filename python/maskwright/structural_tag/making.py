"""From a structural tag to a grammar: reading, then lowering, then whatever was wrong with either."""

from __future__ import annotations

import inspect
from collections.abc import Collection, Mapping
from typing import Any

from maskwright.budget import Budget
from maskwright.checking import several
from maskwright.composition import Composed
from maskwright.grammar import Grammar
from maskwright.structural_tag.context import Context
from maskwright.structural_tag.lowering import lower
from maskwright.structural_tag.problems import Limits, Problems
from maskwright.structural_tag.reading import Source, read

__all__ = ["structural_tag_grammar"]


def structural_tag_grammar(
    source: Source, *, special_tokens: Collection[str], options: Mapping[str, Any], budget: Budget
) -> Composed:
    """As :meth:`maskwright.Grammar.structural_tag`. The recipe is that of the composition.

    Args:
        source: the description.
        special_tokens: names of special tokens.
        options: arguments of :meth:`maskwright.Grammar.json_schema` for every schema in it.
        budget: limits on its size, nesting and the work that it makes.

    Raises:
        StructuralTagError: it is not well formed, or a grammar in it cannot be used.
        GrammarSyntaxError: the text is not JSON.
        BudgetExceededError: it is too large or too deeply nested, or makes too much work.
        TypeError: an option is none of `json_schema`.
    """
    known = set(inspect.signature(Grammar.json_schema).parameters) - {"schema", "budget"}
    if not known.issuperset(options):
        unknown = ", ".join(sorted(set(map(str, options)) - known))
        raise TypeError(f"json_schema takes keyword arguments of Grammar.json_schema; {unknown} is none")
    special_tokens = several(special_tokens, "special_tokens")
    if not all(isinstance(name, str) for name in special_tokens):
        raise TypeError("special_tokens must be several names, such as vocabulary.special_tokens")
    problems, limits = Problems(), Limits(budget)
    description = read(source, problems=problems, limits=limits)
    grammar = lower(description, Context(options, special_tokens, problems, limits))
    problems.throw()
    kind, arguments = grammar._recipe
    outermost = type(description.format).model_fields["type"].default
    shown = "" if outermost == "structural_tag" else f" {outermost!r}"
    return Composed(grammar._native, kind, arguments, f"structural_tag{shown}")
