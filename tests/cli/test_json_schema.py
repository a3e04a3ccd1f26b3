"""``--json-schema`` and the options that go with it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import Run

POINT = {
    "type": "object",
    "properties": {"x": {"type": "integer"}, "y": {"type": "integer"}},
    "required": ["x", "y"],
    "additionalProperties": False,
}


@pytest.fixture
def schema_path(tmp_path: Path) -> Path:
    path = tmp_path / "point.json"
    path.write_text(json.dumps(POINT), encoding="utf-8")
    return path


# Each: the text, options, whether it fits.
TEXTS = [
    ('{"x": 1, "y": 2}', [], True),
    ('{"x": 1}', [], False),
    ('{"x": 1, "y": "2"}', [], False),
    ('{"y": 2, "x": 1}', [], False),
    ('{"y": 2, "x": 1}', ["--property-order", "any"], True),
    ('{"y": 2, "x": 1}', ["--order", "any"], True),
    ('{"x": 1, "y": 2}', ["--whitespace", "compact"], False),
    ('{"x":1,"y":2}', ["--whitespace", "compact"], True),
    ('{"x": 1, "y": 2}', ["--whitespace", "spaced"], True),
    ('{\n  "x": 1,\n  "y": 2\n}', ["--whitespace", "2"], True),
    ('{\n  "x": 1,\n  "y": 2\n}', ["--whitespace", "4"], False),
    ('{"x": 1, "y": 2}', ["--openai-strict"], True),
    ('{"x": 1, "y": 2e0}', [], True),
    ('{"x": 1, "y": 2e0}', ["--all-numbers"], True),
    ('{"x": 1, "y": 2e0}', ["--plain-numbers"], False),
]


@pytest.mark.parametrize(("text", "options", "fits"), TEXTS)
def test_a_text_is_checked(
    run: Run, model_path: Path, schema_path: Path, text: str, options: list[str], fits: bool
) -> None:
    result = run("check", "--model", model_path, "--json-schema", schema_path, *options, "--text", text)
    assert result.exit_code == (0 if fits else 1), result.output
    assert result.stdout.startswith("accepted: ") == fits


def test_the_mask_before_the_first_token(run: Run, model_path: Path, tmp_path: Path) -> None:
    path = tmp_path / "constant.json"
    path.write_text('{"const": true}', encoding="utf-8")
    result = run("mask", "--model", model_path, "--json-schema", path, "--whitespace", "compact")
    assert result.exit_code == 0, result.output
    assert "'t'" in result.stdout
    assert "'f'" not in result.stdout


def test_what_a_model_writes_is_valid(run: Run, model_path: Path, tmp_path: Path) -> None:
    path = tmp_path / "choice.json"
    path.write_text('{"enum": [true, null, ["a"]]}', encoding="utf-8")
    options = ("--json-schema", path, "--whitespace", "compact", "--temperature", "1", "--seed", "3")
    result = run("generate", "--model", model_path, *options, "--prompt", "hello")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout) in (True, None, ["a"])


# Each: the schema's text, options, a part of what is said.
REFUSED = [
    ('{"type": "text"}', [], "#/type"),
    ('{"type": ', [], "error"),
    ("{}", ["--openai-strict"], "not in the strict subset of OpenAI"),
    ("{}", ["--whitespace", "wide"], "'wide' is none of these: free, compact, spaced, or a number of blanks"),
    ("{}", ["--whitespace", "9999"], "'9999' is none of these: "),
    ("{}", ["--whitespace", ""], "'' is none of these: "),
    ("{}", ["--approximate", ""], "`` cannot be enforced approximately"),
    ("{}", ["--regex", "a"], "exclude each other"),
]


@pytest.mark.parametrize(("schema", "options", "message"), REFUSED)
def test_what_cannot_be_used_is_said(
    run: Run, model_path: Path, tmp_path: Path, schema: str, options: list[str], message: str
) -> None:
    path = tmp_path / "schema.json"
    path.write_text(schema, encoding="utf-8")
    result = run("check", "--model", model_path, "--json-schema", path, *options, "--text", "1")
    assert result.exit_code == 2, result.output
    assert message in result.output


def test_every_rule_of_openai_that_is_broken_is_listed(run: Run, model_path: Path, tmp_path: Path) -> None:
    path = tmp_path / "schema.json"
    path.write_text('{"type": "object", "properties": {"a": {"type": "string", "minLength": 3}}}')
    result = run("check", "--model", model_path, "--json-schema", path, "--openai-strict", "--text", "1")
    assert result.exit_code == 2
    lines = result.stderr.splitlines()
    places = [
        line.removeprefix("error: ").partition(": not in the strict subset of OpenAI: ")[0] for line in lines
    ]
    assert places == ["#", "#/properties/a", "#/properties/a/minLength"]


@pytest.mark.parametrize(
    "options",
    [
        *(["--property-order", "any"], ["--whitespace", "free"], ["--plain-numbers"]),
        *(["--approximate", "x"], ["--openai-strict"]),
    ],
)
def test_options_of_schemas_need_one(run: Run, model_path: Path, options: list[str]) -> None:
    result = run("check", "--model", model_path, "--regex", "a", *options, "--text", "a")
    assert result.exit_code == 2
    assert f"{options[0]} needs --json-schema" in result.output


def test_what_is_misspelt_and_so_asks_for_nothing_is_remarked_on(run: Run, model_path: Path) -> None:
    schema = {"type": "string", "maxLenght": 3}
    result = run("mask", "--model", model_path, "--json-schema", "-", input=json.dumps(schema).encode())
    assert result.exit_code == 0, result.output
    assert result.stderr.count("remark: ") == 1
    assert "#: `maxLenght` is no keyword" in result.stderr


def test_the_schemas_of_tools_are_remarked_on(run: Run, model_path: Path) -> None:
    tool = {
        "name": "weather",
        "parameters": {"type": "object", "properties": {"days": {"type": "integer", "minimun": 1}}},
    }
    for layout in ("hermes", "qwen3-coder"):
        result = run(
            "mask",
            "--model",
            model_path,
            "--tools",
            "-",
            "--tool-format",
            layout,
            input=json.dumps([tool]).encode(),
        )
        assert result.exit_code == 0, result.output
        assert result.stderr.count("remark: ") == 1
        assert "tool 'weather': #/properties/days: `minimun` is no keyword" in result.stderr


def test_few_remarks_are_made(run: Run, model_path: Path) -> None:
    schema = json.dumps({"anyOf": [{"typ": "null", "title": str(number)} for number in range(100)]})
    result = run("mask", "--model", model_path, "--json-schema", "-", input=schema.encode())
    assert result.stderr.count("remark: ") == 5
