"""What the JSON Schema front end proves, on published corpora.

- :mod:`.official_suite`: the JSON Schema Test Suite, five drafts.
- :mod:`.support_table`: ``docs/json-schema-support.md``, made of its results.
- :mod:`.maskbench`: MaskBench, replayed token by token; compile times.
- :mod:`.schema_store`: the schemas of SchemaStore with their documents.

Each runs with ``python -m``. A case ends in one of the verdicts of :mod:`.verdicts`; :mod:`.engines` puts
maskwright and the validator ``jsonschema`` behind one interface, so that each can be checked with the other.
They share:

- :mod:`.suite_data`, :mod:`.store_data`: the corpora, read from their archives.
- :mod:`.document_formats`: documents in JSON, YAML and TOML.
- :mod:`.replay`: values token by token, masks checked and steps timed.
- :mod:`.crosscheck`: what the validator says where a label disagrees.
- :mod:`.report`: tables, and results in files.
"""
