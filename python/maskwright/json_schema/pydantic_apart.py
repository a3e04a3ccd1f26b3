"""Where pydantic is asked; apart, because of how it reads types that are written as text.

A name in such a type it looks up where it is called, too. Here it finds nothing: in a module with names of
ours, ``Annotated[list["Location"], ...]`` of a user would be a list of what is called so there.
"""

import typing as _maskwright_typing

import pydantic as _maskwright_pydantic


def _maskwright_schema(
    _maskwright_source: _maskwright_typing.Any, **_maskwright_options: _maskwright_typing.Any
) -> object:
    """The JSON Schema of a type, or of a `TypeAdapter`."""
    if not isinstance(_maskwright_source, _maskwright_pydantic.TypeAdapter):
        _maskwright_source = _maskwright_pydantic.TypeAdapter(_maskwright_source)
    return _maskwright_source.json_schema(**_maskwright_options)
