"""Command R7B and A: actions between tokens. Command R and R+: a list behind ``Action:``.

Source: the chat templates of CohereForAI/c4ai-command-r7b-12-2024 (`tool_use`) and c4ai-command-r-plus on
    their hub
pages.
"""

from maskwright.tool_calls.layout import ToolCallFormat
from maskwright.tool_calls.parts import CallId, JsonArguments, Name, Segment, Special, Text

__all__ = ["COMMAND_R7B", "COMMAND_R_PLUS"]

COMMAND_R7B = ToolCallFormat(
    name="command-r7b",
    models=("Command R7B", "Command A"),
    source="chat template of CohereForAI/c4ai-command-r7b-12-2024",
    call=(
        Text('{"tool_call_id": "'),
        CallId("[0-9]{1,6}"),
        Text('", "tool_name": "'),
        Name(),
        Text('", "parameters": '),
        JsonArguments(),
        Text("}"),
    ),
    begin=(Special("<|START_ACTION|>"), Text("[\n    ")),
    separator=(Text(",\n    "),),
    end=(Text("\n]"), Special("<|END_ACTION|>")),
    content=(
        Segment(
            begin=(Special("<|START_RESPONSE|>"),), end=(Special("<|END_RESPONSE|>"),), before_calls=False
        ),
    ),
    reasoning=Segment(begin=(Special("<|START_THINKING|>"),), end=(Special("<|END_THINKING|>"),)),
)

COMMAND_R_PLUS = ToolCallFormat(
    name="command-r-plus",
    models=("Command R", "Command R+"),
    source="chat template of CohereForAI/c4ai-command-r-plus",
    call=(
        Text('{\n        "tool_name": "'),
        Name(),
        Text('",\n        "parameters": '),
        JsonArguments(),
        Text("\n    }"),
    ),
    begin=(Text("Action:\n```json\n"), Text("[\n    ")),
    separator=(Text(",\n    "),),
    end=(Text("\n]```"),),
    gap="\n",
)
