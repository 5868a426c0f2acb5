# All development tasks. `make` alone lists the targets.
#
# demo and test need Python 3.11 or newer with its headers, a C compiler and a package index;
# they create a virtual environment in .venv and start no server.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# tests/conftest.py sets the number of processes.
PARALLEL := -n auto --dist worksteal
PYTEST := $(BIN)/python -m pytest $(PARALLEL)
SOURCES := setup.py pyproject.toml $(wildcard $(foreach kind,pyx pxd pxi h,c4core/*.$(kind) c4core/*/*.$(kind) c4core/*/*/*.$(kind)))
DEMO := build/demo
STUBBED := $(subst /,.,$(patsubst %.pyi,%,$(wildcard c4core/*.pyi c4core/*/*.pyi c4core/*/*/*.pyi)))
# The tests that depend most on other packages.
LOWEST := tests/release/servers/test_broker.py::test_the_output_equals_that_of_one_process \
	tests/unit/c4core/dataset/test_reading.py \
	tests/unit/c4core/book/test_exchange.py tests/unit/db/test_evaluations.py \
	tests/release/extras/parquet
GATE_TESTS := tests/unit tests/property tests/integration

# uv installs packages about 20 times as fast as pip, but does not read pip's settings. So uv, and npm,
# must be configured to trust the system's certificates.
export UV_SYSTEM_CERTS := 1
export NODE_USE_SYSTEM_CA := 1
UV_INSTALL := $(BIN)/uv pip install --quiet --python $(BIN)/python
EXTRAS := $(UV_INSTALL) --requirements pyproject.toml

.PHONY: help demo test lint docs reference tools wheels wheel page postgres workers snapshots gate release sanitize \
	lowest extras browser servers package arm dist long faults bench clean

help:
	@echo "make gate       the checks for every change (needs servers and a browser; 10 minutes)"
	@echo "make release    all checks, with a table at the end; FROM=STEP continues at a step"
	@echo "make reference  update docs/api/*.md after a change of docstrings"
	@echo "make snapshots  update the output that the tests expect; review the difference"
	@echo "make wheels     in dist: an sdist, and a wheel without a compiler for each of PYTHONS"
	@echo "make dist       a release: the files of wheels, a wheel for ARM, a bill of materials, checksums"
	@echo "make bench      all benchmarks; updates docs/performance-log.md (POSITIONS=dir, BENCH=options)"
	@echo "make clean      remove all generated files"
	@echo
	@echo "Each step of the gate and the release is also a target:"
	@$(PYTHON) .ci/steps.py list

# setup.py compiles only the modules whose sources have changed, and shows its progress.
BUILD_REQUIRES := import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"], sep="\n")
$(VENV)/installed: $(SOURCES)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "C4 needs Python 3.11 or newer; $$($(PYTHON) --version) was found (set PYTHON=...)"; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	test -x $(BIN)/uv || $(BIN)/python -m pip install --quiet --disable-pip-version-check 'uv>=0.8'
	@$(BIN)/python -c '$(BUILD_REQUIRES)' | $(UV_INSTALL) --requirements - --requirements pyproject.toml
	@echo "Compiling: a minute or two the first time."
	$(BIN)/python setup.py --quiet build_ext --inplace
	$(UV_INSTALL) --no-deps --no-build-isolation --editable .
	touch $@

# Tests look inside searches with a module of the benchmarks, which users do not compile.
ORDER := -m benchmarks.order.build
$(VENV)/test: $(VENV)/installed benchmarks/order/samples.pyx
	$(BIN)/python $(ORDER)
	$(EXTRAS) --extra test
	touch $@

$(VENV)/dev: $(VENV)/test
	$(EXTRAS) --extra dev --extra docs --extra webtest
	touch $@

# An installed build of PyTorch is kept; otherwise pip installs the package index's first choice.
# kaggle-environments requires 125 packages. ConnectX uses few of them, which the extra installs.
TORCH ?= torch>=2.9
$(VENV)/extras: $(VENV)/dev
	$(BIN)/python -m pip install --quiet --disable-pip-version-check '$(TORCH)'
	$(EXTRAS) --extra adapters --extra bench --extra learn --extra mcp --extra monitor \
		--extra notebook --extra parquet --extra pictures
	$(UV_INSTALL) --no-deps 'kaggle-environments>=1.33'
	touch $@

demo: $(VENV)/installed
	rm -rf $(DEMO) && mkdir -p $(DEMO)
	C4_DB=$(DEMO)/c4.db $(BIN)/c4 solve 4453
	C4_DB=$(DEMO)/c4.db $(BIN)/c4 analyze --sample --output $(DEMO)/results.jsonl
	@echo && echo "The first three results in $(DEMO)/results.jsonl:" && head -n 3 $(DEMO)/results.jsonl
	@echo && echo "The database now contains:"
	C4_DB=$(DEMO)/c4.db $(BIN)/c4 db stats
	C4_DB=$(DEMO)/c4.db $(BIN)/c4 query --value draw --limit 10

test: $(VENV)/test
	$(PYTEST) $(GATE_TESTS)

snapshots: $(VENV)/test
	$(BIN)/python -m pytest -q --snapshot-update $(GATE_TESTS)

gate:
	$(PYTHON) .ci/steps.py gate

release:
	$(PYTHON) .ci/steps.py release $(if $(FROM),--from $(FROM))

tools: $(VENV)/dev

# The type checker of the page's JavaScript is an npm package; npm and node come from PyPI.
TYPESCRIPT := 7.0.2
WITH_NODE := PATH="$(CURDIR)/$(BIN):$$PATH"
$(VENV)/typescript-$(TYPESCRIPT): $(VENV)/dev
	$(WITH_NODE) $(BIN)/npm install --global --prefix $(CURDIR)/$(VENV) --silent --ignore-scripts typescript@$(TYPESCRIPT)
	touch $@

lint: $(VENV)/dev $(VENV)/typescript-$(TYPESCRIPT)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/python .ci/words.py
	$(BIN)/mypy
	$(BIN)/python -m mypy.stubtest --mypy-config-file pyproject.toml --allowlist tests/stubtest-allowlist.txt $(STUBBED)
	$(BIN)/lint-imports
	$(WITH_NODE) $(BIN)/tsc --project web

# The reference as Markdown, for readers of the repository; the docstrings are its source.
REFERENCE := build/reference/docs/api
MARKDOWN := $(BIN)/python -m sphinx -Q --fresh-env -b markdown -t markdown -d build/reference/trees -c docs . build/reference
reference: $(VENV)/dev
	rm -rf build/reference
	$(MARKDOWN)
	cp $(REFERENCE)/*.md docs/api

# Every warning is an error.
docs: $(VENV)/dev
	rm -rf build/reference
	$(MARKDOWN)
	for page in $(REFERENCE)/*.md; do cmp $$page docs/api/$${page##*/} || \
		{ echo "The reference is not current: make reference"; exit 1; }; done
	rm -rf build/site
	$(BIN)/python -m sphinx --quiet --fresh-env --fail-on-warning --keep-going -d build/doctrees -c docs . build/site
	@echo '<!doctype html><title>C4</title><meta http-equiv="refresh" content="0; url=docs/index.html">' > build/site/index.html

# Build a wheel for each of these Pythons from the packed sources. auditwheel puts the systems that it
# runs on into its name. The files of a commit have the same bytes whenever they are built: wheels
# take the time from SOURCE_DATE_EPOCH, and the sdist is packed again without the time of the build.
PYTHONS ?= $(CURDIR)/$(BIN)/python
wheels arm dist: export SOURCE_DATE_EPOCH := $(shell git log -1 --format=%ct)
wheels: $(VENV)/dev
	rm -rf dist build/wheels build/sdist && mkdir dist
	$(BIN)/uv build --quiet --sdist --out-dir build/sdist
	cd build/sdist && for packed in *.tar.gz; do tar -xzf $$packed && tar --sort=name --mtime=@$$SOURCE_DATE_EPOCH \
		--owner=0 --group=0 --numeric-owner -c $${packed%.tar.gz} | gzip -9n > ../../dist/$$packed; done
	set -e; for python in $(PYTHONS); do \
		$(BIN)/uv build --quiet --wheel --python $$python --out-dir build/wheels dist/*.tar.gz; done
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/auditwheel repair --wheel-dir dist build/wheels/*.whl

WITH_WHEEL = C4_TEST_SERVERS=1 C4_TEST_WHEEL="$$(ls $(CURDIR)/dist/*.whl)" $(BIN)/python -m pytest

wheel: wheels
	$(WITH_WHEEL) tests/gate/test_wheel.py

package: wheels
	$(WITH_WHEEL) tests/release/package

arm: wheels
	.ci/arm

# twine checks what a package index would refuse. The bill of materials lists the packages that are
# installed with C4, their versions and licences.
BOM := build/bom/bin/python
dist: arm
	cp build/arm/wheel/*.whl dist
	$(BIN)/uvx --quiet twine check --strict dist/*
	rm -rf build/bom && $(BIN)/uv venv --quiet --python $(BIN)/python build/bom
	$(BIN)/uv pip install --quiet --python $(BOM) --requirements pyproject.toml --extra web
	$(BIN)/uv pip install --quiet --python $(BOM) --no-deps --no-index --find-links dist c4-analysis
	$(BIN)/uvx --quiet --from cyclonedx-bom cyclonedx-py environment --output-reproducible \
		--output-file dist/c4-analysis.cdx.json $(BOM)
	cd dist && sha256sum * > SHA256SUMS

page: $(VENV)/dev
	$(BIN)/python -m pytest tests/gate/test_page.py

postgres: $(VENV)/test
	C4_TEST_SERVERS=1 $(PYTEST) -m postgres $(GATE_TESTS)

workers: $(VENV)/test
	C4_TEST_SERVERS=1 $(BIN)/python -m pytest tests/gate/test_workers.py

# This runs in a copy of the tree, so that the sanitized build does not replace the fast one. The
# libraries of the address sanitizer and of C++ (for its exceptions) must be loaded before Python.
# Tests are left out if they start programs (their environment lacks the libraries), measure seconds,
# call git, or limit their address space.
SANITIZED := ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 \
	LD_PRELOAD="$$($(CC) -print-file-name=libasan.so) $$($(CC) -print-file-name=libstdc++.so)"
sanitize: $(VENV)/dev
	rm -rf build/debug && mkdir -p build/debug
	git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -t build/debug
	cd build/debug && C4_DEBUG_BUILD=1 ../../$(BIN)/python setup.py --quiet build_ext --inplace
	cd build/debug && C4_DEBUG_BUILD=1 ../../$(BIN)/python $(ORDER)
	cd build/debug && $(SANITIZED) ../../$(BIN)/python -m pytest $(PARALLEL) -k 'not (db or external or stopping or many_boards)' --ignore tests/unit/c4core/models/test_grids.py tests/unit/c4core tests/property
	$(PYTHON) .ci/steps.py sanitized

# Test with the oldest packages that pyproject.toml allows. Their warnings are not errors here.
lowest: $(VENV)/dev
	rm -rf build/lowest
	$(BIN)/uv venv --quiet --python $(BIN)/python build/lowest
	$(BIN)/uv pip install --quiet --python build/lowest --resolution lowest-direct \
		--requirements pyproject.toml --extra bench --extra monitor --extra parquet --extra test
	C4_TEST_SERVERS=1 build/lowest/bin/python -m pytest -W default --snapshot-warn-unused $(LOWEST)

extras: $(VENV)/extras
	$(PYTEST) tests/release/extras

browser: $(VENV)/extras
	$(PYTEST) tests/release/browser

servers: $(VENV)/extras
	C4_TEST_SERVERS=1 $(PYTEST) tests/release/servers

long: $(VENV)/test
	C4_TEST_SERVERS=1 $(PYTEST) tests/release/long

faults: $(VENV)/test
	C4_TEST_SERVERS=1 $(BIN)/python -m pytest tests/release/faults

bench: $(VENV)/extras
	$(BIN)/python -m benchmarks engine run $(if $(POSITIONS),--positions $(POSITIONS)) $(BENCH)
	$(BIN)/python -m benchmarks render engine

clean:
	rm -rf build dist $(VENV) *.egg-info
	find c4core benchmarks -name '*.so' -delete
