#!/usr/bin/env bash
# Carries a camera through simulated rooms along real paths, tracks it, and scores that against the truth.
#
#   scripts/quality/ar.sh [--table rooms|phones|losses|cuts] [--seeds N] [--seconds S] [--fps N] [--long] [--sensors ideal|phone] [--half] [--stereo METRES] [--only NAME] [--keep]
#     [--draw] [--write]
#
# rooms (default): one recording per path. phones: the real paths with ideal sensors and with those of a phone, N seeds each. losses: lens covered, phone
# in the pocket, phone carried away, for 3, 8 and 30 seconds. cuts: a tenth to three tenths of a second are missing. 40 seconds of each path (phones: 30) or --seconds, at 20 frames per
# second or --fps; all of it with --long. --half halves width and height of the phones' images. --stereo gives phones a second
# camera. --write puts the table into
# docs/measurements/ar.md; --keep leaves the recordings in out/ar, where the next run finds them; --draw does nothing but draw them.
# Needs `make build`, and for the real paths the data folder.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
export XDG_RUNTIME_DIR=${XDG_RUNTIME_DIR:-$(mktemp -d)}
cd "$root"
exec python3 "$here/ar.py" "$@"
