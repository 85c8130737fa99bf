#!/usr/bin/env bash
# Runs a recording over and over with a cube drawn into it and fails where the process grows: by more than 12 MB from the second round to the last.
#
#   scripts/check-replay-memory.sh [VITRINE] [RECORDING] [ROUNDS]
#
# Default: .build/release/vitrine, twenty seconds of a simulated room, 31 rounds: ten minutes and twenty seconds of images.
set -euo pipefail
vitrine=$(realpath "${1:-.build/release/vitrine}")
recording=${2:-}
rounds=${3:-31}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ -z "$recording" ]; then
  recording=$work/room
  "$vitrine" ar simulate study -o "$recording" --seconds 20 --size 320x240 --fps 15 >/dev/null
fi
"$vitrine" ar replay "$recording" --place cube@tap:160,170,4 --tracker automatic --loop "$rounds" -o "$work/frames" --json >"$work/report.json"
python3 - "$work/report.json" <<'PYTHON'
import json, sys
report = json.load(open(sys.argv[1]))
sizes = report["resident_megabytes"]
if not report["placed"]: sys.exit("check-replay-memory: no cube was placed")
seconds = report["duration"] * len(sizes)
print(f"{len(sizes)} rounds, {seconds:.0f} s of images: {sizes[0]:.1f} MB after the first, {sizes[1]:.1f} after the second, {sizes[-1]:.1f} after the last")
if sizes[-1] - sizes[1] > 12: sys.exit(f"check-replay-memory: it grew: {sizes}")
PYTHON
