"""The kinds of formats that a structural tag is made of, as pydantic models.

One frozen class for each kind, told apart by ``type``. A model checks what can be said of its own fields;
what fields say of one another, such as that a tag begins with one of the triggers, is checked where grammars
are made (:mod:`maskwright.structural_tag.lowering`), where places are known. Unknown fields are refused.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, StrictBool, StrictInt, StrictStr

__all__ = [
    "REFUSED_VALUES",
    "AnyTextFormat",
    "AnyTokensFormat",
    "ConstStringFormat",
    "DispatchFormat",
    "ExcludeTokenFormat",
    "Format",
    "GrammarFormat",
    "JsonSchemaFormat",
    "LegacyStructuralTag",
    "LegacyStructure",
    "OptionalFormat",
    "OrFormat",
    "PlusFormat",
    "QwenXmlParameterFormat",
    "RegexFormat",
    "RepeatFormat",
    "SequenceFormat",
    "StarFormat",
    "StructuralTag",
    "StructuralTagModel",
    "Style",
    "TagFormat",
    "TagsWithSeparatorFormat",
    "TokenDispatchFormat",
    "TokenFormat",
    "TokenReference",
    "TokenTriggeredTagsFormat",
    "TriggeredTagsFormat",
]

_GREATEST_COUNT = (1 << 31) - 1

NonEmptyText = Annotated[StrictStr, Field(min_length=1)]
"""A string of at least one character."""

TokenReference = Annotated[StrictInt, Field(ge=0, le=_GREATEST_COUNT)] | NonEmptyText
"""A token: its id, or its name in the vocabulary."""

Count = Annotated[StrictInt, Field(ge=0, le=_GREATEST_COUNT)]
"""How often something may come."""

Style = Literal[
    "json",
    "qwen_xml",
    "qwen_xml_parameter",
    "minimax_xml",
    "minimax_m3_xml",
    "deepseek_xml",
    "deepseek_v4_1_xml",
    "glm_xml",
    "cohere_xml",
    "kimi_k3_xml",
    "gemma",
]
"""How a value under a JSON Schema is written."""

REFUSED_VALUES: dict[str, frozenset[str]] = {
    "style": frozenset({"minimax_m3_xml", "cohere_xml", "kimi_k3_xml", "gemma"}),
    "syntax": frozenset({"lark"}),
}
"""Values of fields that are known, and refused by name: no message offers them."""


class StructuralTagModel(BaseModel):
    """What all parts of a structural tag have in common: they are immutable, and take no unknown fields.

    Example:
        >>> issubclass(ConstStringFormat, StructuralTagModel)
        True
        >>> StructuralTagModel.model_config["extra"]
        'forbid'
    """

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


_CHECKED_WITHIN = ConfigDict(revalidate_instances="always")
"""Of models that stand in others as a begin, an end or a structure: nobody else checks them there."""


class ConstStringFormat(StructuralTagModel):
    """Exactly these characters.

    Attributes:
        value: the characters; may be empty.

    Example:
        >>> ConstStringFormat(value="yes").model_dump(exclude_none=True)
        {'type': 'const_string', 'value': 'yes'}
    """

    type: Literal["const_string"] = "const_string"
    value: StrictStr


class JsonSchemaFormat(StructuralTagModel):
    """A value under a JSON Schema.

    Attributes:
        json_schema: the schema.
        style: how the value is written: as JSON, or its members one by one in a family's XML.
        any_order: whether the members of objects may come in any order.
        max_whitespace_cnt: the greatest length of one run of white space, beside members in XML too; None is
            the usual one.
        excludes: texts that no string may hold. Anything but an empty list is refused.

    Example:
        >>> JsonSchemaFormat(json_schema={"type": "integer"}, any_order=True).style
        'json'
    """

    type: Literal["json_schema"] = "json_schema"
    json_schema: StrictBool | dict[str, Any]
    style: Style = "json"
    any_order: StrictBool = False
    max_whitespace_cnt: Count | None = None
    excludes: tuple[NonEmptyText, ...] = ()


class QwenXmlParameterFormat(StructuralTagModel):
    """The older spelling of ``json_schema`` with the style ``qwen_xml``.

    Attributes:
        json_schema: the schema of the parameters.

    Example:
        >>> QwenXmlParameterFormat(json_schema={"type": "object"}).model_dump(exclude_none=True)
        {'type': 'qwen_xml_parameter', 'json_schema': {'type': 'object'}}
    """

    type: Literal["qwen_xml_parameter"] = "qwen_xml_parameter"
    json_schema: StrictBool | dict[str, Any]


class GrammarFormat(StructuralTagModel):
    """A text that a grammar describes.

    Attributes:
        grammar: the rules, in the notation that :meth:`maskwright.Grammar.gbnf` reads; the first rule to
            match is ``root``.
        syntax: the name of that notation, ``"ebnf"``. Anything else is refused.

    Example:
        >>> GrammarFormat(grammar='root ::= "a"+').model_dump(exclude_none=True)
        {'type': 'grammar', 'grammar': 'root ::= "a"+', 'syntax': 'ebnf'}
    """

    type: Literal["grammar"] = "grammar"
    grammar: NonEmptyText
    syntax: Literal["ebnf", "lark"] = "ebnf"


class RegexFormat(StructuralTagModel):
    """A text that a regular expression matches from end to end.

    Attributes:
        pattern: the expression, in the syntax of :meth:`maskwright.Grammar.regex`.
        excludes: texts that may not occur in it.

    Example:
        >>> RegexFormat(pattern="[a-z]+", excludes=["no"]).model_dump(exclude_none=True)
        {'type': 'regex', 'pattern': '[a-z]+', 'excludes': ('no',)}
    """

    type: Literal["regex"] = "regex"
    pattern: NonEmptyText
    excludes: tuple[NonEmptyText, ...] = ()


class AnyTextFormat(StructuralTagModel):
    """Any text, up to the end of the tag that it stands in.

    Attributes:
        excludes: texts that may not occur in it, beside the ends of the tag.
        max_tokens: the greatest number of tokens. Only 0 and None can be enforced.
        max_chars: the greatest number of code points.

    Example:
        >>> AnyTextFormat(max_chars=100).model_dump(exclude_none=True)
        {'type': 'any_text', 'excludes': (), 'max_chars': 100}
    """

    type: Literal["any_text"] = "any_text"
    excludes: tuple[NonEmptyText, ...] = ()
    max_tokens: Count | None = None
    max_chars: Count | None = None


class TokenFormat(StructuralTagModel):
    """One token.

    Attributes:
        token: its id, or its name.

    Example:
        >>> TokenFormat(token="<|call|>").model_dump(exclude_none=True)
        {'type': 'token', 'token': '<|call|>'}
    """

    model_config = _CHECKED_WITHIN

    type: Literal["token"] = "token"
    token: TokenReference


class ExcludeTokenFormat(StructuralTagModel):
    """Any one token but some, and but the token that ends the tag that it stands in.

    Attributes:
        exclude_tokens: the tokens that it may not be; also read as ``excludes``.

    Example:
        >>> ExcludeTokenFormat(exclude_tokens=["<|call|>", 7]).model_dump(exclude_none=True)
        {'type': 'exclude_token', 'exclude_tokens': ('<|call|>', 7)}
    """

    type: Literal["exclude_token"] = "exclude_token"
    exclude_tokens: tuple[TokenReference, ...] = Field(
        default=(), validation_alias=AliasChoices("exclude_tokens", "excludes")
    )


class AnyTokensFormat(StructuralTagModel):
    """Any number of tokens but some, and but the token that ends the tag that it stands in.

    Attributes:
        exclude_tokens: the tokens that may not come; also read as ``excludes``.
        max_tokens: the greatest number of tokens.

    Example:
        >>> AnyTokensFormat(max_tokens=500).model_dump(exclude_none=True)
        {'type': 'any_tokens', 'exclude_tokens': (), 'max_tokens': 500}
    """

    type: Literal["any_tokens"] = "any_tokens"
    exclude_tokens: tuple[TokenReference, ...] = Field(
        default=(), validation_alias=AliasChoices("exclude_tokens", "excludes")
    )
    max_tokens: Count | None = None


class SequenceFormat(StructuralTagModel):
    """Formats one after another.

    Attributes:
        elements: the formats, at least one.

    Example:
        >>> SequenceFormat(elements=[ConstStringFormat(value="a"), AnyTextFormat()]).elements[0].value
        'a'
    """

    type: Literal["sequence"] = "sequence"
    elements: Annotated[tuple[Format, ...], Field(min_length=1)]


class OrFormat(StructuralTagModel):
    """One of several formats.

    Attributes:
        elements: the formats, at least one.

    Example:
        >>> OrFormat(elements=[ConstStringFormat(value="a"), ConstStringFormat(value="b")]).elements[0].value
        'a'
    """

    type: Literal["or"] = "or"
    elements: Annotated[tuple[Format, ...], Field(min_length=1)]


class OptionalFormat(StructuralTagModel):
    """A format, or nothing.

    Attributes:
        content: the format.

    Example:
        >>> OptionalFormat(content=ConstStringFormat(value="a")).content.value
        'a'
    """

    type: Literal["optional"] = "optional"
    content: Format


class PlusFormat(StructuralTagModel):
    """A format once or more.

    Attributes:
        content: the format.

    Example:
        >>> PlusFormat(content=ConstStringFormat(value="a")).content.value
        'a'
    """

    type: Literal["plus"] = "plus"
    content: Format


class StarFormat(StructuralTagModel):
    """A format any number of times.

    Attributes:
        content: the format.

    Example:
        >>> StarFormat(content=ConstStringFormat(value="a")).content.value
        'a'
    """

    type: Literal["star"] = "star"
    content: Format


class RepeatFormat(StructuralTagModel):
    """A format a number of times.

    Attributes:
        min: the least number.
        max: the greatest number; -1 where there is none.
        content: the format.

    Example:
        >>> RepeatFormat(min=2, max=-1, content=ConstStringFormat(value="a")).content.value
        'a'
    """

    type: Literal["repeat"] = "repeat"
    min: Count
    max: Annotated[StrictInt, Field(ge=-1, le=_GREATEST_COUNT)]
    content: Format


class TagFormat(StructuralTagModel):
    """A format between a beginning and an end.

    Attributes:
        begin: what stands before it: a text, which may be empty, or a token.
        content: the format.
        end: what stands after it: a text, one of several texts, or a token. An empty text is nothing.

    Example:
        >>> TagFormat(begin="<a>", content=AnyTextFormat(), end="</a>").end_texts
        ('</a>',)
    """

    type: Literal["tag"] = "tag"
    begin: StrictStr | TokenFormat
    content: Format
    end: StrictStr | Annotated[tuple[StrictStr, ...], Field(min_length=1)] | TokenFormat

    @property
    def end_texts(self) -> tuple[str, ...]:
        """The texts that may end it; none where a token does."""
        if isinstance(self.end, TokenFormat):
            return ()
        return (self.end,) if isinstance(self.end, str) else self.end


class TriggeredTagsFormat(StructuralTagModel):
    """Free text in which a trigger begins a tag.

    Attributes:
        triggers: the texts that only come where a tag begins.
        tags: the tags; each begins with one of the triggers.
        at_least_one: whether a tag comes first, before any text.
        stop_after_first: whether nothing comes after the first tag.
        excludes: texts that may not occur in the free text.

    Example:
        >>> tag = TagFormat(begin="<a>", content=AnyTextFormat(), end="</a>")
        >>> described = TriggeredTagsFormat(triggers=["<a"], tags=[tag])
        >>> described.tags[0].begin
        '<a>'
    """

    type: Literal["triggered_tags"] = "triggered_tags"
    triggers: Annotated[tuple[NonEmptyText, ...], Field(min_length=1)]
    tags: Annotated[tuple[TagFormat, ...], Field(min_length=1)]
    at_least_one: StrictBool = False
    stop_after_first: StrictBool = False
    excludes: tuple[NonEmptyText, ...] = ()


class TokenTriggeredTagsFormat(StructuralTagModel):
    """Any tokens, among which a trigger begins a tag.

    Attributes:
        trigger_tokens: the tokens that only come where a tag begins.
        tags: the tags; each begins with one of these tokens.
        exclude_tokens: tokens that may not come outside of tags; also read as ``excludes``.
        at_least_one: whether a tag comes first.
        stop_after_first: whether nothing comes after the first tag.

    Example:
        >>> call = TokenFormat(token="<|call|>")
        >>> tag = TagFormat(begin=call, content=AnyTextFormat(), end=".")
        >>> described = TokenTriggeredTagsFormat(trigger_tokens=["<|call|>"], tags=[tag])
        >>> described.tags[0].begin.token
        '<|call|>'
    """

    type: Literal["token_triggered_tags"] = "token_triggered_tags"
    trigger_tokens: Annotated[tuple[TokenReference, ...], Field(min_length=1)]
    tags: Annotated[tuple[TagFormat, ...], Field(min_length=1)]
    exclude_tokens: tuple[TokenReference, ...] = Field(
        default=(), validation_alias=AliasChoices("exclude_tokens", "excludes")
    )
    at_least_one: StrictBool = False
    stop_after_first: StrictBool = False


class TagsWithSeparatorFormat(StructuralTagModel):
    """Tags with a separator between each two, and no other text.

    Attributes:
        tags: the tags, each as often as one likes.
        separator: what stands between two; may be empty.
        at_least_one: whether there must be one.
        stop_after_first: whether there is at most one.

    Example:
        >>> tag = TagFormat(begin="<a>", content=AnyTextFormat(), end="</a>")
        >>> described = TagsWithSeparatorFormat(tags=[tag], separator=", ")
        >>> described.tags[0].begin
        '<a>'
    """

    type: Literal["tags_with_separator"] = "tags_with_separator"
    tags: Annotated[tuple[TagFormat, ...], Field(min_length=1)]
    separator: StrictStr
    at_least_one: StrictBool = False
    stop_after_first: StrictBool = False


class DispatchFormat(StructuralTagModel):
    """Free text in which a pattern begins a format.

    Attributes:
        rules: pairs of a text and the format that follows it.
        loop: whether free text goes on after a format; otherwise nothing comes after the first.
        excludes: texts that may not occur in the free text.

    Example:
        >>> described = DispatchFormat(rules=[("say ", RegexFormat(pattern="[a-z]+"))], loop=False)
        >>> described.rules[0][0]
        'say '
    """

    type: Literal["dispatch"] = "dispatch"
    rules: Annotated[tuple[tuple[NonEmptyText, Format], ...], Field(min_length=1)]
    loop: StrictBool = True
    excludes: tuple[NonEmptyText, ...] = ()


class TokenDispatchFormat(StructuralTagModel):
    """Any tokens, among which some begin a format.

    Attributes:
        rules: pairs of a token and the format that follows it.
        loop: whether tokens go on after a format; otherwise nothing comes after the first.
        exclude_tokens: tokens that may not come outside of formats; also read as ``excludes``.

    Example:
        >>> described = TokenDispatchFormat(rules=[("<|call|>", RegexFormat(pattern="[a-z]+"))])
        >>> described.rules[0][0]
        '<|call|>'
    """

    type: Literal["token_dispatch"] = "token_dispatch"
    rules: Annotated[tuple[tuple[TokenReference, Format], ...], Field(min_length=1)]
    loop: StrictBool = True
    exclude_tokens: tuple[TokenReference, ...] = Field(
        default=(), validation_alias=AliasChoices("exclude_tokens", "excludes")
    )


Format = Annotated[
    ConstStringFormat
    | JsonSchemaFormat
    | QwenXmlParameterFormat
    | GrammarFormat
    | RegexFormat
    | AnyTextFormat
    | TokenFormat
    | ExcludeTokenFormat
    | AnyTokensFormat
    | SequenceFormat
    | OrFormat
    | OptionalFormat
    | PlusFormat
    | StarFormat
    | RepeatFormat
    | TagFormat
    | TriggeredTagsFormat
    | TokenTriggeredTagsFormat
    | TagsWithSeparatorFormat
    | DispatchFormat
    | TokenDispatchFormat,
    Field(discriminator="type"),
]
"""A format of any kind."""


class LegacyStructure(StructuralTagModel):
    """A tag of the legacy form.

    Attributes:
        begin: what stands before the value.
        json_schema: the schema of the value, a dict or JSON text; none is any JSON value. Its name in
            descriptions is ``schema``.
        end: what stands after the value.

    Example:
        >>> LegacyStructure(begin="<a>", json_schema={"type": "integer"}, end="</a>").json_schema
        {'type': 'integer'}
    """

    model_config = _CHECKED_WITHIN

    begin: StrictStr
    json_schema: StrictBool | dict[str, Any] | StrictStr | None = Field(
        default=None, validation_alias=AliasChoices("schema", "json_schema"), serialization_alias="schema"
    )
    end: StrictStr


class LegacyStructuralTag(StructuralTagModel):
    """The legacy form: free text in which triggers begin tags that hold JSON.

    Attributes:
        structures: the tags; each begins with one of the triggers.
        triggers: the texts that only come where a tag begins.

    Example:
        >>> structure = LegacyStructure(begin="<a>", end="</a>")
        >>> LegacyStructuralTag(structures=[structure], triggers=["<a"]).triggers
        ('<a',)
    """

    type: Literal["structural_tag"] = "structural_tag"
    structures: Annotated[tuple[LegacyStructure, ...], Field(min_length=1)]
    triggers: Annotated[tuple[NonEmptyText, ...], Field(min_length=1)]


class StructuralTag(StructuralTagModel):
    """A whole description.

    Attributes:
        format: the format of the whole text.

    Example:
        >>> import maskwright as mw
        >>> mw.Grammar.structural_tag(StructuralTag(format=RegexFormat(pattern="[a-z]+")))
        <maskwright.Grammar: structural_tag 'regex'>
    """

    type: Literal["structural_tag"] = "structural_tag"
    format: Annotated[Format | LegacyStructuralTag, Field(discriminator="type")]


for _model in (
    SequenceFormat,
    OrFormat,
    OptionalFormat,
    PlusFormat,
    StarFormat,
    RepeatFormat,
    TagFormat,
    TriggeredTagsFormat,
    TokenTriggeredTagsFormat,
    TagsWithSeparatorFormat,
    DispatchFormat,
    TokenDispatchFormat,
    StructuralTag,
):
    _model.model_rebuild()
