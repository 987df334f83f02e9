# Everything is installed into .venv and nowhere else; a second run installs nothing.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
RUN := $(VENV)/bin
SERVING := $(VENV)/.serving
INSTALLED := $(VENV)/.installed

.PHONY: serve install chromium test acceptance coverage trials bench bench-growth tune lint format lock
.DEFAULT_GOAL := serve

$(SERVING): requirements.lock requirements-torch.lock pyproject.toml deploy/install
	@echo "setting up $(VENV) (once; this takes some minutes)"
	@PYTHON=$(PYTHON) deploy/install requirements.lock
	@touch $@

$(INSTALLED): $(SERVING) requirements-dev.lock
	@deploy/install requirements-dev.lock
	@touch $@

serve: $(SERVING)
	@$(RUN)/regula serve

install: $(SERVING)

chromium:
	@command -v chromium >/dev/null || { [ "$$(id -u)" = 0 ] && timeout 120 apt-get update >/dev/null 2>&1 \
	  && timeout 400 apt-get install --yes --no-install-recommends chromium >/dev/null 2>&1; } \
	  || echo "Chromium is missing: the tests of the pages in a browser are skipped (Debian: apt-get install chromium)"

test: $(INSTALLED) chromium
	@$(RUN)/pytest -n 2 --dist worksteal

# What 'make test' leaves out because it takes long or needs other programs, and again, at full, what tries texts and requests at random.
acceptance: $(INSTALLED) chromium
	@$(RUN)/pytest -n 2 --dist worksteal -m '(acceptance or hypothesis) and not trial' --hypothesis-profile full

# All tests but the trials. They need 1.6 times the processor's time while statements are counted. What runs in processes of its own is not
# counted. Tests that measure time may fail meanwhile.
coverage: $(INSTALLED)
	@rm -f .coverage .coverage.*
	-@$(RUN)/pytest -n 2 --dist worksteal -m 'not trial' --cov --cov-report=
	@$(RUN)/python .ci/coverage

# At full length, which takes an hour or more; 'make acceptance' has them in short. One process, since they measure how long others wait.
TRIALS := REGULA_KILLS=1000 REGULA_ROUNDS=50 REGULA_SLOW_SECONDS=60 REGULA_FULL_SECONDS=20
trials: $(INSTALLED)
	@$(TRIALS) $(RUN)/pytest -m '' tests/trials
	@$(RUN)/pytest -m trial tests/browser tests/corpus

bench: $(INSTALLED)
	@deploy/install requirements-bench.lock || echo "what could not be installed is left out"
	@$(RUN)/python -m tests.bench --write docs/benchmarks.md
	@$(RUN)/python -m tests.bench.load

# Makes up rulebooks of 2.4 million passages, which takes twenty to forty minutes, 10 GB of memory and 7 GB of disk.
bench-growth: $(INSTALLED)
	@OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(RUN)/python -m tests.bench.growth

# First what an index is built with, then what is learned from its answers.
tune: $(INSTALLED)
	@$(RUN)/python -m tests.bench.starting_weights --write
	@$(RUN)/python -m tests.bench.tune --write

lint: $(INSTALLED)
	@$(RUN)/ruff check .
	@$(RUN)/ruff format --check .
	@$(RUN)/mypy
	@$(RUN)/lint-imports

format: $(INSTALLED)
	@$(RUN)/ruff format .
	@$(RUN)/ruff check --fix .

# After every change of the dependencies in pyproject.toml. Newer versions of everything: make lock UPGRADE=--upgrade
lock: $(INSTALLED)
	@.ci/lock $(UPGRADE)
