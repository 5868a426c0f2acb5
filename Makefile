# Everything a person or a machine does with the checkout. `make` alone lists the targets.
#
# demo and test need Python 3.11 or newer with its headers, a C compiler and a package index;
# they make a virtual environment in .venv and start no server.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Some processes, as many as tests/conftest.py says.
PARALLEL := -n auto --dist worksteal
PYTEST := $(BIN)/python -m pytest $(PARALLEL)
SOURCES := setup.py pyproject.toml $(wildcard $(foreach kind,pyx pxd h,c4core/*.$(kind) c4core/*/*.$(kind) c4core/*/*/*.$(kind)))
DEMO := build/demo
STUBBED := $(subst /,.,$(patsubst %.pyi,%,$(wildcard c4core/*.pyi c4core/*/*.pyi c4core/*/*/*.pyi)))
# Where other packages are leaned on most.
BROKERS := tests/integration/workers/test_broker.py
SCREEN := tests/integration/play/test_terminal.py
LOWEST := $(BROKERS)::test_the_output_is_that_of_one_process $(SCREEN)::test_a_game_on_a_terminal \
	$(SCREEN)::test_a_fault_is_reported_without_a_stack_trace $(SCREEN)::test_a_terminal_that_goes_away \
	tests/unit/c4core/dataset/test_files.py tests/unit/c4core/book/test_exchange.py tests/unit/db/test_evaluations.py \
	tests/unit/cli/test_match_picture.py tests/unit/workers/service/test_metrics.py

.PHONY: help demo test test-skipped test-long test-servers faults debug fuzz lint docs wheels package lowest bench clean

help:
	@echo "make demo          solve, store and query a batch of positions (under 3 minutes)"
	@echo "make test          the test suite; no server needed"
	@echo "make test-skipped  those of them that were skipped, with every package that a user may add"
	@echo "make test-long     the tests that take minutes: every position of whole boards"
	@echo "make test-servers  the tests on PostgreSQL, Redis and RabbitMQ, started from their binaries"
	@echo "make faults        kill workers and servers in a job's midst, and docs/reliability.md anew"
	@echo "make debug         the engine's tests on a build with bounds checks and sanitizers"
	@echo "make fuzz          whatever strangers may hand in, crafted by chance (CASES=n, SEED=n)"
	@echo "make lint          ruff, mypy --strict, stubs against the engine, the direction of imports"
	@echo "make docs          a site of the documents and the Python reference, in build/site"
	@echo "make wheels        sdist, and a wheel for each of PYTHONS that needs no compiler, in dist"
	@echo "make package       these, installed in empty environments without a compiler, with servers and extras"
	@echo "make lowest        the tests of what other packages do, with the oldest that are allowed"
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

# With the project installed, its extras are added by its name: nothing is compiled again.
$(VENV)/dev: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'c4-analysis[dev]'
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
	@mkdir -p build
	C4_TEST_SKIPPED=build/skipped $(PYTEST) -m 'not long'

test-skipped: $(VENV)/extras $(VENV)/learn $(VENV)/adapters
	test ! -s build/skipped || $(PYTEST) -m 'not long' @build/skipped

test-long: $(VENV)/installed
	$(PYTEST) -m long

test-servers: $(VENV)/installed
	C4_TEST_SERVERS=1 $(PYTEST) -m '(postgres or servers) and not faults'

faults: $(VENV)/installed
	C4_TEST_SERVERS=1 $(BIN)/python -m pytest -m faults tests/release/faults tests/integration/cli/test_killed.py
	$(BIN)/python -m tests.release.faults.report

# In a copy of the tree, so that the sanitizers' build does not replace the fast one. The library of
# the one for addresses has to be there before Python is, and that of C++ for those who catch in it.
# Left out: programs, which get an environment without it; what counts seconds; what asks git; what
# limits its addresses.
SANITIZED := ASAN_OPTIONS=detect_leaks=0 \
	LD_PRELOAD="$$($(CC) -print-file-name=libasan.so) $$($(CC) -print-file-name=libstdc++.so)"
debug: $(VENV)/dev
	rm -rf build/debug && mkdir -p build/debug
	git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -t build/debug
	cd build/debug && C4_DEBUG_BUILD=1 ../../$(BIN)/python setup.py --quiet build_ext --inplace
	cd build/debug && $(SANITIZED) ../../$(BIN)/python -m pytest $(PARALLEL) -m 'not long' -k 'not (db or external or stopping or many_boards)' --ignore tests/unit/c4core/learning/test_grids.py tests/unit/c4core tests/property
	cd build/debug && $(SANITIZED) ../../$(BIN)/python -m tests.release.fuzz --cases 300 positions grids keys books booktexts pons players

CASES ?= 10000
SEED ?= 1

fuzz: $(VENV)/extras $(VENV)/learn
	$(BIN)/python -m tests.release.fuzz --cases $(CASES) --seed $(SEED)

lint: $(VENV)/dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/python -m mypy.stubtest --mypy-config-file pyproject.toml --allowlist tests/stubtest-allowlist.txt $(STUBBED)
	$(BIN)/lint-imports

# Every warning is an error.
docs: $(VENV)/docs
	rm -rf build/site
	$(BIN)/python -m sphinx --quiet --fresh-env --fail-on-warning --keep-going -d build/doctrees -c docs . build/site

$(VENV)/docs: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'c4-analysis[docs]'
	touch $@

# A wheel for each of these Pythons, built from the sources as they are packed. auditwheel finds out
# which systems it runs on, and says so in its name.
PYTHONS ?= $(CURDIR)/$(BIN)/python
wheels: $(VENV)/dev
	rm -rf dist build/wheels
	$(BIN)/uv build --quiet --sdist --out-dir dist
	set -e; for python in $(PYTHONS); do \
		$(BIN)/uv build --quiet --wheel --python $$python --out-dir build/wheels dist/*.tar.gz; done
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/auditwheel repair --wheel-dir dist build/wheels/*.whl

package: wheels
	C4_TEST_SERVERS=1 C4_TEST_WHEEL="$$(ls $(CURDIR)/dist/*.whl)" $(BIN)/python -m pytest tests/release/package

# Every package as old as pyproject.toml allows. What these warn of is no fault of this program.
lowest: $(VENV)/dev
	rm -rf build/lowest
	$(BIN)/uv venv --quiet --python $(BIN)/python build/lowest
	$(BIN)/uv pip install --quiet --python build/lowest --resolution lowest-direct \
		--requirements pyproject.toml --extra bench --extra monitor --extra parquet --extra plot --extra test
	C4_TEST_SERVERS=1 build/lowest/bin/python -m pytest -W default $(LOWEST)

# What a user may add; tests that need one of these are skipped, by name, while it is not there.
$(VENV)/extras: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'c4-analysis[bench,monitor,notebook,parquet,pictures,webtest]'
	touch $@

# Of the 125 packages that kaggle-environments asks for ConnectX uses few; the extra brings those.
$(VENV)/adapters: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'c4-analysis[adapters]'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps 'kaggle-environments>=1.33'
	touch $@

# PyTorch takes whatever build the package index offers first; who has one already keeps it.
$(VENV)/learn: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'c4-analysis[learn]'
	touch $@

bench: $(VENV)/extras
	$(BIN)/python -m benchmarks run $(if $(POSITIONS),--positions $(POSITIONS)) $(BENCH) --output docs/performance.json
	$(BIN)/python -m benchmarks report docs/performance.json

clean:
	rm -rf build dist $(VENV) *.egg-info
	find c4core -name '*.so' -delete
