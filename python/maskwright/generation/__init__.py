"""Writing constrained text with a small model on the CPU.

Takes a model file and a prompt and gives text that a constraint allows. It is here so that a constraint
can be tried out on a real model anywhere; to serve a model, use its engine and
:class:`maskwright.Matcher`. Needs the extra ``generate``.

The stages, in the order in which they are used:

====================== ===========================================================
default_model          the model used where none is named: fetch, verify, cache
gguf_file, gguf_model  a GGUF file: header, tensors; the model they make
safetensors_files,     a ``transformers`` folder: tensors; the model they make
transformers_model
text_encoding, chat    text to token ids; messages to a prompt
llama                  token ids to logits, in NumPy
model, load            the protocol of a model; any path to a model
sampling               logits to a token
decode_loop            all of it, token by token, with masks on a second thread
====================== ===========================================================

What only the extra installs is imported through ``optional``.

Example:
    >>> import maskwright as mw  # doctest: +SKIP
    >>> from maskwright.generation import generate, load_model  # doctest: +SKIP
    >>> model = load_model()  # doctest: +SKIP
    >>> compiler = mw.Compiler(model.vocabulary)  # doctest: +SKIP
    >>> constraint = compiler.compile(mw.Grammar.choice(["yes", "no"]))  # doctest: +SKIP
    >>> prompt = model.format_chat([{"role": "user", "content": "Is ice cold?"}])  # doctest: +SKIP
    >>> "".join(generate(model, constraint, prompt).text())  # doctest: +SKIP
    'yes'
"""

from __future__ import annotations

from .decode_loop import Generation, Piece, Statistics, generate
from .default_model import default_model_path
from .load import load_model, load_text_encoder, load_vocabulary
from .model import LanguageModel, LocalModel, Message
from .sampling import Sampler, Sampling
from .text_encoding import TextEncoder

__all__ = [
    "Generation",
    "LanguageModel",
    "LocalModel",
    "Message",
    "Piece",
    "Sampler",
    "Sampling",
    "Statistics",
    "TextEncoder",
    "default_model_path",
    "generate",
    "load_model",
    "load_text_encoder",
    "load_vocabulary",
]
