"""Asking the validator ``jsonschema`` where maskwright and a label disagree."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from benchmarks.json_schema.engines import JsonschemaEngine, Problem

__all__ = ["second_opinion"]


def second_opinion(problem: Problem, value: Any, *, label: bool) -> str:
    """What ``jsonschema`` says of a value whose label differs from maskwright's answer, in words.

    Starts with ``"label"`` where it differs from the label too, so that the label is the likelier mistake.
    """
    engine = JsonschemaEngine()
    try:
        with_formats = engine.compile(problem)(value)
        without = engine.compile(replace(problem, enforce_formats=False))(value)
    except Exception as error:
        return f"jsonschema cannot say: {type(error).__name__}: {error}"[:200]
    if label not in (with_formats, without):
        return "label is wrong by jsonschema too"
    if with_formats != label:
        return "label is wrong by jsonschema too, if formats are enforced"
    return "jsonschema agrees with the label"
