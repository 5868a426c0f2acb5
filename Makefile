# Everything a person or a machine does with the checkout. `make` alone lists the targets.
#
# demo and test need Python 3.11 or newer with its headers, a C compiler and a package index;
# they make a virtual environment in .venv and start no server.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := setup.py pyproject.toml $(wildcard c4core/*.pyx c4core/*.pxd c4core/*.h c4core/*/*.pyx c4core/*/*.pxd)
DEMO := build/demo

.PHONY: help demo test test-long test-servers faults debug lint package bench clean

help:
	@echo "make demo          solve, store and query a batch of positions (under 3 minutes)"
	@echo "make test          the test suite; no server needed"
	@echo "make test-long     the tests that take minutes: every position of whole boards"
	@echo "make test-servers  the tests on PostgreSQL, Redis and RabbitMQ, started from their binaries"
	@echo "make faults        kill workers and servers in a job's midst, and docs/reliability.md anew"
	@echo "make debug         the engine's tests on a build with bounds checks and sanitizer"
	@echo "make lint          ruff, mypy --strict and the direction of imports"
	@echo "make package       sdist and wheel, installed and tried in an empty environment"
	@echo "make bench         every benchmark, and docs/performance.md anew (POSITIONS=dir, BENCH=options)"
	@echo "make clean         remove everything that was made"

# An editable install also leaves the extension modules beside their sources.
$(VENV)/installed: $(SOURCES)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "C4 needs Python 3.11 or newer; $$($(PYTHON) --version) was found (set PYTHON=...)"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test]'
	touch $@

$(VENV)/dev: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@

demo: $(VENV)/installed
	rm -rf $(DEMO) && mkdir -p $(DEMO)
	C4_DB=$(DEMO)/c4.db $(BIN)/c4 solve 4453
	C4_DB=$(DEMO)/c4.db $(BIN)/c4 analyze --sample --output $(DEMO)/results.jsonl
	@echo && echo "The first three results in $(DEMO)/results.jsonl:" && head -n 3 $(DEMO)/results.jsonl
	@echo && echo "What the database holds now:"
	C4_DB=$(DEMO)/c4.db $(BIN)/c4 db stats
	C4_DB=$(DEMO)/c4.db $(BIN)/c4 query --value draw --limit 10

test: $(VENV)/installed
	$(BIN)/python -m pytest -m 'not long'

test-long: $(VENV)/installed
	$(BIN)/python -m pytest -m long

test-servers: $(VENV)/installed
	C4_TEST_SERVERS=1 $(BIN)/python -m pytest -m '(postgres or servers) and not faults'

faults: $(VENV)/installed
	C4_TEST_SERVERS=1 $(BIN)/python -m pytest -m faults tests/faults
	$(BIN)/python -m tests.faults.report

# In a copy of the tree, so that the sanitizer's build does not replace the fast one.
debug: $(VENV)/dev
	rm -rf build/debug && mkdir -p build/debug
	git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -t build/debug
	cd build/debug && C4_DEBUG_BUILD=1 ../../$(BIN)/python setup.py --quiet build_ext --inplace
	cd build/debug && ../../$(BIN)/python -m pytest -m 'not long' -k 'not (cli or db or workers or benchmarks)' tests/unit tests/property

lint: $(VENV)/dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

package: $(VENV)/dev
	rm -rf dist build/package
	$(BIN)/python -m build --quiet --outdir dist
	$(PYTHON) -m venv build/package
	build/package/bin/python -m pip install --quiet --disable-pip-version-check dist/*.whl
	cd build/package && bin/c4 --version && bin/c4 --db try.db solve 4453 --json

# What a user may add; tests that need one of these are skipped, by name, while it is not there.
$(VENV)/extras: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[bench,monitor,parquet]'
	touch $@

# PyTorch takes whatever build the package index offers first; who has one already keeps it.
$(VENV)/learn: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[learn]'
	touch $@

bench: $(VENV)/extras
	$(BIN)/python -m benchmarks run $(if $(POSITIONS),--positions $(POSITIONS)) $(BENCH) --output docs/performance.json
	$(BIN)/python -m benchmarks report docs/performance.json

clean:
	rm -rf build dist $(VENV) *.egg-info
	find c4core -name '*.so' -delete
