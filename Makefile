# The two commands a new user needs: `make demo` and `make test`. Both do their own set-up.
SHELL := /bin/bash
SWIFT ?= swift
# One set of flags for every debug build, so that lint, test and test-all share it.
DEBUG_FLAGS := -Xswiftc -warnings-as-errors
# The message path crosses many modules; see docs/performance.md.
RELEASE_FLAGS := -Xswiftc -cross-module-optimization
PYTHON := .venv/bin/python

.PHONY: demo test test-all build bench lint format setup setup-tests clean

demo: build ## Set up, build for release and run the quickstart scenario.
	$(SWIFT) run -c release --skip-build obload run scenarios/quickstart.json5

test: setup-tests ## Set up, build and run the tests (no daemons needed).
	$(SWIFT) build --build-tests $(DEBUG_FLAGS)
	OBLOAD_PYTHON=$(PYTHON) $(SWIFT) test --skip-build $(DEBUG_FLAGS)

test-all: test ## The tests, then what needs Debian's servers or a release build.
	tools/test-release $(RELEASE_FLAGS)

build: setup ## Build for release.
	$(SWIFT) build -c release --product obload $(RELEASE_FLAGS)
	@mkdir -p bin && ln -sf "../.build/release/obload" bin/obload

bench: build ## Measure what docs/performance.md claims.
	tools/bench
	tools/bench-proxy

lint: setup ## Format check and warnings as errors.
	$(SWIFT) format lint --strict --recursive Sources Tests Package.swift
	tools/check-sources
	$(SWIFT) build --build-tests $(DEBUG_FLAGS)

format: ## Rewrite the sources in the house format.
	$(SWIFT) format --in-place --recursive Sources Tests Package.swift

setup: ## Install libcurl's headers where they are missing.
	@tools/setup

setup-tests: setup ## Also the Python peers that the tests speak to.
	@tools/setup-tests

clean:
	rm -rf .build bin
