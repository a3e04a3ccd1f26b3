"""Calls of tools in the formats of model families: gold calls and mutations, many tools, a conversation.

| module | what it does |
|---|---|
| `cases` | tools and gold calls from the corpora, and what is no case and why |
| `families` | which format goes with which vocabulary, and how a text becomes tokens of it |
| `mutations` | texts that are wrong at a known place |
| `walking` | walks a matcher along tokens, and compares where it stops with where it should |
| `reading` | parses whole, by characters and by tokens, and compares |
| `replay` | all of this for each family, and the table |
| `many` | 128 tools at once, side by side with peers; one tool more, with what is found in the pool |
| `harmony` | a whole conversation of gpt-oss, special tokens as tokens |
"""
