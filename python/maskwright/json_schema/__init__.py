"""What a JSON Schema may be made of, and how the JSON text may be laid out.

Everything here happens before the core sees a schema, which it takes as JSON text:

| module | what it does |
|---|---|
| `inputs` | takes any supported description of a value and gives JSON text |
| `annotations` | makes schemas of Python's types: dataclasses, TypedDicts, unions, enums and so on |
| `members` | the members of the objects that classes and functions describe |
| `pydantic_models` | asks pydantic, where it is installed, for what is its own |
| `pydantic_apart` | where it is asked, with no names of ours around |
| `pydantic_patterns` | writes pydantic's patterns as those of ECMA-262 |
| `pydantic_texts` | says what texts are, of which pydantic's schemas say little |
| `pydantic_numbers` | says what decimals and numbers as keys are, of which pydantic's schemas say little |
| `pydantic_names` | says under which further names pydantic reads a field |
| `json_text` | writes Python values as JSON, exactly, or says where that cannot be |
| `subschemas` | finds the schemas within a schema, and copies one |
| `strict` | checks the subset that OpenAI's structured outputs take |
| `remarks` | finds words that ask for nothing, and were meant to |
| `whitespace` | the white space between the tokens of JSON |
| `options` | checks the other options of :meth:`maskwright.Grammar.json_schema` |
"""

from maskwright.json_schema.inputs import SchemaInput, schema_text
from maskwright.json_schema.remarks import SchemaRemark
from maskwright.json_schema.strict import StrictViolation, check_openai_strict
from maskwright.json_schema.whitespace import Whitespace

__all__ = [
    "SchemaInput",
    "SchemaRemark",
    "StrictViolation",
    "Whitespace",
    "check_openai_strict",
    "schema_text",
]
