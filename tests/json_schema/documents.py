"""Whether a JSON text is one that a schema allows, and that the masks let through."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

import maskwright as mw

if TYPE_CHECKING:
    from benchmarks.json_schema_random.oracle import Oracle


def accepts(vocabulary: mw.Vocabulary, schema: Any, text: str, **options: Any) -> bool:
    """Whether a whole text is in the language of the schema."""
    grammar = mw.Grammar.json_schema(schema, **options)
    matcher = mw.Compiler(vocabulary).compile(grammar).matcher()
    return matcher.accept_bytes(text.encode()) and matcher.is_complete


def reads(matcher: mw.Matcher, text: str) -> bool:
    """Whether the masks let the text through to its end, byte by byte."""
    for byte in text.encode():
        if byte not in matcher.allowed_bytes():
            return False
        assert matcher.accept_bytes(bytes([byte]))
    return matcher.is_complete


def read_as_judged(
    compiler: mw.Compiler, schema: Any, oracle: Oracle, texts: Collection[str], **options: Any
) -> tuple[int, int]:
    """Check that the masks let through which texts an oracle calls valid; how many are, and are not."""
    valid = {text for text in texts if oracle.is_valid(text)}
    try:
        constraint = compiler.compile(mw.Grammar.json_schema(schema, **options))
    except mw.EmptyGrammarError:
        assert not valid, schema
        return 0, 0
    assert {text for text in texts if reads(constraint.matcher(), text)} == valid, schema
    return len(valid), len(texts) - len(valid)
