"""The grammar of whole messages: where reasoning, content and calls may come.

Takes the grammars of a layout's parts and a choice, and gives the texts that may follow the generation
prompt. There are two kinds of layout: with prose, which calls end, and with segments that have a beginning
and an end each.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from maskwright.errors import ToolCallError
from maskwright.grammar import Grammar
from maskwright.tool_calls.arguments import ArgumentOptions
from maskwright.tool_calls.layout import ToolCallFormat
from maskwright.tool_calls.layout_grammar import LayoutGrammar
from maskwright.tool_calls.parts import Segment, Special, fixed_text
from maskwright.tools import Tool

__all__ = ["MessageGrammar", "ReasoningRule"]


@dataclass(frozen=True, slots=True)
class ReasoningRule:
    """Whether and how a model thinks.

    Attributes:
        mode: whether it may, must, or never does.
        opened: whether the prompt ends inside the reasoning.
        budget: the greatest number of tokens, or None.
    """

    mode: Literal["off", "auto", "forced"]
    opened: bool
    budget: int | None


class MessageGrammar:
    """Makes the grammar of messages."""

    def __init__(
        self,
        layout: ToolCallFormat,
        tools: Mapping[str, Tool],
        options: ArgumentOptions,
        mode: Literal["auto", "none", "required"],
        reasoning: ReasoningRule,
        *,
        parallel: bool,
    ) -> None:
        self._layout = layout
        self._parts = LayoutGrammar(layout, tools, options, parallel=parallel)
        self._has_calls = bool(tools) and mode != "none"
        self._has_content = mode != "required"
        self._reasoning = reasoning
        self._make = options.pieces

    def message(self, content: Grammar | None, prompt: str) -> Grammar:
        """The grammar of messages.

        Args:
            content: what content must look like, or None for any text.
            prompt: what the generation prompt has written already.

        Raises:
            ToolCallError: there is no message that goes on from the prompt.
        """
        made = self._prose(content, prompt) if self._layout.is_prose else self._segments(content, prompt)
        if made is None:
            raise ToolCallError(
                f"format {self._layout.name!r}: no message goes on from {prompt!r}, which the prompt ends "
                "with",
                location=self._layout.name,
            )
        return made

    def _thinking(self, prompt: str) -> Grammar | None:
        """One stretch of reasoning with its beginning and end."""
        segment = self._layout.reasoning
        if segment is None or self._reasoning.mode == "off":
            return None
        before = [self._make.optional(segment.before)] if segment.before and not prompt else []
        after = [self._make.optional(segment.after)] if segment.after else []
        if self._reasoning.budget is None:
            made = self._parts.segment(segment, None, prompt)
            return None if made is None else self._make.joined([*before, made, *after])
        end = segment.end[0]
        if not isinstance(end, Special) or len(segment.end) > 1 or self._make.typed:
            raise ToolCallError(
                "reasoning_budget: tokens can be counted only where a special token ends the reasoning",
                location="reasoning_budget",
            )
        limits = self._make.budget
        token = Grammar.any_token(except_=[end.name], budget=limits)
        tokens = Grammar.repeat(token, maximum=self._reasoning.budget, budget=limits)
        exact = Segment(segment.begin, (Special(end.name),))
        made = self._parts.segment(exact, tokens, prompt)
        return None if made is None else self._make.joined([*before, made, *after])

    def _prose(self, content: Grammar | None, prompt: str) -> Grammar | None:
        rule = self._reasoning
        if rule.opened:
            thinking = self._thinking(prompt)
            body = self._body(content, "")
            return None if thinking is None or body is None else self._make.joined([thinking, body])
        body = self._body(content, prompt)
        if rule.mode == "off" or body is None:
            return body
        thinking = self._thinking("")
        if thinking is None:
            return body
        begun = thinking if rule.mode == "forced" else self._make.optional(thinking)
        return self._make.joined([begun, body])

    def _body(self, content: Grammar | None, prompt: str) -> Grammar | None:
        """Content and calls of a layout with prose."""
        layout, ways = self._layout, []
        segment = layout.content[0]
        with_tags = (
            content is None and layout.placement == "anywhere" and self._has_calls and self._has_content
        )
        if self._has_calls and not (with_tags and not segment.begin):
            ways.append(self._parts.section(prompt))
        if self._has_content:
            if content is None:
                text = self._text_with_calls() if with_tags else self._text_without_calls()
            else:
                text = content
            ways.append(self._parts.segment(Segment(segment.begin), text, prompt))
        found = [way for way in ways if way is not None]
        return self._make.any_of(found) if found else None

    def _forbidden(self) -> list[str]:
        """What prose must not have in it beside what opens calls: the beginning of reasoning."""
        reasoning = self._layout.reasoning
        return [] if reasoning is None else [fixed_text(reasoning.begin)]

    def _text_with_calls(self) -> Grammar:
        forbidden = [*self._forbidden(), *self._parts.typed_triggers()]
        text = Grammar.free_text(
            tags=self._parts.tags(),
            maximum=1,
            text_after=False,
            forbidden=forbidden,
            budget=self._make.budget,
        )
        others = self._parts.token_ways([*self._forbidden(), *self._parts.triggers()])
        return self._make.any_of([text, *others])

    def _text_without_calls(self) -> Grammar:
        if self._layout.placement == "start":
            openings = self._layout.reserved or "|".join(map(re.escape, self._parts.triggers()))
            reasoning = self._layout.reasoning
            thoughts = () if reasoning is None else reasoning.beginnings
            beginnings = "|".join([openings, *map(re.escape, thoughts)])
            pattern = rf"(?!{beginnings})[\s\S]*"
            return Grammar.regex(pattern, budget=self._make.budget)
        return self._make.rest_of_text([*self._forbidden(), *self._parts.triggers()])

    def _segments(self, content: Grammar | None, prompt: str) -> Grammar | None:
        """Messages whose segments have a beginning and an end each.

        Reasoning and content that are repeated come in any number; then, once, content that calls may follow;
        in the end calls, or content that may be last.
        """
        make, rule, leads = self._make, self._reasoning, self._leads(content)
        final = self._finals(content, "")
        if final is None:
            return None
        repeated = self._repeated(leads)
        # Content that may be last itself is followed by calls alone.
        calls = self._parts.section() if leads else None
        once = [
            (lead, self._behind(repeated, calls if calls is not None and lead.last else final))
            for lead in leads
            if not lead.repeated
        ]
        rest = self._behind(repeated, make.any_of([final, *self._led(once, "")]))
        ways: list[Grammar] = []
        first_thinking = self._thinking(prompt)
        if first_thinking is not None:
            ways.append(make.joined([first_thinking, rest]))
        if rule.mode != "forced" and not rule.opened:
            first_final = self._finals(content, prompt)
            ways += [first_final] if first_final is not None else []
            ways += self._led([*((lead, rest) for lead in leads if lead.repeated), *once], prompt)
        return make.any_of(ways) if ways else None

    def _leads(self, content: Grammar | None) -> list[Segment]:
        """The kinds of content that may stand before calls, or other content.

        They are prose: where the content has a grammar, there are none.
        """
        layout = self._layout
        is_free = self._has_content and content is None and layout.placement == "anywhere"
        return [lead for lead in layout.content if lead.before_calls] if self._has_calls and is_free else []

    def _led(self, leads: list[tuple[Segment, Grammar]], prompt: str) -> list[Grammar]:
        """Messages that begin with one kind of content, each with what follows that."""
        begun = [(self._lead(lead, prompt), following) for lead, following in leads]
        return [self._make.joined([first, following]) for first, following in begun if first is not None]

    def _lead(self, lead: Segment, prompt: str = "") -> Grammar | None:
        """Content before other segments, with the gap that may follow it."""
        gap = [self._make.optional(self._layout.gap)] if self._layout.gap else []
        made = self._parts.segment(lead, None, prompt)
        return None if made is None else self._make.joined([made, *gap])

    def _repeated(self, leads: list[Segment]) -> list[Grammar]:
        """What may come any number of times before the rest of a message."""
        found = [self._lead(lead) for lead in leads if lead.repeated]
        reasoning = self._layout.reasoning
        found += [self._thinking("")] if reasoning is not None and reasoning.repeated else []
        return [made for made in found if made is not None]

    def _behind(self, repeated: list[Grammar], final: Grammar) -> Grammar:
        """What may come any number of times, and the rest of a message."""
        if not repeated:
            return final
        return self._make.joined(
            [Grammar.repeat(self._make.any_of(repeated), budget=self._make.budget), final]
        )

    def _finals(self, content: Grammar | None, prompt: str) -> Grammar | None:
        """The segments that a message may end with."""
        ways = []
        if self._has_content:
            ways += [
                self._parts.segment(segment, content, prompt)
                for segment in self._layout.content
                if segment.last
            ]
        if self._has_calls:
            ways.append(self._parts.section(prompt))
        found = [way for way in ways if way is not None]
        return self._make.any_of(found) if found else None
