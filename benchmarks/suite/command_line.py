"""What is asked for on a command line, checked before anything runs."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Collection, Sequence

from benchmarks.engines import Spec, installed

__all__ = ["at_least", "engines_of", "refuse_what_has_no_meaning"]


def at_least(least: float, kind: type[int] | type[float] = int) -> Callable[[str], float]:
    """What reads a number of the command line that is not less.

    Example:
        >>> at_least(1)("20")
        20
    """

    def read(text: str) -> float:
        value = kind(text)
        if value < least or not math.isfinite(value):
            raise argparse.ArgumentTypeError(f"it must be {least:g} or more, not {text}")
        return value

    read.__name__ = "number" if kind is float else "whole number"  # by which argparse tells what is none
    return read


def engines_of(parser: argparse.ArgumentParser, texts: Sequence[str]) -> list[Spec]:
    """The engines asked for that are installed; leaves with a message where that makes no run."""
    try:
        specs = installed(texts)
    except ValueError as error:
        parser.error(str(error))
    if not specs:
        parser.error("none of the engines is installed")
    return specs


def refuse_what_has_no_meaning(
    parser: argparse.ArgumentParser, arguments: argparse.Namespace, names: Collection[str], where: str
) -> None:
    """Leaves with a message where one of some options was given, to something that would pay it no heed."""
    for name in sorted(names):
        if getattr(arguments, name) != parser.get_default(name):
            parser.error(f"{where} has no --{name}")
