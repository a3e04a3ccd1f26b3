"""The exceptions that grammars, schemas, vocabularies, tokens, files and arguments can cause.

All of them derive from :class:`MaskwrightError`, so that a server can guard what its clients send with one
``except``. An argument outside its range is an :class:`ArgumentError`, which is a ``ValueError``, too. One of
a wrong type, which is the caller's own mistake, is a ``TypeError``, as everywhere in Python, and a file that
the system cannot read or write an ``OSError``. Each exception here carries the facts of the failure as
attributes, beside a message that says what is wrong, where, and how to mend it. An operation that raises
leaves the object it was called on as it was; but a parser whose text was refused keeps what it read before
the fault, and refuses what follows.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import timedelta

    from maskwright.json_schema.strict import StrictViolation
    from maskwright.structural_tag.problems import StructuralTagProblem
    from maskwright.tool_calls.messages import Event

__all__ = [
    "ArgumentError",
    "ArtifactError",
    "BudgetExceededError",
    "EmptyGrammarError",
    "GrammarError",
    "GrammarSyntaxError",
    "MaskBufferError",
    "MaskwrightError",
    "MatcherBusyError",
    "MatcherStateError",
    "ModelError",
    "SchemaError",
    "StrictSchemaError",
    "StructuralTagError",
    "TokenIdError",
    "ToolCallError",
    "ToolCallSyntaxError",
    "ToolError",
    "UnsupportedFeatureError",
    "VocabularyError",
]


#: A longer word of a message is abridged, and a longer message.
_LONGEST_WORD, _LONGEST_MESSAGE = 300, 10_000
_LONG_WORD = re.compile(rf"\S{{{_LONGEST_WORD + 1},}}")
#: What would move a terminal's cursor, or hide what follows; several problems stand on lines of their own.
_CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f]")


def _abridged(message: str) -> str:
    """A message of which a stranger's input cannot make more than a person, a log or a terminal can take.

    Takes time in proportion to its length.
    """
    message = _CONTROL.sub(lambda character: repr(character[0])[1:-1], message)
    message = _LONG_WORD.sub(lambda word: _ends(word[0], _LONGEST_WORD), message)
    return _ends(message, _LONGEST_MESSAGE)


def _ends(text: str, most: int) -> str:
    """The beginning and the end of a text, or all of it where it is short enough."""
    behind = most // 3
    return text if len(text) <= most else f"{text[: most - behind - 1]}…{text[-behind:]}"


class MaskwrightError(Exception):
    """The base of every error that maskwright raises on purpose.

    Of what is very long in a message, such as a name or a pattern of a stranger's, it has the beginning and
    the end, and control characters are escaped, but for line ends. Attributes hold all as it was given.

    Args:
        message: what is wrong, where, and how to mend it.

    Example:
        >>> import maskwright as mw
        >>> try:
        ...     mw.Grammar.regex("(")
        ... except mw.MaskwrightError as error:
        ...     print(type(error).__name__)
        GrammarSyntaxError
    """

    def __init__(self, message: str = "") -> None:
        super().__init__(_abridged(message))


class ArgumentError(MaskwrightError, ValueError):
    """An argument has a value that it cannot have, such as a number outside its range.

    What is wrong with a grammar, a schema, a tool, a vocabulary or an array has an error of its own.

    Attributes:
        argument: the name of the argument or field.

    Example:
        >>> import maskwright as mw
        >>> try:
        ...     mw.Budget(states=0)
        ... except mw.ArgumentError as error:
        ...     print(error.argument)
        states
    """

    def __init__(self, message: str, *, argument: str = "") -> None:
        super().__init__(message)
        self.argument = argument


class GrammarError(MaskwrightError, ValueError):
    """A grammar cannot be used as it is written.

    Example:
        >>> import maskwright as mw
        >>> try:
        ...     mw.Grammar.choice([])
        ... except mw.GrammarError as error:
        ...     print(error)
        no choices were given; give at least one string
    """


class GrammarSyntaxError(GrammarError):
    """The text of a grammar is not well formed, or uses a rule that it does not define.

    Attributes:
        line: the line of the fault, counted from 1.
        column: the column of the fault in code points, counted from 1.
        found: the offending text, or ``"end of input"``.
        expected: what would have been accepted at that place.

    Example:
        >>> import maskwright as mw
        >>> try:
        ...     mw.Grammar.gbnf('root ::= "a" rest')
        ... except mw.GrammarSyntaxError as error:
        ...     print(error.line, error.column, error.found)
        1 14 `rest`
    """

    def __init__(
        self, message: str, *, line: int = 1, column: int = 1, found: str = "", expected: str = ""
    ) -> None:
        super().__init__(message)
        self.line = line
        self.column = column
        self.found = found
        self.expected = expected


class SchemaError(GrammarError):
    """A JSON Schema is not well formed, or something that a schema was to be made of cannot be one.

    Attributes:
        location: where in the schema, as a JSON pointer such as ``"#/properties/a/minimum"``, with the URI
            in front where it is in one of the further documents.

    Example:
        >>> import maskwright as mw
        >>> try:
        ...     mw.Grammar.json_schema({"properties": {"a": {"type": "text"}}})
        ... except mw.SchemaError as error:
        ...     print(error.location)
        #/properties/a/type
    """

    def __init__(self, message: str, *, location: str = "#") -> None:
        super().__init__(message)
        self.location = location


class StrictSchemaError(SchemaError):
    """A JSON Schema is outside the subset that OpenAI's structured outputs take in strict mode.

    Attributes:
        violations: every rule that is broken, with the place where.
        location: the place of the first one.

    Example:
        >>> import maskwright as mw
        >>> try:
        ...     mw.Grammar.json_schema({"type": "object", "minProperties": 1}, openai_strict=True)
        ... except mw.StrictSchemaError as error:
        ...     print([violation.rule for violation in error.violations])
        ['unsupported-keyword', 'additional-properties']
    """

    def __init__(
        self, message: str, *, violations: Sequence[StrictViolation] = (), location: str = "#"
    ) -> None:
        super().__init__(message, location=location)
        self.violations = tuple(violations)


class StructuralTagError(GrammarError):
    """A structural tag is not well formed, or a grammar in it cannot be used.

    Attributes:
        problems: everything that is wrong, each with its place, a message and, where a grammar in it is at
            fault, the error of that grammar.
        location: the place of the first one, as a JSON pointer such as ``"#/format/tags/0/begin"``.

    Example:
        >>> import maskwright as mw
        >>> try:
        ...     mw.Grammar.structural_tag({"type": "tag", "begin": "<a>", "end": "</a>"})
        ... except mw.StructuralTagError as error:
        ...     print(error.problems[0].message)
        the field `content` is missing
    """

    def __init__(
        self, message: str, *, problems: Sequence[StructuralTagProblem] = (), location: str = "#"
    ) -> None:
        super().__init__(message)
        self.problems = tuple(problems)
        self.location = location


class UnsupportedFeatureError(GrammarError):
    r"""A grammar asks for something that maskwright cannot enforce exactly, so it is refused.

    Attributes:
        feature: the name of what is refused.
        location: where it stands, such as ``"line 2, column 7"`` or a JSON pointer.

    Example:
        >>> import maskwright as mw
        >>> try:
        ...     mw.Grammar.regex(r"(a)\1")
        ... except mw.UnsupportedFeatureError as error:
        ...     print(error.feature, "at", error.location)
        a backreference at line 1, column 4
    """

    def __init__(self, message: str, *, feature: str = "", location: str = "") -> None:
        super().__init__(message)
        self.feature = feature
        self.location = location


class EmptyGrammarError(GrammarError):
    """No text satisfies the grammar with this vocabulary; the message says which of the two is at fault.

    Example:
        >>> import maskwright as mw
        >>> vocabulary = mw.Vocabulary.from_tokens([b"a", None], stop_ids=[1])
        >>> try:
        ...     mw.Compiler(vocabulary).compile(mw.Grammar.text("b"))
        ... except mw.EmptyGrammarError as error:
        ...     print(type(error).__name__)
        EmptyGrammarError
    """


class BudgetExceededError(MaskwrightError):
    """A compile or a step needed more than its budget allows.

    Attributes:
        budget: the name of the field of :class:`maskwright.Budget` that was exceeded; ``""`` for a limit
            that is fixed, which no budget raises.
        limit: the value that the field had; of times a :class:`datetime.timedelta`.
        rows: where many matchers were worked on at once, the numbers of those whose step it was, ascending; a
            server ends these sequences and goes on with the others. Empty elsewhere.

    Example:
        >>> import maskwright as mw
        >>> try:
        ...     mw.Grammar.regex("a" * 100, budget=mw.Budget(grammar_bytes=50))
        ... except mw.BudgetExceededError as error:
        ...     print(error.budget, error.limit)
        grammar_bytes 50
    """

    def __init__(
        self, message: str, *, budget: str = "", limit: int | timedelta = 0, rows: tuple[int, ...] = ()
    ) -> None:
        super().__init__(message)
        self.budget = budget
        self.limit = limit
        self.rows = rows


class ToolError(MaskwrightError, ValueError):
    """The description of a tool cannot be used.

    Attributes:
        location: where in what was given, such as ``"tools[2].function.name"``.

    Example:
        >>> import maskwright as mw
        >>> try:
        ...     mw.tools_from([{"type": "function", "function": {}}])
        ... except mw.ToolError as error:
        ...     print(error.location)
        tools[0].function.name
    """

    def __init__(self, message: str, *, location: str = "") -> None:
        super().__init__(message)
        self.location = location


class ToolCallError(MaskwrightError, ValueError):
    """Tool calls cannot be constrained or written as they were asked for.

    The format, the choice or the tool is unknown, or the format cannot spell a value.

    Attributes:
        location: the option, tool or argument concerned, such as ``"tool_choice"``.

    Example:
        >>> import maskwright as mw
        >>> try:
        ...     mw.ToolCalls([{"name": "now"}], "hermes", tool_choice={"name": "later"})
        ... except mw.ToolCallError as error:
        ...     print(error.location)
        tool_choice
    """

    def __init__(self, message: str, *, location: str = "") -> None:
        super().__init__(message)
        self.location = location


class ToolCallSyntaxError(ToolCallError):
    """A model's text is no message of its tool-call format.

    Attributes:
        offset: where the fault is, in code points from the start of the text.
        expected: what would have been accepted there.
        events: what the call that raises this has read before the fault, as a
            :class:`maskwright.tool_calls.StreamingParser` gives it. Empty where the text was refused before.

    Example:
        >>> import maskwright as mw
        >>> try:
        ...     mw.ToolCalls([{"name": "now"}], "hermes").parse("<tool_call>now")
        ... except mw.ToolCallSyntaxError as error:
        ...     print(error.offset)
        11
    """

    def __init__(
        self, message: str, *, offset: int = 0, expected: str = "", events: Sequence[Event] = ()
    ) -> None:
        super().__init__(message, location=f"offset {offset}")
        self.offset = offset
        self.expected = expected
        self.events = tuple(events)


class VocabularyError(MaskwrightError, ValueError):
    """A vocabulary cannot be built from what was given.

    Attributes:
        source: the file or the object it was to be read from, or ``""``.

    Example:
        >>> import maskwright as mw
        >>> try:
        ...     mw.Vocabulary.from_tokens([b"a"])
        ... except mw.VocabularyError as error:
        ...     print(error.source)
        a list of tokens
    """

    def __init__(self, message: str, *, source: str = "") -> None:
        super().__init__(message)
        self.source = source


class ArtifactError(MaskwrightError, ValueError):
    """A saved pool or constraint cannot be loaded: it is damaged, or of another version or vocabulary.

    Attributes:
        source: the file, or ``""``.
        offset: where in the file the fault was seen, in bytes.

    Example:
        >>> import tempfile, pathlib
        >>> import maskwright as mw
        >>> vocabulary = mw.Vocabulary.from_tokens([b"a", None], stop_ids=[1])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder, "pool.mask")
        ...     _ = path.write_bytes(b"no pool")
        ...     try:
        ...         mw.Compiler(vocabulary).load_pool(path)
        ...     except mw.ArtifactError as error:
        ...         print(error.offset)
        0
    """

    def __init__(self, message: str, *, source: str = "", offset: int = 0) -> None:
        super().__init__(message)
        self.source = source
        self.offset = offset


class TokenIdError(MaskwrightError, ValueError):
    """A token id lies outside the vocabulary.

    Attributes:
        token_id: the id that was given.
        size: the number of ids of the vocabulary; valid ids are ``0 <= id < size``.
        rows: in a batch, the place of the matcher that it was given for. Empty elsewhere.

    Example:
        >>> import maskwright as mw
        >>> vocabulary = mw.Vocabulary.from_tokens([b"a", None], stop_ids=[1])
        >>> try:
        ...     vocabulary.token_bytes(5)
        ... except mw.TokenIdError as error:
        ...     print(error.token_id, error.size)
        5 2
    """

    def __init__(
        self, message: str, *, token_id: int = -1, size: int = 0, rows: tuple[int, ...] = ()
    ) -> None:
        super().__init__(message)
        self.token_id = token_id
        self.size = size
        self.rows = rows


class MaskBufferError(MaskwrightError, ValueError):
    """An array given for masks or logits has the wrong shape, type, layout or place.

    Example:
        >>> import numpy as np
        >>> import maskwright as mw
        >>> try:
        ...     mw.apply_mask(np.zeros(100, dtype=np.float32), mw.allocate_mask(1, 64))
        ... except mw.MaskBufferError as error:
        ...     print(type(error).__name__)
        MaskBufferError
    """


class MatcherStateError(MaskwrightError):
    """A matcher cannot do this now, such as rolling back more tokens than it has accepted.

    Nor can a constraint compute ahead where a panic has broken off a step, until a matcher of it has begun
    anew.

    Example:
        >>> import maskwright as mw
        >>> vocabulary = mw.Vocabulary.from_tokens([b"a", None], stop_ids=[1])
        >>> matcher = mw.Compiler(vocabulary).compile(mw.Grammar.text("a")).matcher()
        >>> try:
        ...     matcher.rollback(1)
        ... except mw.MatcherStateError as error:
        ...     print(error)
        cannot roll back so many steps: only 0 have been accepted
    """


class MatcherBusyError(MatcherStateError):
    """A matcher was used from two threads at once, or stands twice in one batch.

    Attributes:
        rows: in a batch, the place of the matcher that is in use, or the two places of the one that stands
            twice. Empty elsewhere.

    Example:
        >>> import maskwright as mw
        >>> vocabulary = mw.Vocabulary.from_tokens([b"a", None], stop_ids=[1])
        >>> matcher = mw.Compiler(vocabulary).compile(mw.Grammar.text("a")).matcher()
        >>> try:
        ...     mw.accept_batch([matcher, None, matcher], [0, 0, 0])
        ... except mw.MatcherBusyError as error:
        ...     print(error.rows)
        (0, 2)
    """

    def __init__(self, message: str, *, rows: tuple[int, ...] = ()) -> None:
        super().__init__(message)
        self.rows = rows


class ModelError(MaskwrightError, ValueError):
    """A model for ``maskwright generate`` cannot be fetched, read or run, or cannot do what it is asked to.

    Attributes:
        source: the file, folder or package concerned, or ``""``.

    Example:
        >>> from maskwright import ModelError
        >>> from maskwright.generation import load_model
        >>> try:
        ...     load_model("no-such-model.gguf")
        ... except ModelError as error:
        ...     print(error.source)
        no-such-model.gguf
    """

    def __init__(self, message: str, *, source: str = "") -> None:
        super().__init__(message)
        self.source = source
