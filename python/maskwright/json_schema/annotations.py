"""JSON Schemas of Python's types.

Takes an annotation (a class, ``list[int]``, ``X | None``, ``Literal[...]`` and so on) and gives a schema of
draft 2020-12. Objects are closed: what a class or a function does not name is refused. Classes that have
members become definitions, so that recursive types are references; the outermost one is the root (``"#"``).
"""

from __future__ import annotations

import collections
import datetime
import decimal
import enum
import types
import typing
import uuid
from collections import abc
from collections.abc import Callable
from typing import (
    Annotated,
    Any,
    ForwardRef,
    Literal,
    LiteralString,
    NewType,
    TypeVar,
    Union,
    Unpack,
    get_args,
    get_origin,
)
from urllib.parse import quote

from maskwright.checking import told
from maskwright.json_schema.members import (
    Location,
    Member,
    alias_value,
    dataclass_members,
    named_tuple_members,
    parameters,
    schema_error,
    typed_dict_members,
)
from maskwright.json_schema.options import DRAFTS
from maskwright.json_schema.pydantic_models import (
    has_pydantic_metadata,
    is_pydantic_class,
    is_value_of_class,
    pydantic_schema,
)

__all__ = ["SchemaMaker"]

Schema = dict[str, Any] | bool

_SCALARS: dict[Any, dict[str, Any]] = {
    type(None): {"type": "null"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    decimal.Decimal: {"type": "number"},
    str: {"type": "string"},
    datetime.date: {"type": "string", "format": "date"},
    datetime.time: {"type": "string", "format": "time"},
    datetime.datetime: {"type": "string", "format": "date-time"},
    datetime.timedelta: {"type": "string", "format": "duration"},
    uuid.UUID: {"type": "string", "format": "uuid"},
}
_LISTS = frozenset({list, collections.deque, abc.Sequence, abc.MutableSequence, abc.Collection, abc.Iterable})
_SETS = frozenset({set, frozenset, abc.Set, abc.MutableSet})
_MAPPINGS = frozenset(
    {dict, collections.OrderedDict, collections.defaultdict, abc.Mapping, abc.MutableMapping}
)
_WITHOUT_FORM = frozenset({bytes, bytearray, memoryview, complex})


class SchemaMaker:
    """Makes one schema, with the definitions that it refers to.

    Example:
        >>> SchemaMaker().of_annotation(dict[str, int | None])["additionalProperties"]
        {'anyOf': [{'type': 'integer'}, {'type': 'null'}]}
    """

    def __init__(self) -> None:
        self._definitions: dict[str, Schema] = {}
        self._references: dict[Any, str] = {}
        # Definitions whose names are given away already; kept in a list, so that long chains of classes
        # need no deep recursion.
        self._to_define: list[tuple[str, Callable[[Location], Schema]]] = []

    def of_annotation(self, annotation: Any) -> Schema:
        """The schema of a type.

        Raises:
            SchemaError: there is none; it says at which place in the schema.
        """
        return self._finished(lambda: self._schema(annotation, ()))

    def of_function(self, function: Callable[..., Any]) -> Schema:
        """The schema of an object with a function's arguments.

        Raises:
            SchemaError: there is none; it says at which place in the schema.
        """
        return self._finished(lambda: self._arguments(function, ()))

    def _finished(self, make: Callable[[], Schema]) -> Schema:
        """Makes the root and then all definitions that are referred to."""
        try:
            root = make()
            while self._to_define:
                name, define = self._to_define.pop()
                self._definitions[name] = define(("$defs", name))
        except RecursionError as error:
            raise schema_error("the type is nested too deeply", ()) from error
        if isinstance(root, bool):
            return root
        definitions = {"$defs": self._definitions} if self._definitions else {}
        return {"$schema": DRAFTS["2020-12"], **root, **definitions}

    def _schema(self, annotation: Any, at: Location) -> Schema:
        if annotation is Any or annotation is object:
            return True
        if annotation is None:
            return {"type": "null"}
        origin = get_origin(annotation)
        if origin is None:
            return self._plain(annotation, at)
        return self._parametrised(annotation, origin, get_args(annotation), at)

    def _plain(self, annotation: Any, at: Location) -> Schema:
        """The schema of what has no arguments in brackets."""
        if isinstance(annotation, type):
            return self._class(annotation, at)
        if annotation is LiteralString:
            return dict(_SCALARS[str])
        if isinstance(annotation, str | ForwardRef):
            name = annotation if isinstance(annotation, str) else annotation.__forward_arg__
            raise schema_error(
                f"{told(name)} is the text of a type, and it is not known where its names are defined; give "
                "the type itself, and where it refers to itself make it a class",
                at,
            )
        if isinstance(annotation, NewType):
            return self._schema(annotation.__supertype__, at)
        if _is_alias(annotation):
            return self._defined(
                annotation, at, lambda place: self._schema(alias_value(annotation, place), place)
            )
        if isinstance(annotation, TypeVar):
            raise schema_error(
                f"the type variable {annotation} stands for no type here; use a class that is not generic, "
                "or a pydantic model with its type given",
                at,
            )
        if is_value_of_class(annotation):
            name = type(annotation).__name__
            raise schema_error(f"this is a value of {name} and no type; give the class itself", at)
        return self._by_pydantic(annotation, at)

    def _class(self, cls: Any, at: Location) -> Schema:
        if cls in _SCALARS:
            return dict(_SCALARS[cls])
        if cls in _WITHOUT_FORM:
            raise schema_error(
                f"{cls.__name__} has no form in JSON; use str, with a pattern for the encoding you choose",
                at,
            )
        if is_pydantic_class(cls):
            return self._by_pydantic(cls, at)
        if cls is tuple or cls in _LISTS | _SETS | _MAPPINGS:
            return self._container(cls, cls, (), at)
        define = self._definition(cls)
        return self._by_pydantic(cls, at) if define is None else self._defined(cls, at, define)

    def _definition(self, cls: Any) -> Callable[[Location], Schema] | None:
        """How a class with members is defined; None for other classes."""
        if issubclass(cls, enum.Enum):
            return lambda at: _enumeration(cls, at)
        if hasattr(cls, "__dataclass_fields__"):
            if not cls.__dataclass_params__.init and cls.__init__ is not object.__init__:
                return lambda at: self._arguments(cls, at)
            return lambda at: self._object(dataclass_members(cls, at), at)
        if hasattr(cls, "__required_keys__"):
            return lambda at: self._object(typed_dict_members(cls, at), at)
        if issubclass(cls, tuple) and hasattr(cls, "_fields"):
            return lambda at: self._named_tuple(cls, at)
        return None

    def _parametrised(self, annotation: Any, origin: Any, arguments: tuple[Any, ...], at: Location) -> Schema:
        """The schema of what has arguments in brackets."""
        if origin is Annotated:
            inner, *metadata = arguments
            if has_pydantic_metadata(tuple(metadata)):
                return self._by_pydantic(annotation, at)
            return self._schema(inner, at)
        if origin is Union or origin is types.UnionType:
            return self._any_of(arguments, at)
        if origin is Literal:
            return {"enum": [_literal(value, at) for value in arguments]}
        if origin is type:
            raise schema_error(f"{annotation} is a class, which has no form in JSON; use str", at)
        for mark, kind in (("__dataclass_fields__", "dataclass"), ("__required_keys__", "TypedDict")):
            if hasattr(origin, mark) and not is_pydantic_class(origin):
                raise schema_error(
                    f"{annotation} is a generic {kind} with its types given, which is not supported; use a "
                    f"{kind} that is not generic, or a pydantic model",
                    at,
                )
        return self._container(annotation, origin, arguments, at)

    def _container(self, annotation: Any, origin: Any, arguments: tuple[Any, ...], at: Location) -> Schema:
        """The schema of a list, tuple, set or mapping, with or without the types of its items."""
        if origin in _LISTS:
            return self._list(_checked_count(annotation, arguments, 1, at), at)
        if origin in _SETS:
            return {**self._list(_checked_count(annotation, arguments, 1, at), at), "uniqueItems": True}
        if origin is tuple:
            return self._tuple(annotation, arguments, at)
        if origin in _MAPPINGS:
            return self._mapping(_checked_count(annotation, arguments, 2, at), at)
        return self._by_pydantic(annotation, at)

    def _any_of(self, alternatives: tuple[Any, ...], at: Location) -> Schema:
        return {
            "anyOf": [
                self._schema(alternative, (*at, "anyOf", index))
                for index, alternative in enumerate(alternatives)
            ]
        }

    def _list(self, arguments: tuple[Any, ...], at: Location) -> dict[str, Any]:
        if not arguments:
            return {"type": "array"}
        return {"type": "array", "items": self._schema(arguments[0], (*at, "items"))}

    def _tuple(self, annotation: Any, arguments: tuple[Any, ...], at: Location) -> Schema:
        if annotation is tuple or annotation is typing.Tuple:  # noqa: UP006 - what a user may write
            return {"type": "array"}
        fixed, further = _tuple_items(arguments, at)
        if further and not fixed:
            return self._list(further, at)
        schema = self._items(fixed, len(fixed), at)
        if further:
            schema["items"] = self._schema(further[0], (*at, "items"))
        return schema

    def _named_tuple(self, cls: Any, at: Location) -> Schema:
        members = named_tuple_members(cls, at)
        required = sum(member.required for member in members)
        return self._items(tuple(member.annotation for member in members), required, at)

    def _items(self, annotations: tuple[Any, ...], required: int, at: Location) -> dict[str, Any]:
        """An array with a type of its own for each item."""
        items = [
            self._schema(annotation, (*at, "prefixItems", index))
            for index, annotation in enumerate(annotations)
        ]
        # An empty `prefixItems` is no schema.
        prefix = {"prefixItems": items} if items else {}
        return {"type": "array", **prefix, "items": False, "minItems": required}

    def _mapping(self, arguments: tuple[Any, ...], at: Location) -> Schema:
        if not arguments:
            return {"type": "object"}
        key, value = arguments
        schema: dict[str, Any] = {"type": "object"}
        if key is not str and key is not Any:
            schema["propertyNames"] = self._key(key, (*at, "propertyNames"))
        schema["additionalProperties"] = self._schema(value, (*at, "additionalProperties"))
        return schema

    def _key(self, given: Any, at: Location) -> Schema:
        # What an alias stands for is looked at here, since only that shows whether it is a string.
        key, aliases = given, set()
        while _is_alias(key) and key not in aliases:
            aliases.add(key)
            key = alias_value(key, at)
        if isinstance(key, type) and issubclass(key, enum.Enum):
            names = _enumeration(key, at)
        else:
            names = self._schema(key, at)
        if isinstance(names, dict):
            if names.get("type") == "string":
                return names
            if all(isinstance(value, str) for value in names.get("enum", [None])):
                return names
        raise schema_error(f"keys of JSON objects are strings, and {told(given)} is not; use str", at)

    def _object(self, members: list[Member], at: Location) -> dict[str, Any]:
        return {
            "type": "object",
            "properties": {
                member.name: self._schema(member.annotation, (*at, "properties", member.name))
                for member in members
            },
            "required": [member.name for member in members if member.required],
            "additionalProperties": False,
        }

    def _arguments(self, function: Callable[..., Any], at: Location) -> Schema:
        """An object of what a function takes, or what a class takes to make an object of it."""
        members, further = parameters(function, at)
        schema = self._object(members, at)
        if further is not None:
            schema["additionalProperties"] = self._schema(further, (*at, "additionalProperties"))
        return schema

    def _defined(self, thing: Any, at: Location, define: Callable[[Location], Schema]) -> Schema:
        """A reference to the definition of a class or type alias; the outermost one is the root."""
        if thing not in self._references:
            if at == ():
                self._references[thing] = "#"
                return define(at)
            name = self._unused_name(thing.__name__)
            self._definitions[name] = True
            self._references[thing] = "#/$defs/" + quote(name.replace("~", "~0").replace("/", "~1"))
            self._to_define.append((name, define))
        return {"$ref": self._references[thing]}

    def _unused_name(self, name: str) -> str:
        candidate, number = name, 1
        while candidate in self._definitions:
            number += 1
            candidate = f"{name}_{number}"
        return candidate

    def _by_pydantic(self, annotation: Any, at: Location) -> Schema:
        """What pydantic makes of it, with its definitions among ours."""
        prefix, number = "", 1
        while True:
            schema = pydantic_schema(annotation, prefix, at)
            theirs = {prefix + name: definition for name, definition in schema.pop("$defs", {}).items()}
            if all(
                self._definitions.get(name, definition) == definition for name, definition in theirs.items()
            ):
                self._definitions.update(theirs)
                return schema
            number += 1
            prefix = f"pydantic_{number}."


def _is_alias(annotation: Any) -> bool:
    """Whether it is a type alias with a name of its own, and not generic."""
    return type(annotation).__name__ == "TypeAliasType" and not annotation.__type_params__


def _checked_count(annotation: Any, arguments: tuple[Any, ...], count: int, at: Location) -> tuple[Any, ...]:
    """The types in brackets of a container that has so many of them, or none."""
    if arguments and len(arguments) != count:
        wanted = "one type, of the items" if count == 1 else "two types, of keys and values"
        raise schema_error(f"{annotation} holds {len(arguments)} in brackets, but needs {wanted}", at)
    return arguments


def _tuple_items(arguments: tuple[Any, ...], at: Location) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """The types of the items that a tuple always has, and of those behind where there may be any number."""
    if len(arguments) == 2 and arguments[1] is ...:
        return (), arguments[:1]
    fixed: tuple[Any, ...] = ()
    further: tuple[Any, ...] = ()
    for argument in arguments:
        if argument is ...:
            raise schema_error("in a tuple, ... comes second and last, as in tuple[int, ...]", at)
        if further:
            raise schema_error(
                "a tuple with items behind any number of others has no schema; put those last", at
            )
        inner = _unpacked(argument)
        if inner is None:
            fixed = (*fixed, argument)
            continue
        if get_origin(inner) is not tuple:
            raise schema_error(
                f"{inner} stands for no types here; unpack a tuple, as in *tuple[int, ...]", at
            )
        more, further = _tuple_items(get_args(inner), at)
        fixed = (*fixed, *more)
    return fixed, further


def _unpacked(annotation: Any) -> Any:
    """What stands behind the star of ``*tuple[int, ...]``, or in ``Unpack``; None where there is none."""
    if get_origin(annotation) is Unpack:
        return get_args(annotation)[0]
    return annotation if isinstance(annotation, types.GenericAlias) and annotation.__unpacked__ else None


def _enumeration(cls: type[enum.Enum], at: Location) -> Schema:
    if issubclass(cls, enum.Flag):
        raise schema_error(
            f"{cls.__name__} is a Flag, whose members combine; use int, or a list of an Enum", at
        )
    values = [member.value for member in cls]
    if not values:
        raise schema_error(f"the enumeration {cls.__name__} has no members", at)
    return {"enum": values}


def _literal(value: Any, at: Location) -> Any:
    if isinstance(value, enum.Enum):
        value = value.value
    if isinstance(value, bytes):
        raise schema_error(f"the literal {told(value)} has no form in JSON; use a string", at)
    return value
