"""Chat templates: what they write, what they may reach, and how they fail."""

from __future__ import annotations

from typing import Any

import pytest

from maskwright.errors import ModelError
from maskwright.generation import Message
from maskwright.generation.chat import ChatTemplate

from .tiny_llama import CHAT_TEMPLATE

MESSAGES: list[Message] = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Hi {{ 1 + 1 }}"},
]


def test_a_conversation_ends_where_the_answer_begins() -> None:
    assert ChatTemplate(CHAT_TEMPLATE).render(MESSAGES) == (
        "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nHi {{ 1 + 1 }}<|im_end|>\n"
        "<|im_start|>assistant\n"
    )


@pytest.mark.parametrize(
    ("messages", "error", "message"),
    [
        ("x", TypeError, "messages must be several, such as a list, not one str"),
        (5, TypeError, "messages must be several, such as a list, not one int"),
        ({"role": "user", "content": "x"}, TypeError, "not dict"),
        ([*MESSAGES, "x"], TypeError, r"messages\[2\] is a mapping, such as .*, not str"),
        ([{"role": "user"}], ModelError, r"messages\[0\] has no 'content'"),
        ([*MESSAGES, {"content": "x"}], ModelError, r"messages\[2\] has no 'role'"),
        (
            [{"role": "user", "content": None}],
            TypeError,
            r"messages\[0\]\['content'\] is a str, not NoneType",
        ),
        ([{"role": "user", "content": 5}], TypeError, r"messages\[0\]\['content'\] is a str, not int"),
        ([{"role": None, "content": "x"}], TypeError, r"messages\[0\]\['role'\] is a str, not NoneType"),
    ],
    ids=str,
)
def test_what_is_no_conversation_is_refused(messages: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        ChatTemplate(CHAT_TEMPLATE).render(messages)


def test_a_turn_that_calls_tools_needs_no_content() -> None:
    template = ChatTemplate("{{ messages[0].tool_calls[0].name }}")
    calling: Any = {"role": "assistant", "tool_calls": [{"name": "stop"}]}
    assert template.render([calling]) == "stop"


def test_special_tokens_are_known_by_name() -> None:
    template = ChatTemplate("{{ bos_token }}{{ messages[0].content }}", {"bos_token": "<s>"})
    assert template.render(MESSAGES) == "<s>Be brief."


def test_blocks_take_their_own_lines_with_them() -> None:
    template = ChatTemplate("{% for message in messages %}\n  {% if true %}\nx{% endif %}\n{% endfor %}\n")
    assert template.render(MESSAGES) == "xx"


def test_templates_may_refuse_messages() -> None:
    with pytest.raises(ModelError, match="no system message"):
        ChatTemplate("{{ raise_exception('no system message') }}").render(MESSAGES)


@pytest.mark.parametrize(
    "source",
    [
        "{{ messages.__class__.__mro__ }}",
        "{{ raise_exception.__globals__['sys'] }}",
        "{{ messages.append(1) }}",
        "{{ undefined_name.attribute }}",
        "{{ 1 / 0 }}",
        "{% for i in range(10 ** 9) %}{% endfor %}",
        "{% macro again() %}{{ again() }}{% endmacro %}{{ again() }}",
        "{{ 'a' + 1 }}",
        "{{ messages[9].content }}",
    ],
)
def test_templates_fail_with_a_model_error(source: str) -> None:
    with pytest.raises(ModelError, match="chat template"):
        ChatTemplate(source).render(MESSAGES)


@pytest.mark.parametrize("source", ["{% for %}", "{{ 10 ** 5000 }}"])
def test_a_faulty_template_is_refused_when_it_is_read(source: str) -> None:
    with pytest.raises(ModelError, match="faulty"):
        ChatTemplate(source)


def test_json_is_written_as_transformers_writes_it() -> None:
    messages: list[Message] = [{"role": "user", "content": "<é> & 'x'"}]
    template = ChatTemplate("{{ messages[0] | tojson }} {{ [1, 2] | tojson(indent=1) }}")
    assert template.render(messages) == '{"role": "user", "content": "<é> & \'x\'"} [\n 1,\n 2\n]'


def test_marks_of_what_the_model_wrote_are_passed_over() -> None:
    source = (
        "{% for m in messages %}{% generation %}{{ m.content }}{% if loop.last %}!{% endif %}"
        "{% endgeneration %}.{% endfor %}"
    )
    messages: list[Message] = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]
    assert ChatTemplate(source).render(messages) == "a.b!."
    with pytest.raises(ModelError, match="chat template is faulty"):
        ChatTemplate("{% generation %}")


@pytest.mark.parametrize(
    "source",
    [
        "{{" + "(" * 2000 + "1" + ")" * 2000 + "}}",
        "{{ 1" + "+1" * 50_000 + " }}",
        "{% if 1 %}" * 2000 + "{% endif %}" * 2000,
        "{% for i in [1] %}" * 25 + "{% endfor %}" * 25,
    ],
    ids=["parentheses", "a sum", "conditions", "loops"],
)
def test_a_template_that_nests_too_deeply_is_refused_when_it_is_read(source: str) -> None:
    with pytest.raises(ModelError, match="chat template is nested too deeply"):
        ChatTemplate(source)
