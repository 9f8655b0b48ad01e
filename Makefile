# The two commands to begin with: `make demo` and `make test`. Both create .venv and install everything they need.

PYTHON ?= python3
BIN := .venv/bin
INSTALLED := .venv/.installed
READY := .venv/.kernels
OPENAI2 := .venv/openai2

.DEFAULT_GOAL := help
.PHONY: help venv demo test test-openai2 check bench play

help: ## show this list
	@grep -E '^[a-z0-9-]+:.*## ' Makefile | sed -E 's/:.*## /\t/' | expand -t 14

venv: $(READY) ## create .venv and install the package with its development tools

$(INSTALLED): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo 'Python 3.11 or newer is needed; $(PYTHON) is' "$$($(PYTHON) --version). Try: make PYTHON=python3.12"; exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $(INSTALLED)

# A compiled kernel is kept as long as its own file stays the same, also when one that it calls has changed.
$(READY): $(INSTALLED) $(wildcard agent/poker/*.py)
	@rm -f agent/poker/__pycache__/*.nb?
	@touch $(READY)

demo: $(READY) ## play 30 hands in a local arena, no key and no network
	$(BIN)/poker-agent demo --hands 30

# Modules share what their fixtures start, a browser for one: each is tested by one worker.
test: $(READY) ## run the whole test suite, on all cores
	$(BIN)/python -m pytest --numprocesses auto --dist loadfile

# A whole second environment would be the same but for this library: it is laid over the first one.
$(OPENAI2): $(INSTALLED)
	@rm -rf $(OPENAI2)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --target $(OPENAI2) 'openai>=2.54,<3'
	@touch $(OPENAI2)

test-openai2: $(READY) $(OPENAI2) ## run the tests of the model's client with the older major of openai
	PYTHONPATH=$(OPENAI2) $(BIN)/python -c 'import openai, sys; sys.exit(not openai.__version__.startswith("2."))'
	PYTHONPATH=$(OPENAI2) $(BIN)/python -m pytest tests/llm

check: $(READY) ## format, lint, types, import rules
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(READY) ## print the measured speeds, with the peers they are compared to
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[bench]'
	$(BIN)/python -m benchmarks

play: $(READY) ## play on Open Poker with the keys in .env
	$(BIN)/poker-agent play
