# make demo   set up, build thirteen environments with their tools and tasks, show what came out
# make test   set up and run the tests, in two processes
# make test-model   every role once by the model that FACTORY_LLM__BASE_URL and FACTORY_LLM__MODEL name
# make trainers   an environment for each trainer that a snapshot is tested with (gigabytes); then: pytest -m trainers
# make format   write the code in the one style that a test holds
# make lock   renew requirements.lock after a change of dependencies in pyproject.toml
# Another Python: make demo PYTHON=/path/to/python3.12 (3.11 or 3.12)

SHELL := /bin/sh
VENV ?= .venv
# A name on the path may be a shim that does not run: each candidate is tried, not just looked up.
PYTHON ?= $(shell for candidate in python3.12 python3.11 python3 python; do \
	if "$$candidate" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info[:2] not in ((3, 11), (3, 12)))' \
	>/dev/null 2>&1; then echo "$$candidate"; break; fi; done)
# The longest files come first as they are collected; by their number of tests they would come last.
PYTEST_FLAGS ?= -n 2 --dist loadfile --no-loadscope-reorder
STAMP := $(VENV)/.installed

.PHONY: demo test test-model trainers format setup lock

demo: setup
	$(VENV)/bin/factory demo

test: setup
	$(VENV)/bin/python -m pytest $(PYTEST_FLAGS)

test-model: setup
	$(VENV)/bin/python -m pytest -m model -n 0 -s

TRAINERS := $(patsubst deployments/trainers/%.txt,.trainers/%/.installed,$(wildcard deployments/trainers/*.txt))

trainers: $(TRAINERS)

.trainers/%/.installed: deployments/trainers/%.txt | setup
	$(VENV)/bin/python -m venv --clear .trainers/$*
	.trainers/$*/bin/python -m pip install --quiet --disable-pip-version-check -r $<
	@touch $@

format: setup
	$(VENV)/bin/ruff check --fix .
	$(VENV)/bin/ruff format .

setup: $(STAMP)

# Every pin comes from the lock, the build tool included, so the second install needs no network.
$(STAMP): requirements.lock pyproject.toml
	@test -n "$(PYTHON)" || { \
	echo "No Python 3.11 or 3.12 with venv was found. Install one, or name it: make demo PYTHON=/path/to/python3.12" >&2; \
	exit 2; }
	"$(PYTHON)" -m venv --clear $(VENV)
	$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $(STAMP)

# The lock holds hashes and no addresses; setuptools is added since the editable install needs it.
lock: setup
	$(VENV)/bin/python -m pip install --quiet uv
	echo "setuptools>=77" | $(VENV)/bin/uv pip compile --universal --generate-hashes \
	--no-emit-index-url --no-emit-find-links --no-annotate --no-header --python-version 3.11 \
	--extra library --extra test pyproject.toml - --output-file requirements.lock
