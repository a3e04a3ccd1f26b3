"""Mistral: a JSON list behind ``[TOOL_CALLS]``; since tokeniser version 11 a name before each call.

Source: mistral-common and the chat templates of mistralai/Mistral-7B-Instruct-v0.3,
Mistral-Nemo-Instruct-2407, Mistral-Small-3.2-24B-Instruct and Devstral on their hub pages. The first writes
a blank before the list, and Nemo writes none; in the list, their templates have an identifier at the end of
each call. Small 3.2 writes one behind ``[CALL_ID]``, later models write none. All of that is accepted.
Magistral thinks between ``[THINK]`` and ``[/THINK]``.
"""

from maskwright.tool_calls.layout import ToolCallFormat
from maskwright.tool_calls.parts import CallId, JsonArguments, Name, Segment, Special, Text

__all__ = ["MISTRAL", "MISTRAL_V11"]

_TOOL_CALLS = Special("[TOOL_CALLS]")
_ARGUMENTS = (Special("[ARGS]"), JsonArguments())
_NAMED = (Text('{"name": "'), Name(), Text('", "arguments": '))
_IDENTIFIER = "[A-Za-z0-9]{9}"

MISTRAL = ToolCallFormat(
    name="mistral",
    models=("Mistral 7B v0.3", "Mixtral 8x22B", "Mistral Nemo", "Mistral Large 2", "Mistral Small up to 3.1"),
    source="chat template of mistralai/Mistral-7B-Instruct-v0.3",
    call=(*_NAMED, JsonArguments(), Text("}")),
    other_calls=(
        (*_NAMED, JsonArguments(), Text(', "id": "'), CallId(_IDENTIFIER, written="{number:09}"), Text('"}')),
    ),
    begin=(_TOOL_CALLS, Text("[")),
    other_begins=((_TOOL_CALLS, Text(" [")),),
    separator=(Text(", "),),
    end=(Text("]"),),
)

MISTRAL_V11 = ToolCallFormat(
    name="mistral-v11",
    models=("Mistral Small 3.2", "Devstral", "Magistral", "Ministral 3"),
    source="mistral-common; chat template of mistralai/Mistral-Small-3.2-24B-Instruct-2506",
    call=(_TOOL_CALLS, Name(), *_ARGUMENTS),
    other_calls=(
        (
            _TOOL_CALLS,
            Name(),
            Special("[CALL_ID]"),
            CallId(_IDENTIFIER, written="{number:09}"),
            *_ARGUMENTS,
        ),
    ),
    reasoning=Segment(begin=(Special("[THINK]"),), end=(Special("[/THINK]"),)),
)
