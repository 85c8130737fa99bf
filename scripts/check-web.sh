#!/usr/bin/env bash
# Builds the web runtime and compares it with the committed files, which the command embeds. After a change: `make web`, and commit Web/built.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/web.sh out/web
stale() { echo "check-web: Web/built/$1 is not what the sources give: run 'make web' and commit it" >&2; exit 1; }
for file in vitrine.wasm vitrine-runtime.js vitrine-viewer.js vitrine-meshopt.js; do
  cmp "out/web/$file" "Web/built/$file" || stale "$file"
  # Other versions of gzip may give other bytes: what counts is the content.
  gzip -dc "Web/built/gzip/$file.gz" | cmp - "out/web/$file" || stale "gzip/$file.gz"
done
# vitrine-meshopt.js is loaded only for models that need it.
bytes=$(cat Web/built/gzip/{vitrine.wasm,vitrine-runtime.js,vitrine-viewer.js}.gz | wc -c)
limit=$((600 * 1024))
echo "web: $bytes bytes with gzip, limit $limit"
[ "$bytes" -le "$limit" ] || { echo "check-web: the viewer is larger than its limit" >&2; exit 1; }
