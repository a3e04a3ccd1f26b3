"""How masks are computed, for comparison and measurement."""

from __future__ import annotations

from dataclasses import dataclass, fields

from maskwright.checking import flag

__all__ = ["Settings"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """How masks are computed. All settings give the same masks; the slower ones are there for comparison.

    Attributes:
        simplify_grammar: whether direct recursion is turned into repetition, small rules that may match
            nothing and texts that may go on anywhere are read in place of their calls, and the end of a text
            is read in the same rule as the text.
        lazy_states: whether moves of states are kept; else each is derived anew.
        stack_automaton: whether masks come from the stack automaton, and not from trying every token on
            its own.
        signatures: whether the stack automaton cuts walks short: takes whole subtrees and slices of the
            vocabulary at once, follows fixed strings without states, and walks once what states have in
            common.
        pool: whether what the stack automaton finds is shared with other constraints of the compiler.

    Raises:
        TypeError: a field is neither True nor False.

    Example:
        >>> import maskwright as mw
        >>> vocabulary = mw.Vocabulary.from_tokens([b"a", b"b", None], stop_ids=[2])
        >>> compiler = mw.Compiler(vocabulary)
        >>> slow = mw.Settings(stack_automaton=False)
        >>> compiler.compile(mw.Grammar.regex("a*b"), settings=slow).matcher().allowed_tokens()
        [0, 1]
    """

    simplify_grammar: bool = True
    lazy_states: bool = True
    stack_automaton: bool = True
    signatures: bool = True
    pool: bool = True

    def __post_init__(self) -> None:
        for field in fields(self):
            value = flag(getattr(self, field.name), f"Settings({field.name}=...)")
            object.__setattr__(self, field.name, value)

    @classmethod
    def all(cls) -> list[Settings]:
        """The settings that are worth comparing, the default first.

        Example:
            >>> import maskwright as mw
            >>> mw.Settings.all()[0] == mw.Settings()
            True
        """
        return [
            cls(),
            cls(pool=False),
            cls(signatures=False),
            cls(simplify_grammar=False),
            cls(lazy_states=False),
            cls(stack_automaton=False),
            cls(simplify_grammar=False, lazy_states=False, stack_automaton=False),
        ]
