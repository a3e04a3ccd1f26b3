"""Structural tags: the JSON in which users of vLLM, SGLang and TensorRT-LLM say what a text looks like.

A structural tag is a tree of *formats*, told apart by ``type``. :meth:`maskwright.Grammar.structural_tag`
reads one, as JSON text, mappings or the models of this package, and gives a grammar made of grammars. This
module needs pydantic (``pip install 'maskwright[structural-tag]'``) and is imported only when it is asked
for.

    grammar = maskwright.Grammar.structural_tag(request["response_format"])

What the fields mean is said at the models; ``docs/structural-tags.md`` has an example of each kind.

| type | fields (with defaults) | the text |
|---|---|---|
| ``const_string`` | value | these characters |
| ``json_schema`` | json_schema, style="json", any_order=false, max_whitespace_cnt=null | a value |
| ``qwen_xml_parameter`` | json_schema | older spelling of ``json_schema`` in the style ``qwen_xml`` |
| ``grammar`` | grammar | what a grammar describes, as :meth:`maskwright.Grammar.gbnf` reads it |
| ``regex`` | pattern, excludes=[] | what :meth:`maskwright.Grammar.regex` matches |
| ``any_text`` | excludes=[], max_chars=null | any text |
| ``token`` | token | one token, by id or name |
| ``exclude_token`` | exclude_tokens=[] | any one token but these |
| ``any_tokens`` | exclude_tokens=[], max_tokens=null | any number of tokens but these |
| ``sequence``, ``or`` | elements | one after another; one of them |
| ``optional``, ``plus``, ``star`` | content | at most once; at least once; any number of times |
| ``repeat`` | min, max, content | that many times; -1 for max is no limit |
| ``tag`` | begin, content, end | the three one after another |
| ``triggered_tags`` | triggers, tags, at_least_one=false, stop_after_first=false, excludes=[] | text, tags |
| ``token_triggered_tags`` | trigger_tokens, tags, exclude_tokens=[], … | tokens, tags |
| ``tags_with_separator`` | tags, separator, at_least_one=false, stop_after_first=false | only tags |
| ``dispatch`` | rules, loop=true, excludes=[] | text with formats that follow patterns |
| ``token_dispatch`` | rules, loop=true, exclude_tokens=[] | tokens with formats that follow some |

**Spellings that are read alike.** The whole may be ``{"type": "structural_tag", "format": …}``, with or
without its type; the format alone; or the legacy ``{"structures": [{begin, schema, end}], "triggers":
[…]}``, with or without its type, and also as the ``format``. A legacy ``schema`` may be an object, JSON
text, or missing. In lists of tags, and where only a token can stand, ``type`` may be left out.
``exclude_tokens`` may be called ``excludes``, the style ``qwen_xml`` ``qwen_xml_parameter``.

**Where text ends.** The nearest tag around a format decides. Free text (``any_text``, ``triggered_tags``)
holds none of the tag's `end` strings; free tokens (``exclude_token``, ``any_tokens``,
``token_triggered_tags``) do not include the token that is its `end`. Nothing of the kind holds for
``dispatch`` and ``token_dispatch``, as elsewhere: there, `excludes` says it. The ends of outer tags are
text. The rule is about the free text alone, so an end that overlaps itself may come a little later than
where it first reads so: between two `end` strings of three backticks, seven of them are one backtick of
text.

**Free text and triggers.** A trigger, or the pattern of a rule, is in free text only where a tag begins
with it, and after it one of the tags that do must follow. A tag must begin with a trigger; a trigger may
serve several tags or none, and then just cannot come. Where several could open, the first that is complete
does, unless it lies within a longer one that is completed later (``#a`` within ``#ab``: both are possible
after ``#a``). What is excluded may stand within a trigger or pattern, not across its beginning.
``at_least_one`` means that the text starts with a tag.

**Special tokens** are no text: a string means characters. Where the caller names special tokens
(``special_tokens=vocabulary.special_tokens``), a string that has such a name in it may be written with the
token.

**What is stricter here.** ``any_order`` is exact: required members come, and none twice. What is not
enforced exactly is refused: ``max_tokens`` of text (but for 0), ``excludes`` of JSON Schemas, styles whose
layout is not described here, unknown fields. What a schema does not forbid is allowed, further members too,
as JSON Schema has it.

| module | what it does |
|---|---|
| `formats` | the models |
| `reading`, `wording` | from a description to models; what is wrong with it, in words |
| `lowering`, `leaves`, `xml_styles` | from models to grammars: formats within formats; those without; XML |
| `free_regions`, `special_names` | free text and free tokens; strings with special tokens in them |
| `context`, `problems` | what is passed down; what is wrong, and the budgets |
| `making` | all of it, for :class:`maskwright.Grammar` |
"""

try:
    import pydantic as _pydantic  # noqa: F401 - so that the models below are what it is missed by
except ImportError as error:
    raise ModuleNotFoundError(
        f"structural tags are read with pydantic, which cannot be imported ({error}); install it with: "
        "pip install 'maskwright[structural-tag]'",
        name="pydantic",
    ) from error

from maskwright.structural_tag.formats import (
    AnyTextFormat,
    AnyTokensFormat,
    ConstStringFormat,
    DispatchFormat,
    ExcludeTokenFormat,
    Format,
    GrammarFormat,
    JsonSchemaFormat,
    LegacyStructuralTag,
    LegacyStructure,
    OptionalFormat,
    OrFormat,
    PlusFormat,
    QwenXmlParameterFormat,
    RegexFormat,
    RepeatFormat,
    SequenceFormat,
    StarFormat,
    StructuralTag,
    StructuralTagModel,
    TagFormat,
    TagsWithSeparatorFormat,
    TokenDispatchFormat,
    TokenFormat,
    TokenTriggeredTagsFormat,
    TriggeredTagsFormat,
)
from maskwright.structural_tag.problems import StructuralTagProblem

__all__ = [
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
    "StructuralTagProblem",
    "TagFormat",
    "TagsWithSeparatorFormat",
    "TokenDispatchFormat",
    "TokenFormat",
    "TokenTriggeredTagsFormat",
    "TriggeredTagsFormat",
]
