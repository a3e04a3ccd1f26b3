"""What a model may call, read from the descriptions that frameworks pass around.

| module | what it does |
|---|---|
| `tool` | the one form in which everything else takes a tool, and the schema of its arguments |
| `inputs` | reads OpenAI, Anthropic and MCP descriptions, Python functions and classes |
| `function_tools` | makes a tool of a Python function or class |
| `docstrings` | reads what a docstring says of a function and of its parameters |

How calls of these tools are written in a model's text is the affair of :mod:`maskwright.tool_calls`.
"""

from maskwright.tools.inputs import ToolInput, tools_from
from maskwright.tools.tool import Tool

__all__ = ["Tool", "ToolInput", "tools_from"]
