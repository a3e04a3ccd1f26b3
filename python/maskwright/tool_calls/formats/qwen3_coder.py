"""Qwen3-Coder, Qwen 3.5 and Nemotron 3: parameters one by one between tags.

Source: the chat templates of Qwen/Qwen3-Coder-30B-A3B-Instruct on its hub page, and of the example in vLLM.
    That of
Qwen 3.5 and that of Nemotron 3 were not at hand; engines read their calls with the same parser.
"""

from dataclasses import replace

from maskwright.tool_calls.formats.thinking import THINKING_ON_LINES
from maskwright.tool_calls.layout import ToolCallFormat
from maskwright.tool_calls.parts import Key, Name, Special, Text, XmlArguments

__all__ = ["NEMOTRON3", "QWEN3_5", "QWEN3_CODER"]

QWEN3_CODER = ToolCallFormat(
    name="qwen3-coder",
    models=("Qwen3-Coder",),
    source="chat template of Qwen/Qwen3-Coder-30B-A3B-Instruct",
    call=(
        Special("<tool_call>", also_text=True),
        Text("\n<function="),
        Name(),
        Text(">\n"),
        XmlArguments(opening=(Text("<parameter="), Key(), Text(">\n")), closing=(Text("\n</parameter>\n"),)),
        Text("</function>\n"),
        Special("</tool_call>", also_text=True),
    ),
    separator=(Text("\n"),),
    gap="\n\n",
)

QWEN3_5 = replace(
    QWEN3_CODER,
    name="qwen3.5",
    models=("Qwen 3.5",),
    source="engines' parsers; the template itself was not at hand",
    reasoning=THINKING_ON_LINES,
    reasoning_opened=True,
)

NEMOTRON3 = replace(QWEN3_5, name="nemotron3", models=("NVIDIA Nemotron 3",))
