"""``maskwright mask``."""

from __future__ import annotations

from pathlib import Path

from generation.tiny_llama import TOKENS

from .conftest import Run


def test_allowed_tokens_are_listed_with_their_ids(run: Run, model_path: Path) -> None:
    result = run("mask", "--model", model_path, "--choice", "hello", "--prefix", "h")
    assert result.exit_code == 0, result.output
    header, *rows = result.stdout.splitlines()
    assert header == f"1 of {len(TOKENS)} tokens may follow 'h'"
    assert rows == [f"{TOKENS.index('e'):>8}  'e'"]


def test_tokens_of_several_bytes_are_listed(run: Run, model_path: Path) -> None:
    result = run("mask", "--model", model_path, "--choice", "hello")
    ids = [int(row.split()[0]) for row in result.stdout.splitlines()[1:]]
    assert ids == sorted(TOKENS.index(token) for token in ("h", "he", "hell"))


def test_stop_tokens_are_marked(run: Run, model_path: Path) -> None:
    result = run("mask", "--model", model_path, "--choice", "hello", "--prefix", "hello")
    assert result.stdout.splitlines()[1:] == [f"{1:>8}  [special <|im_end|>, stop]"]


def test_special_tokens_by_their_names_in_a_structural_tag(
    run: Run, model_path: Path, tmp_path: Path
) -> None:
    path = tmp_path / "tag.json"
    path.write_text('{"type": "tag", "begin": "<|im_start|>", "content": {"type": "any_text"}, "end": "."}')
    rows = run("mask", "--model", model_path, "--structural-tag", path).stdout.splitlines()[1:]
    assert rows == [f"{0:>8}  [special <|im_start|>]", f"{TOKENS.index('<'):>8}  '<'"]


def test_the_start_of_a_call_is_listed(run: Run, model_path: Path, tmp_path: Path) -> None:
    path = tmp_path / "tools.json"
    path.write_text('[{"name": "stop"}]')
    options = ("--tools", path, "--tool-format", "llama3", "--tool-choice", "required")
    rows = run("mask", "--model", model_path, *options, "--prefix", '{"name": "').stdout.splitlines()
    assert rows[1:] == [f"{TOKENS.index('s'):>8}  's'"]


def test_bytes_that_are_no_character_are_escaped(run: Run, model_path: Path) -> None:
    result = run("mask", "--model", model_path, "--choice", "\u00e9")
    assert "b'\\xc3'" in result.stdout


def test_the_list_is_cut_at_its_limit(run: Run, model_path: Path) -> None:
    cut = run("mask", "--model", model_path, "--regex", "[a-z]", "--limit", "3").stdout.splitlines()
    assert len(cut) == 5
    assert cut[-1] == "... and 23 more (--limit 0 lists all)"
    whole = run("mask", "--model", model_path, "--regex", "[a-z]", "--limit", "0").stdout.splitlines()
    assert len(whole) == 27


def test_a_prefix_that_is_not_legal_is_placed(run: Run, model_path: Path) -> None:
    result = run("mask", "--model", model_path, "--choice", "hello", "--prefix", "hey")
    assert result.exit_code == 1
    assert "rejected at byte 2 (line 1, column 3)" in result.stdout
