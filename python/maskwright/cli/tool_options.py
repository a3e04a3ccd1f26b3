"""The tools of a conversation on the command line.

Takes option values and gives :class:`maskwright.ToolCalls`: the grammar of what the model may write, and the
parser of what it wrote; and gives the words that tell the model of its tools.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from maskwright import Grammar, Tool, ToolCalls, nested_json
from maskwright.checking import did_you_mean
from maskwright.errors import GrammarError, ToolCallError
from maskwright.tool_calls import ToolCall, format_names

from .display import warn
from .grammar_options import GrammarChoice, GrammarOptions
from .input_files import NamedFile, read_text, refuse_two_standard_inputs, told_file

__all__ = ["ToolOptions", "choose_grammar", "only_one", "tool_instructions"]

_PANEL = "Tools"
_DEFAULT_FORMAT = "hermes"
_CHOICES = ("auto", "none", "required")
_MOST_REMARKS = 5


@dataclass(frozen=True)
class ToolOptions:
    """The option values of a command whose text may call tools."""

    tools: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="A JSON file with tools, as OpenAI, Anthropic or MCP write them, or - for standard input; "
            "the model may call them.",
            rich_help_panel=_PANEL,
        ),
    ] = None
    tool_format: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help=f"How calls are written: {_DEFAULT_FORMAT} by default, or another of the formats "
            f"({', '.join(format_names()[:4])} ...).",
            rich_help_panel=_PANEL,
        ),
    ] = None
    tool_choice: Annotated[
        str | None,
        typer.Option(
            metavar="auto|none|required|TOOL",
            help="Whether the model may call tools (the default), must not, must, or must call this one.",
            rich_help_panel=_PANEL,
        ),
    ] = None

    def files(self) -> list[NamedFile]:
        """Gives the file that is to be read, if any."""
        return [] if self.tools is None else [("--tools", self.tools)]

    def choose(self, *, for_generation: bool) -> ToolCalls | None:
        """Gives the tools in their format, or None where there were none.

        Args:
            for_generation: whether a small model is to write the text, which is kept from thinking, and to
                the white space that it knows best.

        Raises:
            typer.BadParameter: the file is no JSON, or an option needs tools and there are none.
            ToolError: what is in the file is no list of tools.
            ToolCallError: there is no such format or tool.
        """
        if self.tools is None:
            for option, value in (("--tool-format", self.tool_format), ("--tool-choice", self.tool_choice)):
                if value is not None:
                    raise typer.BadParameter(f"{option} needs --tools")
            return None
        try:
            text = read_text(self.tools, "--tools")
            tools = nested_json.loads(text, parse_int=nested_json.exact_integer)
        except (ValueError, RecursionError) as error:
            problem = f"{told_file(self.tools)} cannot be read as JSON: {error}"
            raise typer.BadParameter(problem, param_hint="--tools") from error
        choice = "auto" if self.tool_choice is None else self.tool_choice
        try:
            return ToolCalls(
                tools,
                _DEFAULT_FORMAT if self.tool_format is None else self.tool_format,
                tool_choice=choice if choice in _CHOICES else {"name": choice},
                reasoning="off" if for_generation else "auto",
                whitespace="spaced" if for_generation else "free",
                # A small model need not know any format, so its vocabulary may lack the tokens.
                typed_special_tokens=True,
            )
        except ToolCallError as error:
            if error.location == "tool_choice" and (near := did_you_mean(choice, _CHOICES)):
                error.add_note(f"hint: {choice!r} is no word for --tool-choice and stands for a tool{near}")
            raise


def choose_grammar(grammar: GrammarOptions, tools: ToolOptions, *others: NamedFile) -> GrammarChoice:
    """Gives the grammar that a text is held against: that of the tools, or another.

    Args:
        grammar: the grammar.
        tools: the tools.
        others: what is to be read besides.

    Raises:
        typer.BadParameter: none was given, or both were, or an option is at fault.
        GrammarError: the grammar, or the schema of a tool, cannot be used as it is written.
        ToolError, ToolCallError: as for :meth:`ToolOptions.choose`.
    """
    refuse_two_standard_inputs([*grammar.files(), *tools.files(), *others])
    choice = only_one(grammar.choose(), tools.choose(for_generation=False))
    if choice is None:
        names = ", ".join(grammar.names())
        raise typer.BadParameter(f"a grammar is needed; give one of {names}, or --tools")
    return choice


def only_one(choice: GrammarChoice | None, calls: ToolCalls | None) -> GrammarChoice | None:
    """Gives whichever there is, as a grammar, and says what there is to remark on its schemas.

    Raises:
        typer.BadParameter: there are both.
        GrammarError: the schema of a tool cannot be used as it is written.
    """
    if choice is not None and calls is not None:
        raise typer.BadParameter("--tools and a grammar exclude each other; give one of them")
    if calls is not None:
        choice, remarks = GrammarChoice(calls.grammar()), _remarks_on_tools(calls)
    elif choice is not None:
        remarks = [remark.message for remark in choice.grammar.remarks()]
    else:
        return None
    for remark in remarks[:_MOST_REMARKS]:
        warn(f"remark: {remark}", style="dim")
    return choice


def _remarks_on_tools(calls: ToolCalls) -> list[str]:
    remarks: list[str] = []
    for tool in calls.tools:
        # A tool that no arguments satisfy is one; what its schema says is told where it must be called.
        with suppress(GrammarError):
            found = Grammar.json_schema(tool.arguments_schema).remarks() if tool.body is None else []
            remarks += [f"tool {tool.name!r}: {remark.message}" for remark in found]
    return remarks


def tool_instructions(calls: ToolCalls) -> str:
    """Tells a model of its tools, and how a call is written, for models whose chat template does not."""
    described = [json.dumps(_description(tool), ensure_ascii=False) for tool in calls.tools]
    if not described:
        return ""
    first = calls.tools[0]
    example = calls.render([ToolCall(first.name, {} if first.body is None else "...")])
    return "\n".join(["You can call these functions:", *described, "A call is written like this:", example])


def _description(tool: Tool) -> dict[str, Any]:
    """What a model is told of a tool: what it takes is a text where it is a custom one."""
    takes = tool.arguments_schema if tool.body is None else {"type": "string"}
    return {"name": tool.name, "description": tool.description, "parameters": takes}
