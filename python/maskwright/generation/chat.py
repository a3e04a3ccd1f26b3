"""A model's own chat template: messages in, prompt out.

Takes the Jinja text that a model file carries and gives a :class:`ChatTemplate`. The text comes from
whoever made the file, so it runs in Jinja's sandbox, which keeps it from reaching Python's internals.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, NoReturn

from maskwright.checking import in_order, string
from maskwright.errors import ModelError

from .optional import require

if TYPE_CHECKING:
    from .model import Message

__all__ = ["ChatTemplate"]


class ChatTemplate:
    """A compiled chat template.

    Example:
        >>> template = ChatTemplate("{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}")
        >>> template.render([{"role": "user", "content": "Hello"}])
        '<user>Hello'
    """

    def __init__(self, source: str, special_tokens: Mapping[str, str] | None = None) -> None:
        """Compiles a template.

        Args:
            source: Jinja text, as in ``tokenizer.chat_template``.
            special_tokens: texts that the template may use by name, such as ``bos_token``.

        Raises:
            ModelError: the text is not a Jinja template, or ``jinja2`` is not installed.
        """
        sandbox, exceptions = require("jinja2.sandbox"), require("jinja2").exceptions
        extension = require("jinja2.ext").Extension
        marks = type("Marks", (extension,), {"tags": {"generation"}, "parse": _without_marks})
        environment = sandbox.ImmutableSandboxedEnvironment(
            trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols", marks]
        )
        environment.filters["tojson"] = _to_json
        environment.globals.update(
            raise_exception=_refuse, strftime_now=_strftime_now, **dict(special_tokens or {})
        )
        try:
            self._template: Any = environment.from_string(source)
        except (exceptions.TemplateError, ValueError) as error:
            raise ModelError(f"the model's chat template is faulty: {error}") from error
        except (RecursionError, SyntaxError, MemoryError, OverflowError) as error:
            raise ModelError(f"the model's chat template is nested too deeply: {error}") from error

    def render(self, messages: Sequence[Message]) -> str:
        """Writes messages as a prompt that ends where the assistant's answer begins.

        Args:
            messages: the turns so far.

        Returns:
            The prompt.

        Raises:
            ModelError: the template refuses the messages or fails on them, or one has no role, or neither
                content nor calls.
            TypeError: they are no several, one is no mapping, or what it holds is no text.
        """
        listed = _checked(messages)
        try:
            return str(self._template.render(messages=listed, add_generation_prompt=True))
        except Exception as error:  # the template is foreign code; it may raise anything
            raise ModelError(
                f"the model's chat template fails on these messages: {error}; "
                "the prompt can be given to the model as it is instead (--raw)"
            ) from error


def _checked(messages: Sequence[Message]) -> list[Message]:
    """The messages as a list. Templates write nothing for what is not there, and say nothing of it.

    Raises:
        ModelError, TypeError: as for :meth:`ChatTemplate.render`.
    """
    listed = in_order(messages, "messages")
    for place, message in enumerate(listed):
        if not isinstance(message, Mapping):
            raise TypeError(
                f"messages[{place}] is a mapping, such as {{'role': 'user', 'content': 'Hello'}}, not "
                f"{type(message).__name__}"
            )
        # What a conversation with tools has beside these is for the template to read.
        for name in ("role",) if "tool_calls" in message else ("role", "content"):
            if name not in message:
                raise ModelError(f"messages[{place}] has no {name!r}", source="messages")
        string(message["role"], f"messages[{place}]['role']")
        content: object = message.get("content")
        # Some templates take a list of parts. What is neither, they would write as Python does: as "None".
        if not isinstance(content, str | list) and not (content is None and "tool_calls" in message):
            raise TypeError(f"messages[{place}]['content'] is a str, not {type(content).__name__}")
    return listed


def _refuse(message: str) -> NoReturn:
    """What templates call ``raise_exception``."""
    raise ValueError(message)


def _without_marks(_: object, parser: Any) -> Any:
    """What stands in ``{% generation %}``, which tells trainers what the model wrote, and nothing else."""
    next(parser.stream)
    return parser.parse_statements(("name:endgeneration",), drop_needle=True)


def _to_json(
    value: Any,
    ensure_ascii: bool = False,
    indent: int | str | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    """The filter ``tojson`` of ``transformers``: Jinja's own sorts keys and escapes what HTML minds."""
    return json.dumps(
        value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys
    )


def _strftime_now(layout: str) -> str:
    """What templates call ``strftime_now``: today, in the caller's time zone."""
    return datetime.now().astimezone().strftime(layout)
