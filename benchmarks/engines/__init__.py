"""Engines behind one interface, so that all are driven by the same loop."""

from benchmarks.engines.protocol import (
    CALL_TRIGGER,
    Batch,
    Compiled,
    Cursor,
    Engine,
    Refused,
    Source,
    TokenTable,
    Whitespace,
    call_marks,
)
from benchmarks.engines.registry import ENGINES, Spec, available, create, installed, parse_spec

__all__ = [
    "CALL_TRIGGER",
    "ENGINES",
    "Batch",
    "Compiled",
    "Cursor",
    "Engine",
    "Refused",
    "Source",
    "Spec",
    "TokenTable",
    "Whitespace",
    "available",
    "call_marks",
    "create",
    "installed",
    "parse_spec",
]
