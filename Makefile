# `make run` and `make test` are all a new machine needs; see README.md.
.DEFAULT_GOAL := help
.PHONY: help install run demo test lint format bench screenshots lock clean

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
MANAGE := $(BIN)/python manage.py
HOST ?= 127.0.0.1
PORT ?= 8000

help:
	@echo "make run          start Reviewer at http://$(HOST):$(PORT) (web and worker, one terminal)"
	@echo "make test         run every test that can run on this machine"
	@echo "make lint         format, types, imports, templates, migrations"
	@echo "make bench        the benchmarks, as ratios"
	@echo "make screenshots  take the pictures in docs/ again"

# Two stamps, so that running the product does not install what only tests need.
install: $(VENV)/.run-installed

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
	  { echo "Reviewer needs Python 3.11 or newer as $(PYTHON). Install it, or say: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@$(PYTHON) -m venv $(VENV) || \
	  { echo "Python could not make a virtual environment. On Debian and Ubuntu: apt install python3-venv"; exit 1; }

$(VENV)/.run-installed: requirements.txt | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.txt
	@touch $@

$(VENV)/.dev-installed: requirements-dev.txt | install
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.txt
	@touch $@

run: install
	@$(MANAGE) check --tag reviewer
	@$(MANAGE) migrate --verbosity 0
	@$(MANAGE) collectstatic --noinput --verbosity 0
	@$(MANAGE) demo
	@$(MANAGE) serve --bind $(HOST):$(PORT)

test: $(VENV)/.dev-installed
	$(BIN)/python -m tests.run

lint: $(VENV)/.dev-installed
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/djlint --quiet --lint --check templates
	$(MANAGE) makemigrations --check --dry-run
	$(MANAGE) check

format: $(VENV)/.dev-installed
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	$(BIN)/djlint --quiet --reformat templates

bench: $(VENV)/.dev-installed
	@for bench in tests/bench/bench_*.py; do echo "== $$bench"; $(BIN)/python $$bench || exit 1; done

screenshots: $(VENV)/.dev-installed
	$(BIN)/python -m tests.screenshots

# Pins every package with its hashes for all platforms; needs uv.
lock:
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header -q pyproject.toml -o requirements.txt
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header -q pyproject.toml --extra s3 --group dev -o requirements-dev.txt
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header -q pyproject.toml --extra s3 -c requirements.txt -o requirements-s3.txt

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
