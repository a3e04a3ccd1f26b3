"""The ways in which arguments are written: as JSON, as XML parameters, as those of a Python call.

Each way has one module with the same three functions, all of them front ends over the same schemas:

| function | what it does |
|---|---|
| `grammar` | what may stand there, for the schema of a tool |
| `write` | the text of given arguments |
| `read` | the arguments of a text that arrives in pieces |

| module | what it does |
|---|---|
| `json_arguments` | one JSON object; the text of a custom tool as it is |
| `xml_arguments` | each parameter between an opening and a closing |
| `python_arguments` | keyword arguments with Python's literals |
| `schema_view` | what a schema says of one parameter: strings, anything else, or both |
| `shared_values` | what is made once of all parameters whose schemas are equal |
| `references` | where a ``$ref`` leads within a schema, and what is known of places by one another |
| `literals` | Python's literals, from a schema and of values |
| `strings` | the texts that a string may be where it is written without quotes |
| `numbers` | how numbers are read, the same in all of them |
| `options` | what the grammars depend on beside the schema |
"""

from __future__ import annotations

from types import ModuleType

from maskwright.tool_calls.arguments import json_arguments, python_arguments, xml_arguments
from maskwright.tool_calls.arguments.options import ArgumentOptions, ReadArguments
from maskwright.tool_calls.parts import Arguments, JsonArguments, PythonArguments

__all__ = ["ArgumentOptions", "ReadArguments", "style_of"]


def style_of(part: Arguments) -> ModuleType:
    """The module for a kind of arguments."""
    if isinstance(part, JsonArguments):
        return json_arguments
    if isinstance(part, PythonArguments):
        return python_arguments
    return xml_arguments
