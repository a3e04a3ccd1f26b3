"""Phi-4-mini: a JSON list between tokens, or behind the word ``functools``.

Source: the hub page of microsoft/Phi-4-mini-instruct gives the tokens ``<|tool_call|>`` and
    ``<|/tool_call|>``; the
list between them is as engines' parsers read it. ``functools`` is the layout of the example in vLLM
(`examples/tool_chat_template_phi4_mini.jinja`), which is that of FireFunction v2 too.
"""

from maskwright.tool_calls.layout import ToolCallFormat
from maskwright.tool_calls.parts import JsonArguments, Name, Special, Text

__all__ = ["FUNCTOOLS", "PHI4_MINI"]

_CALL = (Text('{"name": "'), Name(), Text('", "arguments": '), JsonArguments(), Text("}"))

PHI4_MINI = ToolCallFormat(
    name="phi4-mini",
    models=("Phi-4-mini",),
    source="hub page of microsoft/Phi-4-mini-instruct, and engines' parsers",
    call=_CALL,
    begin=(Special("<|tool_call|>", also_text=True), Text("[")),
    separator=(Text(", "),),
    end=(Text("]"), Special("<|/tool_call|>", also_text=True)),
)

FUNCTOOLS = ToolCallFormat(
    name="functools",
    models=("Phi-4-mini (vLLM's template)", "FireFunction v2"),
    source="vLLM, examples/tool_chat_template_phi4_mini.jinja",
    call=_CALL,
    begin=(Text("functools["),),
    separator=(Text(", "),),
    end=(Text("]"),),
)
