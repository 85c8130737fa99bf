#!/usr/bin/env bash
# Reconstructs the photo sets beside the project and scores cameras, surface and texture against truth and against pycolmap.
#
#   scripts/quality/photos.sh [--only SET] [--detail LEVEL] [--peer] [--held-out] [--write] [--help for the rest]
#
# --write puts the tables into docs/quality.md. Needs `make build`, the data folder and, once, PyPI for the scorers.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
venv=$root/.build/photos-venv

fail() { echo "error: quality: $*" >&2; exit 1; }

# Made again when the pinned versions change.
if ! cmp -s "$here/photos-requirements.txt" "$venv/requirements.txt"; then
  command -v python3 >/dev/null || fail "python3 is missing:  apt-get install python3-venv"
  rm -rf "$venv"
  python3 -m venv "$venv" || fail "python3 has no venv:  apt-get install python3-venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check -r "$here/photos-requirements.txt" || fail "the scorers could not be had from PyPI"
  cp "$here/photos-requirements.txt" "$venv/requirements.txt"
fi
export XDG_RUNTIME_DIR=${XDG_RUNTIME_DIR:-$(mktemp -d)}
cd "$root"
exec "$venv/bin/python" "$here/photos.py" "$@"
