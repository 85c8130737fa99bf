#!/usr/bin/env bash
# Tests the element and the web runtime in Chromium under Xvfb. Skips with a message where they are missing.
# Usage: scripts/test-web.sh [TEST …]     (VITRINE_WEB: folder of a build, default Web/built; VITRINE: the command, default .build/release/vitrine)
set -euo pipefail
cd "$(dirname "$0")/.."
for program in Xvfb python3; do
  command -v $program > /dev/null || { echo "web: skipped, $program is missing"; exit 0; }
done
command -v chromium > /dev/null || command -v google-chrome > /dev/null || { echo "web: skipped, chromium is missing"; exit 0; }
vitrine=${VITRINE:-.build/release/vitrine}
[ -x "$vitrine" ] && command=(--vitrine "$vitrine") || command=()
for tests in element viewer; do python3 "Tests/Web/${tests}_tests.py"; done
python3 Web/tests/run.py --build "${VITRINE_WEB:-Web/built}" "${command[@]}" ${VITRINE_DATA:+--data "$VITRINE_DATA"} --out out/test-web "$@"
