"""The headers of modules: one that names more than a third of its parts names all of them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
MOST_LEFT_OUT = 2 / 3
"""A header that leaves out more of its parts is not about them: it may speak of one or two by the way."""


def parts_of_rust(path: Path) -> tuple[str, set[str]]:
    """The code in the header of a file, and its modules, but those of tests."""
    text = path.read_text(encoding="utf-8")
    header = "\n".join(line for line in text.splitlines() if line.startswith("//!"))
    declared = re.findall(r"^((?:#\[.*\]\n)*)(?:pub(?:\(.*?\))? )?mod (\w+);", text, re.MULTILINE)
    modules = {name for attributes, name in declared if "#[cfg(test)]" not in attributes}
    return " ".join(re.findall("`[^`\n]+`", header)), modules


def parts_of_python(path: Path) -> tuple[str, set[str]]:
    """The docstring of a package, and its modules, but the one that runs it."""
    header = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return header, {module.stem for module in path.parent.glob("*.py")} - {"__init__", "__main__"}


def headers() -> Iterator[tuple[Path, str, set[str]]]:
    for path in ROOT.glob("crates/*/src/**/*.rs"):
        yield path, *parts_of_rust(path)
    for folder in ("python", "benchmarks"):
        for path in ROOT.glob(f"{folder}/**/__init__.py"):
            yield path, *parts_of_python(path)


HEADERS = {str(path.relative_to(ROOT)): (header, modules) for path, header, modules in headers() if modules}


@pytest.mark.parametrize("path", sorted(HEADERS))
def test_a_header_that_names_its_modules_names_all_of_them(path: str) -> None:
    header, modules = HEADERS[path]
    left_out = {module for module in modules if not re.search(rf"\b{module}\b", header)}
    assert not left_out or len(left_out) / len(modules) >= MOST_LEFT_OUT


def test_headers_with_tables_are_found() -> None:
    assert {
        "crates/core/src/expression/mod.rs",
        "crates/core/src/mask/walk.rs",
        "python/maskwright/tool_calls/__init__.py",
        "benchmarks/suite/__init__.py",
    } <= HEADERS.keys()
