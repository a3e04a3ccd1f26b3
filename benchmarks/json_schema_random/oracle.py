"""The verdict of ``jsonschema`` on a JSON text, with exact numbers.

What differs from ``jsonschema`` as it comes:

- Numbers with a fraction or an exponent are read as :class:`~decimal.Decimal`, in schemas and documents, and
  ``multipleOf`` and ``integer`` are decided on all their digits.
- ``const``, ``enum`` and ``uniqueItems`` tell booleans from numbers at any depth; ``jsonschema`` sorts items
  to find equal ones, and misses some among lists of both.
- ``$`` in a pattern is the very end of the string, as in ECMA-262.
- ``unevaluatedProperties`` and ``unevaluatedItems`` of draft 2019-09 are judged in the terms of 2020-12:
  ``jsonschema`` takes the keywords of an ``additionalProperties`` subschema for names of properties there,
  counts the items that ``contains`` matches, which only 2020-12 does, and fails on ``items: true``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from typing import Any

import jsonschema
from jsonschema import validators

from benchmarks.json_schema_random.schemas import DRAFTS, Draft

__all__ = ["NotJsonError", "Oracle", "is_multiple", "parse", "same_value"]


class NotJsonError(ValueError):
    """A text is not JSON, or has a key twice."""


def parse(text: str) -> Any:
    """The value of a JSON text, its fractions as decimals."""
    try:
        return json.loads(
            text, parse_float=Decimal, parse_constant=_not_a_number, object_pairs_hook=_distinct_members
        )
    except (ValueError, InvalidOperation, RecursionError) as error:
        raise NotJsonError(str(error)) from error


def _not_a_number(name: str) -> None:
    raise NotJsonError(f"{name} is no JSON")


def _distinct_members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise NotJsonError("an object has a key twice")
    return members


def same_value(left: Any, right: Any) -> bool:
    """Whether two JSON values are equal: 1 and 1.0 are, 1 and true are not."""
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same_value(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same_value, left, right))
    return isinstance(left, bool) == isinstance(right, bool) and bool(left == right)


def is_multiple(value: int | Decimal, divisor: int | Decimal) -> bool:
    """Whether a number is an exact multiple of another, in time that no exponent can stretch."""
    digits, exponent = _scaled(value)
    divisor_digits, divisor_exponent = _scaled(divisor)
    shift = exponent - divisor_exponent
    if shift >= 0:
        return digits * pow(10, shift, divisor_digits) % divisor_digits == 0
    # A number of n digits has at most n factors of ten.
    return digits == 0 or (-shift <= len(str(digits)) and digits % (divisor_digits * 10**-shift) == 0)


def _scaled(value: int | Decimal) -> tuple[int, int]:
    """A number's absolute value as an integer and a power of ten."""
    _, digits, exponent = Decimal(value).as_tuple()
    if not isinstance(exponent, int):
        raise ValueError(f"{value} is not a finite number")
    return int("".join(map(str, digits))), exponent


class Oracle:
    """Says which JSON texts are valid under a schema, by ``jsonschema``."""

    def __init__(self, schema: Any, draft: Draft) -> None:
        text = json.dumps(schema)
        exact = _with_python_patterns(parse(text))
        if draft == "2019-09" and '"unevaluated' in text:
            draft = "2020-12"
            exact = {**_in_terms_of_2020(exact), "$schema": DRAFTS[draft]}
        self._validator = _VALIDATORS[draft](exact)

    def is_valid(self, text: str) -> bool:
        """Whether the text is JSON and its value valid."""
        try:
            value = parse(text)
        except NotJsonError:
            return False
        try:
            return bool(self._validator.is_valid(value))
        except BaseException as error:
            # An extension of jsonschema's panics where Python's stack ends inside of it.
            if type(error).__name__ == "PanicException":
                raise RecursionError(str(error)) from error
            raise


def _with_python_patterns(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_with_python_patterns(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: _with_python_patterns(value) for key, value in schema.items()}
    if isinstance(made.get("pattern"), str):
        made["pattern"] = made["pattern"].replace("$", r"\Z")
    if "patternProperties" in made:
        members = made["patternProperties"].items()
        made["patternProperties"] = {key.replace("$", r"\Z"): value for key, value in members}
    return made


def _in_terms_of_2020(schema: Any) -> Any:
    """A schema of 2019-09 with the keywords for items that mean the same in 2020-12."""
    if isinstance(schema, list):
        return [_in_terms_of_2020(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: _in_terms_of_2020(value) for key, value in schema.items()}
    rest = made.pop("additionalItems", None)
    if isinstance(made.get("items"), list):
        made["prefixItems"] = made.pop("items")
        if rest is not None:
            made["items"] = rest
    if "contains" in made:
        counting = {key: made.pop(key) for key in ("contains", "minContains", "maxContains") if key in made}
        # Nothing counts as evaluated inside a negation.
        made["allOf"] = [*made.get("allOf", []), {"not": {"not": counting}}]
    return made


def _multiple_of(validator: Any, divisor: Any, value: Any, _schema: Any) -> Iterator[Any]:
    if validator.is_type(value, "number") and not is_multiple(value, divisor):
        yield jsonschema.ValidationError(f"{value} is not a multiple of {divisor}")


def _const(_validator: Any, constant: Any, value: Any, _schema: Any) -> Iterator[Any]:
    if not same_value(constant, value):
        yield jsonschema.ValidationError(f"{value} is not {constant}")


def _enum(_validator: Any, choices: Any, value: Any, _schema: Any) -> Iterator[Any]:
    if not any(same_value(choice, value) for choice in choices):
        yield jsonschema.ValidationError(f"{value} is none of {choices}")


def _unique_items(validator: Any, wanted: Any, value: Any, _schema: Any) -> Iterator[Any]:
    if not wanted or not validator.is_type(value, "array"):
        return
    if any(same_value(value[i], value[j]) for i in range(len(value)) for j in range(i)):
        yield jsonschema.ValidationError(f"{value} has an item twice")


def _is_integer(_checker: Any, value: Any) -> bool:
    if isinstance(value, Decimal):
        return is_multiple(value, 1)
    return isinstance(value, int) and not isinstance(value, bool)


def _exact(base: Any) -> Any:
    keywords = {
        "multipleOf": _multiple_of,
        "const": _const,
        "enum": _enum,
        "uniqueItems": _unique_items,
    }
    extend: Any = validators.extend
    return extend(base, keywords, type_checker=base.TYPE_CHECKER.redefine("integer", _is_integer))


_VALIDATORS: dict[Draft, Any] = {
    draft: _exact(validators.validator_for({"$schema": uri})) for draft, uri in DRAFTS.items()
}
