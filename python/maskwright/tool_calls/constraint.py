"""Tool calls as a user sees them: tools and a format in, grammar, parser and renderer out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, Literal, SupportsIndex

from maskwright.budget import Budget
from maskwright.checking import did_you_mean, flag, in_order, integer, string, told
from maskwright.composition import MOST_REPETITIONS
from maskwright.errors import ToolCallError, ToolCallSyntaxError
from maskwright.grammar import Grammar
from maskwright.json_schema import SchemaInput, Whitespace
from maskwright.tool_calls.arguments import ArgumentOptions
from maskwright.tool_calls.choice import ToolChoice, choice_of
from maskwright.tool_calls.given_calls import call_of
from maskwright.tool_calls.headers import Headers, check_names
from maskwright.tool_calls.layout import ToolCallFormat
from maskwright.tool_calls.message_grammar import MessageGrammar, ReasoningRule
from maskwright.tool_calls.messages import CallStarted, Message, ToolCall
from maskwright.tool_calls.parts import fixed_text
from maskwright.tool_calls.pieces import naming
from maskwright.tool_calls.registry import get_format
from maskwright.tool_calls.render import RenderedMessage, render_message
from maskwright.tool_calls.response_form import form_of
from maskwright.tool_calls.streaming import StreamingParser
from maskwright.tools import Tool, ToolInput, tools_from
from maskwright.vocabulary import Vocabulary

__all__ = ["ToolCalls"]

_MODES = ("off", "auto", "forced")
"""What `reasoning` may be."""


class ToolCalls:
    r"""Some tools in the format of a family of models. Immutable.

    Grammar, parser and renderer come from one description of the format, so that what the grammar lets a
    model write is what the parser reads. The exceptions are bounds that no grammar holds to: numbers with
    more than 4,300 digits in a row, integers written with an exponent that have more digits than that, other
    numbers that no `float` can hold, and arguments nested more than 190 levels deep are each a
    :class:`maskwright.ToolCallSyntaxError` in every format. Where a schema says that a number is an integer,
    it is read as an `int` however it is written, as in ``1e3``. In three places, moreover, the grammar cannot
    keep a text free of the name of the special token that ends it, which a parser takes for the token:
    reasoning with a budget, content with a `response_format` where a token ends the content, and the text of
    a custom tool with a grammar other than a plain regular expression.

    Example:
        >>> import maskwright as mw
        >>> def weather(city: str, days: int = 1) -> str:
        ...     "The forecast for a city."
        >>> calls = mw.ToolCalls([weather], format="hermes")
        >>> text = calls.render([{"name": "weather", "arguments": {"city": "Rome"}}], content="Let me look.")
        >>> print(text)
        Let me look.
        <tool_call>
        {"name": "weather", "arguments": {"city": "Rome"}}
        </tool_call>
        >>> calls.parse(text).calls[0].arguments
        {'city': 'Rome'}
        >>> grammar = calls.grammar()                        # for Compiler.compile
    """

    def __init__(  # noqa: PLR0913 - one keyword for each choice
        self,
        tools: ToolInput | Iterable[ToolInput],
        format: str | ToolCallFormat,
        *,
        tool_choice: ToolChoice = "auto",
        parallel: bool = True,
        reasoning: Literal["off", "auto", "forced"] = "auto",
        reasoning_opened: bool | None = None,
        reasoning_budget: SupportsIndex | None = None,
        response_format: SchemaInput | Grammar | None = None,
        whitespace: Whitespace | Literal["free", "compact", "none", "spaced"] = "free",
        order: Literal["declared", "any"] = "declared",
        minimal_escapes: bool = False,
        plain_numbers: bool = False,
        enforce_formats: bool = True,
        typed_special_tokens: bool = False,
        budget: Budget | None = None,
    ) -> None:
        """Puts tools and a format together.

        Args:
            tools: the tools, in any form that :func:`maskwright.tools_from` reads. What is made of a
                :class:`maskwright.Tool` is kept with it for further sets.
            format: the name of a format, or one of your own.
            tool_choice: ``"auto"``: prose, calls, or both, as the format has it. ``"none"``: no calls.
                ``"required"``: at least one call, and no prose. ``{"name": ...}``: the same, of that tool. A
                list of names: as auto, of these tools. What OpenAI's and Anthropic's interfaces have in its
                place is read too, and None is as auto.
            parallel: whether there may be several calls, where the format has them; there may not, either,
                where Anthropic's choice has `disable_parallel_tool_use`.
            reasoning: whether the model may think first, as the format writes it; ``"off"``: it never does;
                ``"forced"``: it must.
            reasoning_opened: whether the prompt ends inside the reasoning, so that the text begins there;
                None for what the family's generation prompt does.
            reasoning_budget: the greatest number of tokens of one stretch of reasoning. Its end has to be a
                special token of the vocabulary.
            response_format: what the content must look like where there is any, instead of prose: a JSON
                Schema in any form, a grammar, or what OpenAI's interfaces have: ``{"type": "json_schema",
                ...}``, whose schema is kept to whatever it says of `strict`, ``{"type": "json_object"}``,
                and ``{"type": "text"}``, which is prose, as None is. What opens a call of one of the tools,
                up to its arguments, is read as a call nevertheless.
            whitespace: the white space within JSON, as for :meth:`maskwright.Grammar.json_schema`.
            order: the order of the members of JSON objects, likewise.
            minimal_escapes: whether strings in JSON hold only the escapes that they need, likewise.
            plain_numbers: whether integers have no fraction and numbers no exponent, likewise.
            enforce_formats: whether ``format`` is enforced in schemas.
            typed_special_tokens: whether special tokens of the format are written as text, for a vocabulary
                that does not have them.
            budget: limits on each schema, and on each grammar that is made of others.

        Raises:
            ToolError: a tool is not one.
            ToolCallError: there is no such format, choice or form of the content, or the format cannot do
                what is asked for, as where content begins as a call of a tool would.
            GrammarError: `whitespace` or `order` is none of those that there are.
            TypeError: an argument is of another type.
        """
        self._layout = get_format(format)
        self._tools = {tool.name: tool for tool in tools_from(tools)}
        check_names(self._layout, self._tools)
        self._choice = choice_of(tool_choice, self._tools)
        self._parallel = flag(parallel, "parallel") and self._choice.parallel
        self._reasoning = self._reasoning_rule(reasoning, reasoning_opened, reasoning_budget)
        self._response_format = form_of(response_format)
        flags = {"minimal_escapes": minimal_escapes, "plain_numbers": plain_numbers}
        self._options = ArgumentOptions(
            *(whitespace, order, enforce_formats, typed_special_tokens, budget),
            further={name: flag(value, name) for name, value in flags.items()},
        )

    def _reasoning_rule(self, mode: str, opened: bool | None, budget: SupportsIndex | None) -> ReasoningRule:
        layout = self._layout
        opened = None if opened is None else flag(opened, "reasoning_opened")
        budget = None if budget is None else integer(budget, "reasoning_budget")
        if budget is not None and not 0 <= budget <= MOST_REPETITIONS:
            raise ToolCallError(
                f"reasoning_budget: {told(budget)} is no number of tokens; give 0 to {MOST_REPETITIONS}, "
                "or None for no limit",
                location="reasoning_budget",
            )
        if not isinstance(mode, str) or mode not in _MODES:
            raise ToolCallError(
                f"reasoning: {told(mode)} is none of 'off', 'auto' and 'forced'{did_you_mean(mode, _MODES)}",
                location="reasoning",
            )
        if layout.reasoning is None:
            if mode == "forced" or opened or budget is not None:
                raise ToolCallError(
                    f"reasoning: messages of the format {layout.name!r} have none", location="reasoning"
                )
            return ReasoningRule("off", opened=False, budget=None)
        if mode == "off":
            if opened:
                raise ToolCallError(
                    "reasoning_opened: the prompt cannot end inside the reasoning where there is none; end "
                    "it "
                    "in the prompt, or leave reasoning on",
                    location="reasoning_opened",
                )
            return ReasoningRule("off", opened=False, budget=None)
        is_open = layout.reasoning_opened if opened is None else opened
        return ReasoningRule("forced" if mode == "forced" else "auto", opened=is_open, budget=budget)

    @property
    def format(self) -> ToolCallFormat:
        """The format."""
        return self._layout

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The tools, in their order."""
        return tuple(self._tools.values())

    @cached_property
    def _headers(self) -> Headers:
        """How calls of all tools begin; also of those that may not be called."""
        has_form = self._response_format is not None
        return Headers(self._layout, self._tools, content_has_form=has_form)

    @property
    def _prompt(self) -> str:
        """What the generation prompt has written of the message."""
        if self._reasoning.opened and self._layout.reasoning is not None:
            return fixed_text(self._layout.reasoning.begin)
        return fixed_text(self._layout.prompt)

    def grammar(self) -> Grammar:
        """The grammar of the texts that the model may write after the generation prompt. Made once.

        Raises:
            SchemaError, UnsupportedFeatureError: the schema of a tool, or of `response_format`, cannot be
                enforced. The message begins with whose it is, and `location` is the place in it.
            EmptyGrammarError: no value satisfies such a schema.
            GrammarSyntaxError: `response_format` is a text that is not JSON.
            ToolCallError: the same, for what is no part of the schema.
            BudgetExceededError: a schema is too large.

        Example:
            >>> import maskwright as mw
            >>> letters = [bytes([letter]) for letter in range(128)]
            >>> vocabulary = mw.Vocabulary.from_tokens([*letters, None], stop_ids=[128])
            >>> calls = mw.ToolCalls([mw.Tool("now")], format="llama3", tool_choice="required")
            >>> matcher = mw.Compiler(vocabulary).compile(calls.grammar()).matcher()
            >>> matcher.accept_bytes(b'{"name": "no'), matcher.accept_bytes(b"ne"), matcher.accept_bytes(b"w")
            (True, False, True)
        """
        made: Grammar | None = self.__dict__.get("_grammar")
        if made is None:
            chosen = {name: self._tools[name] for name in self._choice.names}
            maker = MessageGrammar(
                self._layout,
                chosen,
                self._options,
                self._choice.mode,
                self._reasoning,
                parallel=self._parallel,
            )
            message = Grammar._described(
                maker.message(self._content_grammar(), self._prompt),
                format=self._layout.name,
                tokens=sorted(self._headers.specials),
                budget=self._options.budget,
            )
            # Of threads that make it at once, all get what the first has made.
            made = self.__dict__.setdefault("_grammar", message)
        return made

    def _content_grammar(self) -> Grammar | None:
        response = self._response_format
        if response is None or isinstance(response, Grammar):
            return response
        with naming("response_format"):
            return Grammar.json_schema(response, **self._options.for_schemas)

    def parser(self, *, vocabulary: Vocabulary | None = None) -> StreamingParser:
        """A parser for one message that is still being written.

        Args:
            vocabulary: the vocabulary of the tokens, where tokens are to be fed.

        Raises:
            TypeError: it is no vocabulary.

        Example:
            >>> import maskwright as mw
            >>> parser = mw.ToolCalls([mw.Tool("now")], format="hermes").parser()
            >>> parser.feed("It is ")
            [ContentDelta(text='It is ')]
        """
        if vocabulary is not None and not isinstance(vocabulary, Vocabulary):
            raise TypeError(f"vocabulary is a maskwright.Vocabulary, not {type(vocabulary).__name__}")
        return StreamingParser(
            self._layout,
            self._headers,
            prompt=self._prompt,
            reads_reasoning=self._reasoning.mode != "off",
            vocabulary=vocabulary,
        )

    def parse(self, text: str | bytes) -> Message:
        """What a text means.

        Only the layout is read, so that a message written without a constraint can be read, too: arguments
        are not checked against their schemas, and prose may stand after a call, which no constraint allows.

        Args:
            text: what the model wrote after the generation prompt, special tokens spelled by their names. The
                stop token that ended it is no part of it, such as ``<|im_end|>``: its name would be content,
                unless it is an ending of the format, such as ``<|call|>``.

        Raises:
            ToolCallSyntaxError: it is no message of the format; it says where. A text that was cut off is
                none: see `Message.is_complete`.
            TypeError: it is no text.

        Example:
            >>> import maskwright as mw
            >>> calls = mw.ToolCalls([mw.Tool("now")], format="pythonic")
            >>> calls.parse("[now()]").calls
            (ToolCall(name='now', arguments={}, raw='', id=None),)
            >>> calls.parse("[now(").is_complete
            False
        """
        parser = self.parser()
        parser.feed(text)
        parser.finish()
        return parser.message

    def render(
        self,
        calls: Sequence[ToolCall | dict[str, Any]] = (),
        *,
        content: str | None = "",
        reasoning: str | None = None,
    ) -> str:
        """The text of a message, as a model of the family writes it after the generation prompt.

        Args:
            calls: the calls; ``{"name": ..., "arguments": ..., "id": ...}`` will do, and so will what
                OpenAI's messages have in `tool_calls`. Identifiers are left out where the format has no place
                for any, or calls need none and these are not of its form.
            content: the prose, which comes before calls; None, as OpenAI's messages have it, for none.
            reasoning: the reasoning.

        Raises:
            ToolCallError: the format cannot hold such a message; it says why.
            TypeError: an argument is of another type.

        Example:
            >>> import maskwright as mw
            >>> calls = mw.ToolCalls([mw.Tool("now")], format="pythonic")
            >>> text = calls.render([{"name": "now", "arguments": {}}])
            >>> text
            '[now()]'
            >>> message = calls.parse(text).for_openai()
            >>> calls.render(message["tool_calls"], content=message["content"])
            '[now()]'
        """
        content = string("" if content is None else content, "content")
        string("" if reasoning is None else reasoning, "reasoning")
        written = render_message(
            self._layout,
            self._tools,
            [call_of(call) for call in in_order(calls, "calls")],
            content=content,
            reasoning=reasoning,
            prompt=self._prompt,
        )
        if content or reasoning:
            self._check_prose(written, content, reasoning or "")
        return written.text

    def _check_prose(self, written: RenderedMessage, content: str, reasoning: str) -> None:
        """Refuses prose that would be read as something else, as where it holds what opens a call.

        Of the calls nothing is read but where the first begins, unless its header leaves that open.
        """
        parser = self.parser()
        try:
            events = parser.feed(written.text[: written.header_end])
            calls_begin = any(isinstance(event, CallStarted) for event in events)
            if not calls_begin:
                parser.feed(written.text[written.header_end :])
                parser.finish()
        except ToolCallSyntaxError as error:
            problem = str(error)
        else:
            message = parser.message
            is_whole = calls_begin or message.is_complete
            if is_whole and (message.content, message.reasoning or "") == (content, reasoning):
                return
            problem = "another message, or a part of one, is read"
        name = self._layout.name
        raise ToolCallError(
            f"format {name!r}: the content or reasoning would be read as something else: {problem}",
            location=name,
        )

    def __repr__(self) -> str:
        return f"ToolCalls({list(self._tools)}, format={self._layout.name!r})"
