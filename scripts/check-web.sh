#!/usr/bin/env bash
# Builds the viewer of web pages and compares it with the committed files, which the command embeds. After a change: `make web`, and commit Web/built.
# With --layers: builds the program of Tests/Web/layers_tests.py into out/test-web/scenes instead. Both check the size of the files that a page loads.
set -euo pipefail
cd "$(dirname "$0")/.."
# FOLDER LIMIT FILE…: what a page loads, with gzip, at most LIMIT KB.
size() {
  local folder=$1 limit=$(($2 * 1024)) bytes
  shift 2
  bytes=$(for file in "$@"; do gzip -9n <"$folder/$file"; done | wc -c)
  echo "web: $bytes bytes with gzip in $folder, limit $limit"
  [ "$bytes" -le "$limit" ] || { echo "check-web: the files are larger than their limit" >&2; exit 1; }
}
if [ "${1:-}" = --layers ]; then
  scenes=out/test-web/scenes
  scripts/web.sh --scenes scenes "$scenes" Tests/Web/scenes/*.swift Examples/Button/Button.swift Examples/Logo/Logo.swift
  size "$scenes" 800 scenes.wasm vitrine-runtime.js vitrine-layers.js
  exit
fi
scripts/web.sh out/web
stale() { echo "check-web: Web/built/$1 is not what the sources give: run 'make web' and commit it" >&2; exit 1; }
for file in vitrine.wasm vitrine-runtime.js vitrine-viewer.js vitrine-meshopt.js; do
  # Other versions of gzip may give other bytes: what counts is the content.
  gzip -dc "Web/built/$file.gz" | cmp - "out/web/$file" || stale "$file.gz"
done
# vitrine-meshopt.js is loaded only for models that need it.
size out/web 600 vitrine.wasm vitrine-runtime.js vitrine-viewer.js
