"""Names that other packages have for what :class:`maskwright.Grammar` does, and for what it does not do yet.

Such a name is no attribute: ``hasattr`` says no, ``dir`` and type checkers do not know it. Only the message
of the ``AttributeError`` tells what there is instead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

__all__ = ["TellsOtherNames"]

_LARK = (
    "grammars in the syntax of Lark are planned, and cannot be read yet; write it as GBNF for Grammar.gbnf"
)
_GBNF = "Grammar.gbnf reads grammars in GBNF, which is the EBNF of other packages"
_JSON = "Grammar.json_schema takes schemas, pydantic models, dataclasses and other types; `True` is any JSON"

#: By what is left of a name without `from_`.
_INSTEAD = {
    "lark": _LARK,
    "ebnf": _GBNF,
    "bnf": _GBNF,
    "cfg": _GBNF,
    "gbnf": _GBNF,
    "grammar": _GBNF,
    "regex": "Grammar.regex reads regular expressions",
    "regexp": "Grammar.regex reads regular expressions",
    "pattern": "Grammar.regex reads regular expressions",
    "json_schema": _JSON,
    "json": _JSON,
    "schema": _JSON,
    "pydantic": _JSON,
    "type": _JSON,
    "builtin_json_grammar": _JSON,
    "structural_tag": "Grammar.structural_tag reads structural tags",
    "choice": "Grammar.choice takes the texts of which one is chosen",
    "choices": "Grammar.choice takes the texts of which one is chosen",
    "select": "Grammar.choice takes the texts of which one is chosen",
    "enum": "Grammar.choice takes the texts of which one is chosen",
    "literal": "Grammar.text is exactly one text",
    "string": "Grammar.text is exactly one text",
    "concat": "Grammar.sequence, or +, puts grammars one after another",
    "union": "Grammar.any_of, or |, chooses between grammars",
    "alternatives": "Grammar.any_of, or |, chooses between grammars",
    "optional": "Grammar.repeat(..., maximum=1) makes a grammar optional",
}


class TellsOtherNames(type):
    """A class that, asked for what it does not have by a name of other packages, tells its own."""

    # A type checker would take it that any name is there.
    if not TYPE_CHECKING:

        def __getattr__(cls, name: str) -> object:
            problem = f"type object {cls.__name__!r} has no attribute {name!r}"
            instead = _INSTEAD.get(name.removeprefix("from_"))
            if instead is not None:
                problem = f"{problem}: {instead}"
            raise AttributeError(problem, name=name, obj=cls)
