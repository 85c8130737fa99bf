#!/usr/bin/env bash
# Compares the path that `vitrine ar track` finds in a real hand-held recording with the one that pycolmap finds in its images afterwards.
#
#   scripts/quality/handheld.sh [--tracker world|visual] [--every N]
#
# The true path is unknown; pycolmap sees all images at once, but not how large things are: paths are compared up to a similarity.
# Needs `make build`, the data folder and, once, PyPI.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
source "$here/venv.sh"
python=$(venv photos-venv photos-requirements.txt)
export XDG_RUNTIME_DIR=${XDG_RUNTIME_DIR:-$(mktemp -d)}
cd "$root"
exec "$python" "$here/handheld.py" "$@"
