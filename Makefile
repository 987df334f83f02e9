# Everything is installed into .venv and nowhere else; a second run installs nothing.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
INSTALLED := $(VENV)/.installed
RUN := $(VENV)/bin

.PHONY: serve test bench bench-growth tune lint format
.DEFAULT_GOAL := serve

$(INSTALLED): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Regula needs Python 3.11 or newer; say which: make PYTHON=/path/to/python3.11"; exit 1; }
	@echo "setting up $(VENV) (once; this takes some minutes)"
	@$(PYTHON) -m venv $(VENV)
	@$(RUN)/pip install --quiet --disable-pip-version-check "torch==2.13.0"
	@$(RUN)/pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

serve: $(INSTALLED)
	@$(RUN)/regula serve

test: $(INSTALLED)
	@command -v chromium >/dev/null || { [ "$$(id -u)" = 0 ] && timeout 120 apt-get update >/dev/null 2>&1 \
	  && timeout 400 apt-get install --yes --no-install-recommends chromium >/dev/null 2>&1; } \
	  || echo "Chromium is missing: the tests of the pages in a browser are skipped (Debian: apt-get install chromium)"
	@$(RUN)/pytest -n 2

bench: $(INSTALLED)
	@$(RUN)/pip install --quiet --disable-pip-version-check --editable '.[dev,bench]' || echo "what could not be installed is left out"
	@$(RUN)/python -m tests.bench --write docs/benchmarks.md
	@$(RUN)/python -m tests.bench.load --write docs/load.md

# Makes up rulebooks of 2.4 million passages, which takes twenty to forty minutes, 10 GB of memory and 7 GB of disk.
bench-growth: $(INSTALLED)
	@OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(RUN)/python -m tests.bench.growth --write docs/growth.md

tune: $(INSTALLED)
	@$(RUN)/python -m tests.bench.tune --write

lint: $(INSTALLED)
	@$(RUN)/ruff check .
	@$(RUN)/ruff format --check .
	@$(RUN)/mypy

format: $(INSTALLED)
	@$(RUN)/ruff format .
	@$(RUN)/ruff check --fix .
