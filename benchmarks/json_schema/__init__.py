"""What the JSON Schema front end proves, on published corpora.

- :mod:`.official_suite`: the JSON Schema Test Suite, five drafts.
- :mod:`.support_table`: ``docs/json-schema-support.md``, made of its results.
- :mod:`.maskbench`: MaskBench, replayed token by token; compile times.
- :mod:`.schema_store`: the schemas of SchemaStore with their documents.

Each runs with ``python -m``. A case ends in one of the verdicts of :mod:`.verdicts`; :mod:`.engines` puts
maskwright and the validator ``jsonschema`` behind one interface, so that each can be checked with the other.
"""
