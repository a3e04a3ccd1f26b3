"""gpt-oss (Harmony): messages with channels for reasoning, preambles, calls and the answer.

Source: `docs/format.md` in the repository openai/harmony. The generation prompt ends with
``<|start|>assistant``. A call ends the text, so there is one at most. Its recipient may stand in the role or
in the channel of the header, and ``<|constrain|>json`` may be missing; all of that is accepted. An answer in
JSON may say so in its header as calls do: models write ``final json`` (issue 56 there).
"""

from maskwright.tool_calls.layout import ToolCallFormat
from maskwright.tool_calls.parts import Ending, JsonArguments, Name, Segment, Special, Text

__all__ = ["HARMONY"]

_ASSISTANT = (Special("<|start|>"), Text("assistant"))
_CHANNEL = Special("<|channel|>")
_MESSAGE = Special("<|message|>")
_END = Special("<|end|>")
_JSON = (Special("<|constrain|>"), Text("json"))
_TYPES = ((Text(" "), *_JSON), _JSON, (Text(" json"),))
_FINAL = (*_ASSISTANT, _CHANNEL, Text("final"))
_ARGUMENTS = (_MESSAGE, JsonArguments(raw_bodies=True), Ending("<|call|>"))
_BY_CHANNEL = (*_ASSISTANT, _CHANNEL, Text("commentary to=functions."), Name())
_BY_ROLE = (*_ASSISTANT, Text(" to=functions."), Name(), _CHANNEL, Text("commentary"))

HARMONY = ToolCallFormat(
    name="harmony",
    models=("gpt-oss",),
    source="openai/harmony, docs/format.md",
    call=(*_BY_CHANNEL, *_TYPES[0], *_ARGUMENTS),
    other_calls=(
        *((*_BY_CHANNEL, *kind, *_ARGUMENTS) for kind in (*_TYPES[1:], ())),
        *((*_BY_ROLE, *kind, *_ARGUMENTS) for kind in (*_TYPES, ())),
    ),
    content=(
        *(
            Segment(begin=(*_FINAL, *kind, _MESSAGE), end=(Ending("<|return|>"),), before_calls=False)
            for kind in ((), *_TYPES)
        ),
        Segment(
            begin=(*_ASSISTANT, _CHANNEL, Text("commentary"), _MESSAGE),
            end=(_END,),
            last=False,
            repeated=True,
        ),
    ),
    reasoning=Segment(begin=(*_ASSISTANT, _CHANNEL, Text("analysis"), _MESSAGE), end=(_END,), repeated=True),
    prompt=_ASSISTANT,
    parallel=False,
)
