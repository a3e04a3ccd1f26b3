"""IBM Granite 3: a JSON list behind ``<|tool_call|>``. Granite 4 writes as Hermes does.

Source: the chat templates of ibm-granite/granite-3.1-8b-instruct and granite-3.3-8b-instruct on their hub
    pages, and
vLLM's documentation of its parsers for them. Some of the models type the tag as ``<tool_call>``.
"""

from maskwright.tool_calls.layout import ToolCallFormat
from maskwright.tool_calls.parts import JsonArguments, Name, Special, Text

__all__ = ["GRANITE3"]

GRANITE3 = ToolCallFormat(
    name="granite3",
    models=("IBM Granite 3.0 to 3.3",),
    source="chat template of ibm-granite/granite-3.3-8b-instruct",
    call=(Text('{"name": "'), Name(), Text('", "arguments": '), JsonArguments(), Text("}")),
    begin=(Special("<|tool_call|>", also_text=True), Text("[")),
    separator=(Text(", "),),
    end=(Text("]"),),
)
