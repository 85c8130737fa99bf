#!/usr/bin/env bash
# Draws every scene that a path tracer has drawn, scores our pictures against its (PSNR, SSIM, energy on the object) and leaves
# reference, ours and difference side by side in out/quality/.
#
#   scripts/quality/run.sh [--write] [--only NAME] [--pictures FOLDER] [--help for the rest]
#
# --write puts the tables into docs/quality.md. Needs `make build`, the data folder and, once, PyPI for numpy, Pillow and scikit-image.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
venv=$root/.build/quality-venv

fail() { echo "error: quality: $*" >&2; exit 1; }

# Made again when the pinned versions change.
if ! cmp -s "$here/requirements.txt" "$venv/requirements.txt"; then
  command -v python3 >/dev/null || fail "python3 is missing:  apt-get install python3-venv"
  rm -rf "$venv"
  python3 -m venv "$venv" || fail "python3 has no venv:  apt-get install python3-venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check --require-hashes -r "$here/requirements.txt" || fail "numpy, Pillow and scikit-image could not be had from PyPI"
  cp "$here/requirements.txt" "$venv/requirements.txt"
fi
# Mesa complains, once for each adapter, where a server has no such directory.
export XDG_RUNTIME_DIR=${XDG_RUNTIME_DIR:-$(mktemp -d)}
cd "$root"
exec "$venv/bin/python" "$here/run.py" "$@"
