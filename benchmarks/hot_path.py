"""What a warm token costs in instructions, and on what they are spent: accept, then the mask, by valgrind.

    python -m benchmarks.hot_path

Instructions do not depend on how busy a machine is. The texts of some cases are replayed twice and then five
times under ``valgrind --tool=callgrind``, counting only what the native methods do; the difference is what
three warm replays cost. It needs valgrind, and a native module with symbols, as ``make hot-path`` makes it.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

COUNTED = ("*__pymethod_fill_mask__*", "*__pymethod_accept__*")
FEW, MANY = 2, 5
LINE = re.compile(r"^\s*([\d,]+)\s+\(\s*[\d.]+%\)\s+(.*)$")


def main() -> None:
    """Prints a table of instructions for each token, by function."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--cases", type=int, default=20, help="how many cases of MaskBench")
    parser.add_argument("--replays", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.replays:
        print(_replay(arguments.cases, arguments.replays))
        return
    if not shutil.which("valgrind"):
        sys.exit("this needs valgrind: install the package of that name")
    few, tokens = _count(arguments.cases, FEW)
    many, _ = _count(arguments.cases, MANY)
    many.subtract(few)
    tokens *= MANY - FEW
    total = many.total()
    if total <= 0:
        sys.exit("nothing was counted: the native module has no symbols; `make hot-path` builds one that has")
    print(f"{tokens} warm tokens: {total / tokens:,.0f} instructions for each\n")
    print("| function | instructions a token | share |\n| --- | --: | --: |")
    for name, count in many.most_common(14):
        print(f"| {name} | {count / tokens:,.1f} | {100 * count / total:.1f} % |")


def _replay(cases: int, replays: int) -> int:
    """Replays the texts of some cases so often; returns how many tokens one replay has."""
    import maskwright as mw  # noqa: PLC0415 - only the process that is counted needs it
    from benchmarks.shared_data import reference_vocabulary, token_table  # noqa: PLC0415
    from benchmarks.suite.corpora import maskbench_cases  # noqa: PLC0415

    vocabulary = reference_vocabulary("llama3")
    compiler = mw.Compiler(vocabulary)
    mask = mw.allocate_mask(1, vocabulary.size)
    tokens = 0
    for case in maskbench_cases(token_table("llama3").encode, sample=cases, seed=1):
        try:
            constraint = compiler.compile(mw.Grammar.json_schema(case.source.text))
        except mw.MaskwrightError:
            continue
        for text in (text for text in case.texts if text.valid):
            for _ in range(replays):
                matcher = constraint.matcher()
                for token in text.tokens:
                    matcher.fill_mask(mask)
                    matcher.accept(token)
            tokens += len(text.tokens)
    return tokens


def _count(cases: int, replays: int) -> tuple[Counter[str], int]:
    """The instructions of so many replays by function, and the tokens of one replay."""
    with tempfile.TemporaryDirectory() as folder:
        counts = Path(folder, "counts")
        toggles = [f"--toggle-collect={pattern}" for pattern in COUNTED]
        own = [sys.executable, "-m", "benchmarks.hot_path", f"--cases={cases}", f"--replays={replays}"]
        run = subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={counts}", *toggles, *own],
            check=True,
            capture_output=True,
            text=True,
        )
        table = subprocess.run(
            ["callgrind_annotate", "--auto=no", "--threshold=100", str(counts)],
            check=True,
            capture_output=True,
            text=True,
        )
    found: Counter[str] = Counter()
    for line in table.stdout.splitlines():
        if (match := LINE.match(line)) and "PROGRAM TOTALS" not in line:
            found[_name(match[2])] += int(match[1].replace(",", ""))
    return found, int(run.stdout.split()[-1])


def _name(place: str) -> str:
    """The name of a function without its file, its library and what tells equal names apart."""
    name = place.split(":", 1)[-1].split(" [", 1)[0]
    return re.sub(r"::h[0-9a-f]{16}|'\d+$", "", name)


if __name__ == "__main__":
    main()
