"""What pydantic finds wrong with one node, in words and places of the description.

Takes the errors of one class and gives pairs of a place within the node and a message. Where a field may be
of several types, pydantic reports each; only what fits the value that stands there is of use.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any, get_args

from pydantic import AliasChoices, BaseModel, ValidationError
from pydantic_core import ErrorDetails

from maskwright.checking import did_you_mean, told, told_key
from maskwright.structural_tag.formats import REFUSED_VALUES, LegacyStructure, TokenFormat
from maskwright.structural_tag.problems import Place

__all__ = ["field_problems", "json_kind"]

_WRONG_TYPES = {
    "string_type": "a string",
    "int_type": "a whole number",
    "bool_type": "true or false",
    "tuple_type": "a list",
    "dict_type": "an object",
    "model_type": "an object",
    "none_required": "null",
}
"""The types of errors that say that a value is of the wrong type, and the right one."""

_REFUSED_DIGITS = sys.int_info.str_digits_check_threshold
"""The least number of digits that the interpreter, however it is set up, may refuse to read as an `int`."""


def json_kind(value: object) -> str:
    """What a value is in JSON, with an article."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    kinds: list[tuple[type | tuple[type, ...], str]] = [
        (str, "a string"),
        ((int, float, Decimal), "a number"),
        ((list, tuple), "a list"),
        ((Mapping, BaseModel), "an object"),
    ]
    other = f"a value of type {type(value).__name__}"
    return next((name for kind, name in kinds if isinstance(value, kind)), other)


def field_problems(
    kind: type[BaseModel], fields: Mapping[str, Any], error: ValidationError
) -> Iterator[tuple[Place, str]]:
    """The problems of one node, each with its place in the node.

    Args:
        kind: the class of the node.
        fields: what it was validated from.
        error: what pydantic found.
    """
    by_place: dict[Place, list[ErrorDetails]] = {}
    for details in error.errors(include_url=False):
        if details["type"] == "too_short" and details["input"]:
            continue  # it is only that no item of it is right, which is said of each
        by_place.setdefault(_place(fields, details), []).append(details)
    around = {place[:length] for place in by_place for length in range(len(place))}
    for place, found in by_place.items():
        others = [details for details in found if details["type"] not in _WRONG_TYPES]
        for message in dict.fromkeys(_message(_class_within(kind, each["loc"]), each) for each in others):
            yield place, message
        if not others and place not in around:
            wanted = list(dict.fromkeys(_WRONG_TYPES[details["type"]] for details in found))
            expected = wanted[0] if len(wanted) == 1 else ", ".join(wanted[:-1]) + " or " + wanted[-1]
            yield place, f"must be {expected}, found {_found(found[0]['input'], wanted)}"


def _found(value: object, wanted: list[str]) -> str:
    """What stands in place of a value of another type: numbers as they are, since 3.0 is no whole number."""
    # An integer that the interpreter refused to read as an `int` is a decimal, and does not look like one.
    if isinstance(value, Decimal) and value.adjusted() >= _REFUSED_DIGITS and value.as_tuple().exponent == 0:
        limit = ", too many for a whole number here" if _WRONG_TYPES["int_type"] in wanted else ""
        return f"a number of {value.adjusted() + 1} digits{limit}"
    return f"{value!s:.60}" if isinstance(value, float | Decimal) else json_kind(value)


def _place(fields: Mapping[str, Any], details: ErrorDetails) -> Place:
    """Where an error is in the node: pydantic's location without the names of its unions' members."""
    place: list[str | int] = []
    value: Any = fields
    for key in details["loc"]:
        if isinstance(value, BaseModel):
            value = dict(value)
        is_member = isinstance(value, Mapping) and key in value
        if is_member or (isinstance(value, list | tuple) and isinstance(key, int) and key < len(value)):
            place.append(key)
            value = value[key]
    return tuple(place)


_WITHIN: dict[str | int, type[BaseModel]] = {"TokenFormat": TokenFormat, "structures": LegacyStructure}
"""The classes of nodes that stand in others without being formats there, by what pydantic's places say."""


def _class_within(kind: type[BaseModel], location: tuple[str | int, ...]) -> type[BaseModel]:
    """The class that a place in a node is about, when one of the class `kind` was validated."""
    found = (_WITHIN[name] for name in location[:-1] if name in _WITHIN)
    return next(found, kind)


def _message(kind: type[BaseModel], details: ErrorDetails) -> str:
    of = f"`{kind.model_fields['type'].default}`" if "type" in kind.model_fields else "a structure"
    name, context = details["loc"][-1] if details["loc"] else "", details.get("ctx", {})
    found = told(details["input"])[:60]
    match details["type"]:
        case "missing" | "too_long" if isinstance(name, int):
            message = "must be a list of two, a pattern and a format"
        case "string_unicode":
            message = f"the key {found} has a lone surrogate, which is no text; leave it out"
        case "missing":
            message = f"the field `{name}` is missing"
        case "extra_forbidden" if (first := _other_name_of(kind, name)) is not None:
            message = f"`{name}` is another name of `{first}`; leave one of the two out"
        case "extra_forbidden":
            fields = list(_field_names(kind))
            known = ", ".join(f"`{field}`" for field in fields)
            near = did_you_mean(name, fields, "`{}`".format)
            message = f"{of} has no field `{told_key(name):.60}`; it has {known}{near}"
        case "too_short" | "string_too_short":
            message = "must not be empty"
        case "greater_than_equal":
            message = f"must be at least {context.get('ge')}, found {found}"
        case "less_than_equal":
            message = f"must be at most {context.get('le')}, found {found}"
        case "literal_error":
            message = f"must be {_choices(kind, name)}, found {found}"
        case _:
            message = details["msg"][:1].lower() + details["msg"][1:]
    return message


def _choices(kind: type[BaseModel], name: str | int) -> str:
    """The values that a field may have, but for those that are refused then."""
    field = kind.model_fields[str(name)]
    refused = REFUSED_VALUES.get(str(name), frozenset())
    choices = [repr(value) for value in get_args(field.annotation) if value not in refused]
    return " or ".join([", ".join(choices[:-1]), choices[-1]] if len(choices) > 1 else choices)


def _field_names(kind: type[BaseModel]) -> Iterator[str]:
    """The fields of a class by the names that they have in descriptions."""
    return (names[0] for names in _names(kind))


def _other_name_of(kind: type[BaseModel], name: str | int) -> str | None:
    """The usual name of the field that a name is a further one of; None where there is no such field."""
    return next((names[0] for names in _names(kind) if name in names[1:]), None)


def _names(kind: type[BaseModel]) -> Iterator[list[str]]:
    """The names of each field of a class in descriptions, the usual one first."""
    for name, field in kind.model_fields.items():
        alias = field.validation_alias
        choices = alias.choices if isinstance(alias, AliasChoices) else [alias]
        yield [choice for choice in choices if isinstance(choice, str)] or [name]
