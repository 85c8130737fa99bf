#!/usr/bin/env bash
# Noise over processor time of `vitrine render --quality path` and of Blender's Cycles, for the scenes of the data folder's pictures.csv.
#
#   scripts/quality/cycles.sh [--write] [--only NAME] [--help for the rest]
#
# --write puts the table into docs/measurements/image-quality.md and the plot into docs/images/cycles.svg. Needs `make build`, blender (Debian package), the data
# folder and, once, PyPI for numpy.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
source "$here/venv.sh"
python=$(venv quality-venv requirements.txt)
cd "$root"
exec "$python" "$here/cycles.py" "$@"
