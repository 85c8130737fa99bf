#!/usr/bin/env bash
# Everything that must hold before a change goes in. Each step prints its time. After the quick checks, steps run in two lanes side by side;
# the output of the second lane follows when it ends. The first step of a lane that fails ends that lane, and the run fails.
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

# beside FIRST SECOND: runs two functions at once, the second one's output after the first one's.
beside() {
  local log status=0 second
  log=$(mktemp)
  ("$2") >"$log" 2>&1 &
  second=$!
  ("$1") || status=1
  wait "$second" || status=1
  cat "$log"
  rm -f "$log"
  return "$status"
}

read -ra flags <<<"$(scripts/swift-flags.sh)"

# One build, for the tests and the command.
build() { step "build" swift build "${flags[@]}" --build-tests; }
web() {
  step "web runtime" scripts/check-web.sh
  step "layers under Embedded Swift" scripts/check-embedded.sh .build/web VitrineLayers
  step "set-up without root" scripts/test-setup.sh
}
tests() {
  step "unit tests" swift test "${flags[@]}" --skip-build --skip LeakTests
  step "leaks" env VITRINE_TESTS_RUN_ALONE=1 swift test "${flags[@]}" --skip-build --no-parallel --filter LeakTests
  step "public API" scripts/api-list.py --check .build/release
  step "snippets of the documentation" scripts/check-snippets.py .build/release
  step "window" scripts/window-test.sh .build/release/vitrine
  step "as a dependency" scripts/test-dependency.sh
}
command() {
  step "command line" scripts/test-command.sh .build/release/vitrine
  step "commands of the documentation" scripts/test-doc-commands.sh .build/release/vitrine
  step "documentation pages" scripts/docs.sh out/docs
}

step "format" make --no-print-directory lint
step "language" scripts/check-language.py
step "WebGPU function list" scripts/gpu-audit.sh --check
beside build web
beside tests command
echo "test: all passed in $SECONDS s"
