#!/usr/bin/env bash
# Noise over processor time, Vitrine's path tracer and Cycles: prints a table and writes docs/images/path-curve.svg.
#
#   scripts/quality/curve.sh [VITRINE] [options of curve.py]
#
# Needs blender (Debian package), a Python with numpy for it (.build/quality-venv of scripts/quality/run.sh), and the data folder.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
vitrine=$(realpath "${1:-$root/.build/release/vitrine}")
data=$(realpath "${VITRINE_DATA:-$root/../shared/data}")
source "$here/venv.sh"
python=$(venv quality-venv requirements.txt)
exec "$python" "$here/curve.py" "$vitrine" "$data" "$root/docs/images/path-curve.svg" "${@:2}"
