#!/usr/bin/env bash
# Tests the web viewer in Chromium under Xvfb: the element with a runtime that records calls, the viewer, files by URL, the runtime against native renders,
# layers (if scripts/check-web.sh --layers has built their program). Installs Debian's Chromium if there is no browser (scripts/setup.sh browser).
# Usage: scripts/test-web.sh [element|viewer|file|runtime|layers] [CLASS.TEST …]
# VITRINE_WEB: folder of a build, default Web/built; VITRINE: the command, default .build/release/vitrine; VITRINE_DATA: models. Tests without their programs or data are skipped.
set -euo pipefail
cd "$(dirname "$0")/.."
has_browser() { command -v chromium || command -v chromium-browser || command -v google-chrome; } > /dev/null
has_browser && command -v Xvfb > /dev/null || scripts/setup.sh browser
vitrine=$(readlink -f "${VITRINE:-.build/release/vitrine}" || true)
[ -x "$vitrine" ] && export VITRINE=$vitrine || unset VITRINE
if [ $# -gt 0 ]; then
  tests=$1
  shift
  exec python3 "Tests/Web/${tests}_tests.py" "$@"
fi
for tests in element viewer file runtime layers; do python3 "Tests/Web/${tests}_tests.py"; done
