# make build   Builds the command .build/release/vitrine.
# make run     Builds and runs an example: make run EXAMPLE=Card ARGS="-o card.png"
# make demo    Builds, renders photos of an object, reconstructs it; writes images and a page to out/demo/.
# make test    Runs everything that CI checks: format, the web runtime, unit tests, the command, documentation, a window, use as a dependency.
# make install Builds a small command that needs no Swift; installs it with manual pages and completions: make install PREFIX=$HOME/.local
# make deb     Builds the same command as a Debian package and as a tarball, in out/deb.
# All of them install missing packages first (as root), or name them. All but the last two share one build.

SHELL := /bin/bash
.DEFAULT_GOAL := help
PREFIX := $(or $(VITRINE_PREFIX),$(shell [ -w /usr/local/lib ] && [ -w /usr/local/include ] && echo /usr/local || echo $$HOME/.local))
export VITRINE_PREFIX := $(PREFIX)
export PKG_CONFIG_PATH := $(PREFIX)/lib/pkgconfig$(if $(PKG_CONFIG_PATH),:$(PKG_CONFIG_PATH))
ifneq ($(PREFIX),/usr/local)
# The dynamic loader searches /usr/local by default; other prefixes need this.
export LD_LIBRARY_PATH := $(PREFIX)/lib$(if $(LD_LIBRARY_PATH),:$(LD_LIBRARY_PATH))
endif

RELEASE = swift build $$(scripts/swift-flags.sh) --product
SOURCES := Sources Tests Examples Benchmarks Fuzz Package.swift

.PHONY: help setup setup-test build install deb run demo test check check-long bench quality format lint embedded web docs gallery clean

help:
	@sed -n 's/^# //p' Makefile | head -7; echo "Also: make docs, gallery, web, format, bench, quality, check-long, clean"

setup:
	@scripts/setup.sh build

setup-test:
	@scripts/setup.sh build web test

build: setup
	@$(RELEASE) vitrine

# The commit, with a plus sign if tracked files were changed since.
COMMIT = $(shell git rev-parse --short=10 HEAD 2>/dev/null)$(shell git diff --quiet HEAD 2>/dev/null || echo +)
INSTALLED = VITRINE_INSTALL=1 VITRINE_COMMIT=$(COMMIT) swift build $$(scripts/swift-flags.sh --install) --scratch-path .build/install --product vitrine

install: setup
	@$(INSTALLED)
	@scripts/install.sh .build/install/release/vitrine "$(PREFIX)"

# For every machine of its kind, not only this one: with AVX2 and FMA on x86-64, unless VITRINE_PORTABLE=1.
deb: setup
	@VITRINE_PROCESSOR=$(if $(filter 1,$(VITRINE_PORTABLE)),portable,fast) && export VITRINE_PROCESSOR && $(INSTALLED)
	@scripts/deb.sh .build/install/release/vitrine out/deb

EXAMPLES := $(notdir $(wildcard Examples/*))

run: setup
	@[ -n "$(filter $(EXAMPLE),$(EXAMPLES))" ] || { echo "error: EXAMPLE='$(EXAMPLE)': choose one of $(EXAMPLES), as in: make run EXAMPLE=Card" >&2; exit 2; }
	@$(RELEASE) "$(EXAMPLE)" >&2
	@.build/release/$(EXAMPLE) $(ARGS)

demo: build
	@scripts/demo.sh out/demo $(if $(PHOTOS),"$(PHOTOS)")

format:
	@swift format --in-place --recursive $(wildcard $(SOURCES))

lint:
	@scripts/check-imports.sh
	@swift format lint --strict --parallel --recursive $(wildcard $(SOURCES)) && echo "lint: ok"

embedded: setup
	@scripts/check-embedded.sh

# Builds the viewer of web pages into out/web, and compressed into Web/built, which the command embeds; or an example for pages: make web EXAMPLE=Button.
web:
	@scripts/setup.sh build web
ifdef EXAMPLE
	@scripts/web.sh --example $(EXAMPLE)
else
	@scripts/web.sh out/web
	@for file in out/web/vitrine*; do gzip -9n <"$$file" >"Web/built/$$(basename "$$file").gz"; done
	@scripts/check-embedded.sh
	@scripts/check-web.sh --record
endif

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

docs: build
	@scripts/docs.sh out/docs

gallery: build
	@swift build $$(scripts/swift-flags.sh)
	@scripts/gallery.py .build/release

clean:
	rm -rf .build out
