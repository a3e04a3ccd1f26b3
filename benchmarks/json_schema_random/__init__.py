"""Random JSON schemas under maskwright and under an independent validator, ``jsonschema``.

For each random schema, in the order of the modules:

- ``schemas`` makes the schema, and ``values`` values that are likely to satisfy it.
- ``oracle`` gives the verdict of ``jsonschema`` on a JSON text, with exact numbers.
- ``engine`` gives the verdict of maskwright, and writes documents by random walks under the mask.
- ``mutations`` changes valid values a little; ``spelling`` writes a value in one of its many spellings.
- ``checking`` brings them together: each disagreement is a ``Mismatch``.
- ``running`` does so in processes of their own, many schemas at once.
- ``shrinking`` makes a mismatch as small as it gets, for people to read.

``python -m benchmarks.json_schema_random --documents 50000 --seed 1 --jobs 2`` prints the figures and leaves
with status 1 where there was a mismatch. It needs ``pip install jsonschema``.
"""
