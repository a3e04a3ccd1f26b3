"""Free text and free tokens in which tags are watched for, and the ends of tags.

All kinds that let a model write freely between tags come down to two forms: text, in which a string begins a
tag, and tokens, of which one begins a tag. Takes tags as pairs of what begins them and the grammar of what
follows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from maskwright.budget import Budget
from maskwright.composition import Tag
from maskwright.grammar import Grammar
from maskwright.structural_tag.context import Token
from maskwright.structural_tag.special_names import SpecialNames

_Value = TypeVar("_Value", int, str, Token)

__all__ = ["TextTag", "Triggers", "free_text", "free_tokens", "one_of", "optional", "unique"]


@dataclass(frozen=True, slots=True)
class TextTag:
    """A tag that a string begins.

    Attributes:
        begin: the string.
        trigger: what `begin` begins with, and nothing else in the text does. It ends before the first special
            token that is named in `begin`, or begins with it.
        body: what follows.
    """

    begin: str
    trigger: str
    body: Grammar


class Triggers:
    """The triggers of some tags.

    Args:
        triggers: the strings.
    """

    def __init__(self, triggers: Sequence[str]) -> None:
        self._shown = ", ".join(map(repr, triggers[:5])) + (", ..." if len(triggers) > 5 else "")
        self._triggers = frozenset(triggers)
        self._lengths = sorted(set(map(len, triggers)))

    def shortest_of(self, begin: str) -> str | None:
        """The shortest trigger that a string begins with."""
        starts = (begin[:length] for length in self._lengths if length <= len(begin))
        return next((start for start in starts if start in self._triggers), None)

    def __str__(self) -> str:
        return self._shown


def free_text(
    tags: Sequence[TextTag],
    *,
    forbidden: Iterable[str],
    starts_with_tag: bool,
    once: bool,
    special: SpecialNames,
    budget: Budget,
) -> Grammar:
    """Text in which strings begin tags.

    Args:
        tags: the tags.
        forbidden: strings that may not occur in the text, unless within what begins a tag.
        starts_with_tag: whether a tag comes first, before any text.
        once: whether nothing comes after the first tag.
        special: the names of special tokens.
        budget: limits on the grammars.
    """
    parts: list[Grammar] = []
    if starts_with_tag:
        whole = [Grammar.sequence([*special.pieces(tag.begin), tag.body], budget=budget) for tag in tags]
        parts.append(one_of(whole, budget))
        if once:
            return parts[0]
    marks = [mark for tag in tags for mark in _marks(tag, special, budget)]
    begins = {mark.begin for mark in marks} | {tag.trigger for tag in tags if special.is_name(tag.trigger)}
    text = Grammar.free_text(
        tags=marks,
        maximum=1 if once else None,
        text_after=not once,
        forbidden=[string for string in unique(forbidden) if string not in begins],
        budget=budget,
    )
    return Grammar.sequence([*parts, text], budget=budget) if parts else text


def _marks(tag: TextTag, special: SpecialNames, budget: Budget) -> Iterator[Tag]:
    """What is watched for: the beginning of a tag as text and, where it names special tokens, as those."""
    found = special.first(tag.begin)
    if found is not None and found.start == 0:
        # Of a trigger that goes on behind the name, the name alone opens nothing as text.
        is_whole = special.is_name(tag.trigger)
        token = Grammar.token(found.name, also_text=is_whole, budget=budget)
        rest = [*special.pieces(tag.begin[found.end :]), tag.body]
        yield Tag(begin=token, content=Grammar.sequence(rest, budget=budget))
        if is_whole:
            return
    behind = tag.begin[len(tag.trigger) :]
    if special.first(behind) is None:
        yield Tag(begin=tag.begin, content=tag.body)
    else:
        rest = [*special.pieces(behind), tag.body]
        yield Tag(begin=tag.trigger, content=Grammar.sequence(rest, budget=budget))


def free_tokens(
    tags: Sequence[tuple[Token, Grammar]],
    *,
    forbidden: Iterable[Token],
    starts_with_tag: bool,
    once: bool,
    budget: Budget,
) -> Grammar:
    """Tokens of which some begin tags.

    Args:
        tags: the token that begins each, and what follows.
        forbidden: tokens that may not come outside of tags, beside those that begin them.
        starts_with_tag: whether a tag comes first.
        once: whether nothing comes after the first tag.
        budget: limits on the grammars.
    """
    tag = one_of(
        [
            Grammar.sequence([Grammar.token(begin, budget=budget), body], budget=budget)
            for begin, body in tags
        ],
        budget,
    )
    excluded = unique([*(begin for begin, _ in tags), *forbidden])
    between = Grammar.repeat(Grammar.any_token(except_=excluded, budget=budget), budget=budget)
    if once:
        return tag if starts_with_tag else Grammar.sequence([between, optional(tag, budget)], budget=budget)
    more = Grammar.repeat(Grammar.sequence([tag, between], budget=budget), budget=budget)
    return Grammar.sequence([tag, between, more] if starts_with_tag else [between, more], budget=budget)


def one_of(grammars: Sequence[Grammar], budget: Budget) -> Grammar:
    """One of some grammars, of which there is at least one."""
    return grammars[0] if len(grammars) == 1 else Grammar.any_of(grammars, budget=budget)


def optional(grammar: Grammar, budget: Budget) -> Grammar:
    """A grammar, or nothing."""
    return Grammar.repeat(grammar, minimum=0, maximum=1, budget=budget)


def unique(values: Iterable[_Value]) -> list[_Value]:
    """Values in their order, each once."""
    return list(dict.fromkeys(values))
