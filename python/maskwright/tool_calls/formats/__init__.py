"""The formats that come with the package: one file of data for each family of models.

Each file names where its layout is documented. To add one, write its file and list it here.
"""

from maskwright.tool_calls.formats.command_r import COMMAND_R7B, COMMAND_R_PLUS
from maskwright.tool_calls.formats.deepseek import DEEPSEEK_R1, DEEPSEEK_V3, DEEPSEEK_V3_1
from maskwright.tool_calls.formats.deepseek_dsml import DEEPSEEK_V3_2, DEEPSEEK_V4
from maskwright.tool_calls.formats.functionary import FUNCTIONARY_V3_1, FUNCTIONARY_V3_2
from maskwright.tool_calls.formats.glm import GLM_4_5, GLM_4_7
from maskwright.tool_calls.formats.granite import GRANITE3
from maskwright.tool_calls.formats.harmony import HARMONY
from maskwright.tool_calls.formats.hermes import HERMES
from maskwright.tool_calls.formats.kimi_k2 import KIMI_K2
from maskwright.tool_calls.formats.llama3 import LLAMA3
from maskwright.tool_calls.formats.minimax import MINIMAX_M1, MINIMAX_M2
from maskwright.tool_calls.formats.mistral import MISTRAL, MISTRAL_V11
from maskwright.tool_calls.formats.nemotron import NEMOTRON
from maskwright.tool_calls.formats.phi4 import FUNCTOOLS, PHI4_MINI
from maskwright.tool_calls.formats.pythonic import GEMMA3, LLAMA4, PYTHONIC
from maskwright.tool_calls.formats.qwen3_coder import NEMOTRON3, QWEN3_5, QWEN3_CODER
from maskwright.tool_calls.layout import ToolCallFormat

__all__ = ["BUILT_IN"]

_FORMATS = (
    COMMAND_R7B,
    COMMAND_R_PLUS,
    DEEPSEEK_R1,
    DEEPSEEK_V3,
    DEEPSEEK_V3_1,
    DEEPSEEK_V3_2,
    DEEPSEEK_V4,
    FUNCTIONARY_V3_1,
    FUNCTIONARY_V3_2,
    GLM_4_5,
    GLM_4_7,
    GRANITE3,
    HARMONY,
    HERMES,
    KIMI_K2,
    LLAMA3,
    MINIMAX_M1,
    MINIMAX_M2,
    MISTRAL,
    MISTRAL_V11,
    NEMOTRON,
    FUNCTOOLS,
    PHI4_MINI,
    GEMMA3,
    LLAMA4,
    PYTHONIC,
    NEMOTRON3,
    QWEN3_5,
    QWEN3_CODER,
)

_ALIASES = {
    "command-a": COMMAND_R7B,
    "glm-4.6": GLM_4_5,
    "gpt-oss": HARMONY,
    "granite4": HERMES,
    "qwen2.5": HERMES,
    "qwen3": HERMES,
}

BUILT_IN: dict[str, ToolCallFormat] = {layout.name: layout for layout in _FORMATS} | _ALIASES
"""All formats by name, with further names of some."""
