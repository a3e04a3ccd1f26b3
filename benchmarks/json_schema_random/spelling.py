r"""The many spellings of one JSON value: escapes, white space, and ``1.0`` or ``1e0`` for ``1``."""

from __future__ import annotations

import json
from decimal import Decimal
from random import Random
from typing import Any

__all__ = ["plain", "spelled"]

#: The power of ten from which on a number is written with an exponent, whatever was drawn.
LONGEST_PLAIN = 25
#: The profile of texts has integers in scientific notation with so many digits after the point at most.
LONGEST_MANTISSA = 20


def spelled(random: Random, value: Any) -> str:
    """A JSON text of the value: plain, or with unusual spellings here and there."""
    return _Speller(random, random.choice((0.0, 0.1, 0.5))).bare(value)


def plain(value: Any) -> str:
    """The usual text of a value, which may hold decimals."""
    return _Speller(Random(0), 0.0).bare(value)


class _Speller:
    def __init__(self, random: Random, oddity: float) -> None:
        self.random = random
        self.oddity = oddity

    def odd(self) -> bool:
        return self.random.random() < self.oddity

    def text(self, value: Any) -> str:
        return self.blank() + self.bare(value) + self.blank()

    def blank(self) -> str:
        return self.random.choice((" ", "\n", "\t ", "\r\n")) if self.odd() else ""

    def bare(self, value: Any) -> str:
        match value:
            case dict():
                members = (f"{self.text_of_key(key)}:{self.text(member)}" for key, member in value.items())
                return "{" + (",".join(members) or self.blank()) + "}"
            case list():
                return "[" + (",".join(map(self.text, value)) or self.blank()) + "]"
            case str():
                return self.string(value)
            case None | bool():
                return json.dumps(value)
        return self.number(value)

    def text_of_key(self, key: str) -> str:
        return self.blank() + self.string(key) + self.blank()

    def string(self, value: str) -> str:
        return '"' + "".join(map(self.character, value)) + '"'

    def character(self, character: str) -> str:
        if not self.odd():
            return json.dumps(character, ensure_ascii=False)[1:-1]
        if character == "/":
            return "\\/"
        units = character.encode("utf-16-be")
        codes = [f"{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2)]
        return "".join("\\u" + (code.upper() if self.odd() else code) for code in codes)

    def number(self, value: int | float | Decimal) -> str:
        number = Decimal(str(value))
        if abs(number.adjusted()) > LONGEST_PLAIN:
            return str(number)
        plainly = f"{number:f}"
        if not self.odd():
            return plainly
        if self.random.randrange(2) or len(number.as_tuple().digits) > LONGEST_MANTISSA:
            return plainly + ("0" if "." in plainly else ".0")
        # Scientific notation with one digit before the point, as the profile of texts asks for.
        power = 0 if not number else number.adjusted()
        mantissa = f"{number.scaleb(-power):f}" + (".0" if self.odd() and "." not in plainly else "")
        mantissa = mantissa if mantissa.count(".") < 2 else mantissa[: -len(".0")]
        sign = self.random.choice(("+", "")) if power >= 0 else "-"
        return f"{mantissa}{self.random.choice('eE')}{sign}{self.random.choice(('', '0'))}{abs(power)}"
