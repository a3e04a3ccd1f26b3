"""The command as a whole, and its building blocks."""

from __future__ import annotations

import importlib.abc
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

import maskwright as mw
from maskwright.cli import main
from maskwright.cli.display import escape, excerpt, join_expected, report_errors
from maskwright.cli.option_groups import with_option_groups

from .conftest import Run


def test_version(run: Run) -> None:
    result = run("--version")
    assert result.exit_code == 0
    assert result.stdout == f"maskwright {mw.__version__}\n"


@pytest.mark.parametrize("command", ["generate", "check", "mask"])
def test_every_command_has_help(run: Run, command: str) -> None:
    result = run(command, "--help")
    assert result.exit_code == 0
    for option in ("--regex", "--gbnf", "--choice", "--model"):
        assert option in result.stdout


@pytest.mark.parametrize(
    ("line", "option"),
    [
        ("check --regex a --regex b --text a", "--regex is given 2 times"),
        ("check --json-schema=a --json-schema b --json-schema c", "--json-schema is given 3 times"),
        ("check --regex a --text a --text b", "--text is given 2 times"),
        ("mask --regex a --model x --model y", "--model is given 2 times"),
        ("generate --seed 1 --regex a --seed 1", "--seed is given 2 times"),
        ("check --json-schema a --order any --property-order any", "--property-order is given 2 times"),
        ("check --json-schema a --minimal-escapes --all-escapes", "--minimal-escapes is given 2 times"),
    ],
)
def test_an_option_with_one_value_is_given_once(run: Run, line: str, option: str) -> None:
    result = run(*line.split())
    assert result.exit_code == 2
    assert f"{option}, but has one value; give it once" in result.stderr


def test_options_with_several_values_are_given_again(run: Run, model_path: Path) -> None:
    result = run("check", "--model", model_path, "--choice", "a", "--choice", "b", "--text", "a")
    assert result.exit_code == 0, result.output
    assert run("check", "--help", "--help").exit_code == 0


def test_help_does_not_depend_on_docstrings() -> None:
    """Which ``python -OO`` strips."""
    program = (
        "from typer.testing import CliRunner; from maskwright.cli.app import app\n"
        "for line in ['--help'], ['generate', '--help'], ['check', '--help'], ['mask', '--help']:\n"
        "    print(CliRunner().invoke(app, line).stdout)"
    )
    texts = [
        subprocess.run([sys.executable, *flags, "-c", program], capture_output=True, text=True, check=True)
        for flags in ((), ("-OO",))
    ]
    assert "Say whether a text fits a grammar" in texts[0].stdout
    assert texts[1].stdout == texts[0].stdout


def test_without_a_command_the_commands_are_listed(run: Run) -> None:
    result = run()
    for command in ("generate", "check", "mask"):
        assert command in result.output


def test_output_that_cannot_be_written_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    def full() -> None:
        raise OSError(28, "No space left on device")

    with pytest.raises(typer.Exit) as ended:
        report_errors(full)()
    assert ended.value.exit_code == 2
    assert "No space left on device" in capsys.readouterr().err


def test_a_reader_that_has_enough_ends_a_command_quietly() -> None:
    """As ``head`` does, where there is no SIGPIPE; Typer ends with it."""

    def unread() -> None:
        raise BrokenPipeError(32, "Broken pipe")

    with pytest.raises(BrokenPipeError):
        report_errors(unread)()


MAIN = (sys.executable, "-c", "from maskwright.cli import main; main()")
"""The command in a process of its own."""

OUTPUTS = [("--version",), ("check", "--help"), ("check", "--regex", "a+", "--text", "b", "--model", "MODEL")]


def on(model: Path, arguments: tuple[str, ...]) -> list[str]:
    """A command line, with the model where it names one."""
    return [*MAIN, *(str(model) if argument == "MODEL" else argument for argument in arguments)]


@pytest.mark.skipif(not hasattr(signal, "SIGPIPE"), reason="this system has no such signal")
@pytest.mark.parametrize("arguments", OUTPUTS, ids=" ".join)
def test_a_pipe_that_nobody_reads_ends_the_command_as_it_ends_other_tools(
    arguments: tuple[str, ...], model_path: Path
) -> None:
    """The exit code 1 would stand for a text that does not fit."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        line = on(model_path, arguments)
        ended = subprocess.run(line, stdout=writer, stderr=subprocess.PIPE, check=False)
    finally:
        os.close(writer)
    assert (ended.returncode, ended.stderr) == (-signal.SIGPIPE, b"")


def test_signals_are_as_they_were_when_the_command_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    names = [name for name in ("SIGINT", "SIGPIPE") if hasattr(signal, name)]
    before = [signal.getsignal(getattr(signal, name)) for name in names]
    monkeypatch.setattr(sys, "argv", ["maskwright", "--version"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
    assert [signal.getsignal(getattr(signal, name)) for name in names] == before


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is full")
@pytest.mark.parametrize("arguments", OUTPUTS[1:], ids=" ".join)
def test_a_full_disk_is_told_in_one_line(arguments: tuple[str, ...], model_path: Path) -> None:
    line = on(model_path, arguments)
    with Path("/dev/full").open("wb") as full:
        ended = subprocess.run(line, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert ended.returncode == 2
    assert ended.stderr.count("\n") == 1
    assert "No space left on device" in ended.stderr


@pytest.mark.skipif(os.name != "posix", reason="only shells of Unix close standard output")
@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("generate", "--max-tokens", "3", "--prompt", "a", "--model", "MODEL"), 0),
        (OUTPUTS[-1], 1),
    ],
    ids=lambda value: str(value[0]) if isinstance(value, tuple) else None,
)
def test_closed_output_is_passed_over(arguments: tuple[str, ...], code: int, model_path: Path) -> None:
    line = shlex.join(on(model_path, arguments))
    ended = subprocess.run(["sh", "-c", f"{line} >&-"], stderr=subprocess.PIPE, text=True, check=False)
    assert ended.returncode == code
    assert "Traceback" not in ended.stderr


def test_the_package_can_be_run_as_a_module() -> None:
    command = [sys.executable, "-m", "maskwright", "--version"]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    assert (ended.stdout, ended.stderr) == (f"maskwright {mw.__version__}\n", "")


class _Hide(importlib.abc.MetaPathFinder):
    """Makes packages look as if they were not installed."""

    def __init__(self, *names: str) -> None:
        self.names = names

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname in self.names:
            raise ModuleNotFoundError(f"No module named {fullname!r}", name=fullname)
        return None


@pytest.mark.parametrize("missing", ["typer", "rich"])
def test_a_missing_package_is_named_with_the_way_to_install_it(
    missing: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in list(sys.modules):
        if name.split(".")[0] == missing or name.startswith("maskwright.cli."):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "meta_path", [_Hide(missing), *sys.meta_path])
    with pytest.raises(SystemExit) as caught:
        main()
    assert caught.value.code == 2
    message = capsys.readouterr().err
    assert message.count("\n") == 1
    assert missing in message
    assert "pip install 'maskwright[cli]'" in message


def test_generation_imports_nothing_heavy() -> None:
    heavy = ("gguf", "tokenizers", "jinja2", "safetensors", "typer", "rich")
    program = f"import sys, maskwright.generation; print([name for name in {heavy} if name in sys.modules])"
    outcome = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert outcome.stdout == "[]\n"


@dataclass(frozen=True)
class _Size:
    width: Annotated[int, typer.Option(help="How wide.")]
    height: Annotated[int, typer.Option(help="How high.")] = 2


def test_option_groups_become_options() -> None:
    seen: list[tuple[_Size, str]] = []

    def command(size: _Size, *, name: str = "box") -> None:
        """Show a size."""
        seen.append((size, name))

    app = typer.Typer()
    app.command()(with_option_groups(command))
    assert CliRunner().invoke(app, ["--width", "5", "--name", "crate"]).exit_code == 0
    assert CliRunner().invoke(app, ["--height", "3"]).exit_code == 2  # the width has no default
    assert seen == [(_Size(5, 2), "crate")]


@pytest.mark.parametrize(
    ("data", "shown"),
    [(b"a'b", '"a\'b"'), (b"\n\xc3\xa9", "'\\n\u00e9'"), (b"\xc3", "b'\\xc3'"), (b"", "''")],
)
def test_escape(data: bytes, shown: str) -> None:
    assert escape(data) == shown


def test_excerpt_of_a_long_line_keeps_the_caret_below_its_column() -> None:
    shown, below = excerpt("x" * 500 + "!" + "y" * 500, 1, 501).splitlines()
    assert len(shown) < 120
    assert shown[below.index("^")] == "!"


@pytest.mark.parametrize(("line", "column"), [(0, 1), (3, 1), (1, 0), (1, 99)])
def test_excerpt_of_a_place_outside_the_text_still_shows_something(line: int, column: int) -> None:
    assert "^" in excerpt("ab\ncd", line, column)


def test_a_long_list_of_expectations_is_cut() -> None:
    assert join_expected([]) == "the end of the text"
    assert join_expected([str(number) for number in range(20)]).endswith("11, and 8 more")
