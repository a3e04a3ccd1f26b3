"""Which engines there are. On the command line, one is ``NAME`` or ``NAME:option=value,...``."""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from benchmarks.engines.protocol import Engine, TokenTable

__all__ = ["ENGINES", "Spec", "available", "create", "installed", "parse_spec"]


@dataclass(frozen=True, slots=True)
class _Entry:
    """Where an engine is: the adapter's module, the package it imports, and the distribution that has it."""

    adapter: str
    package: str
    distribution: str


ENGINES: Mapping[str, _Entry] = {
    "maskwright": _Entry("maskwright_engine", "maskwright", "maskwright"),
    "llguidance": _Entry("llguidance_engine", "llguidance", "llguidance"),
    "glrmask": _Entry("glrmask_engine", "glrmask", "glrmask"),
    "xgrammar": _Entry("xgrammar_engine", "xgrammar", "xgrammar"),
    "outlines-core": _Entry("outlines_engine", "outlines_core", "outlines-core"),
    "copy": _Entry("copy_engine", "numpy", "numpy"),
}


@dataclass(frozen=True, slots=True)
class Spec:
    """An engine by name, with options for its adapter."""

    name: str
    options: tuple[tuple[str, str], ...] = ()

    @property
    def version(self) -> str:
        """The version installed; an engine that is only on the path has none."""
        try:
            return importlib.metadata.version(ENGINES[self.name].distribution)
        except importlib.metadata.PackageNotFoundError:
            return "not installed, on the path"

    def __str__(self) -> str:
        options = ",".join(f"{key}={value}" for key, value in self.options)
        return f"{self.name}:{options}" if options else self.name


def parse_spec(text: str) -> Spec:
    """Reads ``NAME`` or ``NAME:option=value,...``.

    Raises:
        ValueError: there is no such engine, or an option has no value.
    """
    name, _, rest = text.partition(":")
    if name not in ENGINES:
        raise ValueError(f"there is no engine {name!r}; there are {', '.join(ENGINES)}")
    options = tuple(tuple(option.partition("=")[::2]) for option in rest.split(",") if option)
    if any(not value for _, value in options):
        raise ValueError(f"an option of {text!r} has no value")
    return Spec(name, options)  # type: ignore[arg-type]


def available(name: str) -> bool:
    """Whether the package of an engine is installed."""
    return importlib.util.find_spec(ENGINES[name].package) is not None


def installed(texts: Iterable[str]) -> list[Spec]:
    """Reads specifications; those of engines that are not installed are named and left out.

    Raises:
        ValueError: as :func:`parse_spec`.
    """
    specs = [parse_spec(text) for text in texts]
    for missing in sorted({spec.name for spec in specs if not available(spec.name)}):
        print(f"{missing} is not installed and left out", file=sys.stderr)
    return [spec for spec in specs if available(spec.name)]


def create(spec: Spec, table: TokenTable) -> Engine:
    """Imports an engine and gives it a vocabulary."""
    adapter = importlib.import_module(f"benchmarks.engines.{ENGINES[spec.name].adapter}")
    engine: Engine = adapter.create(table, dict(spec.options))
    return engine
