"""Arguments as those of a call in Python: ``city="Rome", days=3, units=None``.

Strings, numbers, and lists and objects of them are written alike in JSON and in Python, as long as strings
have only the escapes that both know, so they are left to the schema compiler. What is not is ``true``,
``false`` and ``null``: where these may come, the grammar is put together here, from ``type``, ``enum``,
``const``, ``items``, ``properties``, ``anyOf`` and ``$ref``; other keywords are refused there by name and
place.
"""

from __future__ import annotations

import ast
import keyword
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any

import maskwright as mw
from maskwright import nested_json
from maskwright._native import with_enough_stack
from maskwright.errors import ToolCallError
from maskwright.grammar import Grammar
from maskwright.tool_calls.arguments.json_arguments import (
    named_arguments,
    schema_of,
    text_of_custom_tool,
)
from maskwright.tool_calls.arguments.literals import LiteralGrammars, literal_of
from maskwright.tool_calls.arguments.numbers import (
    STRING_OF_PYTHON,
    bounded,
    check_literals,
    read_fraction,
    settled,
)
from maskwright.tool_calls.arguments.options import ArgumentOptions, ReadArguments
from maskwright.tool_calls.arguments.schema_view import (
    Parameter,
    check_schema,
    comes_once,
    declared_place,
    further_parameter,
    no_value,
    parameters_of,
    with_schema,
)
from maskwright.tool_calls.arguments.shared_values import SharedValues
from maskwright.tool_calls.parts import Part, PythonArguments
from maskwright.tool_calls.reader import Reader, Reading
from maskwright.tools import Tool

__all__ = ["grammar", "read", "write"]

_ANY_NAME = "[A-Za-z_][A-Za-z0-9_]{0,255}"
"""What an argument may be called that the schema does not name."""

_WHERE = "where arguments are those of a Python call"

_LINE_END = re.compile(r"\r\n?|\n")
_STRING = re.compile(f"(?<![A-Za-z])([A-Za-z]*+)({STRING_OF_PYTHON})")
"""A string with its prefix. A word that is none is read once, and not again from each of its letters."""
_ESCAPE = re.compile(r"\\(?:[4-7][0-7]{2}|.)", re.DOTALL)
_RUN_ON = re.compile(
    STRING_OF_PYTHON
    + r"|(?<![\w.])(?>0[xX][0-9a-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+"
    + r"|(?:[0-9][0-9_]*\.?[0-9_]*|\.[0-9][0-9_]*)(?:[eE][+-]?[0-9_]+)?)(?P<word>[A-Za-z_])"
)
_KNOWN_ESCAPES = frozenset("\n\r\\'\"abfnrtv01234567xNuU")


def grammar(
    part: PythonArguments, tool: Tool, following: Sequence[Part], options: ArgumentOptions
) -> Grammar:
    """The arguments that a tool may be called with, in any order.

    Raises:
        SchemaError: the schema is none; it says where.
        UnsupportedFeatureError: the schema asks for what cannot be written so; it says where.
        ToolCallError: a parameter's name is none of Python, or a custom tool's text has to look like
            something.
    """
    asked = tool if tool.body is None else Tool(tool.name, parameters=schema_of(tool))
    if tool.strict is False:
        asked = Tool(tool.name, parameters={"additionalProperties": True})
    members, make = [], options.pieces
    schema = check_schema(asked, options)
    parameters = parameters_of(asked, _WHERE)
    literals, writer = LiteralGrammars(asked, options), _argument_writer(options)
    for parameter in parameters:
        _check_name(tool, parameter.name)
        argument = writer.argument(parameter, literals)
        if argument is not None:
            members.append(mw.Member(argument, required=parameter.is_required))
        elif parameter.is_required:
            raise no_value(parameter)
    further = further_parameter(asked)
    others = None if further is None else writer.values(further)
    if others is not None:
        taken = "|".join([*keyword.kwlist, *(parameter.name for parameter in parameters)])
        name = Grammar.regex(rf"(?!(?:{taken})$){_ANY_NAME}", budget=make.budget)
        argument = make.joined([name, "=", others])
        ways = Grammar.repeat(argument, minimum=1, separator=", ", budget=make.budget)
        members.append(mw.Member(ways, required=False))
    return with_schema(make.in_any_order(members, ", "), schema, options)


class _ArgumentWriter:
    """Makes grammars of arguments."""

    def __init__(self, options: ArgumentOptions) -> None:
        self._options = options
        self._values = SharedValues(self._literals)
        self._shared = SharedValues(self._named_values, by_name=True)

    def argument(self, parameter: Parameter, literals: LiteralGrammars) -> Grammar | None:
        """An argument with its name; None where no value is valid.

        Args:
            parameter: the parameter.
            literals: those of its tool, where it shares none.

        Raises:
            MaskwrightError: as :meth:`LiteralGrammars.at`.
        """
        return self._shared.of(
            parameter, lambda unshared: self._named(unshared.name, literals.at(unshared.path))
        )

    def values(self, parameter: Parameter) -> Grammar | None:
        """The values of an argument that may have several names; None where none is valid.

        Raises:
            MaskwrightError: as :meth:`LiteralGrammars.at`.
        """
        return self._values.of(parameter, self._literals)

    def _literals(self, parameter: Parameter) -> Grammar | None:
        return LiteralGrammars(parameter.tool, self._options).at(parameter.path)

    def _named_values(self, parameter: Parameter) -> Grammar | None:
        return self._named(parameter.name, self.values(parameter))

    def _named(self, name: str, values: Grammar | None) -> Grammar | None:
        return None if values is None else self._options.pieces.joined([f"{name}=", values])


@lru_cache(maxsize=4)
def _argument_writer(options: ArgumentOptions) -> _ArgumentWriter:
    """What makes grammars of arguments; kept with what it has made, for the tools that come."""
    return _ArgumentWriter(options)


def _check_name(tool: Tool, name: str) -> None:
    # Python reads a name in its normal form, which is another name where it differs.
    is_plain = name.isidentifier() and unicodedata.normalize("NFKC", name) == name
    if not is_plain or keyword.iskeyword(name):
        raise ToolCallError(
            f"tool {tool.name!r}: {name!r} is no name of an argument in Python; rename it, or use another "
            "format",
            location=f"{tool.name}.{name}",
        )


def write(
    part: PythonArguments, tool: Tool, arguments: Mapping[str, Any] | str, following: Sequence[Part]
) -> str:
    """The text of arguments.

    Raises:
        ToolCallError: they are of the wrong kind, or something in them has no literal.
    """
    arguments = named_arguments(tool, arguments)
    for name in arguments:
        _check_name(tool, name)
    return ", ".join(
        f"{name}={literal_of(value, f'{tool.name}.{name}', around=1)}" for name, value in arguments.items()
    )


def read(
    part: PythonArguments,
    tool: Tool,
    following: Sequence[Part],
    reader: Reader,
    give: Callable[[str], object],
) -> Reading[ReadArguments | None]:
    """Reads arguments up to the closing parenthesis; None where the text ended before.

    Raises:
        ToolCallSyntaxError: they are no keyword arguments with literals.
    """
    pieces: list[str] = []
    closed = yield from reader.bracketed("\"'", pieces.append, inside=True)
    if not closed:
        return None
    raw = "".join(pieces)
    try:
        values = with_enough_stack(lambda: settled(_keyword_values(raw, tool), declared_place(tool)))
    except (RecursionError, MemoryError):
        raise reader.error("keyword arguments with literals before this place (nested too deeply)") from None
    except (SyntaxError, ValueError, TypeError) as error:
        raise reader.error(f"keyword arguments with literals before this place ({error})") from error
    if tool.body is not None:
        text = text_of_custom_tool(tool, values, reader)
        give(text)
        return ReadArguments(text, raw)
    give(nested_json.without_surrogates(nested_json.dumps(values)))
    return ReadArguments(values, raw)


def _keyword_values(raw: str, tool: Tool) -> dict[str, Any]:
    """Arguments by name. Of one that comes twice, which no schema may name, the last counts."""
    check_literals(raw)
    # Python reads a keyword behind such a number, and warns of it.
    if any(found["word"] for found in _RUN_ON.finditer(raw)):
        raise ValueError("a number runs into a word")
    source = f"f({_STRING.sub(_plainly_escaped, raw)}\n)"
    call = ast.parse(source, mode="eval").body
    if not isinstance(call, ast.Call) or call.args or not isinstance(call.func, ast.Name):
        raise ValueError("only arguments with names can be read")
    literals = _Literals(source)
    values = {}
    for argument in call.keywords:
        if argument.arg is None:
            raise ValueError("only arguments with names can be read")
        if argument.arg in values and comes_once(tool, argument.arg):
            raise ValueError(f"{argument.arg!r} comes a second time")
        values[argument.arg] = literals.value(argument.value)
    return values


def _plainly_escaped(found: re.Match[str]) -> str:
    r"""A string with a backslash written as ``\\`` where it begins no escape.

    Python reads both alike, but warns of the latter: on the error output of the process, or by an error.
    """
    prefix, string = found.groups()
    return found[0] if "r" in prefix.lower() else prefix + _ESCAPE.sub(_known_escape, string)


def _known_escape(found: re.Match[str]) -> str:
    escape = found[0]
    if len(escape) > 2:
        return f"\\u{int(escape[1:], 8):04x}"
    return escape if escape[1] in _KNOWN_ESCAPES else "\\" + escape


def _paired(string: str) -> str:
    """A string with each surrogate pair as the character that it is in JSON; Python keeps halves apart."""
    return string.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


class _Literals:
    """The literals of a text as JSON has them: tuples are lists, and there are no other kinds than JSON's."""

    def __init__(self, source: str) -> None:
        self._source = source

    @cached_property
    def _lines(self) -> list[bytes]:
        """The lines, in the encoding in which a node counts its columns."""
        return [line.encode() for line in _LINE_END.split(self._source)]

    def value(self, node: ast.expr) -> Any:
        """The value of a literal.

        Raises:
            ValueError: it is none, or of a kind that JSON does not have.
        """
        if isinstance(node, ast.List | ast.Tuple):
            return list(map(self.value, node.elts))
        if isinstance(node, ast.Dict):
            return dict(zip(map(self._key, node.keys), map(self.value, node.values), strict=True))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
            return self._number(node.operand, "-" if isinstance(node.op, ast.USub) else "")
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return _paired(node.value)
        if isinstance(node, ast.Constant) and (node.value is None or isinstance(node.value, bool)):
            return node.value
        return self._number(node, "")

    def _key(self, node: ast.expr | None) -> str:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return _paired(node.value)
        raise ValueError("a key of an object is a string")

    def _number(self, node: ast.expr, sign: str) -> float | int:
        number = node.value if isinstance(node, ast.Constant) else None
        if isinstance(number, float):
            line = self._lines[node.lineno - 1]
            return read_fraction(sign + line[node.col_offset : node.end_col_offset].decode())
        if isinstance(number, int) and not isinstance(number, bool):
            return bounded(-number if sign else number)
        raise ValueError("something is no value that JSON has")
