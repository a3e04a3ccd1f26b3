"""``maskwright check``."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from maskwright.cli import input_files

from .conftest import Run


def test_an_accepted_text(run: Run, model_path: Path) -> None:
    result = run("check", "--model", model_path, "--regex", "hello( world)?", "--text", "hello world")
    assert result.exit_code == 0, result.output
    assert result.stdout == "accepted: 11 bytes, 7 tokens\n"


def test_a_prefix_is_not_enough(run: Run, model_path: Path) -> None:
    result = run("check", "--model", model_path, "--choice", "hello world", "--text", "hello")
    assert result.exit_code == 1
    assert result.stdout.startswith("a prefix: 5 bytes")
    assert "expected next: " in result.stdout


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a", "accepted: 1 byte, 1 token\n"),
        ("aa", "accepted: 2 bytes, "),
        ("", "a prefix: 0 bytes; all of it"),
    ],
)
def test_one_byte_is_told_as_one(run: Run, model_path: Path, text: str, told: str) -> None:
    assert run("check", "--model", model_path, "--regex", "a+", "--text", text).stdout.startswith(told)


def test_the_place_of_a_failure_inside_a_token(run: Run, model_path: Path) -> None:
    result = run("check", "--model", model_path, "--regex", "\u00e9\nhe[a-k]o", "--text", "\u00e9\nhello")
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert lines[0].startswith("rejected at byte 5 (line 2, column 3, in token 4: 'hell', id ")
    assert lines[1:3] == ["  2 | hello", "    |   ^"]
    assert lines[3].startswith("expected here: ")


def test_too_much_text(run: Run, model_path: Path) -> None:
    result = run("check", "--model", model_path, "--choice", "hello", "--text", "hello!")
    assert result.exit_code == 1
    assert "rejected at byte 5 (line 1, column 6" in result.stdout


@pytest.mark.parametrize("option", ["--vocabulary", "--model"])
def test_every_source_of_tokens_agrees(run: Run, model_path: Path, model_folder: Path, option: str) -> None:
    paths = [model_path, model_folder if option == "--model" else model_folder / "tokenizer.json"]
    outputs = {run("check", option, path, "--regex", "[a-z ]+", "--text", "hello W").stdout for path in paths}
    assert len(outputs) == 1
    assert "rejected at byte 6" in outputs.pop()


def tiktoken_file(folder: Path, count: int = 256) -> Path:
    """A file of single bytes by their values, which names no stop token."""
    path = folder / "bytes.tiktoken"
    lines = [f"{base64.b64encode(bytes([byte])).decode()} {byte}\n" for byte in range(count)]
    path.write_text("".join(lines))
    return path


STOPS: list[tuple[list[str], int, str]] = [
    (["--stop-id", "7"], 0, "accepted"),
    (["--stop-id", "7", "--stop-id", "8"], 0, "accepted"),
    (["--stop-id", "300", "--size", "301"], 0, "accepted"),
    ([], 2, "pass stop_ids=[...]"),
    (["--stop-id", "300"], 2, "the stop token has the id 300, but ids go from 0 to 255"),
    (["--stop-id", "97"], 1, "rejected"),
]


@pytest.mark.parametrize(("options", "exit_code", "message"), STOPS)
def test_stop_tokens_of_a_file_that_names_none(
    run: Run, tmp_path: Path, options: list[str], exit_code: int, message: str
) -> None:
    path = tiktoken_file(tmp_path)
    result = run("check", "--vocabulary", path, *options, "--regex", "ab|b", "--text", "ab")
    assert (result.exit_code, message in result.output) == (exit_code, True), result.output
    assert ("--stop-id, once for each" in result.output) == (exit_code == 2)


def test_all_stop_ids_given_end_a_text(run: Run, tmp_path: Path) -> None:
    options = ["--stop-id", "7", "--stop-id", "8", "--choice", "a", "--prefix", "a"]
    result = run("mask", "--vocabulary", tiktoken_file(tmp_path), *options)
    assert result.exit_code == 0, result.output
    assert [line.split() for line in result.stdout.splitlines()[1:]] == [["7", "[stop]"], ["8", "[stop]"]]


def test_a_folder_without_a_tokeniser_says_what_was_looked_for(run: Run, tmp_path: Path) -> None:
    for option in ("--vocabulary", "--model"):
        result = run("check", option, tmp_path, "--regex", "a", "--text", "a")
        assert result.exit_code == 2
        assert f"{tmp_path}: this folder has no tokenizer.json, and no other file is" in result.output


def test_a_vocabulary_without_a_tokeniser_is_replayed_by_bytes(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "tekken.json"
    tokens = [
        {"rank": rank, "token_bytes": text, "token_str": None} for rank, text in enumerate(("YQ==", "Yg=="))
    ]
    config = {"default_vocab_size": 5, "default_num_special_tokens": 3}
    path.write_text(json.dumps({"config": config, "vocab": tokens}))
    result = run("check", "--vocabulary", path, "--regex", "(ab)+", "--text", "abab")
    assert result.exit_code == 0, result.output
    assert result.stdout == "accepted: 4 bytes\n"


def test_the_text_comes_from_a_file_or_from_standard_input(
    run: Run, model_path: Path, tmp_path: Path
) -> None:
    path = tmp_path / "text"
    path.write_bytes(b"hello")
    common = ("check", "--model", model_path, "--regex", "[a-z]+")
    assert run(*common, path).exit_code == 0
    assert run(*common, "-", input=b"hello").exit_code == 0
    assert run(*common, "-", input=b"hello1").exit_code == 1


def test_the_line_end_of_a_file_is_pointed_out(run: Run, model_path: Path) -> None:
    result = run("check", "--model", model_path, "--regex", "[a-z]+", "-", input=b"hello\n")
    assert result.exit_code == 1
    assert "hint: only the line end" in result.stdout


def test_bytes_that_are_no_text_are_placed(run: Run, model_path: Path) -> None:
    result = run("check", "--model", model_path, "--regex", "[a-z\u00e9]+", "-", input=b"a\xc3\xa9\xff")
    assert result.exit_code == 1
    assert "rejected at byte 3 (line 1, column 3)" in result.stdout


def test_a_grammar_error_shows_the_line_and_a_caret(run: Run, model_path: Path, tmp_path: Path) -> None:
    path = tmp_path / "faulty.gbnf"
    path.write_text('root ::= "a" rest\nrest ::= ( "b" \n')
    result = run("check", "--model", model_path, "--gbnf", path, "--text", "a")
    assert result.exit_code == 2
    assert result.stderr.startswith("error: ")
    assert " | " in result.stderr
    assert result.stderr.rstrip().endswith("^")
    assert "Traceback" not in result.stderr


def test_the_rule_that_a_text_must_match_is_named_where_it_is_missing(
    run: Run, model_path: Path, tmp_path: Path
) -> None:
    path = tmp_path / "start.gbnf"
    path.write_text('start ::= "a"\n')
    result = run("check", "--model", model_path, "--gbnf", path, "--text", "a")
    assert result.exit_code == 2
    assert "hint: here, the rule that the text must match is always the one named 'root'" in result.stderr
    path.write_text("root ::= other\n")
    assert "hint: " not in run("check", "--model", model_path, "--gbnf", path, "--text", "a").stderr


def test_names_of_arguments_within_are_not_told(run: Run, model_path: Path) -> None:
    result = run("check", "--model", model_path, "--regex", "a\udcff", "--text", "a")
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert "has a lone surrogate at position 1" in result.stderr


@pytest.mark.parametrize("kind", ["gguf", "tokenizer.json"])
def test_without_a_package_for_tokenisers_the_text_is_replayed_by_bytes(
    run: Run, model_path: Path, model_folder: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    for package in ("tokenizers", "gguf", "jinja2", "safetensors"):
        monkeypatch.setitem(sys.modules, package, None)
    path = model_path if kind == "gguf" else model_folder / kind
    result = run("check", "--vocabulary", path, "--regex", "[a-z]+", "--text", "hello")
    assert result.exit_code == 0, result.output
    assert result.stdout == "accepted: 5 bytes\n"
    assert result.stderr.startswith("byte by byte, and not token by token: the package 'tokenizers'")
    assert "maskwright[generate]" in result.stderr


def test_a_structural_tag_comes_from_a_file(run: Run, model_path: Path, tmp_path: Path) -> None:
    path = tmp_path / "tag.json"
    path.write_text('{"type": "tag", "begin": "a", "content": {"type": "any_text"}, "end": "b"}')
    common = ("check", "--model", model_path, "--structural-tag", path)
    assert run(*common, "--text", "aaab").exit_code == 0
    assert run(*common, "--text", "aabb").exit_code == 1
    path.write_text('{"type": "tag", "begin": "a"}')
    result = run(*common, "--text", "a")
    assert result.exit_code == 2
    assert "#: the field `end` is missing" in result.stderr


def test_tools_are_a_grammar(run: Run, model_path: Path, tmp_path: Path) -> None:
    path = tmp_path / "tools.json"
    path.write_text('[{"name": "stop", "parameters": {"type": "object", "additionalProperties": false}}]')
    common = ("check", "--model", model_path, "--tools", path, "--tool-format", "llama3", "--text")
    assert run(*common, "Let me stop.").exit_code == 0
    assert run(*common, '{"name":  "stop", "parameters": {}}').exit_code == 0
    result = run(*common, '{"name": "stop", "parameters": {"now": 1}}')
    assert result.exit_code == 1
    assert "rejected at byte 32" in result.stdout
    result = run(*common, "Let me stop.", "--tool-choice", "required")
    assert result.exit_code == 1
    assert "rejected at byte 0" in result.stdout
    result = run(*common, "a", "--regex", "a")
    assert result.exit_code == 2
    assert "--tools and a grammar exclude each other" in result.stderr
    path.write_text(
        f'[{{"name": "stop", "parameters": {{"properties": {{"a": {{"const": {"9" * 5000}}}}}}}}}]'
    )
    assert run(*common, f'{{"name": "stop", "parameters": {{"a": {"9" * 5000}}}}}').exit_code == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--regex", "a"], "--text"),
        (["--regex", "a", "--text", "a", "file"], "--text"),
        (["--text", "a"], "a grammar is needed; give one of --regex, "),
        (["--tools", __file__, "--text", "a"], "cannot be read as JSON"),
        (["--tool-choice", "none", "--regex", "a", "--text", "a"], "--tool-choice needs --tools"),
        (["--regex", "a", "no-such-file"], "no-such-file"),
        (["--regex", "a", "--text", "a", "--vocabulary", "."], "exclude each other"),
    ],
    ids=str,
)
def test_bad_options_end_with_one_message(
    run: Run, model_path: Path, options: list[str], message: str
) -> None:
    result = run("check", "--model", model_path, *options)
    assert result.exit_code == 2
    assert message in result.stderr


@pytest.mark.parametrize("option", ["--gbnf", "--structural-tag", "--json-schema"])
def test_a_grammar_that_is_not_utf8_is_named_with_its_option(
    run: Run, model_path: Path, tmp_path: Path, option: str
) -> None:
    path = tmp_path / "latin.txt"
    path.write_bytes("é".encode("latin-1"))
    result = run("check", "--model", model_path, option, path, "--text", "a")
    assert result.exit_code == 2
    assert option in result.stderr
    assert "is not text in UTF-8: unexpected end of data at byte 0" in result.stderr


def test_input_without_end_is_refused(
    run: Run, model_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(input_files, "LARGEST_INPUT", 4)
    path = tmp_path / "text"
    path.write_bytes(b"aaaaa")
    for file in (path, "-"):
        result = run("check", "--model", model_path, "--regex", "a+", file, input=b"aaaaa")
        assert result.exit_code == 2
        assert "has more than 4 bytes" in result.stderr
    path.write_bytes(b"aaaa")
    assert run("check", "--model", model_path, "--regex", "a+", path).exit_code == 0


def test_a_closed_standard_input_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(typer.BadParameter, match="standard input is closed"):
        input_files.read_bytes("-", "FILE")


# Each: an option that takes a file, what comes by standard input, a text that fits.
BY_STANDARD_INPUT = [
    ("--gbnf", 'root ::= "a"+', "aa"),
    ("--json-schema", '{"const": true}', "true"),
    ("--structural-tag", '{"type": "const_string", "value": "yes"}', "yes"),
    ("--tools", '[{"name": "stop"}]', "Let me think."),
]


@pytest.mark.parametrize(("option", "content", "text"), BY_STANDARD_INPUT, ids=lambda value: value[:12])
def test_a_grammar_comes_by_standard_input(
    run: Run, model_path: Path, option: str, content: str, text: str
) -> None:
    result = run("check", "--model", model_path, option, "-", "--text", text, input=content.encode())
    assert result.exit_code == 0, result.output
    result = run("check", "--model", model_path, option, "-", "--text", text, input=b"\xff")
    assert result.exit_code == 2
    assert "standard input is not text in UTF-8" in result.stderr


def test_what_is_wrong_with_standard_input_is_placed(run: Run, model_path: Path) -> None:
    common = ("check", "--model", model_path, "--text", "a")
    result = run(*common, "--gbnf", "-", input=b"root ::= other\n")
    assert result.exit_code == 2
    assert result.stderr.endswith("  1 | root ::= other\n    |          ^\n")
    result = run(*common, "--tools", "-", input=b"[")
    assert result.exit_code == 2
    assert "standard input cannot be read as JSON" in result.stderr


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ("check --gbnf - -", "--gbnf and FILE"),
        ("check --tools - -", "--tools and FILE"),
        ("check --json-schema - --tools - --text a", "--json-schema and --tools"),
        ("mask --gbnf - --json-schema -", "--gbnf and --json-schema"),
        ("generate --json-schema - --example - --prompt a", "--json-schema and --example"),
        ("generate --gbnf - --tools - --prompt a", "--gbnf and --tools"),
        ("generate --regex a --example - --example - --prompt a", "--example and --example"),
    ],
)
def test_standard_input_is_read_once(run: Run, model_path: Path, options: str, told: str) -> None:
    result = run(*options.split(), "--model", model_path, input=b'root ::= "a"')
    assert result.exit_code == 2
    assert f"{told} cannot all be standard input" in result.stderr


def test_a_file_may_be_called_as_standard_input_is(
    run: Run, model_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "-").write_text('root ::= "file"', encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    common = ("check", "--model", model_path.resolve(), "--text", "file", "--gbnf")
    assert run(*common, "./-", input=b'root ::= "input"').exit_code == 0
    assert run(*common, "-", input=b'root ::= "input"').exit_code == 1


NEAR = [
    (["--tools", "TOOLS", "--tool-format", "Qwen3_Coder"], "; did you mean 'qwen3-coder'?"),
    (["--tools", "TOOLS", "--tool-format", "hermess"], "; did you mean 'hermes'?"),
    (["--tools", "TOOLS", "--tool-choice", "requird"], "; did you mean 'required'?"),
    (["--tools", "TOOLS", "--tool-choice", "get_wether"], "; did you mean 'get_weather'?"),
    (["--json-schema", "SCHEMA", "--whitespace", "compct"], "; did you mean compact?"),
]


@pytest.mark.parametrize(("options", "message"), NEAR, ids=str)
def test_a_name_that_is_near_is_suggested(
    run: Run, model_path: Path, tmp_path: Path, options: list[str], message: str
) -> None:
    files = {"TOOLS": '[{"name": "get_weather"}]', "SCHEMA": "{}"}
    for name, content in files.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    given = [str(tmp_path / option) if option in files else option for option in options]
    result = run("check", "--model", model_path, *given, "--text", "a")
    assert result.exit_code == 2
    assert message in result.stderr


PADDED = {
    "strategy": {"Fixed": 10**14},
    "direction": "Right",
    "pad_id": 0,
    "pad_type_id": 0,
    "pad_token": "a",
}
TOKENISERS = [
    ({"pre_tokenizer": {"type": "FixedLength", "length": 0}}, 2, "its tokeniser is damaged"),
    ({"padding": PADDED}, 0, "accepted: 1 byte, 1 token"),
]


@pytest.mark.parametrize(("parts", "exit_code", "told"), TOKENISERS)
def test_no_tokeniser_of_a_file_ends_the_process(
    parts: dict[str, object], exit_code: int, told: str, tmp_path: Path
) -> None:
    path = tmp_path / "tokenizer.json"
    model = {"type": "BPE", "vocab": {"a": 0, "</s>": 1}, "merges": []}
    decoder = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    path.write_text(json.dumps({"decoder": decoder, "model": model, **parts}))
    options = ["--regex", "a", "--text", "a", "--stop-id", "1", "--vocabulary", str(path)]
    command = [sys.executable, "-m", "maskwright", "check", *options]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == exit_code, result.stderr
    assert told in result.stdout + result.stderr
    assert "Traceback" not in result.stderr


def test_a_text_for_which_the_tokeniser_has_a_token_without_bytes_is_read_by_bytes(
    run: Run, tmp_path: Path
) -> None:
    """Here the token for what is unknown, which stands for the space that is put in front of a text."""
    stop = {"id": 1, "content": "</s>", "special": True, "single_word": False, "lstrip": False}
    document = {
        "added_tokens": [{**stop, "rstrip": False, "normalized": False}],
        "normalizer": {"type": "Prepend", "prepend": "\u2581"},
        "decoder": {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "always", "split": False},
        "model": {
            "type": "BPE",
            "unk_token": "<unk>",
            "vocab": {"<unk>": 0, "</s>": 1, "a": 2, "b": 3},
            "merges": [],
        },
    }
    (tmp_path / "tokenizer.json").write_text(json.dumps(document))
    common = ("check", "--vocabulary", tmp_path / "tokenizer.json", "--regex", "a")
    assert run(*common, "--text", "a").stdout == "accepted: 1 byte\n"
    assert run(*common, "--text", "b").stdout.startswith("rejected at byte 0")
