"""maskwright as a grammar backend of SGLang: with drafts, overlapped steps and reasoning.

Written for SGLang 0.5.23. Install :func:`register` as an entry point of the group ``sglang.srt.plugins``, and
start the server by ``sglang serve --grammar-backend maskwright``.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from itertools import takewhile
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sglang.srt.arg_groups.choices import add_grammar_backend_choices
from sglang.srt.constrained.base_grammar_backend import (
    BaseGrammarBackend,
    BaseGrammarObject,
    InvalidGrammarObject,
    register_grammar_backend,
)
from sglang.srt.constrained.reasoner_grammar_backend import ReasonerGrammarBackend
from sglang.srt.parser.reasoning_parser import ReasoningParser
from sglang.srt.runtime_context import get_serving, get_spec

import maskwright as mw

logger = logging.getLogger(__name__)

#: What one grammar of a stranger's may take. With tensor parallelism each rank has its own matchers, and all
#: have to agree: what is counted is the same for them, and what is timed is not.
BUDGET = mw.Budget(expressions=1_000_000, states=200_000, cache_bytes=64 << 20)


def mask_of_the_end(vocabulary: mw.Vocabulary) -> NDArray[np.int32]:
    """The row that allows the stop tokens and nothing else."""
    allowed = np.zeros(mw.allocate_mask(1, vocabulary.size).size * 32, dtype=bool)
    allowed[list(vocabulary.stop_ids)] = True
    return np.packbits(allowed, bitorder="little").view(np.int32)


class MaskwrightGrammar(BaseGrammarObject):  # type: ignore[misc]  # known where there is SGLang
    """Keeps one request to its grammar.

    SGLang makes an error of the request of a ``ValueError`` for a token that was written. It guards no other
    call, and no token of a draft. So with `drafts` a token that is refused ends the text instead, until it is
    taken back.
    """

    def __init__(self, constraint: mw.Constraint, *, drafts: bool) -> None:
        super().__init__()
        self._constraint = constraint
        self._drafts = drafts
        self._matcher = constraint.matcher()
        self._refused = 0

    def accept_token(self, token: int) -> None:
        """Goes on by a token; what comes behind the end counts for nothing."""
        if self.is_terminated():
            return
        try:
            problem = "" if self._matcher.accept(token) else f"token {token} is not allowed"
        except mw.MaskwrightError as error:
            problem = str(error)
        if not problem:
            self.current_token = token
        elif self._drafts:
            logger.error("a text ends: %s", problem)
            self._refused += 1
        else:
            raise ValueError(problem)

    def rollback(self, k: int) -> None:
        """Takes back the last `k` tokens, that which ended the text among them."""
        refused = min(k, self._refused)
        self._refused -= refused
        self._matcher.rollback(k - refused)

    def is_terminated(self) -> bool:
        """Whether the text has ended. SGLang ends the request then."""
        return self._refused > 0 or self._matcher.is_finished

    def allocate_vocab_mask(self, vocab_size: int, batch_size: int, device: Any) -> torch.Tensor:
        """An int32 tensor `[batch_size, ceil(vocab_size / 32)]` of ones, in the memory of the CPU."""
        return torch.from_numpy(mw.allocate_mask(batch_size, vocab_size))

    def fill_vocab_mask(self, vocab_mask: torch.Tensor, idx: int) -> None:
        """Writes the mask of the next token into a row; one that takes too much lets the text end."""
        try:
            self._matcher.fill_mask(vocab_mask, idx)
        except mw.BudgetExceededError:
            logger.exception("a mask takes more than the budget; the text ends")
            vocab_mask[idx] = torch.from_numpy(mask_of_the_end(self._constraint.vocabulary))

    @staticmethod
    def reset_vocab_mask(vocab_mask: torch.Tensor) -> None:
        """Allows everything again."""
        vocab_mask.fill_(-1)

    @staticmethod
    def move_vocab_mask(vocab_mask: torch.Tensor, device: Any) -> torch.Tensor:
        """The masks in the memory of the device."""
        return vocab_mask.to(device)

    @staticmethod
    def apply_vocab_mask(logits: torch.Tensor, vocab_mask: torch.Tensor) -> None:
        """Sets the logits of what is not allowed to minus infinity."""
        mw.apply_mask(logits, vocab_mask)

    def copy(self) -> MaskwrightGrammar:
        """The same grammar for another request, from its beginning: SGLang keeps one to be copied."""
        return MaskwrightGrammar(self._constraint, drafts=self._drafts)

    def try_jump_forward(self, tokenizer: Any) -> tuple[list[int], str] | None:
        """The text that has to come next, as far as its characters are whole; None where there is none."""
        try:
            forced = self._matcher.forced_bytes()
            text = forced.decode()
        except UnicodeDecodeError as error:
            text = forced[: error.start].decode()
        except mw.BudgetExceededError:
            return None
        return ([], text) if text else None

    def jump_forward_str_state(self, helper: tuple[list[int], str]) -> tuple[str, int]:
        """The text of :meth:`try_jump_forward`; there is no state to be told."""
        return helper[1], -1

    def jump_and_retokenize(
        self, old_output_ids: list[int], new_output_ids: list[int], next_state: int
    ) -> None:
        """Goes over from the tokens that were read to those of the same text with what was forced."""
        pairs = zip(old_output_ids, new_output_ids, strict=False)
        shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        self.rollback(len(old_output_ids) - shared)
        for token in new_output_ids[shared:]:
            self.accept_token(token)


class MaskwrightBackend(BaseGrammarBackend):  # type: ignore[misc]  # known where there is SGLang
    """Compiles the grammars of requests, on the threads of SGLang, which keeps them by their texts."""

    def __init__(self, tokenizer: Any, vocab_size: int, eos_token_ids: Any, *, drafts: bool) -> None:
        super().__init__()
        stop_ids = sorted(eos_token_ids) if eos_token_ids else None
        vocabulary = mw.Vocabulary.from_transformers(tokenizer, size=vocab_size, stop_ids=stop_ids)
        self._compiler = mw.Compiler(vocabulary, budget=BUDGET)
        self._drafts = drafts

    def _compiled(self, grammar: Callable[[], mw.Grammar]) -> BaseGrammarObject:
        """A grammar, or what SGLang refuses the request with."""
        try:
            constraint = self._compiler.compile(grammar())
        except mw.MaskwrightError as error:
            return InvalidGrammarObject(str(error))
        return MaskwrightGrammar(constraint, drafts=self._drafts)

    def dispatch_json(self, key_string: str) -> BaseGrammarObject:
        """A JSON Schema, or any JSON value."""
        schema = "true" if key_string == "$$ANY$$" else key_string
        return self._compiled(lambda: mw.Grammar.json_schema(schema, budget=BUDGET))

    def dispatch_regex(self, key_string: str) -> BaseGrammarObject:
        """A regular expression for the whole text."""
        return self._compiled(lambda: mw.Grammar.regex(key_string, budget=BUDGET))

    def dispatch_ebnf(self, key_string: str) -> BaseGrammarObject:
        """A grammar in GBNF, whose rule `root` is the text."""
        return self._compiled(lambda: mw.Grammar.gbnf(key_string, budget=BUDGET))

    def dispatch_structural_tag(self, key_string: str) -> BaseGrammarObject:
        """A structural tag, of the legacy form too."""
        return self._compiled(lambda: mw.Grammar.structural_tag(key_string, budget=BUDGET))

    def reset(self) -> None:
        """Lets go of all grammars and of what they share."""
        super().reset()
        self._compiler.clear_pool()


def make_backend(
    server_args: Any, tokenizer: Any, vocab_size: int, eos_token_ids: set[int] | None
) -> BaseGrammarBackend:
    """The backend of a server. Where its model reasons first, grammars begin behind the reasoning.

    SGLang sees to that for backends of its own, and leaves it to those that are registered.
    """
    drafts = get_spec().speculative_algorithm is not None
    backend = MaskwrightBackend(tokenizer, vocab_size, eos_token_ids, drafts=drafts)
    if not get_serving().reasoning_parser:
        return backend
    parser = ReasoningParser(get_serving().reasoning_parser, stream_reasoning=False, tokenizer=tokenizer)
    return ReasonerGrammarBackend(backend, parser, tokenizer)


def register() -> None:
    """Makes the backend known by its name."""
    add_grammar_backend_choices(["maskwright"])
    register_grammar_backend("maskwright", make_backend)
