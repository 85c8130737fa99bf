#!/usr/bin/env bash
# `vitrine bake` on a model made here: errors, both maps, the same bytes for any number of threads, and what our reader finds.
#
#   scripts/test-bake.sh PATH/TO/vitrine
set -euo pipefail
vitrine=$(realpath "${1:?usage: scripts/test-bake.sh VITRINE}")
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
source "$root/scripts/expect.sh"
# A floor and a wall.
cat > corner.obj <<'OBJ'
v 0 0 0
v 2 0 0
v 2 0 2
v 0 0 2
v 0 2 0
v 0 2 2
f 4 3 2 1
f 1 5 6 4
OBJ

expect 2 "-o OUT is missing" "$vitrine" bake corner.obj
expect 2 "must end in .glb or .gltf" "$vitrine" bake corner.obj -o other.obj
expect 2 "power of two" "$vitrine" bake corner.obj -o a.glb --size 100
expect 2 "requires --maps light" "$vitrine" bake corner.obj -o a.glb --bake-lights
expect 2 "requires --maps irradiance-volume" "$vitrine" bake corner.obj -o a.glb --probe-spacing 0.5
expect 2 "out of range" "$vitrine" bake corner.obj -o a.glb --maps irradiance-volume --probe-spacing 0
expect 1 "more than 64 probes" "$vitrine" bake corner.obj -o a.glb --maps irradiance-volume --probe-spacing 0.01
expect 2 "does not depend on the environment" "$vitrine" bake corner.obj -o a.glb --environment-rotation 90
expect 0 "corner.glb" "$vitrine" convert corner.obj corner.glb
expect 1 "is the input file" "$vitrine" bake corner.glb -o corner.glb
expect 1 "none/a.glb: the folder .*none does not exist" "$vitrine" bake corner.glb -o none/a.glb
[ ! -e a.glb ] || fail "a failed bake wrote a file"

bake=(bake corner.obj --maps occlusion,light --size 128 --samples 2)
expect 0 "of the sky" "$vitrine" "${bake[@]}" -o one.glb --threads 1
expect 0 '"charts"' "$vitrine" "${bake[@]}" -o three.glb --threads 3 --json
cmp one.glb three.glb || fail "the result depends on the threads"
expect 0 "lightMap" "$vitrine" inspect one.glb --json
grep -q '"occlusion"' out || fail "the reader finds no occlusion map"
expect 0 "lit.png" "$vitrine" render one.glb -o lit.png --size 32x32 --samples 1

volume=(bake corner.obj --maps irradiance-volume --probe-spacing 0.5 --samples 4)
expect 0 "4 × 4 × 4 probes" "$vitrine" "${volume[@]}" -o one.glb --threads 1
expect 0 '"probes"' "$vitrine" "${volume[@]}" -o three.glb --threads 3 --json
cmp one.glb three.glb || fail "the volume depends on the threads"
expect 0 "VITRINE_irradiance_volume" "$vitrine" inspect one.glb --json
expect 0 "optimized.glb" "$vitrine" optimize one.glb -o optimized.glb
expect 0 "VITRINE_irradiance_volume" "$vitrine" inspect optimized.glb --json
expect 0 "lit.png" "$vitrine" render optimized.glb -o lit.png --size 32x32 --samples 1
