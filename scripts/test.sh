#!/usr/bin/env bash
# Everything that must hold before a change goes in. Each step prints its times. After the quick checks, steps run in lanes side by side;
# the output of all but the first lane follows when they have ended. The first step of a lane that fails ends that lane, and the run fails.
set -euo pipefail
cd "$(dirname "$0")/.."

# A caller may ignore signals (nohup ignores SIGHUP), and programs inherit that: the steps that stop a program by a signal need the defaults.
[ -n "${VITRINE_DEFAULT_SIGNALS:-}" ] || VITRINE_DEFAULT_SIGNALS=1 exec env --default-signal=HUP,INT,TERM,PIPE scripts/test.sh

# step NAME COMMAND…: the time is that of the clock, and that of all processors in programs and in the system.
step() {
  local name=$1 TIMEFORMAT="== $1: %0R s, processors %0U + %0S s"
  shift
  echo "== $name"
  time "$@" || { echo "test: '$name' failed (run it alone: $*)" >&2; exit 1; }
}

# beside FIRST OTHER…: runs functions at once; the output of the others follows when all have ended.
beside() {
  local first=$1 lane status=0 logs
  shift
  logs=$(mktemp -d)
  declare -A lanes
  for lane in "$@"; do
    ("$lane") >"$logs/$lane" 2>&1 &
    lanes[$lane]=$!
  done
  ("$first") || status=1
  for lane in "$@"; do
    wait "${lanes[$lane]}" || status=1
    cat "$logs/$lane"
  done
  rm -rf "$logs"
  return "$status"
}

read -ra flags <<<"$(scripts/swift-flags.sh)"

# One build, for the tests and the command.
build() { step "build" swift build "${flags[@]}" --build-tests; }
web() {
  step "web pages" scripts/check-web.sh
  step "set-up without root" scripts/test-setup.sh
  step "as a dependency" scripts/test-dependency.sh --plan
}
tests() {
  step "frames of asynchronous functions" scripts/check-async-frames.py .build/release/vitrine .build/release/VitrinePackageTests.xctest
  step "unit tests" swift test "${flags[@]}" --skip-build --skip LeakTests
  step "leaks" env VITRINE_TESTS_RUN_ALONE=1 swift test "${flags[@]}" --skip-build --no-parallel --filter LeakTests
  step "public API" scripts/api-list.py --check .build/release
  step "snippets of the documentation" scripts/check-snippets.py .build/release
}
command() {
  step "command line" scripts/test-command.sh .build/release/vitrine
  step "hostile Draco mesh" scripts/test-hostile.py .build/release/vitrine draco
}
documentation() {
  step "documentation pages" scripts/docs.sh out/docs
  step "window" scripts/window-test.sh .build/release/vitrine
  # Last: a command of it waits until the unit tests no longer lock the build.
  step "commands of the documentation" scripts/test-doc-commands.sh .build/release/vitrine --quick
}

step "format" make --no-print-directory lint
step "language" scripts/check-language.py
step "WebGPU function list" scripts/gpu-audit.sh --check
beside build web
beside tests command documentation
echo "test: all passed in $SECONDS s"
