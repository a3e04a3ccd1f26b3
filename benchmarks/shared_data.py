"""The test data beside the checkout: vocabularies, tokenisers and texts that the project does not carry."""

from __future__ import annotations

import json
import lzma
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.engines.protocol import TokenTable

if TYPE_CHECKING:
    import maskwright as mw

__all__ = ["FOLDER", "data_file", "json_documents", "llama3_encoding", "reference_vocabulary", "token_table"]

FOLDER = Path(__file__).resolve().parents[1].parent / "shared" / "data"


def data_file(name: str) -> Path:
    """The path of a file of the test data; leaves with a message where it is not there."""
    path = FOLDER / name
    if not path.exists():
        sys.exit(f"this benchmark needs {name} of the project's test data, in a folder ../shared/data")
    return path


def token_table(name: str) -> TokenTable:
    """A real vocabulary, from the bytes of each token (a line of base64 each) and its special tokens."""
    import base64  # noqa: PLC0415 - standard library, named where it is used
    import gzip  # noqa: PLC0415

    lines = gzip.decompress(data_file(f"vocabularies/{name}.vocab.b64.gz").read_bytes()).split(b"\n")
    meta = json.loads(data_file(f"vocabularies/{name}.meta.json").read_text(encoding="utf-8"))
    tokens = [base64.b64decode(line) or None for line in lines[: meta["n_ids"]]]
    encoding = llama3_encoding() if name == "llama3" else None
    return TokenTable(tokens, meta["special"], meta["eos"], meta["model_logits"], encoding)


def reference_vocabulary(name: str) -> mw.Vocabulary:
    """A real vocabulary, for maskwright."""
    import maskwright as mw  # noqa: PLC0415 - processes of other engines do without it

    table = token_table(name)
    return mw.Vocabulary.from_tokens(
        table.tokens, special_tokens=table.special_tokens, stop_ids=table.stop_ids, size=table.size
    )


def llama3_encoding() -> Any:
    """The encoder of Llama 3, by tiktoken."""
    import base64  # noqa: PLC0415

    import tiktoken  # noqa: PLC0415 - an optional package

    lines = data_file("tokenizers/llama3.tiktoken").read_bytes().splitlines()
    pairs = (line.split() for line in lines if line)
    ranks = {base64.b64decode(token): int(rank) for token, rank in pairs}
    patterns = json.loads(data_file("tokenizers/patterns.json").read_text(encoding="utf-8"))
    return tiktoken.Encoding("llama3", pat_str=patterns["llama3"], mergeable_ranks=ranks, special_tokens={})


def json_documents() -> Iterator[str]:
    """The valid documents of MaskBench that are objects, in its order, as ``json.dumps`` lays them out."""
    with lzma.open(data_file("maskbench-dev.jsonl.xz"), "rt", encoding="utf-8") as lines:
        for line in lines:
            for test in json.loads(line)["tests"]:
                if test["valid"] and isinstance(test["data"], dict):
                    yield json.dumps(test["data"], ensure_ascii=False)
