"""Reasoning between ``<think>`` and ``</think>``, which many families write alike.

Source: the chat templates of Qwen3, DeepSeek R1, GLM 4.5, Kimi K2 Thinking and MiniMax M2 on their hub pages;
    they
differ in the line ends around it.
"""

from maskwright.tool_calls.parts import Segment, Special

__all__ = ["THINKING", "THINKING_ON_LINES", "THINKING_ON_ONE_LINE"]

_BEGIN = (Special("<think>", also_text=True),)
_END = (Special("</think>", also_text=True),)

THINKING = Segment(begin=_BEGIN, end=_END)
"""Without line ends."""

THINKING_ON_ONE_LINE = Segment(begin=_BEGIN, end=_END, before="\n", after="\n")
"""Between line ends."""

THINKING_ON_LINES = Segment(begin=_BEGIN, end=_END, margin="\n", after="\n\n")
"""On lines of its own, with an empty line behind it."""
