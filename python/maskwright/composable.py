"""What every grammar has: how it was made, and the class methods that put grammars together.

:class:`ComposableGrammar` is the base of :class:`maskwright.Grammar`, which adds a class method for each
notation. What the methods here do is in :mod:`maskwright.composition`.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Literal, Self, SupportsIndex, TypeVar, cast

from maskwright import composition
from maskwright._native import Grammar as NativeGrammar
from maskwright.budget import Budget, given_budget
from maskwright.composition import Composed, Member, Tag, joined_parts

if TYPE_CHECKING:
    from maskwright.grammar import Grammar

__all__ = ["ComposableGrammar", "Recipe"]


Recipe = tuple[str, dict[str, Any]]
"""The name of a class method of :class:`maskwright.Grammar` and its arguments but for the budget."""

_Method = TypeVar("_Method", bound=Callable[..., Any])


def _takes_one(hint: str) -> Callable[[_Method], _Method]:
    """Has a method say how several things are given, where they were given one after the other."""

    def with_hint(method: _Method) -> _Method:
        @functools.wraps(method)
        def checked(cls: type, *given: Any, **named: Any) -> Any:
            if len(given) > 1:
                raise TypeError(
                    f"Grammar.{method.__name__} takes one argument without a name, not {len(given)}; {hint}"
                )
            return method(cls, *given, **named)

        return cast(_Method, checked)

    return with_hint


class ComposableGrammar:
    """The part of :class:`maskwright.Grammar` that knows no notation."""

    __slots__ = ("__weakref__", "_budget", "_description", "_native", "_recipe")

    _native: NativeGrammar
    _description: tuple[str, str | None]
    _recipe: Recipe
    _budget: Budget

    @classmethod
    def text(cls, value: str, *, budget: Budget | None = None) -> Self:
        """Exactly this text, as characters.

        The tokens that it is written with do not matter, but a special token is never text, however its name
        reads: for that, see :meth:`token`.

        Args:
            value: the text.
            budget: limits on its length.

        Raises:
            GrammarError: the text has a lone surrogate.
            BudgetExceededError: the text is too long.
            TypeError: it is no text.

        Example:
            >>> import maskwright as mw
            >>> mw.Grammar.text("<tool_call>")
            <maskwright.Grammar: text '<tool_call>'>
        """
        return cls._composed(composition.text(value, given_budget(budget)), budget)

    @classmethod
    def token(
        cls, token: str | SupportsIndex, *, also_text: bool = False, budget: Budget | None = None
    ) -> Self:
        """Exactly one token, by its name or id.

        The same characters typed as text do not match, unless `also_text` is set.

        Args:
            token: the name of a special or added token, such as ``"<|im_end|>"``, the text of any other, or
                an id. It is looked up in the vocabulary when the grammar is compiled. Where several tokens
                have that text, any of them may come: in vocabularies of SentencePiece ``"A"`` is a token like
                others, and that of a byte. Give an id for one alone. A stop token that is named comes where
                the grammar has it, and ends the text only where nothing can follow it there. Where something
                can, the text may go on, or end with any stop token if it is complete.
            also_text: whether the name may be typed as text, too. With a vocabulary that has no such token,
                it can only be typed; without this, that is an error then.
            budget: limits on its length.

        Raises:
            GrammarError: `also_text` is set, but there is an id and no name; the id is out of range; or the
                name is empty or has a lone surrogate.
            BudgetExceededError: the name is too long.
            TypeError: the token is neither a name nor an id, or `also_text` is no truth value.

        Example:
            >>> import maskwright as mw
            >>> mw.Grammar.token("<|call|>") + "now"
            <maskwright.Grammar: sequence of 2 parts>
            >>> vocabulary = mw.Vocabulary.from_tokens([b"a", None], stop_ids=[1])
            >>> turns = mw.Grammar.repeat("a" + mw.Grammar.token(1), minimum=1, maximum=2)
            >>> matcher = mw.Compiler(vocabulary).compile(turns).matcher()
            >>> matcher.accept_tokens([0, 1]), matcher.is_complete, matcher.is_finished
            (2, True, False)
            >>> matcher.accept_tokens([0, 1]), matcher.is_complete, matcher.is_finished
            (2, True, True)
        """
        return cls._composed(composition.token(token, also_text, given_budget(budget)), budget)

    @classmethod
    def any_token(cls, *, except_: Iterable[str | SupportsIndex] = (), budget: Budget | None = None) -> Self:
        """Any one token, special ones too, but for those named. Never a stop token: that ends the text.

        Args:
            except_: names or ids of tokens that are left out, as in :meth:`token`: all that have the text.
            budget: limits on their number and length.

        Raises:
            BudgetExceededError: the names are too long.
            GrammarError: an id is out of range, or a name is empty or has a lone surrogate.
            TypeError: they are no several, or one is neither a name nor an id.

        Example:
            >>> import maskwright as mw
            >>> thinking = mw.Grammar.repeat(mw.Grammar.any_token(except_=["</think>"]), maximum=500)
        """
        return cls._composed(composition.any_token(except_, given_budget(budget)), budget)

    @classmethod
    @_takes_one("give the parts as a list")
    def sequence(cls, parts: Iterable[Grammar | str], *, budget: Budget | None = None) -> Self:
        """The parts one after another. ``a + b`` is the same of two.

        A token may hold the end of one part and the beginning of the next.

        Args:
            parts: grammars; a ``str`` stands for itself.
            budget: limits on the number and size of the parts.

        Raises:
            GrammarError: a text has a lone surrogate.
            BudgetExceededError: the parts are too many or too large.
            TypeError: the parts are no several in an order, or one is neither a grammar nor a text.

        Example:
            >>> import maskwright as mw
            >>> mw.Grammar.sequence(["<year>", mw.Grammar.regex("[0-9]{4}"), "</year>"])
            <maskwright.Grammar: sequence of 3 parts>
        """
        return cls._composed(composition.sequence(parts, given_budget(budget)), budget)

    @classmethod
    @_takes_one("give the parts as a list")
    def any_of(cls, parts: Iterable[Grammar | str], *, budget: Budget | None = None) -> Self:
        """Any of the parts. ``a | b`` is the same of two. For many fixed strings, see :meth:`choice`.

        Args:
            parts: grammars, at least one; a ``str`` stands for itself.
            budget: limits on the number and size of the parts.

        Raises:
            GrammarError: there is no part at all, or a text has a lone surrogate.
            BudgetExceededError: the parts are too many or too large.
            TypeError: the parts are no several, or one is neither a grammar nor a text.

        Example:
            >>> import maskwright as mw
            >>> mw.Grammar.any_of(["unknown", mw.Grammar.json_schema({"type": "integer"})])
            <maskwright.Grammar: any of 2 parts>
        """
        return cls._composed(composition.any_of(parts, given_budget(budget)), budget)

    @classmethod
    @_takes_one("how often it comes is given by minimum= and maximum=")
    def repeat(
        cls,
        grammar: Grammar | str,
        *,
        minimum: SupportsIndex = 0,
        maximum: SupportsIndex | None = None,
        separator: Grammar | str | None = None,
        budget: Budget | None = None,
    ) -> Self:
        """A grammar again and again.

        Args:
            grammar: what is repeated; a ``str`` stands for itself.
            minimum: the least number of times.
            maximum: the greatest number of times; ``None`` is without limit. A large number costs no more
                than a small one.
            separator: what stands between two of them.
            budget: limits on the size.

        Raises:
            GrammarError: the maximum is less than the minimum, a number is out of range, or a text has a lone
                surrogate.
            TypeError: a number is no integer, or what is repeated or stands between is neither a grammar nor
                a text.
            BudgetExceededError: the grammars are too large.

        Example:
            >>> import maskwright as mw
            >>> mw.Grammar.repeat(mw.Grammar.regex("[a-z]+"), minimum=1, maximum=9, separator=", ")
            <maskwright.Grammar: repetition {1,9}>
        """
        return cls._composed(
            composition.repeat(grammar, minimum, maximum, separator, given_budget(budget)), budget
        )

    @classmethod
    def free_text(
        cls,
        *,
        tags: Iterable[Tag] = (),
        minimum: SupportsIndex = 0,
        maximum: SupportsIndex | None = None,
        text_between: bool = True,
        text_after: bool = True,
        stops: Iterable[str | Grammar] = (),
        forbidden: Iterable[str] = (),
        budget: Budget | None = None,
    ) -> Self:
        r"""Prose with calls in it; without any tags, any text.

        Prose is any text in which no tag, stop or forbidden text is completed, however it is split into
        tokens. Where a tag is, its content follows, and then prose again. Where tags overlap, the one that is
        completed first opens, unless it lies within a longer one that is completed later.

        Args:
            tags: what opens a call, and what follows it. Tags are texts or tokens. A token given by name
                opens a call only as that token, and its name cannot be typed in the prose.
            minimum: the least number of calls.
            maximum: the greatest number of calls; ``None`` is without limit. After the last one, no tag can
                be completed.
            text_between: whether prose may stand between two calls; else the next one follows at once.
            text_after: whether prose may follow the last call; else the text ends there, or with a stop.
            stops: texts or tokens that end the text. It may also end without.
            forbidden: what prose can never hold. A forbidden text within a tag does not forbid the tag.
            budget: limits on the number and size of tags.

        Raises:
            GrammarError: a tag, stop or forbidden text is empty or has a lone surrogate; a tag or stop is
                forbidden, too; calls are asked for without a tag; the maximum is less than the minimum; or a
                number is out of range.
            BudgetExceededError: the tags are too many or too large.
            TypeError: the tags, stops or forbidden texts are no several; a tag is no :class:`maskwright.Tag`;
                what is watched for is neither a text nor a token; a number is no integer; or a choice is no
                truth value.

        Example:
            >>> import maskwright as mw
            >>> call = mw.Grammar.json_schema({"type": "object"}) + "</call>"
            >>> prose = mw.Grammar.free_text(tags=[mw.Tag("<call>", call)], minimum=1)
            >>> tokens = [bytes([byte]) for byte in range(256)]
            >>> vocabulary = mw.Vocabulary.from_tokens([*tokens, None], stop_ids=[256])
            >>> matcher = mw.Compiler(vocabulary).compile(prose).matcher()
            >>> matcher.accept_bytes(b"Let me see: <call>{}</call> done")
            True
        """
        composed = composition.free_text(
            tags, minimum, maximum, text_between, text_after, stops, forbidden, given_budget(budget)
        )
        return cls._composed(composed, budget)

    @classmethod
    @_takes_one("give the members as a list")
    def any_order(
        cls, members: Iterable[Member], *, separator: Grammar | str = "", budget: Budget | None = None
    ) -> Self:
        """Some parts in any order, each once at most.

        A hundred members are fine where a text soon shows which of them comes, as by names that differ: only
        the orders that it tries are ever written out. Of members that read alike, such as several that take
        any word, every set of them may have come, and each is kept: a dozen is much. By default, a step
        raises :class:`maskwright.BudgetExceededError` (``expressions``) after some six of 14 alike members,
        or after three of 24. As many as have a square above ``Budget.expressions``, more than 3,162 by
        default, are refused.

        Args:
            members: the parts, and whether each has to come.
            separator: what stands between two of them.
            budget: limits on their number and size.

        Raises:
            GrammarError: a text has a lone surrogate.
            BudgetExceededError: the members are too many or too large.
            TypeError: the members are no several, or one is no :class:`maskwright.Member`; or the separator
                is neither a grammar nor a text.

        Example:
            >>> import maskwright as mw
            >>> mw.Grammar.any_order([mw.Member("a"), mw.Member("b", required=False)], separator=",")
            <maskwright.Grammar: any order of 2 members>
        """
        return cls._composed(composition.any_order(members, separator, given_budget(budget)), budget)

    @classmethod
    def _composed(cls, composed: Composed, budget: Budget | None) -> Self:
        grammar = object.__new__(cls)
        grammar._native = composed.native
        grammar._recipe = (composed.kind, composed.arguments)
        grammar._budget = given_budget(budget)
        grammar._description = (composed.description, None)
        return grammar

    def __add__(self, other: Grammar | str) -> Self:
        return self._joined("sequence", other) if isinstance(other, _GRAMMARS) else NotImplemented

    def __radd__(self, other: str) -> Self:
        return self._joined("sequence", other, is_first=True) if isinstance(other, str) else NotImplemented

    def __or__(self, other: Grammar | str) -> Self:
        return self._joined("any_of", other) if isinstance(other, _GRAMMARS) else NotImplemented

    def __ror__(self, other: str) -> Self:
        return self._joined("any_of", other, is_first=True) if isinstance(other, str) else NotImplemented

    def _joined(
        self, kind: Literal["sequence", "any_of"], other: Grammar | str, *, is_first: bool = False
    ) -> Self:
        """This grammar and another one as one composition, with the parts of those that are one."""
        own = cast("Grammar", self)
        make = type(self).sequence if kind == "sequence" else type(self).any_of
        left, right = (other, own) if is_first else (own, other)
        return make(joined_parts(kind, left, right, make))


# What Python says of arguments names the class that users know.
for _member in vars(ComposableGrammar).values():
    if isinstance(_member, classmethod):
        for _method in {_member.__func__, inspect.unwrap(_member.__func__)}:
            _method.__qualname__ = f"Grammar.{_method.__name__}"

_GRAMMARS = (ComposableGrammar, str)
"""What can be joined."""
