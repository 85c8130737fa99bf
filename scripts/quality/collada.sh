#!/usr/bin/env bash
# Draws COLLADA's conformance files as their own camera sees them, compares each image with the one that the files' makers blessed, and
# leaves sheets of both side by side in out/quality/collada/.
#
#   scripts/quality/collada.sh [--write] [--only NAME] [--help for the rest]
#
# --write puts the table into docs/measurements/files.md. Needs `make build`, the data folder and, once, PyPI for numpy, Pillow and scikit-image.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
source "$here/venv.sh"
python=${VITRINE_PYTHON:-$(venv quality-venv requirements.txt)}
export XDG_RUNTIME_DIR=${XDG_RUNTIME_DIR:-$(mktemp -d)}
cd "$root"
exec "$python" "$here/collada.py" "$@"
