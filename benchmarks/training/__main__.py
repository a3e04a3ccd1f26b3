"""``python -m benchmarks.training``: replays the cases on the maskwright that is installed."""

from __future__ import annotations

import argparse
import sys
import time

from benchmarks.training.cases import other_cases, schema_cases
from benchmarks.training.replay import TrainingError, first_masks, replay_batch, replay_cold, replay_warm
from benchmarks.training.tokens import Tokens, cl100k_tokens

COLD_ROUNDS = 12
"""Most of the time goes into these: what a text meets first is what a user waits for."""

OTHERS_EVERY = 4
"""In every so many cold rounds the other grammars take part once: most users have JSON Schemas."""

FIRST_MASKS = 6
"""For each cold replay of a schema, so many more that end at the first mask: schemas come with requests."""

WARM_ROUNDS = 24
"""Many, since a warm token takes so little of the time that a few would not be seen beside the cold ones."""


def main() -> None:
    """Runs the training and says how much was replayed; leaves with a message where a text is refused."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.training", description=__doc__)
    parser.add_argument("--rounds", type=int, default=COLD_ROUNDS, help="how often all is replayed cold")
    arguments = parser.parse_args()
    start = time.perf_counter()
    try:
        counts = train(cl100k_tokens(), rounds=arguments.rounds)
    except TrainingError as error:
        sys.exit(f"a case of the training run does not fit: {error}")
    shown = ", ".join(f"{count:,} {kind}" for kind, count in counts.items())
    print(f"trained on {shown} tokens in {time.perf_counter() - start:.0f} s")


def train(tokens: Tokens, *, rounds: int) -> dict[str, int]:
    """Replays all cases. Returns how many tokens of each kind of replay there were.

    Raises:
        TrainingError: a text is not accepted to its end.
    """
    cold = 0
    for turn in range(rounds):
        schemas = schema_cases(turn=turn)
        for case in schemas:
            first_masks(case, tokens, count=FIRST_MASKS)
        others = other_cases(turn) if turn % OTHERS_EVERY == 0 else []
        cold += sum(replay_cold(case, tokens) for case in [*schemas, *others])
    declared = schema_cases(order="declared")
    fixed = schema_cases(white_space="spaced", layouts=["spaced", "escaped"])
    cold += sum(replay_cold(case, tokens) for case in [*declared, *fixed])
    cases = [*schema_cases(), *other_cases()]
    warm = replay_warm(cases, tokens, rounds=WARM_ROUNDS)
    return {"cold": cold, "warm": warm, "batched": replay_batch(cases, tokens)}


if __name__ == "__main__":
    main()
