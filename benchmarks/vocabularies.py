"""Every vocabulary of the test data, loaded: time and memory."""

from __future__ import annotations

import argparse
import json
from time import perf_counter

import maskwright as mw
from benchmarks.shared_data import FOLDER, data_file, reference_vocabulary

RUNS = 3


def build_milliseconds(vocabulary: mw.Vocabulary) -> float:
    """The time to build a vocabulary from the bytes of its tokens, the best of some runs."""
    tokens = [vocabulary.token_bytes(token_id) for token_id in range(vocabulary.token_count)]
    best = float("inf")
    for _ in range(RUNS):
        start = perf_counter()
        mw.Vocabulary.from_tokens(
            tokens,
            special_tokens=vocabulary.special_tokens,
            stop_ids=vocabulary.stop_ids,
            size=vocabulary.size,
        )
        best = min(best, perf_counter() - start)
    return best * 1000


def main() -> None:
    """Prints a table in Markdown."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    data_file("vocabularies")
    print("| vocabulary | logits | tokens | special | ready in ms | MB |\n|---|--:|--:|--:|--:|--:|")
    for path in sorted(FOLDER.glob("vocabularies/*.meta.json")):
        name = json.loads(path.read_text(encoding="utf-8"))["name"]
        vocabulary = reference_vocabulary(name)
        print(
            f"| {name} | {vocabulary.size} | {vocabulary.token_count} | {len(vocabulary.special_tokens)} "
            f"| {build_milliseconds(vocabulary):.0f} | {vocabulary.memory_bytes / 1e6:.1f} |"
        )


if __name__ == "__main__":
    main()
