#!/usr/bin/env bash
# Shows models beside Blender's Cycles: Vitrine's still, Vitrine's path tracer, Cycles; out/quality/beside/NAME.png.
#
#   scripts/quality/beside_cycles.sh MODEL ENVIRONMENT [--orbit=AZIMUTH,ELEVATION,DISTANCE] [--target=X,Y,Z] [--samples N] [--size WxH] [--ground]
#
# --ground puts the model on white ground. Needs `make build`, blender (Debian package) and, once, PyPI for numpy.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
source "$here/venv.sh"
python=$(venv quality-venv requirements.txt)
exec "$python" "$here/beside_cycles.py" "$@"
