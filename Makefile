# make demo and make test need nothing before them: they install what is missing (Debian 12, Ubuntu 24.04) and build.
.PHONY: setup toolkit build demo test bench asan tsan fuzz clean

BUILD ?= build

setup:
	@scripts/setup.sh

toolkit: setup
	@scripts/toolkit.sh

build: setup
	@cmake --preset release -B $(BUILD) >/dev/null
	@cmake --build $(BUILD)

demo: build toolkit
	@scripts/demo.sh $(BUILD)/warplens

test: build toolkit
	@ctest --test-dir $(BUILD) --output-on-failure

bench: build toolkit
	@cmake --build $(BUILD) --target benchmarks

asan tsan: toolkit
	@cmake --preset $@ >/dev/null
	@cmake --build build-$@
	@ctest --test-dir build-$@ --output-on-failure

fuzz: setup
	@scripts/fuzz.sh

clean:
	rm -rf build build-*
