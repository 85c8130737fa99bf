#!/usr/bin/env bash
# Reconstructs the photo sets beside the project and scores cameras, surface and texture against truth and against pycolmap.
#
#   scripts/quality/photos.sh [--only SET] [--detail LEVEL] [--peer] [--held-out] [--write] [--help for the rest]
#
# --write puts the tables into docs/measurements/photos.md. Needs `make build`, the data folder and, once, PyPI for the scorers.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
source "$here/venv.sh"
python=$(venv photos-venv photos-requirements.txt)
export XDG_RUNTIME_DIR=${XDG_RUNTIME_DIR:-$(mktemp -d)}
cd "$root"
exec "$python" "$here/photos.py" "$@"
