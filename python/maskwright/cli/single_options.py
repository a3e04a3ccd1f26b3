"""Commands that refuse an option that is given twice, where it can have one value only.

Typer takes the last value and drops the others without a word.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import typer
from typer.core import TyperCommand

__all__ = ["SingleOptionsCommand"]


class SingleOptionsCommand(TyperCommand):
    """A command each of whose options may be given once, but for those that take several values."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Reads the arguments of a command line.

        Raises:
            typer.BadParameter: an option is given twice that takes one value.
        """
        # The parser says which parameters it met, and how often each.
        _, _, met = self.make_parser(ctx).parse_args(args=list(args))
        for parameter, times in Counter(met).items():
            is_single = parameter.param_type_name == "option" and not getattr(parameter, "multiple", False)
            if is_single and times > 1 and not parameter.is_eager:
                name = max(parameter.opts, key=len)
                raise typer.BadParameter(f"{name} is given {times} times, but has one value; give it once")
        return super().parse_args(ctx, args)
