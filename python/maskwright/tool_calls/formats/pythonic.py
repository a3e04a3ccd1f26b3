"""Calls as in Python: ``[weather(city="Rome"), now()]``, instead of prose.

Source: the chat templates of meta-llama/Llama-3.2-3B-Instruct and Llama-4-Scout-17B-16E-Instruct, and the
    page on
zero-shot function calling in the repository meta-llama/llama-models. Gemma 3 has no layout of its own; the
example of a pythonic template for it in vLLM asks for this one.
"""

from dataclasses import replace

from maskwright.tool_calls.layout import ToolCallFormat
from maskwright.tool_calls.parts import Name, PythonArguments, Text

__all__ = ["GEMMA3", "LLAMA4", "PYTHONIC"]

PYTHONIC = ToolCallFormat(
    name="pythonic",
    models=("Llama 3.2 (zero-shot)",),
    source="llama-models, models/llama3_2/text_prompt_format.md",
    call=(Name(), Text("("), PythonArguments(), Text(")")),
    begin=(Text("["),),
    separator=(Text(", "),),
    end=(Text("]"),),
    placement="start",
    reserved=r"\[[A-Za-z0-9_.:/\-]+\(",
)

LLAMA4 = replace(
    PYTHONIC,
    name="llama4",
    models=("Llama 4",),
    source="chat template of meta-llama/Llama-4-Scout-17B-16E-Instruct",
)

GEMMA3 = replace(
    PYTHONIC,
    name="gemma3",
    models=("Gemma 3",),
    source="vLLM, examples/tool_chat_template_gemma3_pythonic.jinja",
)
