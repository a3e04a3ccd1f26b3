"""Tool calls: how families of models write them, as grammars, parsers and renderers.

    calls = maskwright.ToolCalls(tools, format="hermes", tool_choice="auto")
    constraint = compiler.compile(calls.grammar())       # masks for what the model may write
    message = calls.parse(text)                          # content, reasoning, calls
    calls.render(message.calls)                          # the canonical text again

| module | what it does |
|---|---|
| `parts`, `layout` | the language in which a format is described |
| `field_types`, `layout_checks` | what is refused of a description |
| `formats/` | one description for each family of models |
| `registry` | formats by name, and one's own |
| `arguments/` | the ways in which arguments are written: JSON, XML parameters, Python calls |
| `pieces`, `layout_grammar`, `message_grammar` | the grammar of a description |
| `headers`, `reader`, `streaming` | the parser of a description |
| `given_calls` | the forms in which calls are given to be written |
| `render` | the text of a message |
| `messages` | what is read: messages, calls, events |
| `choice` | which tools may be called |
| `response_form` | what the content must look like |
| `constraint` | :class:`ToolCalls`, which puts all of it together |

Grammar, parser and renderer read the same description, so a format is one file of data.
"""

from maskwright.tool_calls.constraint import ToolCalls
from maskwright.tool_calls.layout import ToolCallFormat
from maskwright.tool_calls.messages import (
    ArgumentsDelta,
    CallFinished,
    CallStarted,
    ContentDelta,
    Event,
    Message,
    ReasoningDelta,
    ToolCall,
)
from maskwright.tool_calls.parts import (
    CallId,
    Ending,
    JsonArguments,
    Key,
    Name,
    PythonArguments,
    Segment,
    Special,
    StringMark,
    Text,
    XmlArguments,
)
from maskwright.tool_calls.registry import format_names, get_format, register
from maskwright.tool_calls.streaming import StreamingParser

__all__ = [
    "ArgumentsDelta",
    "CallFinished",
    "CallId",
    "CallStarted",
    "ContentDelta",
    "Ending",
    "Event",
    "JsonArguments",
    "Key",
    "Message",
    "Name",
    "PythonArguments",
    "ReasoningDelta",
    "Segment",
    "Special",
    "StreamingParser",
    "StringMark",
    "Text",
    "ToolCall",
    "ToolCallFormat",
    "ToolCalls",
    "XmlArguments",
    "format_names",
    "get_format",
    "register",
]
