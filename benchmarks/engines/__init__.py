"""Engines behind one interface, so that all are driven by the same loop."""

from benchmarks.engines.protocol import (
    Batch,
    Compiled,
    Cursor,
    Engine,
    Refused,
    Source,
    TokenTable,
    Whitespace,
)
from benchmarks.engines.registry import ENGINES, Spec, available, create, parse_spec

__all__ = [
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
    "create",
    "parse_spec",
]
