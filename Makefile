# make demo and make test need nothing before them: they install what is missing (Debian 12, Ubuntu 24.04) and build.
.PHONY: setup toolkit python-env build wheel demo check test arm docs docs-test judge-cases bench asan tsan coverage coverage-changed fuzz fuzz-campaign mutations accuracy accuracy-kept lint format tidy clean

BUILD ?= build
PRESET ?= release

setup:
	@scripts/setup.sh

toolkit: setup
	@scripts/toolkit.sh

build: setup
	@cmake --preset $(PRESET) -B $(BUILD) >/dev/null
	@cmake --build $(BUILD) --target warplens

demo: build toolkit
	@$(BUILD)/warplens demo

python-env: setup
	@scripts/python_env.sh

# Unit and golden tests: what a change should pass first. They need no packages of Python's.
check: toolkit
	@cmake --preset $(PRESET) -B $(BUILD) >/dev/null
	@cmake --build $(BUILD) --target check
	@ctest --test-dir $(BUILD) -L check --output-on-failure -j$$(nproc)

test: toolkit python-env
	@scripts/browser.sh
	@cmake --preset $(PRESET) -B $(BUILD) -DWARPLENS_PYTHON=ON -DPython_EXECUTABLE=$(CURDIR)/.venv/bin/python >/dev/null
	@cmake --build $(BUILD)
	@ctest --test-dir $(BUILD) --output-on-failure -j$$(nproc)

# The lines of each room that the tests of `make check` run.
coverage: toolkit
	@cmake --preset coverage >/dev/null
	@cmake --build build-coverage --target check
	@find build-coverage -name '*.gcda' -delete
	@ctest --test-dir build-coverage -L check --output-on-failure -j$$(nproc)
	@python3 scripts/coverage.py build-coverage

# The changed lines that the unit tests of their rooms run.
coverage-changed: setup
	@scripts/changed_coverage.py $(or $(BASE),origin/main)

# The rooms that run kernels for 64-bit ARM, on any machine: cross-compiled, and their unit tests run under qemu, which is slow.
arm: setup
	@scripts/arm.sh build-arm
	@cmake --preset arm >/dev/null
	@cmake --build build-arm --target arm
	@ctest --test-dir build-arm -L arm --output-on-failure -j$$(nproc)

# Reference, man pages, JSON Schemas and pictures of docs/ are written anew from the program; then the site, into build/site.
docs: build toolkit
	@python3 scripts/reference.py $(BUILD)/warplens
	@python3 scripts/schemas.py $(BUILD)/warplens
	@python3 scripts/pictures.py $(BUILD)/warplens
	@scripts/docs_site.sh

# What README and docs/ show is what the program does; make test runs it too.
docs-test: build toolkit
	@python3 tests/docs_test.py $(BUILD)/warplens

# The wheel, as `pip install .` builds it, installed into a fresh environment and used there.
wheel: setup
	@scripts/wheel_test.sh

# Every planted cheat and honest kernel of python/tests/judge: minutes. make test judges some of them.
judge-cases: toolkit python-env
	@cmake --preset $(PRESET) -B $(BUILD) -DWARPLENS_PYTHON=ON -DPython_EXECUTABLE=$(CURDIR)/.venv/bin/python >/dev/null
	@cmake --build $(BUILD) --target warplens _core
	@PYTHONPATH=$(BUILD)/python .venv/bin/python python/tests/judge/run_all.py

bench: build toolkit
	@cmake --build $(BUILD) --target benchmarks

asan tsan: toolkit
	@cmake --preset $@ >/dev/null
	@cmake --build build-$@
	@LSAN_OPTIONS=suppressions=$(CURDIR)/scripts/leaks.supp ctest --test-dir build-$@ --output-on-failure -j$$(nproc)

fuzz: setup
	@scripts/fuzz.py

# A turn each, then those that are nearest to GOAL inputs; runs before count (fuzz/executions.csv). Days on one core; it can be stopped at any time.
GOAL ?= 10000000
fuzz-campaign: setup
	@nice -n 5 scripts/fuzz.py --goal $(GOAL) --seconds 60

# Every bundled trace cut at 1,000 places and with 1,000 bytes changed: minutes.
mutations: build
	@cmake --build $(BUILD) --target trace_readers_test
	@WARPLENS_MUTATIONS=1000 $(BUILD)/trace_readers_test --gtest_filter='*Mutation*' --gtest_brief=1

# Counters, times and savings of every launch whose readings of an H200 are kept, at full size: half an hour. What was emulated since the
# program was built is kept, so that a run that was stopped goes on.
accuracy: build toolkit
	@mkdir -p $(BUILD)/accuracy
	@for name in probe study defects pairs memory_pairs compute_pairs traffic_pairs update_pairs issue_pairs rate_pairs blind_pairs lesson_pairs course_pairs \
	  workshop_pairs picture_pairs seminar_pairs textbook_pairs blog_pairs tutorial_pairs lab_pairs lecture_pairs problem_pairs unseen_memory unseen_compute unseen_later; do \
	  out=$(BUILD)/accuracy/$$name.json; \
	  if [ ! $$out -nt $(BUILD)/warplens ] || [ ! $$out -nt examples/$$name.json ]; then \
	    $(BUILD)/warplens kernel examples/$$name.json --emulate --compiler nvcc --json -f -o $$out.part && mv $$out.part $$out || exit 1; \
	  fi; \
	  echo "== $$name" && python3 scripts/counter_accuracy.py $(BUILD)/warplens $$name --from $(BUILD)/accuracy || exit 1; done
	@python3 scripts/finding_accuracy.py $(BUILD)/warplens --from $(BUILD)/accuracy

# The same times and savings from counts that are kept (tests/data/launches): a second. It says nothing of counting itself;
# scripts/keep_launches.py counts anew.
accuracy-kept: build
	@cmake --build $(BUILD) --target kept_launches && mkdir -p $(BUILD)/accuracy-kept
	@python3 scripts/keep_launches.py price $(BUILD)/kept_launches $(BUILD)/accuracy-kept
	@python3 scripts/finding_accuracy.py $(BUILD)/warplens --full --from $(BUILD)/accuracy-kept

# Layers, Python and the format of C++.
lint:
	@scripts/lint.sh

format:
	@scripts/lint.sh --fix

# clang-tidy on all sources with the checks in .clang-tidy, minutes; BASE=main: on those that a branch changed.
tidy: setup
ifdef BASE
	@scripts/tidy.sh --changed $(BASE)
else
	@cmake --preset $(PRESET) -B $(BUILD) >/dev/null
	@scripts/tidy.sh $(BUILD)
endif

clean:
	rm -rf build build-*
