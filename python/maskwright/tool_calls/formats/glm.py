"""GLM 4.5 and later: the name, then keys and values between tags.

Source: the chat templates of zai-org/GLM-4.5 and GLM-4.6, as in llama.cpp (`models/templates/GLM-4.6.jinja`).
Their generation prompt ends with ``<|assistant|>``; the model writes a line end before ``<think>``, and
another behind ``</think>``. Since 4.7 there are no line ends between the tags, and the prompt ends with
``<think>``, as in ik_llama.cpp (`models/templates/GLM-4.7-Flash.jinja`).
"""

from maskwright.tool_calls.formats.thinking import THINKING, THINKING_ON_ONE_LINE
from maskwright.tool_calls.layout import ToolCallFormat
from maskwright.tool_calls.parts import Key, Name, Special, Text, XmlArguments

__all__ = ["GLM_4_5", "GLM_4_7"]

_BEGIN = Special("<tool_call>", also_text=True)
_END = Special("</tool_call>", also_text=True)
_KEY_BEGIN = Special("<arg_key>", also_text=True)
_KEY_END = Special("</arg_key>", also_text=True)
_VALUE_BEGIN = Special("<arg_value>", also_text=True)
_VALUE_END = Special("</arg_value>", also_text=True)

GLM_4_5 = ToolCallFormat(
    name="glm-4.5",
    models=("GLM 4.5", "GLM 4.6"),
    source="chat template of zai-org/GLM-4.6",
    call=(
        _BEGIN,
        Name(),
        Text("\n"),
        XmlArguments(
            opening=(_KEY_BEGIN, Key(), _KEY_END, Text("\n"), _VALUE_BEGIN), closing=(_VALUE_END, Text("\n"))
        ),
        _END,
    ),
    separator=(Text("\n"),),
    gap="\n",
    reasoning=THINKING_ON_ONE_LINE,
)

GLM_4_7 = ToolCallFormat(
    name="glm-4.7",
    models=("GLM 4.7",),
    source="ik_llama.cpp, models/templates/GLM-4.7-Flash.jinja",
    call=(
        _BEGIN,
        Name(),
        XmlArguments(opening=(_KEY_BEGIN, Key(), _KEY_END, _VALUE_BEGIN), closing=(_VALUE_END,)),
        _END,
    ),
    reasoning=THINKING,
    reasoning_opened=True,
)
