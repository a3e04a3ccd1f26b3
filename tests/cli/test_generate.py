"""``maskwright generate``."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import IO, Any

import pytest

import maskwright as mw
from maskwright.cli.tool_options import tool_instructions
from maskwright.generation import LocalModel

from .conftest import Run


def test_the_text_is_on_standard_output_and_the_summary_on_standard_error(run: Run, model_path: Path) -> None:
    result = run("generate", "--model", model_path, "--prompt", "hello", "--choice", "hell no")
    assert result.exit_code == 0, result.output
    assert result.stdout == "hell no"
    assert re.search(r"\d+ tokens, [\d.]+ tokens/s, complete; masks took \d+ \u00b5s", result.stderr)


@pytest.mark.parametrize(
    "options", [["--prompt", "a\udcff"], ["--prompt", "a", "--system", "a\udcff"]], ids=["prompt", "system"]
)
def test_what_is_no_text_is_told_by_its_option(run: Run, options: list[str]) -> None:
    result = run("generate", *options)
    assert result.exit_code == 2
    told = " ".join(result.stderr.replace("\u2502", " ").split())
    assert f"Invalid value for {options[-2]}: it is not text in UTF-8: invalid start byte at byte 1" in told


def test_a_folder_and_a_gguf_file_write_the_same(run: Run, model_path: Path, model_folder: Path) -> None:
    texts = [
        run("generate", "--model", path, "--prompt", "hello", "--regex", "[a-z]{20}").stdout
        for path in (model_path, model_folder)
    ]
    assert texts[0] == texts[1]
    assert re.fullmatch("[a-z]{20}", texts[0])


# Each: options, what is written, the exit code, whether it is said that the text does not fit.
CUT_OFF = [
    (["--choice", "hell no"], "hell no", 0, False),
    (["--choice", "hell no", "--max-tokens", "1"], "hell", 1, True),
    (["--regex", "(hell)+", "--max-tokens", "1"], "hell", 0, False),
    (["--max-tokens", "1"], None, 0, False),
]


@pytest.mark.parametrize(("options", "text", "code", "is_said"), CUT_OFF, ids=str)
def test_a_text_that_is_cut_off_ends_with_the_exit_code_of_one_that_does_not_fit(
    run: Run, model_path: Path, options: list[str], text: str | None, code: int, is_said: bool
) -> None:
    result = run("generate", "--model", model_path, "--prompt", "hello", *options)
    assert result.exit_code == code, result.output
    assert text is None or result.stdout == text
    assert ("before it fits the grammar" in result.stderr) == is_said


def test_the_exit_codes_are_part_of_the_help(run: Run) -> None:
    assert "Exit code 0: " in run("generate", "--help").stdout


def test_without_a_grammar_any_text_is_written(run: Run, model_path: Path) -> None:
    result = run("generate", "--model", model_path, "--prompt", "hello", "--max-tokens", "5")
    assert result.exit_code == 0, result.output
    assert "masks" not in result.stderr
    assert "ended by the limit on tokens" in result.stderr or "complete" in result.stderr


def test_gbnf_is_read_from_a_file(run: Run, model_path: Path, tmp_path: Path) -> None:
    path = tmp_path / "digits.gbnf"
    path.write_text('root ::= digit digit "!"\ndigit ::= [0-9]\n')
    result = run("generate", "--model", model_path, "--prompt", "hello", "--gbnf", path)
    assert re.fullmatch("[0-9]{2}!", result.stdout), result.output


def test_a_seed_repeats(run: Run, model_path: Path) -> None:
    def text(seed: int) -> str:
        options = (
            "--temperature",
            "3",
            "--top-k",
            "50",
            "--top-p",
            "0.99",
            "--min-p",
            "0.001",
            "--seed",
            str(seed),
        )
        return str(
            run("generate", "--model", model_path, "--prompt", "x", "--regex", "[a-z]{9}", *options).stdout
        )

    assert text(1) == text(1)
    assert text(1) != text(2)


def test_raw_and_system_change_the_prompt(
    run: Run, model_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prompts: list[str] = []

    def encode(model: LocalModel, text: str) -> list[int]:
        prompts.append(text)
        return model.text_encoder.encode_prompt(text)

    monkeypatch.setattr(LocalModel, "encode", encode)
    common = ("generate", "--model", model_path, "--prompt", "hello", "--max-tokens", "1")
    run(*common)
    run(*common, "--system", "Be kind.")
    run(*common, "--raw")
    run(*common, "--system", "")
    assert prompts == [
        "<|im_start|>user\nhello<|im_end|>\n<|im_start|>assistant\n",
        "<|im_start|>system\nBe kind.<|im_end|>\n<|im_start|>user\nhello<|im_end|>\n<|im_start|>assistant\n",
        "hello",
        "<|im_start|>system\n<|im_end|>\n<|im_start|>user\nhello<|im_end|>\n<|im_start|>assistant\n",
    ]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--raw", "--system", "x"], "--raw"),
        (["--regex", "a", "--choice", "b"], "exclude each other"),
        (["--max-tokens", "0"], "max-tokens"),
        (["--temperature", "-1"], "temperature"),
        (["--top-p", "2"], "top_p"),
        (["--gbnf", "no-such-file"], "no-such-file"),
        (["--warm", "none"], "--warm needs a grammar or --tools"),
        (["--regex", "a", "--warm", "some"], "'some' is none of these: none, a number of masks, such as 500"),
        (["--regex", "a", "--warm", "-1"], "'-1' is none of these"),
        (["--example", __file__], "--example needs a grammar or --tools"),
        (["--regex", "a", "--example", "no-such-text"], "no-such-text"),
        (["--regex", "a", "--example", str(Path(__file__).parent)], "cannot be read: "),
        (["--regex", "a", "--example", __file__, "--warm", "none"], "--warm none rehearses nothing"),
        (["--regex", "a", "--example", __file__, "--warm", "0"], "--warm 0 rehearses nothing"),
        (["--model", "no-such-model"], "no-such-model"),
        (["--model", __file__, "--raw", "--system", "x"], "--raw leaves no place"),
    ],
    ids=str,
)
def test_bad_options_end_with_one_message(
    run: Run, model_path: Path, options: list[str], message: str
) -> None:
    model = [] if "--model" in options else ["--model", str(model_path)]
    result = run("generate", *model, "--prompt", "hello", *options)
    assert result.exit_code == 2
    assert message in result.stderr
    assert "Traceback" not in result.output


def test_masks_are_computed_ahead_as_asked(
    run: Run, model_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled: list[mw.Constraint] = []
    compile_it = mw.Compiler.compile

    def recording(compiler: mw.Compiler, grammar: mw.Grammar, **options: Any) -> mw.Constraint:
        compiled.append(compile_it(compiler, grammar, **options))
        asked.append(options)
        return compiled[-1]

    asked: list[dict[str, Any]] = []
    monkeypatch.setattr(mw.Compiler, "compile", recording)
    common = ("generate", "--model", model_path, "--prompt", "x", "--regex", "[a-z]{9}[0-9]{3}")
    results = [run(*common, *option) for option in ((), *(("--warm", n) for n in ("none", "0", "7", "all")))]
    assert [result.exit_code for result in results] == [0] * 5, results[0].output
    assert len({result.stdout for result in results}) == 1
    assert [options["warm"] for options in asked] == [500, 0, 0, 7, "all"]
    warmings = [constraint.warming for constraint in compiled]
    assert [warming is not None for warming in warmings] == [True, False, False, True, True]
    assert all(warming.result().transitions > 0 for warming in warmings if warming is not None)
    help_text = run("generate", "--help").stdout
    assert "--warm" in help_text
    assert "--example" in help_text


def test_examples_are_rehearsed_each_as_far_as_it_fits(
    run: Run, model_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[dict[str, Any]] = []
    compile_it = mw.Compiler.compile

    def recording(compiler: mw.Compiler, grammar: mw.Grammar, **options: Any) -> mw.Constraint:
        asked.append(options)
        return compile_it(compiler, grammar, **options)

    monkeypatch.setattr(mw.Compiler, "compile", recording)
    texts = [b"abcabcabc123\n", b"\xff", b""]
    options: list[str | Path] = []
    for position, text in enumerate(texts):
        path = tmp_path / f"{position}.txt"
        path.write_bytes(text)
        options += ["--example", path]
    common = ("generate", "--model", model_path, "--prompt", "x", "--regex", "[a-z]{9}[0-9]{3}")
    results = [run(*common, *more) for more in ((), options, [*options, "--warm", "all"])]
    assert [result.exit_code for result in results] == [0] * 3, results[1].output
    assert len({result.stdout for result in results}) == 1
    assert [list(given["examples"]) for given in asked] == [[], texts, texts]
    assert [given["warm"] for given in asked] == [500, 500, "all"]


def test_an_example_that_cannot_be_read_is_named(
    run: Run, model_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(path: Path, *_: object) -> IO[bytes]:
        raise PermissionError(13, "Permission denied", str(path))

    (tmp_path / "text.json").write_text("x")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Path, "open", failing)
    options = ("--prompt", "x", "--regex", "a", "--example", "text.json")
    result = run("generate", "--model", model_path, *options)
    assert result.exit_code == 2
    assert "text.json cannot be read: Permission denied" in result.stderr
    assert "--example" in result.stderr


def test_a_file_that_is_no_model_is_refused(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("not a model")
    result = run("generate", "--model", path, "--prompt", "hello")
    assert result.exit_code == 2
    assert result.stderr.startswith("error: ")
    assert "notes.txt" in result.stderr


TOOLS = '[{"type": "function", "function": {"name": "stop", "parameters": {"type": "object"}}}]'


def test_a_tool_is_called_and_the_call_is_read_back(run: Run, model_path: Path, tmp_path: Path) -> None:
    path = tmp_path / "tools.json"
    path.write_text(TOOLS)
    options = ("--tools", path, "--tool-choice", "required", "--max-tokens", "400")
    result = run(
        "generate", "--model", model_path, "--prompt", "go", "--raw", "--tool-format", "llama3", *options
    )
    assert result.exit_code == 1, "the model goes on to a second call, within which its context is full"
    read = re.search(r"call: (\{.*\})", result.stderr.replace("\n", " "))
    assert read, result.output
    call = json.loads(read[1])
    assert call == {"name": "stop", "arguments": {}}


@pytest.mark.parametrize("name", ["hermes", "qwen3-coder", "pythonic", "harmony"])
def test_a_model_is_told_of_custom_tools(name: str) -> None:
    tools = [{"type": "custom", "name": "code", "description": "Runs it."}, {"name": "stop"}]
    calls = mw.ToolCalls(tools, name, reasoning="off", typed_special_tokens=True)
    lines = tool_instructions(calls).split("\n")
    told = json.loads(lines[1])
    assert told == {"name": "code", "description": "Runs it.", "parameters": {"type": "string"}}
    assert json.loads(lines[2])["parameters"]["type"] == "object"
    assert calls.parse("\n".join(lines[4:])).calls[0].arguments == "..."


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--tool-choice", "auto"), "--tool-choice needs --tools"),
        (("--tools", "TOOLS", "--regex", "x"), "exclude each other"),
        (("--tools", "TOOLS", "--tool-choice", "fly"), "fly"),
        (("--tools", "TOOLS", "--tool-choice", ""), "tool_choice: there is no tool ''"),
        (("--tools", "TOOLS", "--tool-format", ""), "there is no tool-call format ''"),
        (("--tools", "BROKEN"), "cannot be read as JSON"),
        (("--tools", "BROKEN"), "Invalid value for --tools"),
    ],
)
def test_tool_options_that_do_not_fit(
    run: Run, model_path: Path, tmp_path: Path, options: tuple[str, ...], message: str
) -> None:
    (tmp_path / "TOOLS").write_text(TOOLS)
    (tmp_path / "BROKEN").write_text("[{")
    named = [str(tmp_path / option) if option.isupper() else option for option in options]
    result = run("generate", "--model", model_path, "--prompt", "go", *named)
    assert result.exit_code != 0
    assert message in result.stderr
