"""Tables in Markdown, and results in files."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

__all__ = ["markdown_table", "save_result"]


def markdown_table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table in Markdown, with thousands marked."""
    listed = [[_cell(value) for value in row] for row in rows]
    head = [list(columns), ["---"] * len(columns)]
    return "".join(f"| {' | '.join(row)} |\n" for row in head + listed)


def _cell(value: object) -> str:
    text = f"{value:,}" if isinstance(value, int) else str(value)
    return text.replace("|", "\\|").replace("\n", " ")


def save_result(path: Path, result: Mapping[str, Any]) -> None:
    """Writes a result as JSON, with the date and the machine in front."""
    about = {
        "date": date.today().isoformat(),
        "machine": f"{platform.platform()}, {os.cpu_count()} cores",
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({**about, **result}, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
