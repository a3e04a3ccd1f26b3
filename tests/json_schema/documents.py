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


def reads(matcher: mw.Matcher, text: str, allowed: dict[bytes, bytes]) -> bool:
    """Whether the masks let the text through to its end, byte by byte.

    What a constraint allows after the beginnings of texts is looked up, and kept for others that begin alike.
    """
    encoded = text.encode()
    for at, byte in enumerate(encoded):
        begun = encoded[:at]
        if begun not in allowed:
            allowed[begun] = matcher.allowed_bytes()
        if byte not in allowed[begun]:
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
    allowed: dict[bytes, bytes] = {}
    assert {text for text in texts if reads(constraint.matcher(), text, allowed)} == valid, schema
    return len(valid), len(texts) - len(valid)
