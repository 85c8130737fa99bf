#!/usr/bin/env bash
# Builds the documentation's static site from a finished build: landing page, guides, API reference of every product, search.
#
#   scripts/docs.sh OUTDIR [BUILD]       BUILD: .build/release (default) or .build/debug
#
# Fails on a broken link. To view the site:  python3 -m http.server -d OUTDIR
set -euo pipefail
cd "$(dirname "$0")/.."
out=${1:?usage: scripts/docs.sh OUTDIR [BUILD]}
build=${2:-.build/release}
read -ra flags <<<"$(scripts/module-flags.sh "$build")"
graphs=$(mktemp -d)
trap 'rm -rf "$graphs"' EXIT

# The modules of the products, in the order of the landing page. Modules without sources or public symbols are skipped.
modules=()
for module in Vitrine VitrineScene VitrineStage VitrineMotion VitrineLayers VitrineFiles VitrineImageFiles VitrineText VitrineWindow VitrineRender VitrineGPU VitrineMath \
  VitrineGeometry VitrineGLTF VitrineCustomPasses VitrineReconstruct VitrineAR VitrineARView VitrineCapture VitrineCaptureView VitrineTracking VitrineMapping VitrineSensorSimulation VitrineSimulation VitrineVision; do
  [ ! -d "Sources/$module" ] || modules+=("$module")
done
extract() {
  swift symbolgraph-extract -module-name "$1" -target "$(swiftc -print-target-info | python3 -c 'import json, sys; print(json.load(sys.stdin)["target"]["triple"])')" \
    "${flags[@]}" -minimum-access-level public -skip-synthesized-members -skip-inherited-docs -output-dir "$graphs" >"$graphs/$1.log" 2>&1 ||
    { cat "$graphs/$1.log" >&2; return 1; }
}
running=()
for module in "${modules[@]}"; do
  extract "$module" &
  running+=($!)
  [ "${#running[@]}" -lt "$(nproc)" ] || { wait "${running[0]}"; running=("${running[@]:1}"); }
done
for job in "${running[@]}"; do wait "$job"; done
rm -f "$graphs"/*.log

rm -rf "$out"
mkdir -p "$(dirname "$out")"
docc convert --fallback-display-name Vitrine --fallback-bundle-identifier vitrine --additional-symbol-graph-dir "$graphs" \
  --transform-for-static-hosting --output-path "$out" >"$graphs/docc.log" 2>&1 || { tail -n 20 "$graphs/docc.log" >&2; exit 1; }
# The model of the landing page, which turns under the pointer; browsers without WebGPU show its poster.
"$build/vitrine" sample "$graphs/sample" --only model >/dev/null
"$build/vitrine" web "$graphs/sample/owl.glb" -o "$out/live" --on-touch --texture-size 1024 --fov 32 --alt "A painted owl" --shadow 0.5 --background transparent --occlusion map --poster-size 600 >/dev/null
python3 scripts/docs-pages.py "$out" "$graphs" "${modules[@]}"
echo "docs: $out/index.html ($(du -sm "$out" | cut -f 1) MB, ${SECONDS} s)"
