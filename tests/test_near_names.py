"""Names that are nearly right: errors suggest the one that was meant."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import maskwright as mw

TOOL = {"name": "f", "parameters": {"type": "object", "properties": {"a": {"type": "string"}}}}


def tools(**options: Any) -> Any:
    return mw.ToolCalls([TOOL], "hermes", **options)


def call_of(**fields: Any) -> Any:
    return mw.ToolCalls([TOOL], "qwen3-coder").render([{"name": "f", **fields}])


NEAR: list[tuple[Callable[[], Any], str]] = [
    (lambda: mw.ToolCalls([TOOL], "Hermes"), "; did you mean 'hermes'?"),
    (lambda: mw.tool_calls.get_format("qwen3_codr"), "; did you mean 'qwen3-coder'?"),
    (lambda: mw.tool_calls.get_format("Qwen/Qwen3-8B"), "; perhaps 'hermes', by the names of its models"),
    (
        lambda: mw.tool_calls.get_format("phi"),
        "; perhaps 'functools' or 'phi4-mini', by the names of its models",
    ),
    (lambda: tools(tool_choice="requierd"), "; did you mean 'required'?"),
    (lambda: tools(tool_choice={"name": "F"}), "there are 'f'; did you mean 'f'?"),
    (lambda: call_of(name="F"), "there are 'f'; did you mean 'f'?"),
    (lambda: tools(reasoning="force"), "; did you mean 'forced'?"),
    (lambda: mw.Whitespace.named("compat"), "; did you mean 'compact'?"),
    (lambda: mw.Grammar.json_schema({}, default_draft="2020"), "; did you mean '2020-12'?"),
    (lambda: mw.Grammar.structural_tag({"type": "text"}), "; did you mean `any_text`?"),
    (lambda: mw.Grammar.structural_tag({"type": "any_text", "exclude": []}), "; did you mean `excludes`?"),
]


@pytest.mark.parametrize(("make", "message"), NEAR)
def test_a_name_that_is_near_is_suggested(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(mw.MaskwrightError) as caught:
        make()
    assert str(caught.value).endswith(message)


def test_nothing_is_suggested_where_nothing_is_near() -> None:
    for name in ("", "x", "h" * 100_000, "(", "a/" * 100_000, "5"):
        with pytest.raises(mw.ToolCallError) as caught:
            mw.tool_calls.get_format(name)
        assert str(caught.value).endswith(", qwen3.5")
