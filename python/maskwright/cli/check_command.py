"""``maskwright check``: does a text fit a grammar, and if not, where does it stop fitting?"""

from __future__ import annotations

from typing import Annotated

import typer

from maskwright import Compiler
from maskwright.checking import counted

from .display import escape, excerpt, join_expected
from .grammar_options import GrammarOptions
from .input_files import read_bytes
from .replay import Failure, Replay, Step, replay, split_into_tokens
from .tool_options import ToolOptions, choose_grammar
from .vocabulary_options import VocabularyOptions

__all__ = ["CHECK_HELP", "check_command"]

CHECK_HELP = """Say whether a text fits a grammar, and if not, where and why it stops fitting.

The text is replayed token by token as the model would write it, or byte by byte where the vocabulary
comes without a tokeniser. Exit code 0: it fits; 1: it does not, or is only the beginning of one
that does; 2: the grammar or an option cannot be used.
"""


def check_command(
    grammar: GrammarOptions,
    tools: ToolOptions,
    tokens: VocabularyOptions,
    *,
    file: Annotated[
        str | None, typer.Argument(metavar="FILE", help="The file with the text; - for standard input.")
    ] = None,
    text: Annotated[
        str | None, typer.Option(metavar="TEXT", help="The text itself, instead of a file.")
    ] = None,
) -> None:
    """Does what its help says."""
    _check_one_text(file, text)
    choice = choose_grammar(grammar, tools, *([] if file is None else [("FILE", file)]))
    # What a shell passes need not be UTF-8; the original bytes come back this way.
    content = read_bytes(str(file), "FILE") if text is None else text.encode("utf-8", "surrogateescape")
    vocabulary = tokens.load_vocabulary()
    matcher = choice.compile(Compiler(vocabulary)).matcher()
    steps = split_into_tokens(content, vocabulary, tokens.load_text_encoder())
    outcome = replay(matcher, steps)
    typer.echo(describe_replay(outcome, content, steps))
    if not outcome.complete:
        raise typer.Exit(1)


def _check_one_text(file: str | None, text: str | None) -> None:
    if (file is None) == (text is None):
        raise typer.BadParameter("give the text either as FILE (- for standard input) or with --text")


def describe_replay(outcome: Replay, text: bytes, steps: list[Step]) -> str:
    """Writes what came of a text.

    Args:
        outcome: what came of it.
        text: all of it.
        steps: the text, split.

    Returns:
        One or more lines.
    """
    by_token = bool(steps) and steps[0].token_id is not None
    size = counted(len(text), "byte") + (f", {counted(len(steps), 'token')}" if by_token else "")
    if outcome.failure is not None:
        return _describe_failure(outcome.failure, text, outcome.expected)
    if outcome.complete:
        return f"accepted: {size}"
    return (
        f"a prefix: {size}; all of it is legal, but the text does not end there\n"
        f"expected next: {join_expected(outcome.expected)}"
    )


def _describe_failure(failure: Failure, text: bytes, expected: list[str]) -> str:
    place = f"line {failure.line}, column {failure.column}"
    token = failure.token
    if token.token_id is not None:
        place += f", in token {failure.step + 1}: {escape(token.data)}, id {token.token_id}"
    lines = [
        f"rejected at byte {failure.offset} ({place})",
        excerpt(text.decode("utf-8", "replace"), failure.line, failure.column),
        f"expected here: {join_expected(expected)}",
    ]
    if text[failure.offset :] in (b"\n", b"\r\n"):
        lines.append("hint: only the line end that closes the text is too much; it counts as part of it")
    return "\n".join(lines)
