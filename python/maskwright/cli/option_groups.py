"""Commands whose options come in groups.

Takes a function with parameters that are dataclasses of Typer options, and gives a function with one
parameter for each of their fields, which is the form that Typer reads. So each command says which groups
it takes, and a group is written down once.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable
from typing import Any, get_type_hints

__all__ = ["with_option_groups"]


def with_option_groups(command: Callable[..., None]) -> Callable[..., None]:
    """Spreads a command's dataclass parameters into their fields.

    Args:
        command: a function; each field of its dataclass parameters is annotated as Typer expects, and
            the names of all fields and other parameters are different.

    Returns:
        A function with keyword parameters only, in the order in which ``--help`` is to show them.

    Example:
        >>> @dataclasses.dataclass
        ... class Size:
        ...     width: int = 1
        >>> @with_option_groups
        ... def show(size: Size, *, name: str) -> None:
        ...     print(name, size.width)
        >>> show(name="box", width=3)
        box 3
    """
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = {}
    parameters: dict[str, inspect.Parameter] = {}
    for parameter in inspect.signature(command).parameters.values():
        hint = hints[parameter.name]
        if dataclasses.is_dataclass(hint):
            groups[parameter.name] = hint
            parameters.update(_field_parameters(hint))
        else:
            parameters[parameter.name] = parameter.replace(
                kind=inspect.Parameter.KEYWORD_ONLY, annotation=hint
            )

    @functools.wraps(command)
    def spread(**values: Any) -> None:
        for name, group in groups.items():
            fields = [field.name for field in dataclasses.fields(group)]
            values[name] = group(**{field: values.pop(field) for field in fields})
        command(**values)

    signature = inspect.Signature(list(parameters.values()))
    spread.__signature__ = signature  # type: ignore[attr-defined]
    spread.__annotations__ = {name: parameter.annotation for name, parameter in parameters.items()}
    # Typer would follow this to the original function and its dataclasses.
    del spread.__wrapped__
    return spread


def _field_parameters(group: Any) -> dict[str, inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    return {
        field.name: inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if field.default is dataclasses.MISSING else field.default,
            annotation=hints[field.name],
        )
        for field in dataclasses.fields(group)
    }
