"""Threads with small stacks: no grammar and no text ends the process, and all of them end as elsewhere."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("hostile_nesting.py")
LARGE = 16 << 20
SMALL = 64 << 10


@pytest.fixture(scope="module")
def started() -> dict[int, subprocess.Popen[bytes]]:
    """What runs all cases for each size of the stack, side by side."""
    return {
        stack: subprocess.Popen(
            [sys.executable, str(SCRIPT), str(stack)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        for stack in (LARGE, SMALL)
    }


@pytest.fixture(scope="module")
def outcomes(started: dict[int, subprocess.Popen[bytes]]) -> dict[int, dict[str, str]]:
    """How each case ends, for each size of the stack. None where the process did."""
    ended = {
        stack: (process.communicate(timeout=300), process.returncode) for stack, process in started.items()
    }
    return {
        stack: json.loads(told) if code == 0 else {"the process": f"{code}: {errors.decode()[-2000:]}"}
        for stack, ((told, errors), code) in ended.items()
    }


def test_whatever_nests_ends_alike_on_every_stack(outcomes: dict[int, dict[str, str]]) -> None:
    assert outcomes[SMALL] == outcomes[LARGE]


def test_what_nests_too_deep_is_told(outcomes: dict[int, dict[str, str]]) -> None:
    told = outcomes[LARGE]
    for name in ["schema, brackets", "regex, brackets", "gbnf, brackets", "composed too deep"]:
        assert told[name] == "BudgetExceededError", name
    for name in ["compared document", "structural tag, brackets", "schema, not a member, 480"]:
        assert told[name] == "BudgetExceededError", name
    assert told["schema, strict"] == "StrictSchemaError"
    assert told["python call, too deep"] == "ToolCallSyntaxError"
    assert told["schema, properties, 480"].startswith("[2, ")
