#!/usr/bin/env bash
# The main job, shown: photos become a model; and what the renderer makes of a jewelled egg. Images and a page go to the folder given.
#
#   scripts/demo.sh OUTDIR [PHOTOS]
#
# PHOTOS is a folder of photos of your own object. Without one a painted owl is made, and photographed by the renderer.
# With real data beside the project (../shared/data, or $VITRINE_DATA) the page shows a real model under a real environment too.
set -euo pipefail
out=${1:?usage: scripts/demo.sh OUTDIR [PHOTOS]}
photos=${2:-}
[ -z "$photos" ] || [ -d "$photos" ] || { echo "demo: there is no folder $photos" >&2; exit 1; }
[ -z "$photos" ] || photos=$(cd "$photos" && pwd)
cd "$(dirname "$0")/.."
vitrine=$PWD/.build/release/vitrine
data=${VITRINE_DATA:-../shared/data}
mkdir -p "$out"
out=$(cd "$out" && pwd)

say() { echo "demo: $*"; }

# Photos → model.
if [ -z "$photos" ]; then
  say "making a painted owl and taking photos of it"
  rm -rf "$out/sample"
  "$vitrine" sample "$out/sample" --only model >/dev/null
  mv "$out/sample/owl.glb" "$out/owl.glb"
  rm -rf "$out/photos"
  "$vitrine" render "$out/owl.glb" -o "$out/photos" --photoset "${DEMO_PHOTOS:-30}" --table --size 960x720 --fov 38 --samples 6
  photos=$out/photos/images
  echo "made" >"$out/photos-kind.txt"
else
  echo "given" >"$out/photos-kind.txt"
fi

say "reconstructing it from the photos"
rm -f "$out"/model.* "$out"/match-*.* "$out"/model-turn-*.png "$out/transforms.json"
begin=$(date +%s)
"$vitrine" reconstruct "$photos" -o "$out/model.glb" -o "$out/model.usdz" --detail "${DEMO_DETAIL:-reduced}" \
  --transforms "$out/transforms.json" --poses "$out/poses.json" --report "$out/report.html" | tee "$out/reconstruct.txt"
echo $(($(date +%s) - begin)) >"$out/reconstruct-seconds.txt"

# Drawn in its own colours: the photos' light is in them already, and a second light would darken once more what lay in the shade.
say "taking images of the model"
python3 scripts/demo-matches.py "$out" "$photos" | while IFS=$'\t' read -r number name size; do
  "$vitrine" render "$out/model.glb" -o "$out/match-$number.png" --photo-camera "$out/transforms.json,$name" --size "$size" --samples 8 \
    --debug base-color --background color:#F4F1EC >/dev/null </dev/null
done
"$vitrine" render "$out/model.glb" -o "$out/model-turn.png" --size 360x480 --turntable 12 --orbit 0,12,auto --fov 30 --samples 4 \
  --debug base-color --background color:#F4F1EC >/dev/null
"$vitrine" render "$out/model.glb" -o "$out/model-shape.png" --size 480x480 --orbit 20,12,auto --fov 30 --debug normals --background color:#F4F1EC >/dev/null
"$vitrine" inspect "$out/model.glb" >"$out/model.txt"
"$vitrine" web "$out/model.glb" -o "$out/model.html" --single-file --on-touch --unlit --orbit 0,12,auto --fov 30 --poster-size 900 >/dev/null

# The renderer.
say "rendering a jewelled egg"
python3 scripts/make-demo-model.py "$out/egg.glb"
"$vitrine" inspect "$out/egg.glb" >"$out/egg.txt"
look="--orbit 24,9,0.34 --target 0,0.083,0 --fov 32"
"$vitrine" render "$out/egg.glb" -o "$out/egg.png" --size 1280x960 $look --background environment
"$vitrine" render "$out/egg.glb" -o "$out/egg-transparent.png" --size 640x480 $look --background transparent
"$vitrine" web "$out/egg.glb" -o "$out/egg.html" --single-file --on-touch $look --poster-size 900 --shadow 0.4 >/dev/null
for degrees in 0 60 120 180 240 300; do
  "$vitrine" render "$out/egg.glb" -o "$out/turned-$degrees.png" --size 480x480 $look --environment-rotation "$degrees" --background color:#F4F1EC
done
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
  say "no real model at $helmet: the page shows the models made here"
fi
"$vitrine" render "$out/egg.glb" --benchmark 30 --size 1280x720 $look --json >"$out/benchmark.json"

python3 scripts/demo-page.py "$out" $real
say "done: open $out/index.html"
