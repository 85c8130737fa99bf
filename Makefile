# make demo    sets up, builds, makes a model of photos and draws it; leaves pictures and a page in out/demo/
# make test    everything that CI checks: format, the core under Embedded Swift, unit tests, the command, a window, use as a dependency
# Both install what is missing first (as root) or say what to install. A second call does no work twice.

SHELL := /bin/bash
.DEFAULT_GOAL := help
PREFIX := $(or $(VITRINE_PREFIX),$(shell [ -w /usr/local/lib ] && [ -w /usr/local/include ] && echo /usr/local || echo $$HOME/.local))
export VITRINE_PREFIX := $(PREFIX)
export PKG_CONFIG_PATH := $(PREFIX)/lib/pkgconfig$(if $(PKG_CONFIG_PATH),:$(PKG_CONFIG_PATH))
ifneq ($(PREFIX),/usr/local)
# The loader looks in /usr/local by itself, elsewhere it must be told.
export LD_LIBRARY_PATH := $(PREFIX)/lib$(if $(LD_LIBRARY_PATH),:$(LD_LIBRARY_PATH))
endif

RELEASE = swift build $$(scripts/swift-flags.sh) --product vitrine
SOURCES := Sources Tests Examples Benchmarks Fuzz Package.swift

.PHONY: help setup setup-test setup-bench build demo test check check-long bench quality format lint embedded docs clean

help:
	@sed -n 's/^# //p' Makefile | head -3; echo "Also: make build, bench, quality, check-long, format, docs, clean"

setup:
	@scripts/setup.sh build

setup-test:
	@scripts/setup.sh build test

build: setup
	@$(RELEASE)

demo: build
	@scripts/demo.sh out/demo $(if $(PHOTOS),"$(PHOTOS)")

format:
	@swift format --in-place --recursive $(wildcard $(SOURCES))

lint:
	@swift format lint --strict --recursive $(wildcard $(SOURCES)) && echo "lint: ok"

embedded: setup
	@scripts/check-embedded.sh

test: setup-test
	@scripts/test.sh

check-long: setup-test build
	@scripts/check-long.sh

bench: build
	@scripts/setup.sh build bench
	@Benchmarks/run.sh
	@Benchmarks/stages.sh

quality: build
	@scripts/quality/run.sh

docs: setup
	@scripts/docs.sh out/docs

clean:
	rm -rf .build out
