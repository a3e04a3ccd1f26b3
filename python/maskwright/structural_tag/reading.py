"""From a description, as JSON text, mappings or models, to checked models.

Takes what a user has and gives a :class:`Description`, whose formats are models of
:mod:`maskwright.structural_tag.formats`. pydantic would read a whole tree by itself, but by recursion, within
a fixed depth, and with places that name its own unions. So trees are walked here, from the leaves to the
root: each node is validated by its class when the formats in it have been, and is put into the one around it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any, NamedTuple, get_args

from pydantic import BaseModel, ValidationError

from maskwright import nested_json
from maskwright.budget import Budget
from maskwright.checking import did_you_mean, first_repeated, told, told_key
from maskwright.errors import BudgetExceededError, GrammarSyntaxError
from maskwright.structural_tag import formats
from maskwright.structural_tag.formats import (
    AnyTextFormat,
    LegacyStructuralTag,
    LegacyStructure,
    StructuralTag,
    StructuralTagModel,
    TagFormat,
    TokenFormat,
)
from maskwright.structural_tag.problems import Limits, Place, Problems
from maskwright.structural_tag.wording import field_problems, json_kind

__all__ = ["HARMLESS_TAG", "Description", "Source", "read"]

Source = str | Mapping[str, Any] | StructuralTagModel
"""What a structural tag may be given as: JSON text, what :mod:`json` loads, or a model."""

_KINDS: dict[str, type[StructuralTagModel]] = {
    kind.model_fields["type"].default: kind for kind in get_args(get_args(formats.Format)[0])
}
_WHOLE = "structural_tag"
"""The type of the whole."""
_ONE_FORMAT = "content"
_SEVERAL_FORMATS = ("elements", "tags", "rules")
_HOLDERS = {
    kind: tuple(field for field in (_ONE_FORMAT, *_SEVERAL_FORMATS) if field in kind.model_fields)
    for kind in _KINDS.values()
}
"""The fields that hold formats, for each kind but the legacy form, which holds none."""

_ANYTHING = AnyTextFormat()
HARMLESS_TAG = TagFormat(begin="", content=_ANYTHING, end="")
"""Stands where a tag is not right, so that the rest can be looked at. It is known by its identity."""

_NODE_SIZE = 16
_DEEPEST_TEXT = 2
"""How deep strings of a node stand in it: in the structures of the legacy form."""


class Description(NamedTuple):
    """A structural tag that was read.

    Attributes:
        format: the format of the whole text.
        place: where it stands in what the user gave.
    """

    format: StructuralTagModel
    place: Place


@dataclass(slots=True)
class _Open:
    """A node whose formats are being read.

    Attributes:
        kind: its class.
        place: where it stands.
        fields: its fields, in which formats that were read are models.
        children: where formats stand in it that are still to be read.
        child: where the one stands that is being read.
    """

    kind: type[StructuralTagModel]
    place: Place
    fields: dict[str, Any]
    children: Iterator[Place]
    child: Place = ()


def read(source: Source, *, problems: Problems, limits: Limits) -> Description:
    """Reads a description.

    Args:
        source: the description.
        problems: takes what is wrong with it.
        limits: the budgets.

    Raises:
        GrammarSyntaxError: the text is not JSON.
        BudgetExceededError: it is too large, or too deeply nested.
    """
    fields = _loaded(source, limits.budget) if isinstance(source, str) else source
    if not isinstance(fields, Mapping | BaseModel):
        problems.add((), f"a structural tag is an object, not {json_kind(fields)}")
        return Description(_ANYTHING, ())
    fields = _fields(fields)
    reader = _Reader(problems, limits)
    if "format" not in fields:
        is_legacy = "structures" in fields or "triggers" in fields
        if fields.get("type", _WHOLE) == _WHOLE and not is_legacy:
            problems.add((), _no_format(fields))
            return Description(_ANYTHING, ())
        return Description(reader.read(fields, ()), ())
    inner, place = fields["format"], ("format",)
    if not isinstance(inner, Mapping | BaseModel):
        problems.add(place, f"must be an object, found {json_kind(inner)}")
        return Description(_ANYTHING, place)
    model = reader.read(_fields(inner), place)
    reader.validate(StructuralTag, {**fields, "format": _ANYTHING}, ())
    return Description(model, place)


def _no_format(fields: Mapping[str, Any]) -> str:
    """What is said of an object that is no structural tag of any form."""
    found = ", ".join(
        f"`{told_key(name) if _is_text(name) else told(name):.60}`" for name in list(fields)[:8]
    )
    return (
        f"the field `format` is missing{f'; there are {found}' if found else ''}. A structural tag is "
        f'{{"type": "{_WHOLE}", "format": {{...}}}}, or a format alone, whose `type` says which'
    )


def _loaded(text: str, budget: Budget) -> Any:
    if len(text) > budget.grammar_bytes:
        Limits(budget).spend(len(text))
    try:
        return nested_json.loads(
            text,
            object_pairs_hook=_members,
            parse_int=nested_json.exact_integer,
            parse_float=_number,
            parse_constant=_no_number,
        )
    except json.JSONDecodeError as error:
        message = f"line {error.lineno}, column {error.colno}: the structural tag is not JSON: {error.msg}"
        raise GrammarSyntaxError(
            message,
            line=error.lineno,
            column=error.colno,
            found=text[error.pos : error.pos + 1],
            expected="JSON",
        ) from error
    except ValueError as error:
        raise GrammarSyntaxError(f"the structural tag is not JSON: {error}", expected="JSON") from error
    except RecursionError as error:
        raise BudgetExceededError(
            f"the budget `nesting` of {budget.nesting} is used up by the JSON text of a structural tag, "
            "which nests deeper than can be read; nest it less",
            budget="nesting",
            limit=budget.nesting,
        ) from error


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError(f"an object has the key {first_repeated(key for key, _ in pairs)!r} twice")
    return members


def _number(digits: str) -> float | Decimal:
    """A number with all its digits: a float where that is exact in the eyes of JSON's readers."""
    try:
        number, exact = float(digits), Decimal(digits)
    except InvalidOperation as error:
        raise ValueError(f"the number {digits:.40} is beyond all bounds") from error
    return number if Decimal(repr(number)) == exact else exact


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is not a number of JSON")


def _fields(node: Mapping[str, Any] | BaseModel) -> dict[str, Any]:
    """The members of a node; of a model, its fields as they are."""
    return dict(node)


class _Reader:
    """Reads one tree, without recursion."""

    def __init__(self, problems: Problems, limits: Limits) -> None:
        self._problems = problems
        self._limits = limits
        self._open: list[_Open] = []

    def read(self, fields: dict[str, Any], place: Place) -> StructuralTagModel:
        """The model of the format at a place."""
        kind = self._top_kind(fields, place)
        if kind is None:
            return _ANYTHING
        self._push(kind, fields, place)
        while True:
            innermost = self._open[-1]
            child = next(innermost.children, None)
            if child is not None and not self._problems.is_full:
                innermost.child = child
                self._read_child(innermost, child)
                continue
            self._open.pop()
            model = self.validate(innermost.kind, innermost.fields, innermost.place)
            if not self._open:
                return model
            _put(self._open[-1].fields, self._open[-1].child, model)

    def validate(
        self, kind: type[StructuralTagModel], fields: dict[str, Any], place: Place
    ) -> StructuralTagModel:
        """The model of a node whose formats are models; something harmless where it is not right."""
        harmless = HARMLESS_TAG if kind is TagFormat else _ANYTHING
        if self._problems.is_full:
            return harmless
        if not self._are_texts(fields, place):
            return harmless
        try:
            return kind.model_validate(fields)
        except ValidationError as error:
            for inner, message in field_problems(kind, fields, error):
                self._problems.add((*place, *inner), message)
            return harmless

    def _top_kind(self, fields: dict[str, Any], place: Place) -> type[StructuralTagModel] | None:
        is_legacy = fields.get("type") == _WHOLE or ("structures" in fields and "type" not in fields)
        return LegacyStructuralTag if is_legacy else self._kind(fields, place)

    def _kind(self, fields: dict[str, Any], place: Place) -> type[StructuralTagModel] | None:
        name = fields.get("type")
        kind = _KINDS.get(name) if isinstance(name, str) else None
        if kind is None:
            known = ", ".join(f"`{known}`" for known in _KINDS)
            if "type" in fields:
                near = did_you_mean(name, _KINDS, "`{}`".format)
                self._problems.add(
                    (*place, "type"),
                    f"there is no format of the type {told(name):.60}; there are {known}{near}",
                )
            else:
                self._problems.add(place, f"the field `type` is missing; it is one of {known}")
        return kind

    def _push(self, kind: type[StructuralTagModel], fields: dict[str, Any], place: Place) -> None:
        self._limits.spend(_NODE_SIZE)
        self._limits.check_nesting(len(self._open) + 1, place)
        children = list(_children(kind, fields))
        for name in _holders(kind):
            if isinstance(fields.get(name), list | tuple):
                fields[name] = list(fields[name])
        self._open.append(_Open(kind, place, fields, iter(children)))

    def _read_child(self, parent: _Open, inner: Place) -> None:
        """Begins to read the format at a place within a node, or puts something harmless there."""
        place = (*parent.place, *inner)
        is_tag = inner[0] == "tags"
        harmless = HARMLESS_TAG if is_tag else _ANYTHING
        node = _get(parent.fields, inner)
        if not isinstance(node, Mapping | BaseModel):
            self._problems.add(place, f"must be an object, found {json_kind(node)}")
            _put(parent.fields, inner, harmless)
            return
        fields = _fields(node)
        if is_tag and fields.setdefault("type", "tag") != "tag":
            self._problems.add((*place, "type"), f"must be `tag`, found {told(fields['type']):.60}")
            _put(parent.fields, inner, harmless)
            return
        kind = self._kind(fields, place)
        if kind is None:
            _put(parent.fields, inner, harmless)
            return
        self._push(kind, fields, place)

    def _are_texts(self, fields: dict[str, Any], place: Place) -> bool:
        """Whether the strings of a node can be written in UTF-8; else that is noted. Counts their length."""
        are_texts = True
        for inner, text in _texts(fields):
            self._limits.spend(len(text))
            position = _lone_surrogate(text)
            if position is not None:
                message = f"has a lone surrogate at position {position}, which is no text; leave it out"
                self._problems.add((*place, *inner), message)
                are_texts = False
        return are_texts


def _texts(value: object, depth: int = _DEEPEST_TEXT) -> Iterator[tuple[Place, str]]:
    """The strings of a node, but for those in formats, which are nodes themselves, and in schemas."""
    members: Iterable[tuple[Any, Any]] = ()
    if isinstance(value, list | tuple):
        members = enumerate(value)
    elif isinstance(value, Mapping | TokenFormat | LegacyStructure):
        members = dict(value).items()
    for key, member in members:
        if not _is_text(key):
            continue  # which its class complains about
        if isinstance(member, str):
            yield (key,), member
        elif depth and key != "json_schema":
            for place, text in _texts(member, depth - 1):
                yield (key, *place), text


def _is_text(key: object) -> bool:
    """Whether a key can be told as it is, in places and messages; one with a lone surrogate cannot."""
    return not isinstance(key, str) or _lone_surrogate(key) is None


def _lone_surrogate(text: str) -> int | None:
    """Where the first lone surrogate of a string is: with one it cannot be written in UTF-8."""
    if text.isascii():
        return None
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        return error.start
    return None


def _holders(kind: type[StructuralTagModel]) -> tuple[str, ...]:
    """The fields of a kind that hold formats."""
    return _HOLDERS.get(kind, ())


def _children(kind: type[StructuralTagModel], fields: dict[str, Any]) -> Iterator[Place]:
    """Where formats stand in a node. What is no list is left to its class to complain about."""
    for name in _holders(kind):
        members = fields.get(name)
        if name == _ONE_FORMAT:
            if name in fields:
                yield (name,)
        elif isinstance(members, list | tuple):
            for at, member in enumerate(members):
                if name != "rules":
                    yield (name, at)
                elif isinstance(member, list | tuple) and len(member) == 2:
                    yield (name, at, 1)


def _get(fields: dict[str, Any], inner: Place) -> Any:
    value: Any = fields
    for key in inner:
        value = value[key]
    return value


def _put(fields: dict[str, Any], inner: Place, model: StructuralTagModel) -> None:
    if len(inner) == 1:
        fields[str(inner[0])] = model
    elif len(inner) == 2:
        fields[str(inner[0])][inner[1]] = model
    else:
        rules = fields[str(inner[0])]
        rules[inner[1]] = (rules[inner[1]][0], model)
