"""Patterns of Rust and Python in types of pydantic's: what the grammar accepts is what pydantic validates."""

from __future__ import annotations

import itertools
import json
import re
from typing import Annotated

import pydantic
import pytest

import maskwright as mw
from maskwright.json_schema import schema_text
from only_bytes import only_bytes

LETTERS = "abA1 \n]#"
TEXTS = ["".join(letters) for length in range(4) for letters in itertools.product(LETTERS, repeat=length)]

RUST = [
    r"(?i)^ab$",
    r"^a(?i)b|a$",
    r"^(a(?i)b|a1)a?$",
    r"^(?i:a)(?-i:b)$",
    r"(?i)(?-i)^a$",
    r"\Aa[b1]\z",
    r"(?m)^a\z",
    r"(?m)\Aa$",
    r"(?s)^a.b$",
    "(?x) ^ a\\ b  # a space\n  $",
    r"^(?x: a b )a$",
    r"^(?P<first>a+)(?P<second>b)?$",
    r"^\x{61}[\x{62}1]$",
    r"^\pL\PL$",
    r"^[]a]+$",
    r"^[^]a]+$",
    r"^[(|#]?a$",
    r"^\(?a\|?$",
    r"^(?U)a+(?u)b$",
    r"(?ix)^ A  b$|^1$",
]
PYTHON = [r"^a(?#as ever)b\Z", r"\Aa(?!b)[^a]\Z", r"^(?P<x>a|b){,2}\Z", "^a[ #]b$"]
COMPILED = [
    re.compile(r"^ a b \ 1? $", re.VERBOSE),
    re.compile("^ab$", re.IGNORECASE),
    re.compile("^a.b$", re.DOTALL | re.IGNORECASE),
    re.compile(r"^a$", re.MULTILINE),
    re.compile("^[ ]a # b$", re.VERBOSE | re.ASCII),
    re.compile("^a #$"),
]


def model(pattern: str | re.Pattern[str], engine: str) -> type[pydantic.BaseModel]:
    class Model(pydantic.BaseModel):
        model_config = {"regex_engine": engine}  # type: ignore[typeddict-item]

        text: Annotated[str, pydantic.Field(pattern=pattern)]

    return Model


def validates(kind: type[pydantic.BaseModel], text: str) -> bool:
    try:
        kind.model_validate({"text": text})
    except pydantic.ValidationError:
        return False
    return True


@pytest.fixture(scope="module")
def compiler() -> mw.Compiler:
    return mw.Compiler(only_bytes())


@pytest.mark.parametrize(
    ("pattern", "engine"),
    [
        *[(pattern, "rust-regex") for pattern in RUST],
        *[(pattern, "python-re") for pattern in [*PYTHON, *COMPILED]],
    ],
    ids=str,
)
def test_a_pattern_means_what_pydantic_takes_it_for(
    compiler: mw.Compiler, pattern: str | re.Pattern[str], engine: str
) -> None:
    kind = model(pattern, engine)
    constraint = compiler.compile(mw.Grammar.json_schema(kind, whitespace="compact"))
    valid = [text for text in TEXTS if validates(kind, text)]
    assert valid
    # Python's `$` stands before a last line end, too, where that of ECMA-262 does not.
    is_end = "$" in str(pattern) and engine == "python-re"
    for text in TEXTS:
        if is_end and text.endswith("\n"):
            continue
        matcher = constraint.matcher()
        accepted = (
            matcher.accept_bytes(json.dumps({"text": text}, separators=(",", ":")).encode())
            and matcher.is_complete
        )
        assert accepted == (text in valid), text


def test_keys_have_patterns_of_that_kind() -> None:
    class Settings(pydantic.BaseModel):
        named: dict[Annotated[str, pydantic.Field(pattern="(?i)^x-(?P<rest>.)$")], int]

    text = json.loads(schema_text(Settings))
    assert list(text["properties"]["named"]["patternProperties"]) == ["(?i:^x-(?<rest>.)$)"]


def test_what_ecma_262_cannot_say_is_refused_by_its_place() -> None:
    class Model(pydantic.BaseModel):
        name: Annotated[str, pydantic.Field(pattern="^[[:alpha:]]$")]

    with pytest.raises(mw.UnsupportedFeatureError, match="#/properties/name/pattern"):
        mw.Grammar.json_schema(Model)
