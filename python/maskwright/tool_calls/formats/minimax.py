"""MiniMax M1: a block of JSON objects, one a line. MiniMax M2: parameters one by one between tags.

Source: the chat templates of MiniMaxAI/MiniMax-M1-80k (also in vLLM's examples) and MiniMaxAI/MiniMax-M2 on
    their hub
pages.
"""

from maskwright.tool_calls.formats.thinking import THINKING_ON_LINES
from maskwright.tool_calls.layout import ToolCallFormat
from maskwright.tool_calls.parts import JsonArguments, Key, Name, Special, Text, XmlArguments

__all__ = ["MINIMAX_M1", "MINIMAX_M2"]

MINIMAX_M1 = ToolCallFormat(
    name="minimax-m1",
    models=("MiniMax M1",),
    source="chat template of MiniMaxAI/MiniMax-M1-80k",
    call=(Text('{"name": "'), Name(), Text('", "arguments": '), JsonArguments(), Text("}\n")),
    begin=(Text("<tool_calls>"), Text("\n")),
    end=(Text("</tool_calls>"),),
    gap="\n",
    reasoning=THINKING_ON_LINES,
)

MINIMAX_M2 = ToolCallFormat(
    name="minimax-m2",
    models=("MiniMax M2",),
    source="chat template of MiniMaxAI/MiniMax-M2",
    call=(
        Text('<invoke name="'),
        Name(),
        Text('">\n'),
        XmlArguments(
            opening=(Text('<parameter name="'), Key(), Text('">')), closing=(Text("</parameter>\n"),)
        ),
        Text("</invoke>\n"),
    ),
    begin=(Special("<minimax:tool_call>", also_text=True), Text("\n")),
    end=(Special("</minimax:tool_call>", also_text=True),),
    gap="\n",
    reasoning=THINKING_ON_LINES,
    reasoning_opened=True,
)
