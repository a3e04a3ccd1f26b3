# The one list of commands. CI calls `make test`; pre-commit calls `make lint`.
# Everything is installed into .venv; a machine needs Python 3.11 or later, a Rust toolchain and make.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# What the editable install is made from; when one changes, it is made again.
NATIVE := $(shell find crates -name '*.rs') $(wildcard crates/*/Cargo.toml) Cargo.toml Cargo.lock pyproject.toml
MASKS ?= 200000
SEED ?= 1
DOCUMENTS ?= 50000

.PHONY: test build lint format test-rust test-python oracle oracle-quick network benchmark json-schema json-schema-random \
	json-schema-tables examples clean help

help: ## List the commands
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

test: lint test-rust test-python ## Every check and every test, installing what they need
	@echo "all checks and tests passed"

$(VENV)/tools: pyproject.toml
	test -d $(VENV) || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --group test --group lint
	touch $@

$(VENV)/native: $(VENV)/tools $(NATIVE)
	$(BIN)/python -m pip install --quiet --editable '.[generate,vocabulary]'
	touch $@

build: $(VENV)/native ## Install the package and its extras, editable, into .venv

lint: $(VENV)/native ## Formatting, lints and types, in both languages
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --quiet -- --deny warnings
	RUSTDOCFLAGS='--deny warnings' cargo doc --workspace --no-deps --quiet
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy

format: $(VENV)/tools ## Put the formatting right
	cargo fmt --all
	$(BIN)/ruff format
	$(BIN)/ruff check --fix

test-rust: ## The tests of the crates, with the short oracle run
	cargo test --workspace --quiet

test-python: $(VENV)/native ## The tests of the package
	$(BIN)/python -m pytest

oracle: ## The long comparison with the oracle: MASKS=200000 SEED=1
	cargo run --release --quiet --package maskwright-testkit --bin oracle -- --masks $(MASKS) --seed $(SEED)

network: $(VENV)/native ## The tests that fetch and run the real default model
	$(BIN)/python -m pytest -m network

benchmark: $(VENV)/native ## JSON by GBNF on a 128k vocabulary, beside llguidance; vocabularies: time, memory
	$(BIN)/python -m pip install --quiet --group benchmark
	$(BIN)/python -m benchmarks.json_by_gbnf --save benchmarks/results/json-by-gbnf.json
	$(BIN)/python -m benchmarks.plot
	$(BIN)/python -m benchmarks.vocabularies

json-schema: $(VENV)/native ## JSON Schema: the official suite, MaskBench on a 128k vocabulary, SchemaStore
	$(BIN)/python -m benchmarks.json_schema.official_suite --save benchmarks/results/json-schema-official-suite.json
	$(BIN)/python -m benchmarks.json_schema.maskbench --save benchmarks/results/json-schema-maskbench.json
	$(BIN)/python -m benchmarks.json_schema.schema_store --save benchmarks/results/json-schema-schemastore.json

json-schema-random: $(VENV)/native ## Random schemas against jsonschema: DOCUMENTS=50000 SEED=1
	$(BIN)/python -m benchmarks.json_schema_random --documents $(DOCUMENTS) --seed $(SEED)

json-schema-tables: $(VENV)/native ## Write the list of refusals and docs/json-schema-support.md anew
	$(BIN)/python -m benchmarks.json_schema.official_suite --write
	$(BIN)/python -m benchmarks.json_schema.support_table

examples: $(VENV)/native ## Ten prompts answered by the default model, with a grammar and without; five JSON schemas
	$(BIN)/python examples/ten_outputs.py
	$(BIN)/python examples/schema_inputs.py
	$(BIN)/python examples/schema_generation.py

clean: ## Forget everything built or installed
	rm -rf $(VENV) target
