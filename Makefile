# Two commands matter: `make demo` and `make test`. Each does all its own set-up and can be run again at any time.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
HOST ?= 127.0.0.1
PORT ?= 8000
UV_COMPILE := $(BIN)/uv pip compile --universal --extra server --generate-hashes --python-version 3.11 --no-emit-index-url --quiet --custom-compile-command "make lock"

.PHONY: help demo test test-all test-postgresql studies lint types contracts branches lock messages picture screenshots mutants load clean

# What each command does is said by the comment above it: of those with two hashes, in their order.
help:
	@awk '/^## /{said = substr($$0, 4)} /^[a-z -]+:/{if (said) {split($$0, name, ":"); printf "make %-20s  %s\n", name[1], said} said = ""}' $(MAKEFILE_LIST)

# A step of the set-up is one line: what is done, and how long it took.
define step
@printf '%s … ' '$(1)'; started=$$(date +%s); { $(2); } && echo "$$(( $$(date +%s) - started )) s"
endef

## Fills four surveys with simulated people and serves them: PORT=8001, HOST=0.0.0.0 for phones
demo: $(VENV)/runtime.installed
	@$(BIN)/python manage.py demo --host $(HOST) --port $(PORT)

## Everything but what simulates for long, with no skip allowed: tests/run.py
test: $(VENV)/development.installed $(VENV)/programs.installed
	@$(BIN)/python -m tests.run

## All of `make test`, what simulates for long, all on PostgreSQL too, and 95% of all lines
test-all: $(VENV)/development.installed $(VENV)/programs.installed
	@$(BIN)/python -m tests.run --all

## The tests in which a database takes part, on PostgreSQL
test-postgresql: $(VENV)/development.installed $(VENV)/programs.installed
	@$(BIN)/python -m tests.run postgresql

## Two thousand simulated studies of each estimate for arms, anchors, lists and weights, and of what pages tell of it: how often intervals hold
studies: $(VENV)/development.installed
	@$(BIN)/python -m tests.run studies

## Only the linters, the types, which room may import which, or whether tests take every branch of the mathematics
lint types contracts branches: $(VENV)/development.installed
	@$(BIN)/python -m tests.run $@

## Writes the hash-locked requirements from pyproject.toml
lock: $(VENV)/development.installed
	$(UV_COMPILE) pyproject.toml --output-file deploy/requirements.txt
	$(UV_COMPILE) --group plain-tests --constraint deploy/requirements.txt pyproject.toml --output-file requirements.txt
	$(UV_COMPILE) --group development --constraint requirements.txt pyproject.toml --output-file tests/requirements.txt

## Brings locale/ up to date with the texts; what is new is then to be translated there
messages: $(VENV)/development.installed $(VENV)/programs.installed
	$(BIN)/python -m tests.i18n.extraction

## Draws the rooms of the code and who imports whom, and how much risk private learners add (that takes a minute)
picture: $(VENV)/development.installed
	$(BIN)/python -m tests.picture
	$(BIN)/python -m tests.learning_curves

## Takes a picture of every step and page, in light and dark
screenshots: $(VENV)/development.installed
	$(BIN)/python -m tests.browser.screenshots

## Changes the mathematics a little, a few thousand times, and says which changes no test notices; an hour on two cores
mutants: $(VENV)/development.installed
	$(BIN)/python -m tests.mutation

## Measures how fast it is
load: $(VENV)/development.installed
	$(BIN)/python -m tests.load.submissions
	$(BIN)/python -m tests.load.polling
	$(BIN)/python -m tests.load.results
	$(BIN)/python -m tests.load.dashboard
	$(BIN)/python -m tests.load.wide
	$(BIN)/python -m tests.load.switch
	$(BIN)/python -m tests.load.exports
	$(BIN)/python -m tests.load.kernels
	$(BIN)/python -m tests.load.learning
	$(BIN)/python -m tests.load.lab
	$(BIN)/python -m tests.load.first_answer
	$(BIN)/python -m tests.load.press_to_post
	$(BIN)/python -m tests.load.editor
	$(BIN)/python -m tests.load.start
	$(BIN)/python -m tests.scale.ratios

$(VENV)/pip.installed:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Deniable needs Python 3.11 or newer: make PYTHON=python3.12 ..." >&2; exit 1; }
	$(call step,Making $(VENV),$(PYTHON) -m venv $(VENV) || { echo "This Python cannot make virtual environments: apt-get install python3-venv" >&2; rm -rf $(VENV); exit 1; })
	@touch $@

# Errors of pip are shown; its warnings are about the machine and not about Deniable.
$(VENV)/runtime.installed: $(VENV)/pip.installed deploy/requirements.txt
	$(call step,Installing what Deniable needs,$(BIN)/pip install -qq --disable-pip-version-check --require-hashes -r deploy/requirements.txt)
	@touch $@

$(VENV)/development.installed: $(VENV)/pip.installed tests/requirements.txt
	$(call step,Installing what its tests need,$(BIN)/pip install -qq --disable-pip-version-check --require-hashes -r tests/requirements.txt)
	@touch $@ $(VENV)/runtime.installed

$(VENV)/programs.installed: $(VENV)/development.installed tests/programs.py
	$(call step,Looking for the programs that tests drive,$(BIN)/python -m tests.programs --install)
	@touch $@

## Removes what the other commands made, the demo's data too
clean:
	rm -rf $(VENV) data staticfiles .coverage* .mypy_cache .ruff_cache .pytest_cache .hypothesis
