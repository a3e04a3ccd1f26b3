"""Cases as data: a grammar, and texts as tokens that it should accept or reject."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum

from benchmarks.engines import Source

__all__ = ["Case", "Outcome", "Text", "Verdict"]


class Verdict(StrEnum):
    """How a text, or a case, ended; a case ends as the worst of its texts, and the worst stands first."""

    CRASH = "crash"
    """The process ended, or ran out of memory."""
    TIMEOUT = "timeout"
    ERROR = "error"
    """A step failed, or a mask and the acceptance of a token contradict each other."""
    REFUSED = "refused"
    """The engine said that it does not take the grammar."""
    WRONG_ACCEPT = "wrong accept"
    WRONG_REJECT = "wrong reject"
    RIGHT = "right"


@dataclass(frozen=True, slots=True)
class Text:
    """A text as tokens, and whether the grammar should accept it."""

    tokens: list[int]
    valid: bool


@dataclass(frozen=True, slots=True)
class Case:
    """A grammar and its texts.

    Attributes:
        name: names the case in results.
        source: the grammar.
        texts: replayed in this order; the first gives the time to the first mask.
        rehearsals: how often all texts are replayed before they are timed.
        renew: whether the engine forgets other grammars first.
        prefill: how long the engine is left alone between compiling and the first mask, as it is while a
            model reads its prompt; in seconds, and not counted.
        between: how many bytes of other memory are read before compiling, after the pause and before each
            step, as a server reads others between two masks of a sequence; that is not counted.
    """

    name: str
    source: Source
    texts: list[Text]
    rehearsals: int = 0
    renew: bool = True
    prefill: float = 0.0
    between: int = 0

    def with_whitespace_fixed(self) -> Case:
        """The same case under the one layout of ``json.dumps``."""
        return replace(self, source=replace(self.source, whitespace="fixed"))


@dataclass(slots=True)
class Outcome:
    """What an engine did with a case. Times in nanoseconds.

    Attributes:
        compile: reading and compiling the grammar, or refusing it.
        first_mask: the same and the first mask; None where there is none.
        steps: accepting a token and filling the next mask, for every token accepted.
        verdicts: one for each text that was reached.
        message: what a refusal, an error or a disagreement says.
    """

    compile: int = 0
    first_mask: int | None = None
    steps: list[int] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)
    message: str = ""

    @property
    def verdict(self) -> Verdict:
        """The worst of the verdicts."""
        order = list(Verdict)
        return min(self.verdicts, key=order.index, default=Verdict.RIGHT)
