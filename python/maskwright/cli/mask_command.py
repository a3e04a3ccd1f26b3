"""``maskwright mask``: which tokens may come next?"""

from __future__ import annotations

from typing import Annotated

import typer

from maskwright import Compiler, allocate_mask

from .check_command import describe_replay
from .display import escape
from .grammar_options import GrammarOptions
from .listing import allowed_ids, describe_token
from .replay import Step, replay
from .tool_options import ToolOptions, choose_grammar
from .vocabulary_options import VocabularyOptions

__all__ = ["MASK_HELP", "mask_command"]

MASK_HELP = """List the tokens that may come next after a text.

Each line has the token's id and its text, escaped as in Python (b'...' where it is no whole UTF-8);
special and stop tokens are marked. Exit code 1: the text so far is not legal itself.
"""


def mask_command(
    grammar: GrammarOptions,
    tools: ToolOptions,
    tokens: VocabularyOptions,
    *,
    prefix: Annotated[str, typer.Option(metavar="TEXT", help="The text so far.")] = "",
    limit: Annotated[int, typer.Option(min=0, help="List at most this many tokens; 0: all.")] = 20,
) -> None:
    """Does what its help says."""
    choice = choose_grammar(grammar, tools)
    vocabulary = tokens.load_vocabulary()
    matcher = choice.compile(Compiler(vocabulary)).matcher()
    text = prefix.encode("utf-8", "surrogateescape")
    steps = [Step(None, text[offset : offset + 1]) for offset in range(len(text))]
    outcome = replay(matcher, steps)
    if outcome.failure is not None:
        typer.echo(describe_replay(outcome, text, steps))
        raise typer.Exit(1)
    mask = allocate_mask(1, vocabulary.size)
    matcher.fill_mask(mask, 0)
    ids = allowed_ids(mask[0], vocabulary.size)
    typer.echo(f"{len(ids)} of {vocabulary.size} tokens may follow {escape(text)}")
    names = {token_id: name for name, token_id in vocabulary.special_tokens.items()}
    shown = ids[:limit] if limit else ids
    for token_id in shown:
        typer.echo(describe_token(vocabulary, token_id, names))
    if len(shown) < len(ids):
        typer.echo(f"... and {len(ids) - len(shown)} more (--limit 0 lists all)")
