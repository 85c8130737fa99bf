#!/usr/bin/env bash
# Compares <vitrine-viewer> with <model-viewer> and three.js in the same browser: bytes, time to the first image, memory, CPU per frame.
# Usage: scripts/quality/web-comparison.sh [--runs N] [--write]     (--write: updates docs/measurements/web.md)
# The builds of the others come from PyPI packages that contain them. Needs Chromium, Xvfb, python3, a finished build, and $VITRINE_DATA.
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=${VITRINE_WEB_COMPARISON:-.build/web-comparison}
mkdir -p "$folder/wheels"
model_viewer=dash_model_viewer-1.0.0-py3-none-any.whl three=nicegui-3.18.0-py3-none-any.whl
cat >"$folder/wheels/SHA256SUMS" <<END
e5345afa41851b8a64d7f56af54e2a9ade7054766d710499dcd0d4372756bb43  $model_viewer
a2bd51642312d98aab6d8b641245d796ff1b89da5829777170bcc488140c3dcd  $three
END
if ! (cd "$folder/wheels" && sha256sum --status -c SHA256SUMS 2>/dev/null); then
  python3 -m pip download -q --no-deps -d "$folder/wheels" dash-model-viewer==1.0.0 nicegui==3.18.0
  (cd "$folder/wheels" && sha256sum --quiet -c SHA256SUMS)
fi
# model-viewer 4.3.1 with its own three.js; three.js 0.180 with GLTFLoader and OrbitControls.
unzip -q -o -j -d "$folder" "$folder/wheels/$model_viewer" dash_model_viewer/vendor/model-viewer-umd.min.js
unzip -p "$folder/wheels/$three" nicegui/elements/scene/dist/index.js >"$folder/three.js"
exec python3 scripts/quality/web_comparison.py "$folder" "$@"
