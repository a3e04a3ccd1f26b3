"""Whether a JSON text is one that a schema allows, and that the masks let through."""

from __future__ import annotations

from typing import Any

import maskwright as mw


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
