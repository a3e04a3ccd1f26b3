"""DeepSeek V3.2 and V4 (DSML): parameters one by one, with a mark of what is a string.

Source: the encoding that comes with deepseek-ai/DeepSeek-V3.2, as a chat template in llama.cpp
(`models/templates/DeepSeek-V3.2.jinja`), by which the model thinks unless it is told not to: the prompt ends
with ``<think>``. V4 calls the block ``tool_calls``, as engines' parsers say; its own documentation was not at
hand. By the template of V4 in ik_llama.cpp it thinks only if it is told to.
"""

from dataclasses import replace

from maskwright.tool_calls.formats.thinking import THINKING
from maskwright.tool_calls.layout import ToolCallFormat
from maskwright.tool_calls.parts import Key, Name, Special, StringMark, Text, XmlArguments

# ruff: noqa: RUF001 - the name of the token has fullwidth bars

__all__ = ["DEEPSEEK_V3_2", "DEEPSEEK_V4", "MARK"]

MARK = Special("｜DSML｜", also_text=True)
"""What stands in the names of all tags."""

DEEPSEEK_V3_2 = ToolCallFormat(
    name="deepseek-v3.2",
    models=("DeepSeek V3.2",),
    source="llama.cpp, models/templates/DeepSeek-V3.2.jinja",
    call=(
        Text("<"),
        MARK,
        Text('invoke name="'),
        Name(),
        Text('">\n'),
        XmlArguments(
            opening=(
                Text("<"),
                MARK,
                Text('parameter name="'),
                Key(),
                Text('" string="'),
                StringMark(),
                Text('">'),
            ),
            closing=(Text("</"), MARK, Text("parameter>")),
            separator=(Text("\n"),),
            after="\n",
        ),
        Text("</"),
        MARK,
        Text("invoke>"),
    ),
    begin=(Text("<"), MARK, Text("function_calls>\n")),
    separator=(Text("\n"),),
    end=(Text("\n</"), MARK, Text("function_calls>")),
    gap="\n\n",
    reasoning=THINKING,
    reasoning_opened=True,
)

DEEPSEEK_V4 = replace(
    DEEPSEEK_V3_2,
    name="deepseek-v4",
    models=("DeepSeek V4",),
    source="engines' parsers; its own documentation was not at hand",
    begin=(Text("<"), MARK, Text("tool_calls>\n")),
    end=(Text("\n</"), MARK, Text("tool_calls>")),
    reasoning_opened=False,
)
