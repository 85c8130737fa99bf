#!/usr/bin/env bash
# Draws rows of spheres with one lobe each, and scores them against the published lobes integrated exactly and against Blender's Cycles; images in
# out/quality/lobes/.
#
#   scripts/quality/lobes.sh [--only NAME] [--samples N] [--write] [--help for the rest]
#
# Needs `make build`, the data folder, Blender (without it only the exact references are compared) and, once, PyPI for numpy, Pillow and scikit-image. Stops with a message where one is missing.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
source "$here/venv.sh"
python=$(venv quality-venv requirements.txt)
export XDG_RUNTIME_DIR=${XDG_RUNTIME_DIR:-$(mktemp -d)}
cd "$root"
exec "$python" "$here/lobes.py" "$@"
