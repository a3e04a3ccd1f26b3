# The one list of commands. CI calls `make test`; pre-commit calls `make lint`.
# Everything is installed into .venv; a machine needs Python 3.11 or later, a Rust toolchain and make.

PYTHON ?= python3
VENV := .venv
BENCHMARK := .venv-benchmark
BIN := $(VENV)/bin
# What the editable install is made from; when one changes, it is made again.
NATIVE := $(shell find crates -name '*.rs') $(wildcard crates/*/Cargo.toml) Cargo.toml Cargo.lock pyproject.toml
MASKS ?= 200000
SEED ?= 1
DOCUMENTS ?= 50000
CASES ?= 500
# What keeps the processes of a benchmark on one core, where cores that were idle are slow at first: PIN='taskset -c 1'
PIN ?=
SUITE := $(BENCHMARK)/bin/python -m benchmarks.suite

.PHONY: test checks build optimised lint lint-rust lint-python format test-rust test-python oracle network torch benchmark benchmark-full tool-calls hot-path wheel json-schema json-schema-random \
	json-schema-tables examples clean help

help: ## List the commands
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

# Two parts at a time, since much of each keeps one core busy and no more; what a part prints is shown when it is done.
IN_TURN := $(if $(filter output-sync,$(.FEATURES)),--output-sync=target)

test: ## Every check and every test, installing what they need
	@echo "checks and tests, two parts at a time: each is shown when it is done"
	@$(MAKE) --no-print-directory --jobs=2 $(IN_TURN) checks
	@echo "all checks and tests passed"

checks: lint-rust lint-python test-rust test-python

# Most modules of what is installed are never imported: those that are, are compiled then.
$(VENV)/tools: pyproject.toml
	test -d $(VENV) || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --no-compile --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --no-compile --group test --group lint
	touch $@

$(VENV)/native: $(VENV)/tools $(NATIVE)
	$(BIN)/python -m pip install --quiet --no-compile --editable '.[generate,vocabulary]'
	touch $@

build: $(VENV)/native ## Install the package and its extras, editable, into .venv

# In place of what the editable install is built with, which is sooner built, checks itself and is slower: what is released, but without
# a profile.
optimised: $(VENV)/native
	cargo build --release --quiet --package maskwright-python
	rm -f python/maskwright/_native.abi3.so # not written over: a process may be running it
	cp target/release/lib_native.so python/maskwright/_native.abi3.so

lint: lint-rust lint-python ## Formatting, lints and types, in both languages

lint-rust:
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --quiet -- --deny warnings
	RUSTDOCFLAGS='--deny warnings' cargo doc --workspace --no-deps --quiet

lint-python: $(VENV)/native
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
	$(BIN)/python -m pytest --numprocesses auto --maxprocesses 8 --dist worksteal

oracle: ## The long comparison with the oracle: MASKS=200000 SEED=1
	cargo run --release --quiet --package maskwright-testkit --bin oracle -- --masks $(MASKS) --seed $(SEED)

network: $(VENV)/native ## The tests that fetch and run the real default model
	$(BIN)/python -m pytest -m network

torch: $(VENV)/native ## The tests of tensors, with torch (gigabytes): once it is in .venv, `make test` runs them, too
	$(BIN)/python -m pip install --quiet torch
	$(BIN)/python -m pytest tests/test_masks_of_torch.py

# The released wheel beside its peers, apart from the editable install.
$(BENCHMARK)/wheel: $(NATIVE) $(wildcard benchmarks/training/*.py benchmarks/training/cases/*)
	rm -rf dist
	$(MAKE) wheel
	test -d $(BENCHMARK) || $(PYTHON) -m venv $(BENCHMARK)
	$(BENCHMARK)/bin/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(BENCHMARK)/bin/python -m pip install --quiet --group benchmark
	$(BENCHMARK)/bin/python -m pip install --quiet --force-reinstall --no-deps dist/*.whl
	touch $@

benchmark: $(BENCHMARK)/wheel ## Engines side by side, some minutes: JSON schemas, JSON and programs by GBNF, tool calls, long documents
	$(SUITE) maskbench --sample 100 --repeat 2 --seconds 20
	$(SUITE) gbnf --sample 100 --repeat 2
	$(SUITE) gbnf --sample 100 --cache warm
	$(SUITE) programs --repeat 3
	$(SUITE) languages --repeat 3
	$(SUITE) patterns --repeat 3
	$(SUITE) tools --sample 100 --repeat 2
	$(SUITE) long
	$(BENCHMARK)/bin/python -m benchmarks.vocabularies

# What the saved results come from: each is written by one of these commands, but for those of a machine with 16 cores. There
# they are written by
#   $(SUITE) maskbench --sample 500 --repeat 2 --seconds 5 $(QUICK_PEERS) --save $(RESULTS)/maskbench-free-cold-16-cores.json
#   $(SUITE) batch --sample 150 --threads 1 2 4 8 16 --engines copy --engines maskwright --engines llguidance --save $(RESULTS)/batch-16-cores.json
RESULTS := benchmarks/results
QUICK_PEERS := --engines copy --engines maskwright --engines llguidance --engines glrmask
PEERS := $(QUICK_PEERS) --engines xgrammar:strict=on

benchmark-full: $(BENCHMARK)/wheel ## Every table of the suite, with xgrammar (it needs torch): half an hour and more; results and curves saved
	$(BENCHMARK)/bin/python -m pip install --quiet --group benchmark-xgrammar
	$(PIN) $(SUITE) maskbench --sample $(CASES) --repeat 2 --seconds 20 $(QUICK_PEERS) \
		--save $(RESULTS)/maskbench-free-cold-without-xgrammar.json
	for whitespace in free fixed; do \
		$(PIN) $(SUITE) maskbench --sample $(CASES) --repeat 2 --seconds 5 --whitespace $$whitespace $(PEERS) \
			--save $(RESULTS)/maskbench-$$whitespace-cold.json || exit 1; \
		$(PIN) $(SUITE) maskbench --sample $(CASES) --seconds 5 --whitespace $$whitespace --cache warm --repeat 2 $(QUICK_PEERS) \
			--save $(RESULTS)/maskbench-$$whitespace-warm.json || exit 1; done
	$(PIN) $(SUITE) maskbench --sample $(CASES) --seconds 20 --cache run --repeat 2 --engines maskwright --engines llguidance \
		--save $(RESULTS)/maskbench-free-run.json
	$(SUITE) maskbench --sample $(CASES) --prefill 20 --repeat 2 --engines maskwright --engines maskwright:warm=100 \
		--engines maskwright:warm=500 --engines llguidance --engines glrmask --save $(RESULTS)/maskbench-free-prefill.json
	$(SUITE) maskbench --sample 100 --prefill 20 --between 32 --engines copy --engines maskwright --engines maskwright:warm=500 \
		--engines llguidance --engines glrmask --save $(RESULTS)/maskbench-free-between.json
	$(PIN) $(SUITE) maskbench --sample 30 --seconds 5 --engines maskwright --engines xgrammar --engines outlines-core \
		--save $(RESULTS)/maskbench-xgrammar-outlines.json
	$(PIN) $(SUITE) gbnf --repeat 3 --sample 100 $(PEERS) --save $(RESULTS)/gbnf-cold.json
	$(PIN) $(SUITE) gbnf --cache warm --sample 100 $(PEERS) --save $(RESULTS)/gbnf-warm.json
	$(PIN) $(SUITE) programs --repeat 5 $(PEERS) --save $(RESULTS)/programs.json
	$(PIN) $(SUITE) languages --repeat 3 $(PEERS) --save $(RESULTS)/languages.json
	$(PIN) $(SUITE) patterns --repeat 3 $(PEERS) --save $(RESULTS)/patterns.json
	$(PIN) $(SUITE) store --sample 300 --repeat 2 --seconds 20 $(QUICK_PEERS) --save $(RESULTS)/store.json
	$(PIN) $(SUITE) tools $(PEERS) --save $(RESULTS)/tools.json
	$(PIN) $(SUITE) vocabularies --repeat 2 --save $(RESULTS)/vocabularies.json
	$(PIN) $(BENCHMARK)/bin/python -m benchmarks.tool_calls many --repeat 2 --save $(RESULTS)/tool-calls-many.json
	$(SUITE) batch --sample 150 --engines copy --engines maskwright --engines llguidance --save $(RESULTS)/batch.json
	$(SUITE) long --save $(RESULTS)/long.json
	$(SUITE) memory --engines maskwright --engines llguidance --save $(RESULTS)/memory.json
	$(SUITE) ablation --seconds 20 --save $(RESULTS)/ablation.json
	$(BENCHMARK)/bin/python -m benchmarks.plot

tool-calls: optimised ## Tool calls of public corpora in every family's format; 128 tools beside the peers; a conversation of gpt-oss
	$(BIN)/python -m pip install --quiet --group benchmark
	$(BIN)/python -m benchmarks.tool_calls replay --sample 50
	$(BIN)/python -m benchmarks.tool_calls many
	$(BIN)/python -m benchmarks.tool_calls harmony

hot-path: optimised ## Instructions of a warm token, by function (needs valgrind; some minutes)
	$(BIN)/python -m pip install --quiet --group benchmark
	$(BIN)/python -m benchmarks.hot_path

# Blocks of code lie in the order in which the training run went through them: few of a mask that is new are in the
# caches of a processor. The compiler does so only where it is told to.
LAID_OUT := -Cllvm-args=-enable-ext-tsp-block-placement

wheel: $(VENV)/tools ## The wheel as it is released, in dist/: built with the profile of a training run (some minutes)
	if command -v rustup > /dev/null; then rustup component add llvm-tools; fi
	RUSTFLAGS='$(strip $(RUSTFLAGS) $(LAID_OUT))' MATURIN_PGO=1 $(BIN)/python -m pip wheel --no-deps --wheel-dir dist .

json-schema: optimised ## JSON Schema: the official suite, MaskBench on a 128k vocabulary, SchemaStore
	$(BIN)/python -m pip install --quiet --group benchmark
	$(BIN)/python -m benchmarks.json_schema.official_suite --save benchmarks/results/json-schema-official-suite.json
	$(BIN)/python -m benchmarks.json_schema.maskbench --save benchmarks/results/json-schema-maskbench.json
	$(BIN)/python -m benchmarks.json_schema.schema_store --save benchmarks/results/json-schema-schemastore.json

json-schema-random: optimised ## Random schemas against jsonschema: DOCUMENTS=50000 SEED=1
	$(BIN)/python -m benchmarks.json_schema_random --documents $(DOCUMENTS) --seed $(SEED)

json-schema-tables: $(VENV)/native ## Write the list of refusals and docs/json-schema-support.md anew
	$(BIN)/python -m benchmarks.json_schema.official_suite --write
	$(BIN)/python -m benchmarks.json_schema.support_table

examples: $(VENV)/native ## Ten prompts answered by the default model, with a grammar and without; each kind of schema; five JSON schemas
	$(BIN)/python examples/ten_outputs.py
	$(BIN)/python examples/schema_inputs.py
	$(BIN)/python examples/schema_generation.py

clean: ## Forget everything built or installed
	rm -rf $(VENV) $(BENCHMARK) target dist
