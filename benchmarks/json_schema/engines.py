"""maskwright and the validator ``jsonschema`` behind one interface.

The second is independent of maskwright: it shows that a harness reads its corpus rightly, and tells a
wrong answer from a wrong label.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import maskwright as mw
from maskwright.json_schema.options import draft_uri

__all__ = [
    "ENGINES",
    "Accepts",
    "JsonschemaEngine",
    "MaskwrightEngine",
    "Problem",
    "SchemaEngine",
    "byte_vocabulary",
    "document_bytes",
    "json_schema_grammar",
]

Accepts = Callable[[Any], bool]
"""Says of a JSON value whether it is valid."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A schema and how to read it.

    Attributes:
        schema: the schema.
        draft: the draft where the schema names none.
        documents: what it may refer to: JSON texts by URI.
        enforce_formats: whether ``format`` is more than an annotation.
    """

    schema: Any
    draft: str = "2020-12"
    documents: Mapping[str, str] = field(default_factory=dict)
    enforce_formats: bool = True


class SchemaEngine(Protocol):
    """Something that knows which JSON values are valid under a schema."""

    def compile(self, problem: Problem) -> Accepts:
        """Reads a schema; the result says of a value whether it is valid. Both may raise."""


def document_bytes(data: Any) -> bytes:
    """The JSON text of a value, escaped only where UTF-8 cannot write it (lone surrogates)."""
    try:
        return json.dumps(data, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return json.dumps(data).encode()


def byte_vocabulary() -> mw.Vocabulary:
    """A token for each byte, and a stop token."""
    return mw.Vocabulary.from_tokens([*(bytes([byte]) for byte in range(256)), None], stop_ids=[256])


class MaskwrightEngine:
    """This project: a value is valid if its text is accepted byte by byte and may end there."""

    def __init__(self, budget: mw.Budget | None = None) -> None:
        self._budget = budget or mw.Budget()
        self._compiler = mw.Compiler(byte_vocabulary(), budget=self._budget)

    def compile(self, problem: Problem) -> Accepts:
        """Compiles for a vocabulary of single bytes, with properties in any order."""
        try:
            constraint = self._compiler.compile(json_schema_grammar(problem, self._budget))
        except mw.EmptyGrammarError:
            return lambda _: False

        def accepts(data: Any) -> bool:
            matcher = constraint.matcher()
            return all(map(matcher.accept, document_bytes(data))) and matcher.is_complete

        return accepts


def json_schema_grammar(problem: Problem, budget: mw.Budget | None = None) -> mw.Grammar:
    """The grammar of a problem, with properties in any order."""
    return mw.Grammar.json_schema(
        problem.schema,
        order="any",
        documents=problem.documents,
        enforce_formats=problem.enforce_formats,
        default_draft=problem.draft,
        budget=budget,
    )


class JsonschemaEngine:
    """The package ``jsonschema``, with the meta-schemas and the documents in its registry."""

    def compile(self, problem: Problem) -> Accepts:
        """Takes the validator of the schema's draft. The schema itself is not checked."""
        import jsonschema  # noqa: PLC0415 - an optional package
        from jsonschema_specifications import REGISTRY  # noqa: PLC0415
        from referencing import Resource  # noqa: PLC0415
        from referencing.jsonschema import specification_with  # noqa: PLC0415

        uri = draft_uri(problem.draft)
        default = jsonschema.validators.validator_for({"$schema": uri})
        validator_class: Any = jsonschema.validators.validator_for(problem.schema, default=default)
        specification: Any = specification_with(uri)
        resources = (
            (address, Resource.from_contents(json.loads(text), default_specification=specification))
            for address, text in problem.documents.items()
        )
        registry: Any = REGISTRY.with_resources(resources)
        # As in maskwright, a format means the same in all drafts.
        checker = jsonschema.Draft202012Validator.FORMAT_CHECKER if problem.enforce_formats else None
        validator = validator_class(problem.schema, registry=registry, format_checker=checker)
        return lambda data: bool(validator.is_valid(data))


ENGINES: Mapping[str, Callable[[], SchemaEngine]] = {
    "maskwright": MaskwrightEngine,
    "jsonschema": JsonschemaEngine,
}
