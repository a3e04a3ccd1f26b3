"""How a case can end: right, wrong, or refused for a stated reason."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

import maskwright as mw

__all__ = ["Outcome", "Refusal", "Verdict", "counts", "judged", "refusal_of"]


class Verdict(StrEnum):
    """How a case ended."""

    RIGHT = "right"
    WRONG_ACCEPT = "wrong accept"
    WRONG_REJECT = "wrong reject"
    REFUSED = "refused"
    """The engine said by a typed error that it does not take the schema."""
    CRASHED = "crashed"
    """The engine raised something that is none of its typed errors."""


@dataclass(frozen=True, slots=True, order=True)
class Refusal:
    """Why an engine gave no answer.

    Attributes:
        kind: the name of the error's class.
        subject: the feature or the budget concerned, or ``""``.
        message: the error's message on one line.
        crashed: whether the error is none that the engine raises on purpose.
    """

    kind: str
    subject: str
    message: str
    crashed: bool = False

    @property
    def verdict(self) -> Verdict:
        """The verdict of every test of a schema that was refused so."""
        return Verdict.CRASHED if self.crashed else Verdict.REFUSED

    @property
    def reason(self) -> str:
        """The class and the subject: what tables count by."""
        return f"{self.kind}: {self.subject}" if self.subject else self.kind

    def __str__(self) -> str:
        return f"{self.reason}: {self.message}"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of one case, with the refusal where it was refused."""

    verdict: Verdict
    refusal: Refusal | None = None

    @property
    def reason(self) -> str:
        """The refusal in words; empty where there was an answer."""
        return str(self.refusal) if self.refusal else ""


def judged(*, expected: bool, accepted: bool) -> Outcome:
    """The outcome of a test that the engine answered."""
    if expected == accepted:
        return Outcome(Verdict.RIGHT)
    return Outcome(Verdict.WRONG_ACCEPT if accepted else Verdict.WRONG_REJECT)


def refusal_of(error: BaseException) -> Refusal:
    """What an error says, without what differs from run to run."""
    kind = type(error).__name__
    message = " ".join(str(error).split())
    match error:
        case mw.UnsupportedFeatureError():
            return Refusal(kind, error.feature, message)
        case mw.BudgetExceededError():
            return Refusal(kind, error.budget, re.sub(r"\d+(\.\d+)?", "N", message))
        case mw.MaskwrightError():
            return Refusal(kind, "", message)
        case _:
            return Refusal(kind, "", message, crashed=True)


def counts(outcomes: Iterable[Outcome]) -> Counter[Verdict]:
    """How many outcomes there are of each verdict."""
    return Counter(outcome.verdict for outcome in outcomes)
