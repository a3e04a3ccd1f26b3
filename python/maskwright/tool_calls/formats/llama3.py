"""Llama 3.1 to 3.3: a message that is one JSON object, with ``parameters``; several are separated by ``; ``.

Source: the chat templates of meta-llama/Llama-3.1-8B-Instruct and Llama-3.2-3B-Instruct on their hub pages.
    Custom
tools come without ``<|python_tag|>`` there; models write it now and then, so it is accepted.
"""

from maskwright.tool_calls.layout import ToolCallFormat
from maskwright.tool_calls.parts import JsonArguments, Name, Special, Text

__all__ = ["LLAMA3"]

_CALL = (Text('{"name": "'), Name(), Text('", "parameters": '), JsonArguments(), Text("}"))

LLAMA3 = ToolCallFormat(
    name="llama3",
    models=("Llama 3.1", "Llama 3.2", "Llama 3.3"),
    source="chat template of meta-llama/Llama-3.1-8B-Instruct",
    call=_CALL,
    other_calls=((Special("<|python_tag|>", also_text=True), *_CALL),),
    separator=(Text("; "),),
    placement="start",
)
