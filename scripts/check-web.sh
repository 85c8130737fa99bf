#!/usr/bin/env bash
# Whether the committed viewer of web pages, which the command embeds, is what the sources give, and whether programs with layers compile for pages.
# After a change: `make web`, and commit Web/built.
#
#   scripts/check-web.sh            builds the viewer and compares its files, and compiles the rest (check-embedded.sh), unless Web/built/digests says
#                                   that both were done with these sources and tools
#   scripts/check-web.sh --build    does both in any case
#   scripts/check-web.sh --record   writes Web/built/digests, for `make web`, which has done both
#   scripts/check-web.sh --layers   builds the program of Tests/Web/layers_tests.py into out/test-web/scenes instead
#
# All but --record check the size of the files that a page loads.
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
files=(vitrine.wasm vitrine-runtime.js vitrine-viewer.js vitrine-meshopt.js)
digests() {
  for part in viewer layers; do echo "$(scripts/web.sh --digest $part)  $part"; done
  # Of the content: other versions of gzip may give other bytes.
  for file in "${files[@]}"; do echo "$(gzip -dc "Web/built/$file.gz" | sha256sum | cut -c 1-64)  $file"; done
}
if [ "${1:-}" = --record ]; then
  digests >Web/built/digests
  exit
fi
if [ "${1:-}" != --build ] && digests | cmp -s - Web/built/digests; then
  mkdir -p out/web
  for file in "${files[@]}"; do gzip -dc "Web/built/$file.gz" >"out/web/$file"; done
  echo "web: Web/built was made of these sources"
else
  scripts/web.sh out/web
  for file in "${files[@]}"; do
    gzip -dc "Web/built/$file.gz" | cmp - "out/web/$file" ||
      { echo "check-web: Web/built/$file.gz is not what the sources give: run 'make web' and commit it" >&2; exit 1; }
  done
  scripts/check-embedded.sh
fi
# vitrine-meshopt.js is loaded only for models that need it.
size out/web 600 vitrine.wasm vitrine-runtime.js vitrine-viewer.js
# `make check-long` runs the tests of pages; here they are loaded, which unpacks Web/built as they do.
PYTHONPATH=Tests/Web python3 -B -c 'import element_tests, file_tests, layers_tests, runtime_tests, viewer_tests'
