#!/usr/bin/env bash
# Builds the web runtime and compares it with the committed files, which the command embeds. After a change: `make web`, and commit Web/built.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/web.sh out/web
for file in vitrine.wasm vitrine-runtime.js vitrine-viewer.js vitrine-meshopt.js; do
  cmp "out/web/$file" "Web/built/$file" || { echo "check-web: Web/built/$file is not what the sources give: run 'make web' and commit it" >&2; exit 1; }
done
# vitrine-meshopt.js is loaded only for models that need it.
bytes=$(for file in vitrine.wasm vitrine-runtime.js vitrine-viewer.js; do gzip -9 <"Web/built/$file"; done | wc -c)
limit=$((600 * 1024))
echo "web: $bytes bytes with gzip, limit $limit"
[ "$bytes" -le "$limit" ] || { echo "check-web: the viewer is larger than its limit" >&2; exit 1; }
