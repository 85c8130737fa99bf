#!/usr/bin/env bash
# Captures objects in a simulated room along hand-held paths, and compares box, feedback, shots, dial and reconstruction with the truth.
#
#   scripts/quality/capture.sh [--only CASE]… [--keep] [--reconstruct] [--write]
#
# --keep evaluates the finished captures of an earlier run instead of repeating them: a case takes about 170 processor seconds. --reconstruct
# also makes models of the shots and of a hand-picked set: about 20 minutes more. --write puts the tables into docs/measurements/capture.md. Needs `make build` and, once, PyPI for the scorers.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
source "$here/venv.sh"
python=$(venv photos-venv photos-requirements.txt)
export XDG_RUNTIME_DIR=${XDG_RUNTIME_DIR:-$(mktemp -d)}
cd "$root"
exec "$python" "$here/capture.py" "$@"
