"""Kimi K2: special tokens around an identifier with the name in it, and JSON.

Source: the chat template of moonshotai/Kimi-K2-Thinking on its hub page, and `docs/tool_call_guidance.md`
    beside
moonshotai/Kimi-K2-Instruct, by which the identifier is ``functions.{name}:{number}``.
"""

from maskwright.tool_calls.formats.thinking import THINKING
from maskwright.tool_calls.layout import ToolCallFormat
from maskwright.tool_calls.parts import CallId, JsonArguments, Name, Special, Text

__all__ = ["KIMI_K2"]

KIMI_K2 = ToolCallFormat(
    name="kimi-k2",
    models=("Kimi K2", "Kimi K2 Thinking"),
    source="chat template of moonshotai/Kimi-K2-Thinking",
    call=(
        Special("<|tool_call_begin|>"),
        Text("functions."),
        Name(),
        Text(":"),
        CallId("[0-9]{1,6}", identity="functions.{name}:{text}"),
        Special("<|tool_call_argument_begin|>"),
        JsonArguments(raw_bodies=True),
        Special("<|tool_call_end|>"),
    ),
    begin=(Special("<|tool_calls_section_begin|>"),),
    end=(Special("<|tool_calls_section_end|>"),),
    reasoning=THINKING,
)
