# Two commands matter: `make demo` and `make test`. Each does all its own set-up and can be run again at any time.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PORT ?= 8000
UV_COMPILE := $(BIN)/uv pip compile --universal --generate-hashes --python-version 3.11 --no-emit-index-url --quiet --custom-compile-command "make lock"

.PHONY: demo test lint types contracts units coverage lock messages screenshots mutants load clean

demo: $(VENV)/runtime.installed
	DENIABLE_LOCAL_DEMO=1 $(BIN)/python manage.py demo --port $(PORT)

test: lint types contracts coverage

lint: $(VENV)/development.installed
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/djlint --lint --quiet templates

types: $(VENV)/development.installed
	DENIABLE_LOCAL_DEMO=1 DENIABLE_SECRET_KEY=types $(BIN)/mypy

contracts: $(VENV)/development.installed
	DENIABLE_LOCAL_DEMO=1 DENIABLE_SECRET_KEY=contracts $(BIN)/lint-imports

# Everything, with no skip allowed, in two halves at once, for two cores; then the gates: every branch of the
# mathematics, 95% of all. Tests with a browser, and those that only loop more often than others or wait for other
# programs, would cover nothing more: counting would slow them.
units: $(VENV)/development.installed
	$(BIN)/python -m tests.programs --install
	export DENIABLE_NO_SKIPS=1 && \
	{ { $(BIN)/python -m pytest -m browser; browser=$$?; \
	$(BIN)/python -m pytest -m "(slow or uncounted) and not browser" && test $$browser -eq 0; } \
	>$(VENV)/uncounted.log 2>&1 & uncounted=$$!; \
	$(BIN)/coverage run -m pytest -m "not slow and not uncounted and not browser"; counted=$$?; \
	wait $$uncounted; uncounted=$$?; cat $(VENV)/uncounted.log; \
	test $$uncounted -eq 0 && test $$counted -eq 0; }

coverage: units
	$(BIN)/coverage report --fail-under=95
	$(BIN)/coverage report --fail-under=100 --include='surveys/privacy/*,surveys/estimation/*'

lock: $(VENV)/development.installed
	$(UV_COMPILE) --group plain-tests pyproject.toml --output-file requirements.txt
	$(UV_COMPILE) --group development --constraint requirements.txt pyproject.toml --output-file tests/requirements.txt

# Brings locale/ up to date with the texts; what is new is then to be translated there.
messages: $(VENV)/development.installed
	$(BIN)/python -m tests.programs --install
	$(BIN)/python -m tests.i18n.extraction

screenshots: $(VENV)/development.installed
	$(BIN)/python -m tests.browser.screenshots

# Changes the mathematics a little, a few thousand times, and says which changes no test notices; an hour on two cores.
mutants: $(VENV)/development.installed
	$(BIN)/python -m tests.mutation

load: $(VENV)/development.installed
	$(BIN)/python -m tests.load.submissions
	$(BIN)/python -m tests.load.polling
	$(BIN)/python -m tests.load.results
	$(BIN)/python -m tests.load.dashboard
	$(BIN)/python -m tests.load.wide
	$(BIN)/python -m tests.load.switch
	$(BIN)/python -m tests.load.exports
	$(BIN)/python -m tests.load.kernels
	$(BIN)/python -m tests.load.first_answer
	$(BIN)/python -m tests.load.press_to_post
	$(BIN)/python -m tests.load.editor

$(VENV)/pip.installed:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Deniable needs Python 3.11 or newer: make PYTHON=python3.12 ..." >&2; exit 1; }
	$(PYTHON) -m venv $(VENV) || { echo "This Python cannot make virtual environments: apt-get install python3-venv" >&2; rm -rf $(VENV); exit 1; }
	touch $@

$(VENV)/runtime.installed: $(VENV)/pip.installed requirements.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements.txt
	touch $@

$(VENV)/development.installed: $(VENV)/pip.installed requirements.txt tests/requirements.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r tests/requirements.txt
	touch $@ $(VENV)/runtime.installed

clean:
	rm -rf $(VENV) data staticfiles .coverage* .mypy_cache .ruff_cache .pytest_cache .hypothesis
