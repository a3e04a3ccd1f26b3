"""From models to grammars: the kinds of formats that hold others, and the walk over all of them.

Takes a :class:`~maskwright.structural_tag.reading.Description` and gives one :class:`maskwright.Grammar`, put
together by the composition of grammars; nothing here knows of bytes, vocabularies or masks.

The function of a kind is a generator: it yields the formats within, as :class:`Inner` ones, and is sent their
grammars. So formats may nest as deep as the budget says, whatever Python's stack holds.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import Any

from maskwright.checking import told
from maskwright.grammar import Grammar
from maskwright.structural_tag.context import Context, Ending, Inner, Token
from maskwright.structural_tag.formats import (
    DispatchFormat,
    LegacyStructuralTag,
    OptionalFormat,
    OrFormat,
    PlusFormat,
    RepeatFormat,
    SequenceFormat,
    StarFormat,
    StructuralTagModel,
    TagFormat,
    TagsWithSeparatorFormat,
    TokenDispatchFormat,
    TokenFormat,
    TokenTriggeredTagsFormat,
    TriggeredTagsFormat,
)
from maskwright.structural_tag.free_regions import (
    TextTag,
    Triggers,
    free_text,
    free_tokens,
    one_of,
    optional,
    unique,
)
from maskwright.structural_tag.leaves import LEAVES, schema_grammar
from maskwright.structural_tag.problems import Place
from maskwright.structural_tag.reading import HARMLESS_TAG, Description

__all__ = ["lower"]

Steps = Generator[Inner, Grammar, Grammar]
"""Makes a grammar out of those of the formats that it yields."""


def lower(description: Description, context: Context) -> Grammar:
    """The grammar of a description.

    Args:
        description: what was read.
        context: what is the same for all its formats.

    Returns:
        The grammar; of no use where the context has problems.

    Raises:
        BudgetExceededError: it is too large, or too much work.
    """
    wanted: Inner | None = Inner(description.format, description.place, Ending())
    begun: list[Steps] = []
    grammar = context.nothing
    while not context.problems.is_full:
        context.limits.check_time()
        if wanted is not None:
            leaf = _LEAVES.get(type(wanted.node))
            if leaf is None:
                begun.append(_STEPS[type(wanted.node)](wanted.node, wanted, context))
                wanted = next(begun[-1])
                continue
            grammar = leaf(wanted.node, wanted, context)
        if not begun:
            break
        try:
            wanted = begun[-1].send(grammar)
        except StopIteration as done:
            begun.pop()
            wanted, grammar = None, done.value
    return grammar


def _sequence(node: SequenceFormat, inner: Inner, context: Context) -> Steps:
    parts = yield from _each(node.elements, inner)
    return context.made(lambda: Grammar.sequence(parts, budget=context.budget), inner.place)


def _or(node: OrFormat, inner: Inner, context: Context) -> Steps:
    parts = yield from _each(node.elements, inner)
    return context.made(lambda: one_of(parts, context.budget), inner.place)


def _each(elements: Sequence[StructuralTagModel], inner: Inner) -> Generator[Inner, Grammar, list[Grammar]]:
    parts = []
    for at, element in enumerate(elements):
        parts.append((yield inner.within(element, "elements", at)))
    return parts


def _optional(node: OptionalFormat, inner: Inner, context: Context) -> Steps:
    content = yield inner.within(node.content, "content")
    return context.made(lambda: optional(content, context.budget), inner.place)


def _plus(node: PlusFormat, inner: Inner, context: Context) -> Steps:
    content = yield inner.within(node.content, "content")
    return context.made(lambda: Grammar.repeat(content, minimum=1, budget=context.budget), inner.place)


def _star(node: StarFormat, inner: Inner, context: Context) -> Steps:
    content = yield inner.within(node.content, "content")
    return context.made(lambda: Grammar.repeat(content, budget=context.budget), inner.place)


def _repeat(node: RepeatFormat, inner: Inner, context: Context) -> Steps:
    content = yield inner.within(node.content, "content")
    maximum = None if node.max == -1 else node.max
    if maximum is not None and node.min > maximum:
        context.problems.add(
            (*inner.place, "max"), f"must be -1 or at least `min`, which is {node.min}; found {maximum}"
        )
        return content
    return context.made(
        lambda: Grammar.repeat(content, minimum=node.min, maximum=maximum, budget=context.budget), inner.place
    )


def _tag(node: TagFormat, inner: Inner, context: Context) -> Steps:
    begin = context.made(lambda: _mark(node.begin, context), (*inner.place, "begin"))
    body = yield from _body(node, inner, context)
    parts = [body] if node.begin == "" else [begin, body]
    return context.made(lambda: Grammar.sequence(parts, budget=context.budget), inner.place)


def _body(tag: TagFormat, inner: Inner, context: Context, *keys: str | int) -> Steps:
    """What follows the beginning of a tag: its content and its end.

    Args:
        tag: the tag.
        inner: the format that it is, or that it stands in.
        context: what is the same for all formats.
        keys: where it stands in that format.
    """
    content = yield inner.within(tag.content, *keys, "content", ending=Ending.of(tag))
    if tag.end == "":
        return content
    ends = unique(tag.end) if isinstance(tag.end, tuple) else [tag.end]
    end = context.made(
        lambda: one_of([_mark(mark, context) for mark in ends], context.budget), (*inner.place, *keys, "end")
    )
    return context.made(
        lambda: Grammar.sequence([content, end], budget=context.budget), (*inner.place, *keys)
    )


def _mark(mark: str | TokenFormat, context: Context) -> Grammar:
    if isinstance(mark, str):
        return context.special.grammar(mark)
    return Grammar.token(mark.token, budget=context.budget)


def _triggered_tags(node: TriggeredTagsFormat, inner: Inner, context: Context) -> Steps:
    tags: list[TextTag] = []
    triggers = Triggers(node.triggers)
    for at, tag in enumerate(node.tags):
        body = yield from _body(tag, inner, context, "tags", at)
        place = (*inner.place, "tags", at, "begin")
        if tag is HARMLESS_TAG:
            continue
        if not isinstance(tag.begin, str):
            context.problems.add(
                place, "must be a string, since triggers are; see `token_triggered_tags` for tokens"
            )
        else:
            tags += _text_tag(tag.begin, triggers, body, place, context)
    forbidden = [*node.triggers, *node.excludes, *inner.ending.texts]
    return _prose_with_tags(
        tags, forbidden, inner, context, starts_with_tag=node.at_least_one, once=node.stop_after_first
    )


def _prose_with_tags(
    tags: list[TextTag],
    forbidden: Sequence[str],
    inner: Inner,
    context: Context,
    *,
    starts_with_tag: bool = False,
    once: bool = False,
) -> Grammar:
    """Prose in which the tags open what follows them; nothing where all tags were wrong, which is noted."""
    if not tags:
        return context.nothing
    return context.made(
        lambda: free_text(
            tags,
            forbidden=forbidden,
            special=context.special,
            budget=context.budget,
            starts_with_tag=starts_with_tag,
            once=once,
        ),
        inner.place,
    )


_OF_A_TRIGGER = "the trigger {}; let the trigger end before it, or begin with it"
_OF_A_PATTERN = (
    "the pattern {}; let the pattern end before it and the format begin with it, or begin with it itself"
)


def _text_tag(
    begin: str,
    triggers: Triggers,
    body: Grammar,
    place: Place,
    context: Context,
    *,
    remedy: str = _OF_A_TRIGGER,
) -> list[TextTag]:
    """The tag of a beginning, or nothing where that is not right, which is noted.

    Args:
        begin: the beginning.
        triggers: the triggers, with one of which it begins.
        body: what follows it.
        place: where it stands.
        context: what is the same for all formats.
        remedy: where a special token stands that is within a trigger, and what to do, with a place for the
            trigger.
    """
    context.limits.check_time()
    trigger = triggers.shortest_of(begin)
    if trigger is None:
        message = f"{begin!r:.80} begins with none of the triggers, {triggers}; add one that it begins with"
        context.problems.add(place, message)
        return []
    special = context.special.first(begin)
    if special is not None and 0 < special.start < len(trigger):
        context.problems.add(
            place,
            f"the special token {special.name!r:.80} stands within " + remedy.format(f"{trigger!r:.80}"),
        )
        return []
    return [TextTag(begin, trigger, body)]


def _legacy(node: LegacyStructuralTag, inner: Inner, context: Context) -> Grammar:
    tags: list[TextTag] = []
    triggers = Triggers(node.triggers)
    for at, structure in enumerate(node.structures):
        schema = True if structure.json_schema is None else structure.json_schema
        value = schema_grammar(schema, inner, context, "structures", at, "schema")
        place = (*inner.place, "structures", at, "begin")
        body = _ended(value, structure.end, (*inner.place, "structures", at, "end"), context)
        tags += _text_tag(structure.begin, triggers, body, place, context)
    return _prose_with_tags(tags, [*node.triggers, *inner.ending.texts], inner, context)


def _ended(value: Grammar, end: str, place: Place, context: Context) -> Grammar:
    """A value and what ends it."""
    return context.made(
        lambda: Grammar.sequence([value, context.special.grammar(end)], budget=context.budget), place
    )


def _token_triggered_tags(node: TokenTriggeredTagsFormat, inner: Inner, context: Context) -> Steps:
    tags: list[tuple[Token, Grammar]] = []
    triggers = frozenset(node.trigger_tokens)
    for at, tag in enumerate(node.tags):
        body = yield from _body(tag, inner, context, "tags", at)
        place = (*inner.place, "tags", at, "begin")
        if tag is HARMLESS_TAG:
            continue
        if not isinstance(tag.begin, TokenFormat):
            context.problems.add(
                place, "must be a token, since triggers are; see `triggered_tags` for strings"
            )
        elif tag.begin.token not in triggers:
            message = (
                f"{told(tag.begin.token):.80} is not among `trigger_tokens`; add it, written the same way"
            )
            context.problems.add((*place, "token"), message)
        else:
            tags.append((tag.begin.token, body))
    if not tags:
        return context.nothing
    forbidden = [*node.trigger_tokens, *node.exclude_tokens, *inner.ending.tokens]
    return context.made(
        lambda: free_tokens(
            tags,
            forbidden=forbidden,
            budget=context.budget,
            starts_with_tag=node.at_least_one,
            once=node.stop_after_first,
        ),
        inner.place,
    )


def _tags_with_separator(node: TagsWithSeparatorFormat, inner: Inner, context: Context) -> Steps:
    tags = []
    for at, tag in enumerate(node.tags):
        tags.append((yield inner.within(tag, "tags", at)))
    separator = None
    if node.separator:
        place = (*inner.place, "separator")
        separator = context.made(lambda: context.special.grammar(node.separator), place)
    minimum, maximum = int(node.at_least_one), 1 if node.stop_after_first else None
    return context.made(
        lambda: Grammar.repeat(
            one_of(tags, context.budget),
            minimum=minimum,
            maximum=maximum,
            separator=separator,
            budget=context.budget,
        ),
        inner.place,
    )


def _dispatch(node: DispatchFormat, inner: Inner, context: Context) -> Steps:
    tags: list[TextTag] = []
    for at, (pattern, content) in enumerate(node.rules):
        body = yield inner.within(content, "rules", at, 1)
        place = (*inner.place, "rules", at, 0)
        tags += _text_tag(pattern, Triggers([pattern]), body, place, context, remedy=_OF_A_PATTERN)
    return _prose_with_tags(tags, node.excludes, inner, context, once=not node.loop)


def _token_dispatch(node: TokenDispatchFormat, inner: Inner, context: Context) -> Steps:
    tags = []
    for at, (token, content) in enumerate(node.rules):
        tags.append((token, (yield inner.within(content, "rules", at, 1))))
    return context.made(
        lambda: free_tokens(
            tags,
            forbidden=node.exclude_tokens,
            budget=context.budget,
            starts_with_tag=False,
            once=not node.loop,
        ),
        inner.place,
    )


_LEAVES: dict[type[StructuralTagModel], Callable[[Any, Inner, Context], Grammar]] = {
    **LEAVES,
    LegacyStructuralTag: _legacy,
}
"""The function of each kind that holds no formats."""

_STEPS: dict[type[StructuralTagModel], Callable[[Any, Inner, Context], Steps]] = {
    SequenceFormat: _sequence,
    OrFormat: _or,
    OptionalFormat: _optional,
    PlusFormat: _plus,
    StarFormat: _star,
    RepeatFormat: _repeat,
    TagFormat: _tag,
    TriggeredTagsFormat: _triggered_tags,
    TokenTriggeredTagsFormat: _token_triggered_tags,
    TagsWithSeparatorFormat: _tags_with_separator,
    DispatchFormat: _dispatch,
    TokenDispatchFormat: _token_dispatch,
}
"""The function of each kind that holds others, at least one."""
