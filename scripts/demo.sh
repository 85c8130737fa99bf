#!/usr/bin/env bash
# The main job, shown: a model is made, inspected, rendered under light that turns; pictures and a page go to the folder given.
#
#   scripts/demo.sh OUTDIR
#
# With real data beside the project (../shared/data, or $VITRINE_DATA) the page shows a real model under a real environment too.
set -euo pipefail
cd "$(dirname "$0")/.."
out=${1:?usage: scripts/demo.sh OUTDIR}
vitrine=.build/release/vitrine
data=${VITRINE_DATA:-../shared/data}
mkdir -p "$out"

say() { echo "demo: $*"; }

say "making the model"
python3 scripts/make-demo-model.py "$out/egg.glb"
"$vitrine" inspect "$out/egg.glb" >"$out/egg.txt"

say "rendering it"
look="--orbit 24,9,0.34 --target 0,0.083,0 --fov 32"
"$vitrine" render "$out/egg.glb" -o "$out/egg.png" --size 1280x960 $look --background environment
"$vitrine" render "$out/egg.glb" -o "$out/egg-transparent.png" --size 640x480 $look --background transparent
for degrees in 0 60 120 180 240 300; do
  "$vitrine" render "$out/egg.glb" -o "$out/turned-$degrees.png" --size 480x480 $look --environment-rotation "$degrees" --background color:#F4F1EC
done
"$vitrine" render "$out/egg.glb" -o "$out/turn.png" --size 480x480 --turntable 12 --orbit 0,9,0.34 --target 0,0.083,0 --fov 32 --background color:#F4F1EC >/dev/null
for view in normals metalness roughness wireframe; do
  "$vitrine" render "$out/egg.glb" -o "$out/debug-$view.png" --size 480x480 $look --debug "$view" --background color:#202020
done

real=""
helmet=$data/gltf/DamagedHelmet/glTF/DamagedHelmet.gltf
hall=$data/environments/royal_esplanade_1k.hdr
if [ -f "$helmet" ] && [ -f "$hall" ]; then
  say "rendering a real model under a real environment"
  "$vitrine" render "$helmet" -o "$out/helmet.png" --environment "$hall" --orbit -33.7,10.5,3.0 --size 1280x720 --background environment
  real=helmet.png
else
  say "no real model at $helmet: the page shows the model made here"
fi
"$vitrine" render "$out/egg.glb" --benchmark 30 --size 1280x720 $look --json >"$out/benchmark.json"

python3 scripts/demo-page.py "$out" $real
say "done: open $out/index.html"
