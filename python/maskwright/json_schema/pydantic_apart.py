"""Where pydantic is asked; apart, because of how it reads types that are written as text.

A name in such a type it looks up where it is called, too. Here it finds nothing: in a module with names of
ours, ``Annotated[list["Location"], ...]`` of a user would be a list of what is called so there.
"""

import typing as _maskwright_typing

import pydantic as _maskwright_pydantic
import pydantic.json_schema as _maskwright_json_schema

from maskwright.json_schema.pydantic_names import other_names as _maskwright_other_names
from maskwright.json_schema.pydantic_numbers import decimal_schema as _maskwright_decimal_schema
from maskwright.json_schema.pydantic_numbers import key_schema as _maskwright_key_schema
from maskwright.json_schema.pydantic_patterns import ecma_pattern as _maskwright_ecma_pattern
from maskwright.json_schema.pydantic_texts import check_no_bounds as _maskwright_check_no_bounds
from maskwright.json_schema.pydantic_texts import date_bounds as _maskwright_date_bounds
from maskwright.json_schema.pydantic_texts import local_time as _maskwright_local_time
from maskwright.json_schema.pydantic_texts import url_pattern as _maskwright_url_pattern


class _MaskwrightSchema(_maskwright_json_schema.GenerateJsonSchema):
    """What pydantic's own generator makes, but for what its validation would then refuse.

    Members are named by alias, unless a class says ``validate_by_alias=False``, and have no other name that
    pydantic would read, too. A decimal is a number, and keys that are numbers are texts of such. A URL begins
    with a scheme that is allowed, a date is within its bounds, and a time that is naive has no zone.
    """

    def str_schema(self, schema: _maskwright_typing.Any) -> dict[str, _maskwright_typing.Any]:
        pattern = schema.get("pattern")
        named = {} if pattern is None else {"pattern": _maskwright_ecma_pattern(pattern)}
        return {**super().str_schema(schema), **named}

    def url_schema(self, schema: _maskwright_typing.Any) -> dict[str, _maskwright_typing.Any]:
        return {**super().url_schema(schema), **_maskwright_url_pattern(schema)}

    def multi_host_url_schema(self, schema: _maskwright_typing.Any) -> dict[str, _maskwright_typing.Any]:
        return {**super().multi_host_url_schema(schema), **_maskwright_url_pattern(schema)}

    def datetime_schema(self, schema: _maskwright_typing.Any) -> dict[str, _maskwright_typing.Any]:
        _maskwright_check_no_bounds(schema)
        is_naive = schema.get("tz_constraint") == "naive"
        return _maskwright_local_time() if is_naive else super().datetime_schema(schema)

    def date_schema(self, schema: _maskwright_typing.Any) -> dict[str, _maskwright_typing.Any]:
        return {**super().date_schema(schema), **_maskwright_date_bounds(schema)}

    def time_schema(self, schema: _maskwright_typing.Any) -> dict[str, _maskwright_typing.Any]:
        _maskwright_check_no_bounds(schema)
        return super().time_schema(schema)

    def timedelta_schema(self, schema: _maskwright_typing.Any) -> dict[str, _maskwright_typing.Any]:
        _maskwright_check_no_bounds(schema)
        return super().timedelta_schema(schema)

    def json_schema(self, schema: _maskwright_typing.Any) -> dict[str, _maskwright_typing.Any]:
        raise TypeError(
            "of a text in which JSON stands, as by pydantic.Json, no schema says what JSON it is; give the "
            "type itself, or str"
        )

    def dict_schema(self, schema: _maskwright_typing.Any) -> dict[str, _maskwright_typing.Any]:
        names = _maskwright_key_schema(schema.get("keys_schema") or {})
        return {**super().dict_schema(schema), **({"propertyNames": names} if names else {})}

    def decimal_schema(self, schema: _maskwright_typing.Any) -> dict[str, _maskwright_typing.Any]:
        return _maskwright_decimal_schema(schema)

    def model_schema(self, schema: _maskwright_typing.Any) -> dict[str, _maskwright_typing.Any]:
        return self._maskwright_named(schema, super().model_schema)

    def dataclass_schema(self, schema: _maskwright_typing.Any) -> dict[str, _maskwright_typing.Any]:
        return self._maskwright_named(schema, super().dataclass_schema)

    def typed_dict_schema(self, schema: _maskwright_typing.Any) -> dict[str, _maskwright_typing.Any]:
        return self._maskwright_named(schema, super().typed_dict_schema)

    def _maskwright_named(
        self, schema: _maskwright_typing.Any, make: _maskwright_typing.Any
    ) -> dict[str, _maskwright_typing.Any]:
        kind = schema.get("cls")
        fields = getattr(kind, "__pydantic_fields__", None) or getattr(kind, "model_fields", None) or {}
        for name, field in fields.items():
            alias = field.validation_alias
            ways = alias.choices if isinstance(alias, _maskwright_pydantic.AliasChoices) else [alias]
            if all(isinstance(way, _maskwright_pydantic.AliasPath) and len(way.path) > 1 for way in ways):
                raise TypeError(
                    f"{name!r} is read by an AliasPath, which has no schema; give it a plain alias"
                )
        config = getattr(kind, "model_config", None) or getattr(kind, "__pydantic_config__", None) or {}
        around, self.by_alias = self.by_alias, config.get("validate_by_alias", True) is not False
        try:
            made: dict[str, _maskwright_typing.Any] = make(schema)
        finally:
            self.by_alias = around
        if made.get("additionalProperties") is not False and "properties" in made:
            for name in _maskwright_other_names(fields, config):
                # As a further member it could have any value, and pydantic would read the field from it.
                made["properties"].setdefault(name, False)
        return made


def _maskwright_schema(
    _maskwright_source: _maskwright_typing.Any, **_maskwright_options: _maskwright_typing.Any
) -> object:
    """The JSON Schema of a type, or of a `TypeAdapter`."""
    if not isinstance(_maskwright_source, _maskwright_pydantic.TypeAdapter):
        _maskwright_source = _maskwright_pydantic.TypeAdapter(_maskwright_source)
    return _maskwright_source.json_schema(schema_generator=_MaskwrightSchema, **_maskwright_options)
