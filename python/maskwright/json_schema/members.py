"""The members of the objects that classes and functions describe.

Takes a dataclass, a TypedDict, a NamedTuple or a function and gives the names and types of its members, with
the types resolved where they are written as strings.
"""

from __future__ import annotations

import builtins
import dataclasses
import functools
import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import (
    Annotated,
    Any,
    ClassVar,
    Final,
    NotRequired,
    Required,
    Unpack,
    get_args,
    get_origin,
    get_type_hints,
)

from maskwright.checking import told
from maskwright.errors import SchemaError
from maskwright.json_schema.json_text import json_pointer

__all__ = [
    "Location",
    "Member",
    "alias_value",
    "dataclass_members",
    "named_tuple_members",
    "parameters",
    "schema_error",
    "typed_dict_members",
]

Location = tuple[str | int, ...]
"""The keys and positions that lead to a place in a schema."""


@dataclass(frozen=True, slots=True)
class Member:
    """One member of an object, or one item of a named tuple.

    Attributes:
        name: its key.
        annotation: its type.
        required: whether it must be there.
    """

    name: str
    annotation: Any
    required: bool


def schema_error(problem: str, at: Location) -> SchemaError:
    """An error about a place in the schema that is being made."""
    location = json_pointer(*at)
    return SchemaError(f"{location}: {problem}", location=location)


def dataclass_members(cls: Any, at: Location) -> list[Member]:
    """The fields of a dataclass that its `__init__` takes, ``InitVar`` ones included.

    Raises:
        SchemaError: the type of a field cannot be resolved.
    """
    hints = _class_hints(cls, at)
    members = []
    for name, field in cls.__dataclass_fields__.items():
        hint = _without_final(hints[name])
        if hint is ClassVar or get_origin(hint) is ClassVar or not field.init:
            continue
        if isinstance(hint, dataclasses.InitVar):
            hint = hint.type
        if field.default is not dataclasses.MISSING:
            _refuse_pydantic_default(field.default, (*at, "properties", name))
        required = field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
        members.append(Member(name, hint, required))
    return members


_MARKS = (Required, NotRequired, Annotated)
"""What may stand around the type of a key of a TypedDict, in any order."""


def typed_dict_members(cls: Any, at: Location) -> list[Member]:
    """The keys of a TypedDict.

    Raises:
        SchemaError: the type of a key cannot be resolved.
    """
    members = []
    for name, marked in _class_hints(cls, at).items():
        # `__required_keys__` overlooks marks inside annotations that are strings.
        hint, required = marked, name in cls.__required_keys__
        metadata: tuple[Any, ...] = ()
        while (origin := get_origin(hint)) in _MARKS or str(origin).endswith(".ReadOnly"):
            if origin is Annotated:
                metadata = (*hint.__metadata__, *metadata)
            required = origin is Required or (required and origin is not NotRequired)
            hint = get_args(hint)[0]
        members.append(Member(name, Annotated[hint, *metadata] if metadata else hint, required))
    return members


def alias_value(alias: Any, at: Location) -> Any:
    """What a type alias stands for; those made by the ``type`` statement are evaluated only here.

    What is written as text in it is looked up in the module of the alias.

    Raises:
        SchemaError: it cannot be resolved.
    """

    def holder() -> None: ...

    try:
        holder.__annotations__ = {"value": alias.__value__}
        names = vars(sys.modules.get(alias.__module__, builtins))
        itself = {alias.__name__: alias}
        return get_type_hints(holder, globalns=names, localns=itself, include_extras=True)["value"]
    except Exception as error:  # annotations are code: whatever they raise
        raise _unresolved(alias.__name__, error, at) from error


def named_tuple_members(cls: Any, at: Location) -> list[Member]:
    """The items of a named tuple; without annotations any value will do.

    Raises:
        SchemaError: the type of an item cannot be resolved.
    """
    hints = _class_hints(cls, at)
    return [Member(name, hints.get(name, Any), name not in cls._field_defaults) for name in cls._fields]


def parameters(function: Callable[..., Any], at: Location) -> tuple[list[Member], Any]:
    """The parameters of a function, without those that a method or `functools.partial` has bound already.

    Those of a class are the ones of its `__init__`.

    Returns:
        The parameters, and the type of further keywords: None where there can be none, since no annotation
        of a parameter is None itself after it is resolved.

    Raises:
        SchemaError: the function takes any number of positional arguments, or its signature or the type of a
            parameter cannot be found out.
    """
    try:
        signature = inspect.signature(function)
    except (ValueError, TypeError) as error:
        raise schema_error(f"the signature of {told(function)} cannot be found out ({error})", at) from error
    hints = _parameter_hints(function, signature, at)
    members, further = [], None
    for name, parameter in signature.parameters.items():
        hint = hints.get(name, Any)
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            raise schema_error(
                f"the function takes any number of positional arguments (*{name}), which have no names; "
                "give it a parameter that is a list",
                at,
            )
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            if get_origin(hint) is Unpack and hasattr(get_args(hint)[0], "__required_keys__"):
                members += typed_dict_members(get_args(hint)[0], at)
            else:
                further = hint
            continue
        required = parameter.default is inspect.Parameter.empty
        if not required:
            _refuse_pydantic_default(parameter.default, (*at, "properties", name))
        members.append(Member(name, hint, required))
    return members, further


def _class_hints(cls: type, at: Location) -> dict[str, Any]:
    try:
        try:
            return get_type_hints(cls, include_extras=True)
        except NameError:
            # A class inside a function may still name itself.
            return get_type_hints(cls, localns={cls.__name__: cls}, include_extras=True)
    except Exception as error:  # annotations are code: whatever they raise
        raise _unresolved(cls.__qualname__, error, at) from error


def _parameter_hints(
    function: Callable[..., Any], signature: inspect.Signature, at: Location
) -> dict[str, Any]:
    """The types of the parameters alone: that of the result need not be known."""

    def holder() -> None: ...

    holder.__annotations__ = {
        name: parameter.annotation
        for name, parameter in signature.parameters.items()
        if parameter.annotation is not inspect.Parameter.empty
    }
    innermost: Any = function
    while isinstance(innermost, functools.partial):
        innermost = innermost.func
    if isinstance(innermost, type):
        innermost = innermost.__init__  # type: ignore[misc]  # the class itself was given
    innermost = inspect.unwrap(getattr(innermost, "__func__", innermost))
    try:
        return get_type_hints(holder, globalns=getattr(innermost, "__globals__", {}), include_extras=True)
    except Exception as error:  # annotations are code: whatever they raise
        raise _unresolved(getattr(innermost, "__qualname__", repr(innermost)), error, at) from error


def _unresolved(name: str, error: Exception, at: Location) -> SchemaError:
    return schema_error(
        f"the annotations of {name} cannot be resolved ({type(error).__name__}: {error}); what they name "
        "must be defined at the top of the module",
        at,
    )


def _without_final(hint: Any) -> Any:
    if get_origin(hint) is Final:
        (hint,) = get_args(hint)
    return hint


def _refuse_pydantic_default(default: object, at: Location) -> None:
    """Constraints of a default made by pydantic's ``Field`` would be lost here."""
    if type(default).__module__.partition(".")[0] == "pydantic":
        raise schema_error(
            "the default value is pydantic's Field(...), which only pydantic's own classes read; write "
            "Annotated[type, Field(...)] instead",
            at,
        )
