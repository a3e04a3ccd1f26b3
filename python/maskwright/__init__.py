r"""maskwright makes a language model's output fit a grammar.

At every decoding step it says which tokens of the model's vocabulary may come next, exactly: a token is
allowed if and only if the text can still be completed after it.

    vocabulary = maskwright.Vocabulary.from_file("tokenizer.json")
    constraint = maskwright.Compiler(vocabulary).compile(maskwright.Grammar.regex(r"\d{4}-\d{2}"))
    matcher = constraint.matcher()
    mask = maskwright.allocate_mask(1, vocabulary.size)
    matcher.fill_mask(mask)                  # which tokens may come next
    maskwright.apply_mask(logits, mask)      # the rest get no probability
    matcher.accept(token_id)                 # the token that was sampled
"""

from maskwright._native import Matcher, __version__
from maskwright.budget import Budget
from maskwright.compiler import Compiler, Constraint, PoolStatistics, Statistics
from maskwright.composition import Member, Tag
from maskwright.errors import (
    ArgumentError,
    ArtifactError,
    BudgetExceededError,
    EmptyGrammarError,
    GrammarError,
    GrammarSyntaxError,
    MaskBufferError,
    MaskwrightError,
    MatcherBusyError,
    MatcherStateError,
    ModelError,
    SchemaError,
    StrictSchemaError,
    StructuralTagError,
    TokenIdError,
    ToolCallError,
    ToolCallSyntaxError,
    ToolError,
    UnsupportedFeatureError,
    VocabularyError,
)
from maskwright.grammar import Grammar
from maskwright.json_schema import Whitespace
from maskwright.masks import accept_batch, allocate_mask, apply_mask, fill_draft_masks, fill_masks
from maskwright.settings import Settings
from maskwright.tool_calls import ToolCalls
from maskwright.tools import Tool, tools_from
from maskwright.vocabulary import Vocabulary
from maskwright.warming import Progress, Warming, WarmUp

__all__ = [
    "ArgumentError",
    "ArtifactError",
    "Budget",
    "BudgetExceededError",
    "Compiler",
    "Constraint",
    "EmptyGrammarError",
    "Grammar",
    "GrammarError",
    "GrammarSyntaxError",
    "MaskBufferError",
    "MaskwrightError",
    "Matcher",
    "MatcherBusyError",
    "MatcherStateError",
    "Member",
    "ModelError",
    "PoolStatistics",
    "Progress",
    "SchemaError",
    "Settings",
    "Statistics",
    "StrictSchemaError",
    "StructuralTagError",
    "Tag",
    "TokenIdError",
    "Tool",
    "ToolCallError",
    "ToolCallSyntaxError",
    "ToolCalls",
    "ToolError",
    "UnsupportedFeatureError",
    "Vocabulary",
    "VocabularyError",
    "WarmUp",
    "Warming",
    "Whitespace",
    "__version__",
    "accept_batch",
    "allocate_mask",
    "apply_mask",
    "fill_draft_masks",
    "fill_masks",
    "tools_from",
]
