#!/usr/bin/env bash
# Lists the functions of webgpu.h and wgpu.h and which of them Sources/VitrineGPU calls: what a browser has to provide.
#   scripts/gpu-audit.sh           writes docs/design/webgpu-functions.md
#   scripts/gpu-audit.sh --check   fails when that file is not up to date
set -euo pipefail
export LC_ALL=C
cd "$(dirname "$0")/.."
list=docs/design/webgpu-functions.md
headers=$(pkg-config --variable=includedir wgpu-native 2>/dev/null || true)/webgpu
[ -f "$headers/webgpu.h" ] || { echo "gpu-audit: webgpu.h not found: install wgpu-native (scripts/setup.sh)" >&2; exit 1; }

# Declarations only: "wgpuName(" after a type, outside comments and macros.
declared() { grep -E '^(WGPU_EXPORT |    )?[A-Za-z].* \*?wgpu[A-Z][A-Za-z0-9]*\(' "$1" | grep -oE '\bwgpu[A-Z][A-Za-z0-9]*\(' | tr -d '(' | sort -u; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
declared "$headers/webgpu.h" > "$work/standard"
declared "$headers/wgpu.h" | comm -23 - "$work/standard" > "$work/native"
# Calls, not mentions in comments.
cat Sources/VitrineGPU/*.swift | sed 's://.*$::' | grep -oE '\bwgpu[A-Z][A-Za-z0-9]*' | sort -u > "$work/used"
sort -u "$work/standard" "$work/native" > "$work/all"
unknown=$(comm -23 "$work/used" "$work/all")
[ -z "$unknown" ] || { echo "gpu-audit: not in the headers: $unknown" >&2; exit 1; }

section() { # title, file
  echo; echo "## $1 ($(wc -l < "$2"))"; echo
  if [ -s "$2" ]; then sed 's/.*/- `&`/' "$2"; else echo "None."; fi
}
render() {
  echo "# WebGPU functions"
  echo
  echo "Written by \`scripts/gpu-audit.sh\` from the headers of wgpu-native and \`Sources/VitrineGPU\`; \`--check\` compares. A browser build"
  echo "provides the standard functions that are used in JavaScript, and does without, or imitates, the extensions."
  comm -12 "$work/used" "$work/standard" > "$work/1"; section "Used, standard (webgpu.h)" "$work/1"
  comm -12 "$work/used" "$work/native" > "$work/2"; section "Used, extensions of wgpu-native (wgpu.h)" "$work/2"
  comm -13 "$work/used" "$work/standard" > "$work/3"; section "Not used, standard" "$work/3"
  comm -13 "$work/used" "$work/native" > "$work/4"; section "Not used, extensions" "$work/4"
}
render > "$work/list"
if [ "${1:-}" = --check ]; then
  cmp -s "$work/list" "$list" || { echo "gpu-audit: $list is out of date: run scripts/gpu-audit.sh" >&2; diff "$list" "$work/list" >&2 || true; exit 1; }
  echo "gpu-audit: $list is up to date"
else
  mkdir -p docs
  cp "$work/list" "$list.new" && chmod 644 "$list.new" && mv "$list.new" "$list"
  echo "gpu-audit: wrote $list ($(wc -l < "$work/used") used of $(wc -l < "$work/all"))"
fi
