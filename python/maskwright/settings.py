"""How masks are computed, for comparison and measurement."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

__all__ = ["Settings"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """How masks are computed. All settings give the same masks; the slower ones are there for comparison.

    Attributes:
        simplify_grammar: whether direct recursion is turned into repetition.
        stack_automaton: whether masks come from the stack automaton, and not from trying every token on
            its own.
        signatures: whether the stack automaton takes whole subtrees of the vocabulary at once.

    Example:
        >>> import maskwright as mw
        >>> vocabulary = mw.Vocabulary.from_tokens([b"a", b"b", None], stop_ids=[2])
        >>> compiler = mw.Compiler(vocabulary)
        >>> slow = mw.Settings(stack_automaton=False)
        >>> compiler.compile(mw.Grammar.regex("a*b"), settings=slow).matcher().allowed_tokens()
        [0, 1]
    """

    simplify_grammar: bool = True
    stack_automaton: bool = True
    signatures: bool = True

    @classmethod
    def all(cls) -> list[Settings]:
        """All combinations, the default first."""
        names = ("simplify_grammar", "stack_automaton", "signatures")
        return [
            cls(**dict(zip(names, flags, strict=True))) for flags in product((True, False), repeat=len(names))
        ]
