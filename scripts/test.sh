#!/usr/bin/env bash
# Everything that must hold before a change goes in. Each step prints its time; the first that fails ends the run.
set -euo pipefail
cd "$(dirname "$0")/.."

# A caller may ignore signals (nohup ignores SIGHUP), and programs inherit that: the steps that stop a program by a signal need the defaults.
[ -n "${VITRINE_DEFAULT_SIGNALS:-}" ] || VITRINE_DEFAULT_SIGNALS=1 exec env --default-signal=HUP,INT,TERM,PIPE scripts/test.sh

step() {
  local name=$1 start=$SECONDS
  shift
  echo "== $name"
  "$@" || { echo "test: '$name' failed (run it alone: $*)" >&2; exit 1; }
  echo "== $name: $((SECONDS - start)) s"
}

step "format" make --no-print-directory lint
step "language" scripts/check-language.py Sources Examples Fuzz Benchmarks scripts docs README.md CONTRIBUTING.md Package.swift
step "core under Embedded Swift" scripts/check-embedded.sh
step "WebGPU function list" scripts/gpu-audit.sh --check
# One build, for the tests and the command.
read -ra flags <<<"$(scripts/swift-flags.sh)"
step "build" swift build "${flags[@]}" --build-tests
step "unit tests" swift test "${flags[@]}" --skip-build --skip LeakTests
step "leaks" env VITRINE_TESTS_RUN_ALONE=1 swift test "${flags[@]}" --skip-build --no-parallel --filter LeakTests
step "public API" scripts/api-list.py --check .build/release
step "snippets of the documentation" scripts/check-snippets.py .build/release
step "command line" scripts/test-command.sh .build/release/vitrine
step "commands of the documentation" scripts/test-doc-commands.sh .build/release/vitrine
step "documentation pages" scripts/docs.sh out/docs
step "window" scripts/window-test.sh .build/release/vitrine
step "as a dependency" scripts/test-dependency.sh
step "set-up without root" scripts/test-setup.sh
echo "test: all passed in $SECONDS s"
