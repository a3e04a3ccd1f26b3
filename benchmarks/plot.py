"""Draws the saved results of ``json_by_gbnf`` for the README, by matplotlib."""

from __future__ import annotations

import json
from pathlib import Path

FOLDER = Path(__file__).parent
COLOURS = {"maskwright": "#d1495b", "llguidance": "#30638e"}


def main() -> None:
    """Reads ``results/json-by-gbnf.json`` and writes ``docs/json-by-gbnf.svg``."""
    import matplotlib as mpl  # noqa: PLC0415 - an optional package

    mpl.use("Agg")
    mpl.rcParams["svg.hashsalt"] = "maskwright"
    from matplotlib import pyplot  # noqa: PLC0415 - an optional package

    results = json.loads((FOLDER / "results" / "json-by-gbnf.json").read_text(encoding="utf-8"))
    labels = [f"p{percentile:g}" if percentile < 100 else "max" for percentile in results["percentiles"]]
    kinds = {"TTFM": "first mask", "TBM cold": "between masks, cold", "TBM warm": "between masks, warm"}
    figure, panels = pyplot.subplots(1, len(kinds), figsize=(10, 3.2), sharey=True)
    for panel, (kind, title) in zip(panels, kinds.items(), strict=True):
        for engine, values in results["microseconds"].items():
            panel.plot(labels, values[kind], marker="o", label=engine, color=COLOURS.get(engine))
        panel.set_yscale("log")
        panel.set_title(title)
        panel.grid(visible=True, which="major", alpha=0.3)
    panels[0].set_ylabel("microseconds")
    panels[0].legend(frameon=False)
    figure.tight_layout()
    figure.savefig(FOLDER.parent / "docs" / "json-by-gbnf.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
