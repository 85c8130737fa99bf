#!/usr/bin/env bash
# `vitrine optimize` on models made here: table, JSON, formats, the same bytes twice, images before and after.
#
#   scripts/test-optimize.sh PATH/TO/vitrine
set -euo pipefail
vitrine=$(realpath "${1:?usage: scripts/test-optimize.sh VITRINE}")
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
source "$root/scripts/expect.sh"
python3 "$root/scripts/make-demo-model.py" egg.glb
python3 "$root/scripts/make-moving-model.py" moving.gltf

expect 2 "-o OUT is missing" "$vitrine" optimize egg.glb
expect 2 "must end in one of .glb" "$vitrine" optimize egg.glb -o egg.max
expect 2 "out of range" "$vitrine" optimize egg.glb -o a.glb --simplify-ratio 2
expect 1 "is the input file" "$vitrine" optimize egg.glb -o egg.glb
expect 1 "only supported in GLB and glTF" "$vitrine" optimize egg.glb -o a.usdz --compress draco --strict
[ ! -e a.usdz ] || fail "--strict wrote a file"

expect 0 'draw calls' "$vitrine" optimize egg.glb -o small.glb
grep -qE '^deduplicate ' out && grep -qE '^small.glb$' out || fail "the table has no steps: $(cat out)"
expect 0 'again.glb' "$vitrine" optimize egg.glb -o again.glb
cmp small.glb again.glb || fail "two optimizations of the same model differ"
expect 0 '"draw_calls"' "$vitrine" optimize egg.glb -o json.glb --json
python3 - out <<'PYTHON' || fail "the numbers of the report are inconsistent"
import json, os, sys
report = json.load(open(sys.argv[1]))["report"]
before, after = report["before"], report["after"]
assert after["bytes"] == os.path.getsize("json.glb") and before["bytes"] == os.path.getsize("egg.glb")
assert after["bytes"] < before["bytes"] and after["draw_calls"] <= before["draw_calls"] and after["triangles"] <= before["triangles"]
assert report["written_bytes"] - sum(s["saved_bytes"] for s in report["steps"]) == after["bytes"]
PYTHON
expect 0 'tiny.glb' "$vitrine" optimize egg.glb -o tiny.glb --compress meshopt --texture-format webp --texture-size 256
expect 0 'part.glb' "$vitrine" optimize egg.glb -o part.glb --simplify-ratio 0.3 --compress draco
for model in small tiny part; do expect 0 "$model.glb: glb" "$vitrine" inspect $model.glb; done
[ "$(stat -c %s tiny.glb)" -lt "$(stat -c %s small.glb)" ] || fail "compression saves nothing"
# Keeps 3 of 41 key frames, the duration of the clip, and its images.
expect 0 'removed 38 key frames' "$vitrine" optimize moving.gltf -o moving.glb
expect 0 'Slide: 2 s, 1 track, 3 keys' "$vitrine" inspect moving.glb
for out in a.usdz a.dae a.obj a.stl a.ply a.gltf; do expect 0 "$out" "$vitrine" optimize moving.gltf -o $out; done

look="--size 160x120 --orbit 24,9,0.34 --target 0,0.083,0 --samples 1 --occlusion map"
for model in egg small; do "$vitrine" render $model.glb -o $model.png $look >/dev/null; done
if command -v ffmpeg >/dev/null; then
  psnr=$(ffmpeg -i egg.png -i small.png -lavfi psnr -f null - 2>&1 </dev/null | sed -n 's/.*average:\([0-9.inf]*\).*/\1/p')
  python3 -c "import sys; assert float('$psnr') >= 40, '$psnr'" || fail "the optimized model looks different: $psnr dB"
fi
echo "test-optimize: ok"
