"""Draws the percentile curves of a saved result: first masks and masks between tokens, engines side by side.

    python -m benchmarks.plot benchmarks/results/maskbench-free-cold.json docs/maskbench-free-cold.svg

The axis of percentiles is logarithmic in what lies above them, so that p99, p99.9 and p99.99 stand apart.
The drawing has no background, and greys that can be read on white and on black.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
COLOURS = {
    "copy": "#8b949e",
    "maskwright": "#d1495b",
    "llguidance": "#3a86c8",
    "glrmask": "#2a9d5c",
    "xgrammar": "#d98e04",
    "outlines-core": "#9b5de5",
}
INK = "#7d8590"
PANELS = {"TTFM": "first mask (compile included)", "TBM": "between masks (accept and fill)"}
DRAWN = ("maskbench-free-cold", "maskbench-free-warm", "gbnf-cold")
"""The results that are drawn where none is named."""
TICKS = (50, 90, 99, 99.9, 99.99)


def main() -> None:
    """Reads a result and writes an SVG; by default for some results, where they are there."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("result", type=Path, nargs="?", help="a file that benchmarks.suite saved")
    parser.add_argument("svg", type=Path, nargs="?", help="the drawing; by default docs/NAME.svg")
    arguments = parser.parse_args()
    saved = [FOLDER / "results" / f"{name}.json" for name in DRAWN]
    for path in [arguments.result] if arguments.result else filter(Path.exists, saved):
        result = json.loads(path.read_text(encoding="utf-8"))
        if "curve percentiles" in result:
            draw(result, arguments.svg or FOLDER.parent / "docs" / f"{path.stem}.svg")


def draw(result: dict[str, Any], path: Path) -> None:
    """Writes the curves of one result, over the cases that all compared engines have right."""
    import matplotlib as mpl  # noqa: PLC0415 - an optional package

    mpl.use("Agg")
    mpl.rcParams.update({"svg.hashsalt": "maskwright", "svg.fonttype": "none", "font.size": 9})
    from matplotlib import pyplot  # noqa: PLC0415 - an optional package

    figure, panels = pyplot.subplots(1, len(PANELS), figsize=(8.4, 3.2))
    for panel, (kind, title) in zip(panels, PANELS.items(), strict=True):
        for engine, values in result["results"].items():
            name = engine.partition(":")[0]
            if kind in values["curves"] and (engine in result["in common to"]):
                line = "--" if engine != name else "-"
                _curve(
                    panel, result, values, kind, label=engine, color=COLOURS.get(name, INK), linestyle=line
                )
        _finish(panel, title)
    panels[0].set_ylabel("microseconds", color=INK)
    panels[1].legend(frameon=False, labelcolor="linecolor", fontsize=8, loc="upper left")
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None}, transparent=True)
    pyplot.close(figure)


def _curve(panel: Any, result: dict[str, Any], values: dict[str, Any], kind: str, **style: str) -> None:
    """One engine's percentiles, as far as there are samples enough for them."""
    count = values["masks in common"] if kind == "TBM" else result["cases in common"]
    points = [
        (100 / (100 - percentile), value)
        for percentile, value in zip(result["curve percentiles"], values["curves"][kind], strict=True)
        if count * (100 - percentile) >= 100
    ]
    panel.plot(*zip(*points, strict=True), linewidth=1.8, **style)


def _finish(panel: Any, title: str) -> None:
    panel.set_xscale("log")
    panel.set_yscale("log")
    right = panel.get_xlim()[1]
    ticks = [tick for tick in TICKS if 100 / (100 - tick) <= right]
    panel.set_xticks([100 / (100 - tick) for tick in ticks], [f"p{tick:g}" for tick in ticks])
    panel.minorticks_off()
    panel.set_title(title, color=INK, fontsize=10)
    panel.tick_params(colors=INK)
    panel.grid(visible=True, alpha=0.25, color=INK)
    for spine in panel.spines.values():
        spine.set_color(INK)
        spine.set_alpha(0.4)


if __name__ == "__main__":
    main()
