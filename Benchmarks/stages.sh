#!/usr/bin/env bash
# Single stages of a reconstruction beside the programs that people use for them, on the same inputs, in turn: screened Poisson and reduction
# (Open3D), charts (xatlas). The input is made here: points on the demo's owl.
#
#   Benchmarks/stages.sh [--write] [--rounds N]
#
# --write puts the table into docs/measurements/speed.md. The other programs come from PyPI (versions and hashes in scripts/quality/photos-requirements.txt).
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
here=$root/scripts/quality
source "$here/venv.sh"
python=$(venv photos-venv photos-requirements.txt)
mkdir -p "$root/out/bench"
# shellcheck disable=SC2046
swift build $("$root/scripts/swift-flags.sh") --package-path "$root/Benchmarks" --scratch-path "$root/.build/benchmarks" --product vitrine-stages \
  >"$root/out/bench/stages.log" 2>&1 || { tail -n 20 "$root/out/bench/stages.log" >&2; exit 1; }
cd "$root"
exec "$python" Benchmarks/stages.py "$@"
