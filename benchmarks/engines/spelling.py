"""The same grammar in the notations of engines that have no GBNF, or one of their own."""

from __future__ import annotations

import re

from benchmarks.engines.protocol import Refused

__all__ = ["lark_of_gbnf", "spelled_for_xgrammar"]


def spelled_for_xgrammar(gbnf: str) -> str:
    """The same language in xgrammar's notation, in the spelling that suits it.

    Its notation has no bare empty alternative. ``(a | b c)*`` makes a rule of the alternatives, at whose
    end its cached masks know nothing: each mask inside a string then takes 58 ms on a vocabulary of 128k.
    ``a* (b c a*)*`` says the same, and takes 0.1 ms.
    """
    text = re.sub(r"::=\s*\|", '::= "" |', gbnf)
    return re.sub(
        r'\(\s*(?P<plain>\[\^"[^\n]*?\])\s*\|\s*(?P<escape>"\\\\" \(.*?\{4\}\))[^\n]*\s*\)\*',
        lambda found: f"{found['plain']}* ({found['escape']} {found['plain']}*)*",
        text,
        flags=re.DOTALL,
    )


def lark_of_gbnf(gbnf: str) -> str:
    """GBNF in standard Lark, by llguidance's converter; bounds of repetition go into the patterns."""
    try:
        from llguidance.gbnf_to_lark import any_to_lark  # noqa: PLC0415 - an optional package
    except ImportError as error:
        raise Refused("no GBNF front end, and llguidance's converter is not installed") from error
    lark = any_to_lark(gbnf).replace("%llguidance {}", "")
    return re.sub(r"/(\[[^\]]*\])/(\{[^}]*\})", r"/\1\2/", lark)
