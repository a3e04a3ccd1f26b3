"""Texts that tokenisers get wrong: what is encoded has to be what the token bytes join to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

NASTY_TEXTS = {
    "plain": "Hello, world!",
    "spaces at both ends": "   two words   ",
    "one space": " ",
    "tabs": "\tindented\t\tby tabs\t",
    "line ends of all kinds": "unix\nold mac\rdos\r\n\r\n\n",
    "emoji joined to a family": "👨‍👩‍👧‍👦 and 🏳️‍🌈 and 👍🏽",
    "Chinese, Japanese, Korean": "汉字かなカナ한국어、。",
    "rare ideograph": "𠮷野家 𪚥",
    "combining marks": "e\u0301 a\u0308\u0323 n\u0303 \u0e01\u0e33",
    "control characters": "\x01\x02\x07\x08\x0b\x0c\x1b[0m\x7f\x80\x9f",
    "nul": "a\x00b\x00\x00",
    "unassigned and private": "\ue000 \U000f0000 \U0010ffff \ufffe",
    "long run of spaces": "x" + " " * 200 + "y",
    "spaces of other widths": "a\u00a0b\u2003c\u3000d\u200be",
    "right to left": "שלום العالم \u200f\u202e",
    "code": "def f(x):\n    return {\"a\": [1, 2.5e-3], 'b': x // 2}  # done\n",
    "the mark for a space, typed": "a▁b ▁▁ ▁",
    "byte-level characters, typed": "Ġ Ċ Ā ł",
    "byte tokens, typed": "<0x0A> <0x00> <0xFF>",
    "digits": "0123456789 3.14159 1,000,000",
    "one letter many times": "a" * 300,
}


def join(tokens: Sequence[bytes | None], ids: Iterable[int]) -> bytes:
    """Joins the bytes of tokens; ids without text add nothing."""
    return b"".join(tokens[token_id] or b"" for token_id in ids)
