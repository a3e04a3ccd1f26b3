"""maskwright as the structured output backend of vLLM: with drafts, overlapped steps and reasoning.

Written for vLLM 0.33. vLLM has no list of backends that a name could be added to, so :func:`register` puts
this one in the place of the one called ``xgrammar``. Install it as an entry point of the group
``vllm.general_plugins``, and start vLLM with ``--structured-outputs-config '{"backend": "xgrammar"}'``.
"""

from __future__ import annotations

import functools
import json
import logging
from datetime import timedelta
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from vllm.v1 import structured_output
from vllm.v1.structured_output import backend_xgrammar
from vllm.v1.structured_output.backend_types import (
    StructuredOutputBackend,
    StructuredOutputGrammar,
    StructuredOutputOptions,
)

import maskwright as mw

logger = logging.getLogger(__name__)

#: What one grammar of a stranger's may take, and one step of it.
BUDGET = mw.Budget(compile_time=timedelta(seconds=5), step_time=timedelta(seconds=1), cache_bytes=64 << 20)


def mask_of_the_end(vocabulary: mw.Vocabulary) -> NDArray[np.int32]:
    """The row that allows the stop tokens and nothing else."""
    allowed = np.zeros(mw.allocate_mask(1, vocabulary.size).size * 32, dtype=bool)
    allowed[list(vocabulary.stop_ids)] = True
    return np.packbits(allowed, bitorder="little").view(np.int32)


class MaskwrightGrammar(StructuredOutputGrammar):  # type: ignore[misc]  # known where there is vLLM
    """Keeps one request to its grammar.

    Nothing is raised while a text is written, since the scheduler guards no call. Where a step takes more
    than the budget, its mask lets the text end and no more. An end that is none is refused then, which vLLM
    makes an error of that request.
    """

    def __init__(self, constraint: mw.Constraint) -> None:
        self._vocabulary = constraint.vocabulary
        self._matcher = constraint.matcher()

    def accept_tokens(self, request_id: str, tokens: list[int]) -> bool:
        """Goes on by tokens; those behind a stop token count for nothing."""
        try:
            return self._matcher.accept_tokens(tokens) == len(tokens) or self._matcher.is_finished
        except mw.MaskwrightError:
            logger.exception("request %s cannot go on", request_id)
            return False

    def validate_tokens(self, tokens: list[int]) -> list[int]:
        """Those of a draft that are allowed one after the other; the matcher does not move."""
        try:
            return tokens[: self._matcher.validate(tokens)]
        except mw.MaskwrightError:
            return []

    def rollback(self, num_tokens: int) -> None:
        """Takes back the last tokens, a stop token among them."""
        self._matcher.rollback(num_tokens)

    def fill_bitmask(self, bitmask: torch.Tensor, batch_index: int) -> None:
        """Writes the mask of the next token into a row. Rows may be filled from several threads."""
        try:
            self._matcher.fill_mask(bitmask, batch_index)
        except mw.BudgetExceededError:
            logger.exception("a mask takes more than the budget; the text ends")
            bitmask[batch_index] = torch.from_numpy(mask_of_the_end(self._vocabulary))

    def is_terminated(self) -> bool:
        """Whether a stop token has been read. From there on vLLM asks for no mask."""
        return self._matcher.is_finished

    def reset(self) -> None:
        """Back to where nothing is written."""
        self._matcher.reset()


class MaskwrightBackend(StructuredOutputBackend):  # type: ignore[misc]  # known where there is vLLM
    """Compiles the grammars of requests, on the threads of vLLM. What it raises refuses that request."""

    def __init__(self, vllm_config: Any, tokenizer: Any, vocab_size: int) -> None:
        super().__init__(vllm_config, tokenizer, vocab_size)
        compact = vllm_config.structured_outputs_config.disable_any_whitespace
        self._whitespace = mw.Whitespace.compact() if compact else mw.Whitespace.free()
        # A stop token is never text, so that stop tokens of a request's own need a vocabulary of their own.
        self._compiler = functools.lru_cache(maxsize=4)(self._make_compiler)
        self._constraint = functools.lru_cache(maxsize=128)(self._make_constraint)

    def compile_grammar(
        self,
        request_type: StructuredOutputOptions,
        grammar_spec: str,
        stop_token_ids: set[int] | None = None,
    ) -> MaskwrightGrammar:
        """What keeps one request to its grammar; equal ones share a constraint."""
        return MaskwrightGrammar(
            self._constraint(request_type, grammar_spec, frozenset(stop_token_ids or ()))
        )

    def _make_compiler(self, stop_ids: frozenset[int]) -> mw.Compiler:
        vocabulary = mw.Vocabulary.from_transformers(
            self.tokenizer, size=self.vocab_size, stop_ids=sorted(stop_ids) or None
        )
        return mw.Compiler(vocabulary, budget=BUDGET)

    def _make_constraint(
        self, request_type: StructuredOutputOptions, grammar_spec: str, stop_ids: frozenset[int]
    ) -> mw.Constraint:
        return self._compiler(stop_ids).compile(self._grammar(request_type, grammar_spec))

    def _grammar(self, request_type: StructuredOutputOptions, grammar_spec: str) -> mw.Grammar:
        kinds = StructuredOutputOptions
        if request_type == kinds.JSON:
            return mw.Grammar.json_schema(grammar_spec, whitespace=self._whitespace, budget=BUDGET)
        if request_type == kinds.JSON_OBJECT:
            return mw.Grammar.json_schema({"type": "object"}, whitespace=self._whitespace, budget=BUDGET)
        if request_type == kinds.REGEX:
            return mw.Grammar.regex(grammar_spec, budget=BUDGET)
        if request_type == kinds.CHOICE:
            return mw.Grammar.choice(json.loads(grammar_spec), budget=BUDGET)
        if request_type == kinds.GRAMMAR:
            return mw.Grammar.gbnf(grammar_spec, budget=BUDGET)
        if request_type == kinds.STRUCTURAL_TAG:
            return mw.Grammar.structural_tag(grammar_spec, budget=BUDGET)
        raise ValueError(f"there is no grammar of the kind {request_type}")

    def allocate_token_bitmask(self, max_num_seqs: int) -> torch.Tensor:
        """An int32 tensor `[max_num_seqs, ceil(vocab_size / 32)]` of ones."""
        return torch.from_numpy(mw.allocate_mask(max_num_seqs, self.vocab_size))

    def destroy(self) -> None:
        """Lets go of all constraints and compilers."""
        self._constraint.cache_clear()
        self._compiler.cache_clear()


def register() -> None:
    """Puts the backend in its place; the checks before the engine, which are xgrammar's, are left out."""
    structured_output.XgrammarBackend = MaskwrightBackend
    backend_xgrammar.validate_xgrammar_grammar = lambda params: None
