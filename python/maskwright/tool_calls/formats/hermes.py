"""Hermes, Qwen 2.5 and Qwen 3, and models after them: JSON between ``<tool_call>`` and ``</tool_call>``.

Source: the chat templates of NousResearch/Hermes-3-Llama-3.1-8B (`tool_use`), Qwen/Qwen2.5-7B-Instruct and
Qwen/Qwen3-8B on their hub pages; that of ibm-granite/granite-4.0-h-small is alike. The last two have tokens
for the tags, the others type them.
"""

from maskwright.tool_calls.formats.thinking import THINKING_ON_LINES
from maskwright.tool_calls.layout import ToolCallFormat
from maskwright.tool_calls.parts import JsonArguments, Name, Special, Text

__all__ = ["HERMES"]

HERMES = ToolCallFormat(
    name="hermes",
    models=("NousResearch Hermes 2 Pro and 3", "Qwen 2.5", "Qwen 3", "IBM Granite 4"),
    source="chat template of Qwen/Qwen3-8B",
    call=(
        Special("<tool_call>", also_text=True),
        Text('\n{"name": "'),
        Name(),
        Text('", "arguments": '),
        JsonArguments(),
        Text("}\n"),
        Special("</tool_call>", also_text=True),
    ),
    separator=(Text("\n"),),
    gap="\n",
    reasoning=THINKING_ON_LINES,
)
