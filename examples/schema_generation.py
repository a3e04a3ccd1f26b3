"""The default model writes a document for each schema in `schemas`, and jsonschema checks them.

    pip install '.[generate]' 'jsonschema[format]' && python examples/schema_generation.py

It prints each text and whether it is valid, and exits with 1 if one is not.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import jsonschema

from maskwright import ModelError
from maskwright.generation.default_model import default_model_path

SCHEMAS = Path(__file__).parent / "schemas"
PROMPTS = {
    "bug_report": "Report as JSON a bug: the program crashes when a file is empty.",
    "calendar_event": "Describe as JSON a calendar event: a team lunch.",
    "person": "Describe a person as JSON.",
    "recipe": "Write a short recipe for pancakes as JSON.",
    "weather_call": "Ask for the weather in Paris as JSON.",
}


def generate(schema: Path, prompt: str) -> str:
    """What `maskwright generate` writes for a schema."""
    command = [str(Path(sys.executable).with_name("maskwright")), "generate", "--no-progress"]
    command += ["--max-tokens", "600", "--json-schema", str(schema), "--prompt", prompt]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, encoding="utf-8").stdout


def fault(schema: Path, text: str) -> str | None:
    """Why a text is not a valid document, or nothing."""
    try:
        checker = jsonschema.Draft202012Validator.FORMAT_CHECKER
        rules = json.loads(schema.read_text(encoding="utf-8"))
        jsonschema.validate(json.loads(text), rules, format_checker=checker)
    except (ValueError, jsonschema.ValidationError) as error:
        return str(error)
    return None


def main() -> int:
    """Writes and checks the five documents."""
    try:
        default_model_path()
    except ModelError as error:
        print(f"skipped, since the default model can't be had: {error}")
        return 0
    faults = 0
    for name, prompt in PROMPTS.items():
        schema = SCHEMAS / f"{name}.json"
        text = generate(schema, prompt)
        why = fault(schema, text)
        faults += why is not None
        print(f"{name}:\n{text}\n{'valid' if why is None else 'INVALID: ' + why}\n", flush=True)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
