"""The training run of the released wheel: ``python -m benchmarks.training``.

The wheel is built twice. The first build counts which way its branches go while this package replays cases
on it; the second is laid out for what was counted. ``pgo-command`` in ``pyproject.toml`` calls it, and
``make wheel`` does all of it.

The cases in ``cases/`` are of the project's own making: written for this purpose, and taken from no corpus.
The figures of ``benchmarks`` are measured on other schemas and texts, and what was measured on cases that the
build had been trained on would say nothing about those that users have.

| module | what it does |
|---|---|
| `cases` | the cases: grammars, and texts that they accept |
| `tokens` | a real vocabulary, or one of single bytes, and how a text is split into its tokens |
| `replay` | what is done with a case: compile, mask, accept; cold, warm, in batches, with rollbacks |
"""
