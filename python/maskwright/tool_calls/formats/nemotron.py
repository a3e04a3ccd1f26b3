"""Nemotron (Llama-Nemotron, Nemotron Nano 2): a JSON list between ``<TOOLCALL>`` and ``</TOOLCALL>``.

Source: the chat templates of nvidia/NVIDIA-Nemotron-Nano-9B-v2 and Llama-3_3-Nemotron-Super-49B-v1_5 on their
    hub
pages, as in llama.cpp. Nemotron 3 writes as Qwen3-Coder does.
"""

from maskwright.tool_calls.formats.thinking import THINKING_ON_LINES
from maskwright.tool_calls.layout import ToolCallFormat
from maskwright.tool_calls.parts import JsonArguments, Name, Special, Text

__all__ = ["NEMOTRON"]

NEMOTRON = ToolCallFormat(
    name="nemotron",
    models=("Llama-Nemotron", "NVIDIA Nemotron Nano 2"),
    source="chat template of nvidia/NVIDIA-Nemotron-Nano-9B-v2",
    call=(Text('{"name": "'), Name(), Text('", "arguments": '), JsonArguments(), Text("}")),
    begin=(Special("<TOOLCALL>", also_text=True), Text("[")),
    separator=(Text(", "),),
    end=(Text("]"), Special("</TOOLCALL>", also_text=True)),
    gap="\n\n",
    reasoning=THINKING_ON_LINES,
    reasoning_opened=True,
)
