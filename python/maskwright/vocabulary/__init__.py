"""Vocabularies: the tokens of a tokeniser, read from any common format, with their trie and stop ids.

The modules stand in the order of the work:

- ``files`` reads a file of any kind; ``reading`` and ``detect`` fetch it and tell its kind.
- One loader for each format takes it apart: ``tokenizer_json`` (with ``decoding_plan``), ``tiktoken_file``,
  ``sentencepiece_model``, ``tekken``, ``gguf_file`` (with ``gguf_metadata``), and ``transformers_tokenizer``
  for objects. ``byte_level`` and ``pieces`` turn the two ways of spelling tokens into bytes.
- ``table`` defines what every loader gives; ``options`` and ``stop_tokens`` complete it.
- ``vocabulary`` wraps it all, with the native trie, in the public class.
"""

from __future__ import annotations

from maskwright.vocabulary.detect import KINDS, Kind
from maskwright.vocabulary.options import SpecialNames
from maskwright.vocabulary.vocabulary import Vocabulary

__all__ = ["KINDS", "Kind", "SpecialNames", "Vocabulary"]
