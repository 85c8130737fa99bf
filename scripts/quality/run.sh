#!/usr/bin/env bash
# Draws every scene that a path tracer has drawn, scores our images against its (PSNR, SSIM, energy on the object) and leaves
# reference, ours and difference side by side in out/quality/.
#
#   scripts/quality/run.sh [--write] [--only NAME] [--pictures FOLDER] [--help for the rest]
#
# --write puts the tables into docs/measurements/image-quality.md. Needs `make build`, the data folder and, once, PyPI for numpy, Pillow and scikit-image.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
source "$here/venv.sh"
python=$(venv quality-venv requirements.txt)
# Mesa complains, once for each adapter, where a server has no such directory.
export XDG_RUNTIME_DIR=${XDG_RUNTIME_DIR:-$(mktemp -d)}
cd "$root"
exec "$python" "$here/run.py" "$@"
