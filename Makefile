# One command per job; each installs what it needs into .venv first, and only once.
#
# PYTHON chooses the interpreter that makes .venv (3.10 or newer), VENV another folder for it,
# OPTIONS are for pytest.

PYTHON ?= python3
VENV ?= .venv
SECONDS ?= 60
FAULTS ?= 100
BIN := $(VENV)/bin
STAMPS := $(VENV)/stamps

# pip's words are worth reading only when it fails.
define install
@echo "installing $(1)"
@$(BIN)/python -m pip --disable-pip-version-check install $(1) >$(VENV)/pip.log 2>&1 || { \
	cat $(VENV)/pip.log >&2; exit 1; }
endef

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help agreement demo test lint format generate check bench bench-installed damage fuzz mutants kills test-bigendian test-next-version ksc engine compare corpus pairs model clean

help: ## list the commands
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sort | \
		awk -F ':.*## ' '{printf "make %-18s %s\n", $$1, $$2}'

demo: $(STAMPS)/package ## show on a small model what the tool does
	@$(BIN)/gguf-construct demo

test: $(STAMPS)/test ## run the tests
	$(BIN)/python -m pytest -n auto --dist worksteal $(OPTIONS)

lint: $(STAMPS)/lint $(STAMPS)/test ## check style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy gguf_construct tools tests bench

format: $(STAMPS)/lint ## lay out the code as `make lint` wants it
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

generate: ksc ## write generated/ from spec/
	$(BIN)/python -m tools.generate

check: lint test ksc ## all that must hold before a commit: lint, tests, generated/ up to date
	$(BIN)/python -m tools.generate --check
	$(BIN)/python -m tools.ksc --languages all

# What users install is measured: a wheel, in an environment of its own.
bench: model ## measure against cp and gguf-py; writes docs/benchmarks.md
	@$(MAKE) --no-print-directory VENV=build/bench-venv bench-installed

bench-installed: $(STAMPS)/bench
	rm -rf build/lib build/bdist.*
	$(call install,--no-deps --force-reinstall .)
	$(BIN)/python -m bench

damage: $(STAMPS)/test ## damage the journals of edits in every way, at every stage
	$(BIN)/python -m tests.storage.damage

fuzz: $(STAMPS)/test ## mutate files for SECONDS=60
	$(BIN)/python -m tools.fuzz --seconds $(SECONDS) --jobs 2

mutants: $(STAMPS)/test ## plant FAULTS=100 small faults and see whether the tests notice; writes docs/mutants.md
	$(BIN)/python -m tools.mutants --seed 1 --count $(FAULTS) --jobs 2 --document

kills: $(STAMPS)/test ## kill a writer at every system call of every way to write
	GGUF_CONSTRUCT_ALL_KILLS=1 $(BIN)/python -m pytest -q tests/storage/test_kills.py -k every_call

test-bigendian: $(STAMPS)/test ## run the tests on an emulated big-endian Python
	$(BIN)/python -m tools.bigendian

test-next-version: ksc ## try out a next version of the format, made by edits of the schema alone
	$(BIN)/python -m tools.next_version

ksc: $(STAMPS)/test ## install the official Kaitai compiler (needs node and npm)
	@$(BIN)/python -m tools.ksc --install

agreement: $(STAMPS)/test $(STAMPS)/engine ## judge models and faults with a real llama.cpp; writes docs/architectures.md
	$(BIN)/python -m tests.support.architectures

engine: $(STAMPS)/engine ## install a real llama.cpp for the tests that load models

compare: $(STAMPS)/compare ## install transformers for the tests that render its templates

corpus: $(STAMPS)/test ## put published chat templates into build/corpus for the tests
	@$(BIN)/python -m tools.corpus

pairs: $(STAMPS)/compare ## make pairs of a repository and its model, with real vocabularies, in build/pairs
	@$(BIN)/python -m tools.real_pairs

model: $(STAMPS)/model ## put a real 253 MB model into build/models
	@$(BIN)/python -m bench.models

clean: ## back to a fresh clone
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# pip installs dependency groups since 25.1, whatever the venv brought along.
$(STAMPS)/venv:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || { \
		echo "Python 3.10 or newer is needed: make PYTHON=python3.12 ..." >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); \
		echo "$(PYTHON) cannot make $(VENV): on Debian, apt-get install python3-venv" >&2; exit 1; }
	$(call install,--upgrade 'pip>=25.1')
	@mkdir -p $(STAMPS) && touch $@

$(STAMPS)/package: pyproject.toml $(STAMPS)/venv
	$(call install,--editable .)
	@touch $@

$(STAMPS)/test $(STAMPS)/lint $(STAMPS)/engine $(STAMPS)/compare $(STAMPS)/model $(STAMPS)/bench: $(STAMPS)/package
	$(call install,--group $(@F))
	@touch $@
