"""DeepSeek R1, V3 and V3.1: special tokens around name and JSON.

Source: the chat templates of deepseek-ai/DeepSeek-R1, DeepSeek-V3-0324 and DeepSeek-V3.1 on their hub pages.
"""

from dataclasses import replace

from maskwright.tool_calls.formats.thinking import THINKING, THINKING_ON_LINES
from maskwright.tool_calls.layout import ToolCallFormat
from maskwright.tool_calls.parts import JsonArguments, Name, Special, Text

# ruff: noqa: RUF001 - the names of the tokens have fullwidth bars

__all__ = ["DEEPSEEK_R1", "DEEPSEEK_V3", "DEEPSEEK_V3_1"]

_CALLS_BEGIN = Special("<｜tool▁calls▁begin｜>")
_CALLS_END = Special("<｜tool▁calls▁end｜>")
_CALL_BEGIN = Special("<｜tool▁call▁begin｜>")
_CALL_END = Special("<｜tool▁call▁end｜>")
_SEPARATOR = Special("<｜tool▁sep｜>")

DEEPSEEK_V3 = ToolCallFormat(
    name="deepseek-v3",
    models=("DeepSeek V3",),
    source="chat template of deepseek-ai/DeepSeek-V3-0324",
    call=(
        _CALL_BEGIN,
        Text("function"),
        _SEPARATOR,
        Name(),
        Text("\n```json\n"),
        JsonArguments(),
        Text("\n```"),
        _CALL_END,
    ),
    begin=(_CALLS_BEGIN,),
    separator=(Text("\n"),),
    end=(_CALLS_END,),
)

DEEPSEEK_R1 = replace(
    DEEPSEEK_V3,
    name="deepseek-r1",
    models=("DeepSeek R1",),
    source="chat template of deepseek-ai/DeepSeek-R1",
    reasoning=THINKING_ON_LINES,
    reasoning_opened=True,
)

DEEPSEEK_V3_1 = ToolCallFormat(
    name="deepseek-v3.1",
    models=("DeepSeek V3.1",),
    source="chat template of deepseek-ai/DeepSeek-V3.1",
    call=(_CALL_BEGIN, Name(), _SEPARATOR, JsonArguments(raw_bodies=True), _CALL_END),
    begin=(_CALLS_BEGIN,),
    end=(_CALLS_END,),
    reasoning=THINKING,
)
