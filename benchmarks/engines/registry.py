"""Which engines there are. On the command line, one is ``NAME`` or ``NAME:option=value,...``."""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from benchmarks.engines.protocol import Engine, TokenTable

__all__ = ["ENGINES", "Spec", "available", "create", "installed", "parse_spec"]


@dataclass(frozen=True, slots=True)
class _Entry:
    """Where an engine is, and what can be chosen of it.

    Attributes:
        adapter: the adapter's module.
        package: the package that it imports.
        distribution: what has this package.
        options: those of the adapter, by name: their values with bars between, the default first. ``N`` is
            any number.
    """

    adapter: str
    package: str
    distribution: str
    options: Mapping[str, str] = field(default_factory=dict)

    @property
    def options_told(self) -> str:
        """The options as messages tell them."""
        return ", ".join(f"{name}={values}" for name, values in self.options.items()) or "no options"


_MASKWRIGHT = {
    "order": "any|declared",
    "warm": "0|N|all",
    "tools": "calls|tags",
    "simplify_grammar": "on|off",
    "lazy_states": "on|off",
    "stack_automaton": "on|off",
    "signatures": "on|off",
    "pool": "on|off",
}
_LLGUIDANCE = {"coerce": "off|on", "tools": "lark|structtag"}

ENGINES: Mapping[str, _Entry] = {
    "maskwright": _Entry("maskwright_engine", "maskwright", "maskwright", _MASKWRIGHT),
    "llguidance": _Entry("llguidance_engine", "llguidance", "llguidance", _LLGUIDANCE),
    "glrmask": _Entry("glrmask_engine", "glrmask", "glrmask", {"strategy": "auto|dwa|trie"}),
    "xgrammar": _Entry("xgrammar_engine", "xgrammar", "xgrammar", {"strict": "off|on"}),
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
        ValueError: there is no such engine or option, or it has not this value.
    """
    name, _, rest = text.partition(":")
    if name not in ENGINES:
        raise ValueError(f"there is no engine {name!r}; there are {', '.join(ENGINES)}")
    options = []
    for word in filter(None, rest.split(",")):
        option, _, value = word.partition("=")
        values = ENGINES[name].options[option].split("|") if option in ENGINES[name].options else []
        if value not in values and not ("N" in values and value.isdecimal()):
            raise ValueError(f"{text!r} has {word!r}, but {name} has {ENGINES[name].options_told}")
        options.append((option, value))
    return Spec(name, tuple(options))


def available(name: str) -> bool:
    """Whether the package of an engine is installed."""
    return importlib.util.find_spec(ENGINES[name].package) is not None


def installed(texts: Iterable[str]) -> list[Spec]:
    """Reads specifications; those of engines that are not installed are named and left out.

    Raises:
        ValueError: as :func:`parse_spec`; or one is there twice.
    """
    specs = [parse_spec(text) for text in texts]
    if twice := [str(spec) for spec in specs if specs.count(spec) > 1]:
        raise ValueError(f"{twice[0]} is there twice")
    for missing in sorted({spec.name for spec in specs if not available(spec.name)}):
        print(f"{missing} is not installed and left out", file=sys.stderr)
    return [spec for spec in specs if available(spec.name)]


def create(spec: Spec, table: TokenTable) -> Engine:
    """Imports an engine and gives it a vocabulary."""
    adapter = importlib.import_module(f"benchmarks.engines.{ENGINES[spec.name].adapter}")
    engine: Engine = adapter.create(table, dict(spec.options))
    return engine
