"""The kinds of formats that hold no others.

Takes one format and gives its grammar, or notes why there is none. Each kind has one function.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from maskwright.grammar import Grammar
from maskwright.json_schema import Whitespace
from maskwright.structural_tag.context import Context, Inner
from maskwright.structural_tag.formats import (
    AnyTextFormat,
    AnyTokensFormat,
    ConstStringFormat,
    ExcludeTokenFormat,
    GrammarFormat,
    JsonSchemaFormat,
    QwenXmlParameterFormat,
    RegexFormat,
    StructuralTagModel,
    TokenFormat,
)
from maskwright.structural_tag.free_regions import unique
from maskwright.structural_tag.xml_styles import xml_grammar

__all__ = ["LEAVES", "schema_grammar"]


def _const_string(node: ConstStringFormat, inner: Inner, context: Context) -> Grammar:
    return context.made(lambda: context.special.grammar(node.value), (*inner.place, "value"))


def _json_schema(node: JsonSchemaFormat, inner: Inner, context: Context) -> Grammar:
    if node.excludes:
        return context.refuse(
            (*inner.place, "excludes"),
            "`excludes` of a JSON Schema",
            "which strings it is about depends on other keywords; say it with `pattern` in the schema",
        )
    options: dict[str, Any] = {}
    if node.any_order:
        options["order"] = "any"
    if node.max_whitespace_cnt is not None:
        options["whitespace"] = Whitespace.free(node.max_whitespace_cnt)
    if node.style == "json":
        return schema_grammar(node.json_schema, inner, context, "json_schema", **options)
    options = {**context.options, **options}
    return xml_grammar(node.json_schema, node.style, inner, context, options=options, field="style")


def _qwen_xml_parameter(node: QwenXmlParameterFormat, inner: Inner, context: Context) -> Grammar:
    return xml_grammar(node.json_schema, "qwen_xml", inner, context, options=context.options, field="type")


def schema_grammar(schema: Any, inner: Inner, context: Context, *keys: str | int, **options: Any) -> Grammar:
    """The grammar of a JSON Schema.

    Args:
        schema: the schema.
        inner: the format that it stands in.
        context: what is the same for all formats.
        keys: where it stands in the format.
        options: what the format says, which comes before what the caller says.
    """
    chosen = {**context.options, **options}
    return context.made(
        lambda: Grammar.json_schema(schema, budget=context.budget, **chosen), (*inner.place, *keys)
    )


def _grammar(node: GrammarFormat, inner: Inner, context: Context) -> Grammar:
    if node.syntax == "lark":
        return context.refuse(
            (*inner.place, "syntax"),
            "a grammar in the syntax of Lark",
            'it is planned, and not there yet; write it as GBNF, which is the syntax "ebnf"',
        )
    return context.made(lambda: Grammar.gbnf(node.grammar, budget=context.budget), (*inner.place, "grammar"))


def _regex(node: RegexFormat, inner: Inner, context: Context) -> Grammar:
    return context.made(
        lambda: Grammar.regex(node.pattern, forbidden=unique(node.excludes), budget=context.budget),
        (*inner.place, "pattern"),
    )


def _any_text(node: AnyTextFormat, inner: Inner, context: Context) -> Grammar:
    if node.max_tokens == 0:
        return context.nothing
    if node.max_tokens is not None:
        return context.refuse(
            (*inner.place, "max_tokens"),
            "`max_tokens` of free text",
            "how many tokens a text is depends on how it was cut; use `max_chars`, or `any_tokens` in a tag "
            "that a token ends",
        )
    forbidden = (*node.excludes, *inner.ending.texts)
    if node.max_chars is None:
        return context.made(
            lambda: Grammar.free_text(forbidden=unique(forbidden), budget=context.budget), inner.place
        )
    pattern = f"(?s:.{{0,{node.max_chars}}})"
    return context.made(
        lambda: Grammar.regex(pattern, forbidden=unique(forbidden), budget=context.budget), inner.place
    )


def _token(node: TokenFormat, inner: Inner, context: Context) -> Grammar:
    return context.made(lambda: Grammar.token(node.token, budget=context.budget), inner.place)


def _exclude_token(node: ExcludeTokenFormat, inner: Inner, context: Context) -> Grammar:
    excluded = unique([*node.exclude_tokens, *inner.ending.tokens])
    return context.made(lambda: Grammar.any_token(except_=excluded, budget=context.budget), inner.place)


def _any_tokens(node: AnyTokensFormat, inner: Inner, context: Context) -> Grammar:
    excluded = unique([*node.exclude_tokens, *inner.ending.tokens])
    return context.made(
        lambda: Grammar.repeat(
            Grammar.any_token(except_=excluded, budget=context.budget),
            minimum=0,
            maximum=node.max_tokens,
            budget=context.budget,
        ),
        inner.place,
    )


LEAVES: dict[type[StructuralTagModel], Callable[[Any, Inner, Context], Grammar]] = {
    ConstStringFormat: _const_string,
    JsonSchemaFormat: _json_schema,
    QwenXmlParameterFormat: _qwen_xml_parameter,
    GrammarFormat: _grammar,
    RegexFormat: _regex,
    AnyTextFormat: _any_text,
    TokenFormat: _token,
    ExcludeTokenFormat: _exclude_token,
    AnyTokensFormat: _any_tokens,
}
"""The function of each kind."""
