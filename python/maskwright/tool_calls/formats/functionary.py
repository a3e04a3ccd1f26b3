"""Functionary 3.1: JSON in a tag with the name. Functionary 3.2: recipients behind ``>>>``.

Source: the chat templates of meetkai/functionary-medium-v3.1 and functionary-medium-v3.2 on their hub pages.
    The
generation prompt of 3.2 ends with ``>>>``; the recipient of prose is ``all``.
"""

from maskwright.tool_calls.layout import ToolCallFormat
from maskwright.tool_calls.parts import JsonArguments, Name, Segment, Text

__all__ = ["FUNCTIONARY_V3_1", "FUNCTIONARY_V3_2"]

FUNCTIONARY_V3_1 = ToolCallFormat(
    name="functionary-v3.1",
    models=("Functionary 3.1", "Llama 3.1 (user-defined tools)"),
    source="chat template of meetkai/functionary-medium-v3.1",
    call=(Text("<function="), Name(), Text(">"), JsonArguments(), Text("</function>")),
)

FUNCTIONARY_V3_2 = ToolCallFormat(
    name="functionary-v3.2",
    models=("Functionary 3.2",),
    source="chat template of meetkai/functionary-medium-v3.2",
    call=(Text(">>>"), Name(), Text("\n"), JsonArguments()),
    content=(Segment(begin=(Text(">>>all\n"),)),),
    prompt=(Text(">>>"),),
)
