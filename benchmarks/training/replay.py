"""What the training run does with a case, by the calls that a decoding loop makes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import maskwright as mw
from benchmarks.training.cases import Case
from benchmarks.training.tokens import Tokens

__all__ = ["TrainingError", "first_masks", "replay_batch", "replay_cold", "replay_warm"]

DRAFT = 4
"""How many tokens are tried and taken back at a time, as with a draft model."""

DRAFT_EVERY = 16
"""After how many tokens that is done."""


class TrainingError(Exception):
    """A text of a case is not accepted: the case is wrong, or the engine is."""


def first_masks(case: Case, tokens: Tokens, *, count: int) -> None:
    """Reads and compiles the grammar in a fresh compiler and fills the first mask, so often."""
    mask = mw.allocate_mask(1, tokens.vocabulary.size)
    for _ in range(count):
        mw.Compiler(tokens.vocabulary).compile(case.grammar()).matcher().fill_mask(mask)


def replay_cold(case: Case, tokens: Tokens) -> int:
    """Reads and compiles the grammar in a fresh compiler and replays the texts. Returns how many tokens.

    Raises:
        TrainingError: a text is not accepted to its end.
    """
    constraint = mw.Compiler(tokens.vocabulary).compile(case.grammar())
    mask = mw.allocate_mask(1, tokens.vocabulary.size)
    return sum(_replay(constraint, text, case, tokens, mask) for text in case.texts)


def replay_warm(cases: Sequence[Case], tokens: Tokens, *, rounds: int) -> int:
    """Replays the texts of all cases in one compiler so often, with drafts that are taken back.

    Returns how many tokens.

    Raises:
        TrainingError: a text is not accepted to its end.
    """
    compiler = mw.Compiler(tokens.vocabulary)
    constraints = [compiler.compile(case.grammar()) for case in cases]
    mask = mw.allocate_mask(1, tokens.vocabulary.size)
    count = 0
    for _ in range(rounds):
        for case, constraint in zip(cases, constraints, strict=True):
            for text in case.texts:
                count += _replay(constraint, text, case, tokens, mask, draft_every=DRAFT_EVERY)
    return count


def replay_batch(cases: Sequence[Case], tokens: Tokens) -> int:
    """Replays the first text of each case, all of them in one batch. Returns how many tokens.

    Raises:
        TrainingError: a text is not accepted to its end.
    """
    compiler = mw.Compiler(tokens.vocabulary)
    # Those with most tokens first: the rows in use stay the first of the mask.
    rows = sorted(((case, tokens.encode(case.texts[0])) for case in cases), key=lambda row: -len(row[1]))
    matchers = [compiler.compile(case.grammar()).matcher() for case, _ in rows]
    mask = mw.allocate_mask(len(rows), tokens.vocabulary.size)
    mw.fill_masks(matchers, mask)
    for position in range(len(rows[0][1])):
        going = sum(position < len(ids) for _, ids in rows)
        accepted = mw.accept_batch(matchers[:going], [ids[position] for _, ids in rows[:going]])
        if not accepted.all():
            case, ids = rows[int(accepted.argmin())]
            raise _refused(case, ids, position, tokens)
        mw.fill_masks(matchers[:going], mask)
    for (case, ids), matcher in zip(rows, matchers, strict=True):
        if not matcher.is_complete:
            raise _incomplete(case, ids, tokens)
    return sum(len(ids) for _, ids in rows)


def _replay(
    constraint: mw.Constraint, text: str, case: Case, tokens: Tokens, mask: Any, *, draft_every: int = 0
) -> int:
    """Replays a text; after every so many tokens, some are tried and taken back. Returns how many tokens."""
    ids = tokens.encode(text)
    matcher = constraint.matcher()
    matcher.fill_mask(mask)
    for position, token in enumerate(ids):
        if draft_every and position % draft_every == draft_every - 1:
            _draft(matcher, ids[position : position + DRAFT], mask)
        if not matcher.accept(token):
            raise _refused(case, ids, position, tokens)
        matcher.fill_mask(mask)
    if not matcher.is_complete:
        raise _incomplete(case, ids, tokens)
    return len(ids)


def _draft(matcher: mw.Matcher, ids: Sequence[int], mask: Any) -> None:
    """Does with some tokens what speculative decoding does, and takes them back."""
    matcher.validate(ids)
    accepted = 0
    while accepted < len(ids) and matcher.accept(ids[accepted]):
        accepted += 1
        matcher.fill_mask(mask)
    matcher.rollback(accepted)


def _refused(case: Case, ids: Sequence[int], position: int, tokens: Tokens) -> TrainingError:
    before, token = _text(ids[:position], tokens), _text(ids[position : position + 1], tokens)
    return TrainingError(f"{case.name}: {token!r} is not accepted after …{before[-80:]!r}")


def _incomplete(case: Case, ids: Sequence[int], tokens: Tokens) -> TrainingError:
    return TrainingError(f"{case.name}: the text may not end after …{_text(ids, tokens)[-80:]!r}")


def _text(ids: Sequence[int], tokens: Tokens) -> str:
    return b"".join(tokens.vocabulary.token_bytes(token) or b"" for token in ids).decode(errors="replace")
