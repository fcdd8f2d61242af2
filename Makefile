# Everything a person does with Berth. `make demo` and `make test` work on a
# fresh Debian or Ubuntu machine: tools/setup.sh installs what is missing.
JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
BUILD := build/release

PYTHON_FLAGS := -DBERTH_PYTHON=ON -DPython_EXECUTABLE=$(CURDIR)/.venv/bin/python

.PHONY: all venv wheel wheels demo test test-gpu bench bench-gpu install clean setup golden golden-check compatibility format safeguards

# Where there is an environment for it, the Python package is built too.
all: venv
	@if [ -x .venv/bin/python ]; then flags="$(PYTHON_FLAGS)"; fi; \
	  cmake --preset release $$flags >/dev/null
	@cmake --build $(BUILD) -j $(JOBS)

setup:
	@tools/setup.sh

# .venv/bin/python and .venv/bin/berth, with the package of this checkout.
venv: setup
	@tools/venv.sh

# A wheel for this machine's Python in build/dist, tried in a new environment.
wheel: setup
	@tools/wheel.sh

# Wheels for Python 3.9 to 3.13, as far as they are here, in build/wheels, each
# tried in a new environment.
wheels: setup
	@tools/wheels.sh

# Builds, then runs the guides' programs: device mapping, placement, result. On
# a GPU where there is one, otherwise on simulated ones.
demo: all
	@echo
	@tools/demo.sh $(BUILD)/bin

# Every test, under every sanitizer; the last line counts them.
test: venv
	@tools/ci.sh all

# The tests of GPUs on the machine's own card, with compute-sanitizer where it
# is present. BERTH_REQUIRE_GPU=1 makes it fail where there is no card.
test-gpu: setup
	@tools/test_gpu.sh

# Takes the safeguards of tests/safeguards.txt out, one at a time, in a copy of
# the checkout: some test must fail without each. Takes the better part of an
# hour. `make safeguards NAMES='commit gate'` tries those that begin so.
safeguards: venv
	@JOBS=$(JOBS) tools/without.py $(NAMES)

# Speeds, compared with TensorFlow in the same run; writes build/bench.json.
bench: all
	@bench/run.sh

# Speeds on a GPU, compared with PyTorch; writes build/bench-gpu.json.
bench-gpu: all
	@bench/gpu.sh

install: all
	@cmake --install $(BUILD) --prefix $(PREFIX)

# Runs what TensorFlow ran and writes docs/compatibility.md and docs/api.md.
compatibility: all
	@.venv/bin/python tests/python/runner.py -q --json build/oracle.json | tail -n 1
	@.venv/bin/python tools/compatibility.py build/oracle.json docs/compatibility.md
	@.venv/bin/python tools/api_table.py .venv/bin/python docs/api.md

# Compares the recorded results with an installed TensorFlow again.
golden-check: all
	@tools/golden/check.sh

golden:
	@tools/golden/record.sh

format:
	@git ls-files '*.c' '*.h' '*.cu' '*.cuh' | xargs clang-format -i

clean:
	@rm -rf build
