#!/usr/bin/env bash
# The command line: help, exit codes, one-line errors, atomic output, reproducible bytes.
#
#   scripts/test-command.sh PATH/TO/vitrine
set -euo pipefail
vitrine=$(realpath "${1:?usage: scripts/test-command.sh VITRINE}")
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

source "$root/scripts/expect.sh"

python3 "$root/scripts/make-demo-model.py" egg.glb

expect 0 'commands:' "$vitrine" --help
for command in render show web material effect ar capture reconstruct job convert optimize bake inspect sample doctor; do expect 0 "usage: vitrine $command" "$vitrine" "$command" --help; done
expect 2 "unknown command 'rendre': did you mean 'vitrine render'\?" "$vitrine" rendre
expect 2 "did you mean 'vitrine inspect'" "$vitrine" help info
expect 2 "did you mean 'vitrine show a.glb'" "$vitrine" a.glb
expect 2 "unknown command 'xyzzy': run 'vitrine --help' to list the commands" "$vitrine" xyzzy
expect 2 "MODEL is missing" "$vitrine" render -o a.png
# Without arguments: how to begin, on standard error, exit code 2. The whole help, and a section of it.
for command in "" ar job render show convert optimize bake capture reconstruct inspect effect "ar track"; do
  code=0
  "$vitrine" $command >out 2>err || code=$?
  [ "$code" = 2 ] && [ ! -s out ] && grep -q "^usage: vitrine" err && ! grep -q "^error" err || fail "vitrine $command: exit code $code: $(cat out err)"
  [ "$(wc -l <err)" -le 45 ] || fail "the first screen of vitrine $command has $(wc -l <err) lines"
done
expect 0 '^camera:$' "$vitrine" render --help
expect 0 '^  --orbit AZ,EL,DIST' "$vitrine" render --help camera
grep -q -- '--environment' out && fail "the camera's section has options of another"
expect 0 '^  --bloom' "$vitrine" help render image
expect 2 "has no section 'colour': use one of output, film, camera" "$vitrine" help render colour
expect 0 '^vitrine [0-9.]+ \((built from source|commit [0-9a-f]+\+?)\)$' "$vitrine" --version
expect 0 '^Card  ' "$vitrine" examples
expect 0 '^copied/main.swift$' "$vitrine" examples --copy card -o copied
expect 1 "copied: is not empty" "$vitrine" examples --copy Card -o copied
expect 2 "'none': NAME must be one of" "$vitrine" examples --copy none
expect 2 "'3d': the last part of NAME must start with a letter" "$vitrine" init 3d
expect 2 "'none': KIND must be one of viewer, photos, ar, web" "$vitrine" init hello --template none
expect 1 "missing: has no Package.swift" "$vitrine" init hello --package missing
expect 0 'cd hello && swift run' "$vitrine" init hello --package "$root"
grep -q 'product(name: "Vitrine", package: "Vitrine")' hello/Package.swift && [ -s hello/Sources/main.swift ] || fail "init: $(find hello)"
expect 2 "did you mean '--size'" "$vitrine" render egg.glb -o a.png --sise 10x10
expect 2 "WIDTHxHEIGHT" "$vitrine" render egg.glb -o a.png --size 10
expect 2 "needs a value" "$vitrine" render egg.glb -o
expect 2 "must end in" "$vitrine" render egg.glb -o a.tiff
expect 2 "not one of 1, 4" "$vitrine" render egg.glb -o a.png --msaa 3
expect 1 "missing.glb: " "$vitrine" render missing.glb -o a.png
head -c 1000 egg.glb >cut.glb
expect 1 "cut.glb" "$vitrine" render cut.glb -o a.png
# Every command reports files that are not models, independent of their names.
mkdir folder.glb
: >empty.glb
printf 'hello\n' >text.glb
printf 'Kaydara FBX Binary  \0' >robot.fbx
printf 'ply\nformat ascii 1.0\nelement vertex 4000000000\nproperty float x\nend_header\n' >huge.ply
printf 'v 0 0 0\nf 1 1 9999999999999999999999\n' >index.obj
for wrong in "folder.glb: is a directory" "empty.glb: the file is empty" "text.glb: is not a known model format" "robot.fbx: is FBX, which is not supported" \
  "huge.ply:line 3|huge.ply:line 5|huge.ply:line 6" "index.obj:line 2" "/dev/null: is not a regular file" "egg.glb/x: not a directory"; do
  file=${wrong%%:*}
  expect 1 "$wrong" "$vitrine" inspect "$file"
  expect 1 "$wrong" "$vitrine" convert "$file" a.glb
done
expect 1 "text.glb: is not a known image format" "$vitrine" render egg.glb -o a.png --environment text.glb
expect 2 "MODEL is empty" "$vitrine" render "" -o a.png
expect 2 "must end in" "$vitrine" render egg.glb -o $'a\nb.glb'
expect 2 "'nan' is not a number" "$vitrine" render egg.glb -o a.png --fov nan
expect 2 "out of range" "$vitrine" render egg.glb -o a.png --environment-ground 1e30,1
expect 2 "is not a number" "$vitrine" render egg.glb -o a.png --depth-of-field auto,nan
expect 2 "'torch' is not one of" "$vitrine" render egg.glb -o a.png --light torch
expect 2 "a directional light has no 'width'" "$vitrine" render egg.glb -o a.png --light directional,width=2
expect 2 "out of range" "$vitrine" render egg.glb -o a.png --light point,intensity=-1
expect 2 "requires --photoset" "$vitrine" render egg.glb -o a.png --noise 3
expect 1 "no material variant" "$vitrine" render egg.glb -o a.png --variant none
expect 1 "has no animation" "$vitrine" render egg.glb -o a.png --time 1
expect 1 "has no camera" "$vitrine" render egg.glb -o a.png --camera Front
expect 1 "none/a.png" "$vitrine" render egg.glb -o none/a.png --size 16x16 --occlusion map
[ ! -e a.png ] || fail "a failed render wrote an image"

look="--size 160x120 --orbit 24,9,0.34 --target 0,0.083,0"
# Tests that do not compare light use one sample and no traced occlusion: that takes half the time.
quick="$look --samples 1 --occlusion map"
expect 0 'first.png' "$vitrine" render egg.glb -o first.png $look
expect 0 'second.png' "$vitrine" render egg.glb -o second.png $look
cmp first.png second.png || fail "two renders of the same scene differ"
expect 0 '"draw_calls"' "$vitrine" render egg.glb -o third.png $look --msaa 1 --json
cmp -s first.png third.png && fail "--msaa 1 changed nothing"
expect 0 'turned.png' "$vitrine" render egg.glb -o turned.png $look --environment-rotation 90
cmp -s first.png turned.png && fail "--environment-rotation changed nothing"
expect 0 "mapped.png" "$vitrine" render egg.glb -o mapped.png $look --occlusion map
cmp -s first.png mapped.png && fail "--occlusion map changed nothing"
expect 0 "baked.png" "$vitrine" render egg.glb -o baked.png --size 64x64 --samples 4 --occlusion baked
expect 0 "shadows.png" "$vitrine" render egg.glb -o shadows.png --size 64x64 --samples 4
cmp -s baked.png shadows.png && fail "images of several samples have no shadows of the environment"
expect 2 "--occlusion shadows requires images of several samples" "$vitrine" render egg.glb -o a.png --samples 1 --occlusion shadows
expect 2 "--occlusion: windows support" "$vitrine" show egg.glb --occlusion shadows
expect 2 "--quality path does not support --occlusion" "$vitrine" render egg.glb -o a.png --quality path --occlusion map
expect 0 'turn-002' "$vitrine" render egg.glb -o turn.png $quick --turntable 3
[ "$(ls turn-*.png | wc -l)" = 3 ] || fail "--turntable 3 wrote $(ls turn-*.png | wc -l) images"
for kind in jpg hdr exr; do expect 0 "kind.$kind" "$vitrine" render egg.glb -o kind.$kind $quick; done
expect 0 '"frame_ms"' "$vitrine" render egg.glb $quick --benchmark 3 --json
python3 -c 'import json; r = json.load(open("out")); f = r["frame_ms"]; assert 0 < f["min"] <= f["median"] <= f["max"] and r["startup_ms"] > 0 and 0 < r["processor_ms"]["min"] < f["max"], r'
# Path tracing: budgets out of range are refused; the image does not depend on the number of threads.
traced="render egg.glb --size 48x36 --quality path"
expect 2 "0 is out of range: use 1 to 1048576" "$vitrine" $traced -o traced.png --samples 0
expect 2 "'2.5' is not a whole number" "$vitrine" $traced -o traced.png --samples 2.5
expect 2 "0 is out of range" "$vitrine" $traced -o traced.png --time-limit 0
expect 2 "'1day' is not a number" "$vitrine" $traced -o traced.png --time-limit 1day
expect 2 "2 is out of range" "$vitrine" $traced -o traced.png --noise-limit 2
expect 2 "--noise-limit requires --quality path" "$vitrine" render egg.glb -o traced.png --noise-limit 0.1
expect 2 "--samples: 257 is more than 256: more require --quality path" "$vitrine" render egg.glb -o traced.png --samples 257
expect 2 "--quality path does not support --msaa" "$vitrine" $traced -o traced.png --msaa 4
[ ! -e traced.png ] || fail "a refused path trace wrote an image"
expect 0 '"samples" : 2,' "$vitrine" $traced -o traced.png --samples 2 --denoise --json
python3 -c 'import json; r = json.load(open("out")); assert (r["width"], r["height"], r["samples"], r["stopped"]) == (48, 36, 2, False) and r["noise"] > 0, r'
expect 0 'alone.png' "$vitrine" $traced -o alone.png --samples 2 --denoise --threads 1
cmp traced.png alone.png || fail "path tracing with one thread gives another image"
expect 0 'noisy.png' "$vitrine" $traced -o noisy.png --samples 2
cmp -s traced.png noisy.png && fail "--denoise changed nothing"
# A render that continues another one writes the same image; its samples belong to one scene and size.
expect 2 "--resume requires --quality path" "$vitrine" render egg.glb -o part.png --resume part.samples
expect 2 "--resume continues one image: it excludes --turntable" "$vitrine" $traced -o part.png --resume part.samples --turntable 2
expect 0 'part.png' "$vitrine" $traced -o part.png --samples 1 --resume part.samples
cmp -s part.png noisy.png && fail "one sample makes the same image as two"
expect 0 '"samples" : 2,' "$vitrine" $traced -o part.png --samples 2 --resume part.samples --json
cmp part.png noisy.png || fail "--resume makes another image than a render that never stopped"
expect 1 "part.samples: belongs to another scene, view or light" "$vitrine" $traced -o other.png --samples 2 --orbit 40,5,auto --resume part.samples
expect 1 "egg.glb: has no samples of a path traced image" "$vitrine" $traced -o other.png --samples 2 --resume egg.glb
[ ! -e other.png ] || fail "refused samples left an image"
expect 0 '"triangles"' "$vitrine" inspect egg.glb --json
python3 -c 'import json; json.load(open("out"))'
expect 0 'Enamel' "$vitrine" inspect egg.glb
expect 0 'triangles; at |triangles, Enamel' "$vitrine" inspect egg.glb --tree
expect 0 '"nodes" : \[' "$vitrine" inspect egg.glb --tree --json
python3 - <<'PYTHON'
import json, re
found = json.load(open("out"))
nodes = found["model"]["nodes"]
assert any(n.get("triangles", 0) > 1000 and n["mesh"] is not None and n["materials"] for n in nodes), nodes
assert all((n["depth"] == 0) == ("parent" not in n) and (n["depth"] == 0 or nodes[n["parent"]]["depth"] == n["depth"] - 1) for n in nodes)
def keys(value):
    if isinstance(value, dict):
        for key, inner in value.items(): yield key; yield from keys(inner)
    if isinstance(value, list):
        for inner in value: yield from keys(inner)
assert not [k for k in keys(found) if not re.fullmatch("[a-z0-9_]+", k)], "keys are in snake case"
PYTHON
# Repairs are warnings; --strict refuses them. A file name need not be UTF-8.
odd=$'caf\xe9.obj'
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1/1 2/2 3/3\n' > "$odd"
expect 0 "line 4: a corner refers to a texture coordinate" "$vitrine" inspect "$odd"
for command in "inspect" "render -o strict.png --size 16x16"; do
  expect 1 'caf\\xE9.obj:line 4: .*error because of --strict' "$vitrine" $command --strict "$odd"
done
expect 1 "not written because of 1 warnings" "$vitrine" convert "$odd" strict.glb --strict
[ ! -e strict.glb ] && [ ! -e strict.png ] || fail "--strict wrote a file"
expect 0 'odd.glb' "$vitrine" convert "$odd" odd.glb
expect 0 'GPU in use' "$vitrine" doctor
expect 0 '"subject"' "$vitrine" doctor --json
python3 -c 'import json; json.load(open("out"))'
# Standard streams that are closed, full, or not read: lost messages do not end the work, lost results give exit code 1.
streams="$vitrine convert egg.glb stream.ply"
same_model() { cmp -s whole.ply stream.ply || fail "$1: the model differs from the one written with all streams open"; rm -f stream.ply; }
"$vitrine" convert egg.glb whole.ply >out 2>err || fail "convert: $(cat err)"
[ -s err ] || fail "convert egg.glb whole.ply must warn: the tests of standard error below need it"
set +o pipefail
$streams 2>&1 | true; codes=("${PIPESTATUS[@]}")
[ "${codes[0]}" = 0 ] || fail "convert 2>&1 | true: exit code ${codes[0]}"
same_model "2>&1 | true"
"$vitrine" inspect egg.glb --json | head -1 >/dev/null; codes=("${PIPESTATUS[@]}")
set -o pipefail
[ "${codes[0]}" = 0 ] || fail "inspect | head -1: exit code ${codes[0]}"
for redirection in '2>&-' '2>/dev/full' '<&- 2>&-'; do
  eval "$streams >/dev/null $redirection" || fail "convert $redirection: exit code $?"
  same_model "$redirection"
done
for redirection in '>/dev/full' '>&-'; do
  for arguments in "inspect egg.glb" "inspect egg.glb --json" "convert egg.glb stream.ply" "doctor --json" "effect --list" --help --version "render --help"; do
    code=0
    eval "'$vitrine' $arguments $redirection 2>err" || code=$?
    [ "$code" = 1 ] && [ "$(grep -c '^error: standard output: ' err)" = 1 ] || fail "vitrine $arguments $redirection: exit code $code: $(cat err)"
  done
  code=0
  eval "'$vitrine' inspect none.glb $redirection 2>err" || code=$?
  [ "$code" = 1 ] && [ "$(wc -l <err)" = 1 ] || fail "inspect none.glb $redirection: exit code $code: $(cat err)"
done
python3 - "$vitrine" <<'PYTHON'
import os, subprocess, sys, time
vitrine = sys.argv[1]
# A closed terminal: writing to it fails with EIO.
master, slave = os.openpty()
os.close(master)
assert subprocess.run([vitrine, "convert", "egg.glb", "stream.ply"], stdout=subprocess.DEVNULL, stderr=slave).returncode == 0
assert open("whole.ply", "rb").read() == open("stream.ply", "rb").read(), "a closed terminal changed the model"
# A pipe that doesn't block and is read slowly: everything arrives.
whole = subprocess.run([vitrine, "help", "render"], stdout=subprocess.PIPE).stdout
read, write = os.pipe()
os.set_blocking(write, False)
import fcntl
fcntl.fcntl(write, fcntl.F_SETPIPE_SZ, 4096)
process = subprocess.Popen([vitrine, "help", "render"], stdout=write)
os.close(write)
time.sleep(0.3)
got = b""
while part := os.read(read, 500): got += part
assert process.wait() == 0 and got == whole and len(got) > 4096, (process.returncode, len(got), len(whole))
PYTHON
rm -f stream.ply
if grep -rnE 'FileHandle\.standard(Error|Output)|fputs\(|Swift\.(debugP|p)rint\(|perror\(|fprintf\(' "$root/Sources" --include='*.swift' --include='*.c' --include='*.cpp' --exclude=CWaylandLog.c; then
  fail "messages and results go through StandardError and StandardOutput"
fi
# Sample files: parts, the same bytes twice, no folder with content is touched.
expect 2 "FOLDER is missing" "$vitrine" sample --json
expect 2 "'models' is not one of model, environment, photos, recording, shader" "$vitrine" sample sample --only model,models
expect 1 "egg.glb: is a file" "$vitrine" sample egg.glb
expect 0 'sample/owl.glb +a model' "$vitrine" sample sample --only model,environment,shader
expect 1 "sample: is not empty" "$vitrine" sample sample
expect 0 '"path" : "sample2/owl.glb"' "$vitrine" sample sample2 --only shader,environment,model --json
diff -rq sample sample2 || fail "vitrine sample writes other bytes the second time"
[ "$(ls sample | xargs)" = "owl.glb studio.hdr wave.wgsl" ] || fail "vitrine sample --only wrote $(ls sample)"
expect 0 'size .0.115' "$vitrine" inspect sample/owl.glb
grep -q '^warning' err && fail "the sample model gives warnings: $(cat err)"
# Devices and named pipes take an image as PNG, a model as GLB, directly.
expect 0 '^/dev/null$' "$vitrine" render egg.glb -o /dev/null $quick
expect 0 '^/dev/null$' "$vitrine" convert egg.glb /dev/null
mkfifo pipe
cat pipe >piped.png &
expect 0 '^pipe$' "$vitrine" render egg.glb -o pipe $quick
wait $!
expect 0 'unpiped.png' "$vitrine" render egg.glb -o unpiped.png $quick
cmp unpiped.png piped.png || fail "an image through a named pipe differs"
[ -c /dev/null ] && [ -p pipe ] || fail "a device or a pipe was replaced by a file"
rm pipe
# Progress of long images, as lines where standard error is no terminal; Ctrl-C leaves nothing.
: >err  # the progress of the command before must not count
"$vitrine" render egg.glb -o long.png --size 320x240 --samples 96 --ground >out 2>err &
victim=$!
while kill -0 $victim 2>/dev/null; do ! grep -q "^[0-9]* % rendering.* left$" err || break; sleep 0.1; done
grep -q '^[0-9]* % rendering.* left$' err || fail "no progress while rendering: $(cat err)"
kill -INT $victim
code=0
wait $victim || code=$?
[ $code = 1 ] && [ "$(grep -c '^error: stopped' err)" = 1 ] && [ ! -e long.png ] || fail "Ctrl-C while rendering: exit code $code: $(cat err)"
ls -A | grep '\.tmp' && fail "Ctrl-C left a temporary file"
# A material from an image: maps in a folder, a card as a model, the same bytes twice.
expect 0 'frame.png' "$vitrine" render egg.glb -o frame.png --size 32x20 --occlusion map
expect 2 "IMAGE is missing" "$vitrine" material -o maps
expect 2 "OUT is missing" "$vitrine" material frame.png
expect 2 "must be a folder, or end in one of .glb" "$vitrine" material frame.png -o card.xyz
expect 2 "out of range" "$vitrine" material frame.png -o maps --roughness 2
expect 1 "none.png" "$vitrine" material none.png -o maps
expect 1 "egg.glb" "$vitrine" material egg.glb -o maps
expect 0 'maps/metalness.png' "$vitrine" material frame.png -o maps --sparkle-size 64
expect 0 '"metalness_intensity"' "$vitrine" material frame.png -o maps2 --sparkle-size 64 --json
for map in base-color metalness normal; do cmp maps/$map.png maps2/$map.png || fail "$map.png differs the second time"; done
expect 0 'card.glb' "$vitrine" material frame.png -o card.glb --sparkle-size 64 --seed 3
expect 0 'Picture' "$vitrine" inspect card.glb
# Effects: built in, custom, three kinds, frames, mistakes with their place, the same bytes twice.
cat >mine.wgsl <<'END'
fn stripes(position: vec2f, color: vec4f, width: f32, tint: vec4f) -> vec4f {
    return select(color, tint * color.a, fract(position.x / width) < 0.5);
}
fn shift(position: vec2f, by: vec2f) -> vec2f { return position + by; }
fn spread(position: vec2f, layer: Layer, seconds: f32, weights: FloatArray, other: Image, bounds: vec4f) -> vec4f {
    let here = sampleLayer(layer, position + vec2f(seconds, 0.0)) * floatAt(weights, 0);
    return here + sampleImage(other, position / bounds.zw) * floatAt(weights, 1);
}
END
printf 'fn bad(position: vec2f, color: vec4f) -> vec4f {\n    return colour;\n}\n' >bad.wgsl
stripes="--shader mine.wgsl --function stripes --arg float:8 --arg color:#ff880080"
expect 0 '^layer +fn ripple' "$vitrine" effect --list
expect 0 '"arguments" : "color, float4 or boundingRect"' "$vitrine" effect --shader mine.wgsl --list --json
python3 -c 'import json; assert [f["kind"] for f in json.load(open("out"))] == ["color", "distortion", "layer"]'
expect 0 'striped.png' "$vitrine" effect frame.png $stripes --kind color -o striped.png
expect 0 '"library" : "mine.wgsl"' "$vitrine" effect frame.png $stripes --function shift --arg float2:2,0 -o both.png --json
expect 0 'striped2.png' "$vitrine" effect frame.png $stripes -o striped2.png
cmp striped.png striped2.png || fail "two runs of one effect differ"
cmp -s striped.png both.png && fail "a second effect changed nothing"
expect 0 'lit.png' "$vitrine" effect frame.png --function ripple --arg float2:8,8 --arg float:0.1 --arg float:2 --arg float:4 --arg float:10 --arg float:800 \
  --arg float:1 --working-space linear -o lit.png
expect 0 'unlit.png' "$vitrine" effect frame.png --function ripple --arg float2:8,8 --arg float:0.1 --arg float:2 --arg float:4 --arg float:10 --arg float:800 \
  --arg float:1 -o unlit.png
cmp -s lit.png unlit.png && fail "--working-space changed nothing"
expect 0 'moving/001.png' "$vitrine" effect frame.png --shader mine.wgsl --function spread --arg time*60 --arg floatArray:0.5,0.5 \
  --arg image:striped.png --arg boundingRect --max-sample-offset 3,0 --frames 2 -o moving
cmp -s moving/000.png moving/001.png && fail "--arg time changed nothing"
expect 0 '"width" : 38' "$vitrine" effect frame.png --shader mine.wgsl --function shift --arg float2:2,0 --max-sample-offset 3,0 -o wide.exr --json
expect 1 'error: bad.wgsl:2:12: ' "$vitrine" effect frame.png --shader bad.wgsl --function bad -o no.png
expect 1 "mine.wgsl: there is no function 'stripe' for effects: the library has 'stripes'" "$vitrine" effect frame.png --shader mine.wgsl --function stripe -o no.png
expect 1 "mine.wgsl:1:4: 'stripes' takes 2 arguments" "$vitrine" effect frame.png --shader mine.wgsl --function stripes -o no.png
expect 1 "mine.wgsl:1:4: argument 1 of 'stripes' \('width'\) must be float, not float2" \
  "$vitrine" effect frame.png --shader mine.wgsl --function stripes --arg float2:1,2 --arg color:#fff000 -o no.png
expect 1 "'shift' is not a layer effect" "$vitrine" effect frame.png --shader mine.wgsl --function shift --kind layer --arg float2:1,2 -o no.png
expect 1 "none.wgsl" "$vitrine" effect frame.png --shader none.wgsl --function f -o no.png
expect 1 "none.png" "$vitrine" effect none.png $stripes -o no.png
expect 2 "function NAME is missing" "$vitrine" effect frame.png -o no.png
expect 2 "OUT is missing" "$vitrine" effect frame.png $stripes
expect 2 "must end in one of .png" "$vitrine" effect frame.png $stripes -o no.gif
expect 2 "must follow the --function" "$vitrine" effect frame.png --arg float:1 -o no.png
expect 2 "is not a kind of argument" "$vitrine" effect frame.png $stripes --arg flot:1 -o no.png
expect 2 "is not a number" "$vitrine" effect frame.png $stripes --arg float:nan -o no.png
[ ! -e no.png ] || fail "a failed effect wrote an image"
# A texture that can't be decoded: omitted by every command, refused by --strict.
printf 'mtllib broken.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nusemtl a\nf 1/1 2/1 3/1\n' >broken.obj
printf 'newmtl a\nmap_Kd broken.png\n' >broken.mtl
head -c 200 frame.png >broken.png
left='warning: broken.obj: broken.mtl:line 2: the texture "broken.png" was omitted: truncated'
expect 0 "$left" "$vitrine" render broken.obj -o broken-out.png --size 16x16
expect 0 "the texture \"broken.png\" was omitted" "$vitrine" inspect broken.obj
for kind in glb usdz dae; do expect 0 "$left" "$vitrine" convert broken.obj broken-out.$kind; done
expect 1 "not written because of 1 warnings" "$vitrine" convert broken.obj strict.glb --strict
[ ! -e strict.glb ] || fail "--strict wrote a file"
# Files outside the model's folder, and links that lead there: refused with the way out, read where --allow-folder permits.
mkdir -p assets/model assets/shared
cp frame.png assets/shared/wood.png
ln -s ../shared/wood.png assets/model/link.png
for path in ../shared/wood.png link.png; do
  sed 's/m.mtl/broken.mtl/' broken.obj >assets/model/m.obj
  printf 'newmtl a\nmap_Kd %s\n' $path >assets/model/broken.mtl
  for command in "inspect assets/model/m.obj" "convert assets/model/m.obj allowed.glb" "render assets/model/m.obj -o allowed.png --size 16x16"; do
    expect 0 "\"$path\" was omitted: lies in \".*shared\", outside the model's folder.*--allow-folder" "$vitrine" $command
    expect 0 'm.obj|allowed' "$vitrine" $command --allow-folder assets/shared
    grep -q "omitted" err out && fail "--allow-folder allowed nothing: $(cat err out)"
  done
done
expect 0 'm.obj|allowed' "$vitrine" optimize assets/model/m.obj -o allowed.glb --allow-folder assets/shared
grep -q "omitted" err out && fail "--allow-folder of optimize allowed nothing: $(cat err out)"
expect 1 "nowhere: no such file" "$vitrine" convert assets/model/m.obj allowed.glb --allow-folder nowhere
# Textures over the limits are scaled down.
printf 'newmtl a\nmap_Kd frame.png\n' >broken.mtl
expect 0 "frame.png\" has 32 × 20 pixels and was scaled down to 16 × 10" "$vitrine" render broken.obj -o small.png --size 16x16 --texture-size 16
expect 2 "out of range" "$vitrine" render broken.obj -o small.png --texture-memory 0
# Built-in effects need no arguments, and every one changes the image.
for function in $("$vitrine" effect --list --json | python3 -c 'import json, sys; print(*[f["name"] for f in json.load(sys.stdin)])'); do
  expect 0 "built-$function.png" "$vitrine" effect striped.png --function $function -o built-$function.png
  cmp -s striped.png built-$function.png && fail "effect --function $function changes nothing"
done
[ -s built-ripple.png ] && [ -s built-glow.png ] || fail "ripple or glow is not listed"
# One format becomes another, and back.
expect 2 "OUT is missing" "$vitrine" convert egg.glb
expect 2 "must end in one of .glb" "$vitrine" convert egg.glb egg.max
expect 2 "not png or jpeg:QUALITY" "$vitrine" convert egg.glb a.glb --textures gif
expect 1 "missing.glb: " "$vitrine" convert missing.glb a.glb
expect 1 "none/a" "$vitrine" convert egg.glb none/a.obj
ln -s egg.glb same.glb
expect 1 "same.glb: is the input file" "$vitrine" convert egg.glb same.glb
expect 1 "is a directory" "$vitrine" convert egg.glb folder.glb
# A web page: complete or not at all, the same bytes twice; files of others stay.
web() { "$vitrine" web egg.glb --no-poster --occlusion map "$@"; }
expect 0 '^page  [0-9.]* MB' web -o page
for file in index.html style.css model.glb vitrine.wasm vitrine-viewer.js vitrine-runtime.js; do [ -s page/$file ] || fail "the page has no $file"; done
cp -r page first
expect 0 '"name" *: *"index.html"' web -o page --json
diff -r first page || fail "the same page has other bytes"
: >page/notes.txt
expect 1 "page: contains 'notes.txt', which is not part of a page: choose a new or an empty folder" web -o page
[ -s page/index.html ] || fail "a refused page was changed"
expect 1 "empty.glb: is a file: choose a folder" web -o empty.glb
expect 1 "the folder none does not exist" web -o none/page
expect 2 "add --single-file" web -o page.html
expect 0 '^page.html  ' web -o page.html --single-file
grep -q 'src="#vitrine-model.glb"' page.html || fail "the page has no inline model"
expect 1 "cut.glb" "$vitrine" web cut.glb -o cut --no-poster
[ ! -e cut ] && ! compgen -G ".vitrine-*" >/dev/null || fail "vitrine web left files behind"
rm -rf page first page.html
# Without light: base colors alone.
expect 0 '^unlit  ' web -o unlit --unlit
expect 0 '^film  ' web -o film --unlit --tonemap agx
grep -q 'tone-mapping="none"' unlit/index.html && grep -q 'tone-mapping="agx"' film/index.html || fail "the tone mapping of unlit pages is wrong"
python3 - <<'PYTHON'
import json, struct
def document(path):
    data = open(path, "rb").read()
    return json.loads(data[20:20 + struct.unpack("<I", data[12:16])[0]])
lit, unlit = document("egg.glb"), document("unlit/model.glb")
assert any("normalTexture" in material or "extensions" in material for material in lit["materials"]), "the model has nothing to remove"
assert unlit["extensionsUsed"] == ["KHR_materials_unlit"], unlit["extensionsUsed"]
for material in unlit["materials"]:
    assert set(material) <= {"name", "pbrMetallicRoughness", "extensions", "doubleSided"} and set(material["extensions"]) == {"KHR_materials_unlit"}, material
colors = lambda file: sorted([round(value, 4) for value in material["pbrMetallicRoughness"].get("baseColorFactor", [1] * 4)] for material in file["materials"])
assert colors(unlit) == colors(lit), "the base colors have changed"
PYTHON
rm -rf unlit film
# Models of other formats: meshes and textures that browsers cannot read are converted.
python3 "$root/Tests/Web/models.py" ktx2 ktx2.glb
mkdir others
for kind in usdz usdc dae; do expect 0 '' "$vitrine" convert egg.glb others/egg.$kind; done
expect 0 '' "$vitrine" convert egg.glb draco.glb --compress draco
for file in others/egg.usdz others/egg.usdc others/egg.dae draco.glb ktx2.glb; do
  expect 0 "^page-${file##*/}  " "$vitrine" web $file -o page-${file##*/} --no-poster --occlusion map
done
python3 - <<'PYTHON'
import json, struct
def document(path):
    data = open(path, "rb").read()
    return json.loads(data[20:20 + struct.unpack("<I", data[12:16])[0]])
def triangles(file):
    indices = lambda mesh: sum(file["accessors"][part["indices"]]["count"] for part in mesh["primitives"])
    return sum(indices(file["meshes"][node["mesh"]]) for node in file["nodes"] if "mesh" in node) // 3
for name, foreign in {"draco.glb": "KHR_draco_mesh_compression", "ktx2.glb": "KHR_texture_basisu"}.items():
    assert document(name)["extensionsRequired"] == [foreign], document(name)["extensionsRequired"]
for name in ["egg.usdz", "egg.usdc", "egg.dae", "draco.glb", "ktx2.glb"]:
    file = document(f"page-{name}/model.glb")
    assert set(file.get("extensionsRequired", [])) <= {"EXT_texture_webp"}, (name, file["extensionsRequired"])
    assert {image["mimeType"] for image in file.get("images", [])} <= {"image/webp", "image/png", "image/jpeg"}, (name, file["images"])
    wanted = 12 if name == "ktx2.glb" else triangles(document("egg.glb"))
    assert triangles(file) == wanted and file["materials"], (name, triangles(file), wanted)
assert len(document("page-ktx2.glb/model.glb")["images"]) == 1, "the KTX2 texture is missing"
PYTHON
rm -rf page-* others

# A disk that is full, or a file that may not grow, leaves nothing behind.
mkdir full
(ulimit -f 4 && expect 1 "full/a.glb: file too large" "$vitrine" convert egg.glb full/a.glb) || exit 1
(ulimit -f 4 && expect 1 "full/a.*: file too large" "$vitrine" convert egg.glb full/a.obj) || exit 1
[ -z "$(ls -A full)" ] || fail "a failed conversion left $(ls -A full)"
mkdir converted
for kind in glb gltf usdz usda usdc obj ply stl; do
  expect 0 "^converted/egg-$kind.$kind\$" "$vitrine" convert egg.glb converted/egg-$kind.$kind
  expect 0 '"triangles"' "$vitrine" convert converted/egg-$kind.$kind converted/again.glb --json
  python3 -c 'import json; r = json.load(open("out")); assert r["counts"]["triangles"] > 1000 and r["output_format"] == "glb", r'
done
expect 0 'converted/copy.glb' "$vitrine" convert converted/egg-glb.glb converted/copy.glb
cmp converted/egg-glb.glb converted/copy.glb || fail "a GLB converted twice is another"
expect 1 "not written because of [0-9]+ warnings \(--strict\)" "$vitrine" convert egg.glb converted/strict.ply --strict
grep -q '^warning: converted/strict.ply: ' err && [ ! -e converted/strict.ply ] || fail "--strict wrote, or said nothing: $(cat err)"
for how in draco meshopt; do
  expect 0 "$how.glb" "$vitrine" convert egg.glb converted/$how.glb --compress $how --textures jpeg:80
  [ $(stat -c %s converted/$how.glb) -lt $(stat -c %s egg.glb) ] || fail "$how made nothing smaller"
  expect 0 '_compression \(required\)' "$vitrine" inspect converted/$how.glb
  expect 0 'unpacked.glb' "$vitrine" convert converted/$how.glb converted/unpacked.glb --strict
done
expect 2 "require a .glb or .gltf" "$vitrine" convert egg.glb a.obj --compress draco
expect 0 'tall.glb' "$vitrine" convert egg.glb converted/tall.glb --up z --scale 100
"$vitrine" inspect egg.glb --json >one.json && "$vitrine" inspect converted/tall.glb --json >two.json
python3 -c '
import json
one, two = (json.load(open(f))["model"]["bounds"] for f in ("one.json", "two.json"))
sizes = [[b["maximum"][i] - b["minimum"][i] for i in range(3)] for b in (one, two)]
assert abs(sizes[1][1] / sizes[0][2] - 100) < 0.1 and abs(sizes[1][2] / sizes[0][1] - 100) < 0.1, sizes'
cp converted/egg-obj.obj converted/egg-gltf.obj
expect 1 "may be a part of" "$vitrine" convert converted/egg-gltf.obj converted/egg-gltf.gltf
# Films, of few small frames; colours against the same frame as a PNG. optimize before and after.
bash "$root/scripts/test-films.sh" "$vitrine"
bash "$root/scripts/test-optimize.sh" "$vitrine"
bash "$root/scripts/test-bake.sh" "$vitrine"

# Photos become a model: from photos that the renderer takes of the egg.
"$vitrine" render egg.glb -o set --photoset 14 --rings 18,40 --table --size 320x240 --fov 40 --samples 1 >out 2>err || fail "no photo set: $(cat err)"
photos=set/images
small="--detail custom --triangles 3000 --texture-size 1k --maps diffuse,normal"
expect 2 "PHOTOS is missing" "$vitrine" reconstruct -o a.glb
expect 2 "OUT is missing" "$vitrine" reconstruct $photos
expect 2 "must end in one of .glb, .gltf, .usdz" "$vitrine" reconstruct $photos -o a.max
expect 2 "would overwrite each other's textures" "$vitrine" reconstruct $photos -o a.gltf -o a.obj
expect 2 "not one of preview, reduced" "$vitrine" reconstruct $photos -o a.glb --detail huge
expect 2 "require --detail custom" "$vitrine" reconstruct $photos -o a.glb --triangles 500
expect 2 "photos:A,B,METRES" "$vitrine" reconstruct $photos -o a.glb --scale 3
expect 2 "not one of auto, cpu, gpu" "$vitrine" reconstruct $photos -o a.glb --device cuda
expect 1 "device gpu: no GPU adapter for 'none'" env VITRINE_ADAPTER=none "$vitrine" reconstruct $photos -o a.glb --device gpu
expect 1 "device gpu: no GPU adapter for 'none'" env VITRINE_ADAPTER=none "$vitrine" reconstruct $photos --poses a.json --device gpu
# OpenGL instead of Vulkan, in an old version for the first.
expect 1 "device gpu: no GPU adapter for 'auto'.*without compute shaders" \
  env VK_DRIVER_FILES= MESA_GL_VERSION_OVERRIDE=3.3 MESA_GLES_VERSION_OVERRIDE=3.0 "$vitrine" reconstruct $photos --poses a.json --device gpu
expect 1 "scenes cannot be drawn by OpenGL; install a Vulkan driver" env VK_DRIVER_FILES= "$vitrine" render egg.glb -o a.png $quick
# Drivers stay loaded until the process ends, because threads that used them may end later: by the messages of glibc's loader.
LD_DEBUG=files "$vitrine" render egg.glb -o a.png $quick >out 2>loader || fail "a render with LD_DEBUG failed"
! grep "libvulkan_.*destroying link map" loader || fail "a driver was unloaded"
expect 1 "no-such-folder: is neither a folder with photos nor a video" "$vitrine" reconstruct no-such-folder -o a.glb
expect 1 "none/a.glb: the folder .* does not exist" "$vitrine" reconstruct $photos -o none/a.glb
mkdir two && cp $photos/000.* $photos/001.* two
expect 1 "only 2 can be used" "$vitrine" reconstruct two -o a.glb
[ ! -e a.glb ] || fail "a failed reconstruction left a model"

mkdir whole killed
# A file that is not a photo is named, and the rest is processed.
echo "not a photo" >$photos/zz.txt
expect 0 '"event":"result"' "$vitrine" reconstruct $photos -o whole/model.glb -o whole/model.usdz -o whole/model.dae -o whole/model.stl $small --poses poses.json --transforms transforms.json \
  --colmap colmap --point-cloud points.ply --report report.html --json
grep -q '^warning: zz.txt' err || fail "zz.txt was not named: $(cat err)"
python3 - <<'PYTHON'
import json, re
events = [json.loads(line) for line in open("out")]
fractions = [e["fraction"] for e in events if e["event"] == "progress"]
assert fractions == sorted(fractions) and len(fractions) > 5, fractions
result = events[-1]
assert result["photos_used"] >= 12, result
assert all(0 < m["triangles"] < 3000 and m["texture"] == 1024 for m in result["models"]) and len(result["models"]) == 4, result["models"]
assert len(json.load(open("poses.json"))["cameras"]) == result["photos_used"]
assert len(json.load(open("transforms.json"))["frames"]) == result["photos_used"]
page = open("report.html").read()
assert "000.jpg" in page and "<vitrine-viewer" in page and "default-src 'none'" in page, "the report has no photos, no viewer or no policy"
# The colors contain the light of the photos: they are shown without another one.
import base64, gzip
model = re.search(r'id="model.glb"( data-encoding="gzip")?>([^<]*)<', page)
model = gzip.decompress(base64.b64decode(model[2])) if model[1] else base64.b64decode(model[2])
assert 'tone-mapping="none"' in page and b"KHR_materials_unlit" in model, "the report's model is lit again"
# The viewer and its model are scripts of the page.
rest = re.sub(r"<script.*?</script>", "", page, flags=re.S)
assert not any(x in rest for x in ['src="http', "href=", "url("]), "the report needs something else"
PYTHON
[ -s colmap/points3D.txt ] && [ -s points.ply ] || fail "COLMAP's files or the points are missing"
for kind in glb usdz dae stl; do expect 0 triangles "$vitrine" inspect whole/model.$kind; done

# Masks and depth maps by their names, known cameras, other ways to look.
mkdir masks none-of-them set/depth
python3 - <<'PYTHON'
import glob, os, struct, zlib
def png(path, width, height, bits, value):
    row = b"\0" + value.to_bytes(bits // 8, "big") * width
    chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    header = struct.pack(">IIBBBBB", width, height, bits, 0, 0, 0, 0)
    open(path, "wb").write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(row * height)) + chunk(b"IEND", b""))
for photo in sorted(glob.glob("set/images/*.jpg")):
    name = os.path.splitext(os.path.basename(photo))[0]
    png(f"masks/{name}.png", 32, 24, 8, 255)
    png(f"set/depth/{name}.png", 64, 48, 16, 400)
png("masks/stranger.png", 32, 24, 8, 255)
png("none-of-them/stranger.png", 32, 24, 8, 255)
os.remove("set/depth/003.png")
PYTHON
expect 1 "none of its files has the name of a photo" "$vitrine" reconstruct $photos --poses p.json --masks none-of-them
expect 1 "not a folder with masks" "$vitrine" reconstruct $photos --poses p.json --masks no-such-folder
expect 0 "metres, by depth maps" "$vitrine" reconstruct $photos --poses p.json --masks masks
for line in "masks: there is no photo for stranger.png" "no depth map in depth for 003.jpg"; do grep -q "$line" err || fail "'$line' is not reported: $(cat err)"; done
rm -r set/depth
expect 0 "the given cameras' unit" "$vitrine" reconstruct $photos --poses p.json --cameras set/cameras.json
expect 0 "metres, as given" "$vitrine" reconstruct $photos --poses p.json --order sequential --sensitivity high --masks none --scale size:0.2

# A video: its options, and files of other kinds.
expect 2 "options for a video" "$vitrine" reconstruct $photos -o a.glb --frames 20
expect 2 "not FROM-TO in seconds" "$vitrine" reconstruct egg.glb -o a.glb --time 12
expect 2 "add --checkpoint DIR" "$vitrine" reconstruct egg.glb --transforms t.json
expect 1 "egg.glb: ffprobe" "$vitrine" reconstruct egg.glb -o a.glb

# A folder that photos arrive in: complete ones are copied, copies and others named; a capture goes on in the same folder.
expect 2 "FOLDER is missing" "$vitrine" capture set/images
expect 2 "require --reconstruct" "$vitrine" capture set/images -o shots --detail full
expect 1 "no-such: no such file" "$vitrine" capture no-such -o shots
mkdir inbox && cp $photos/00[0-2].* inbox && cp $photos/000.* inbox/copy.png && echo "no image" >inbox/broken.jpg
expect 0 '"event":"result".*"shots":3.*"skipped":2' "$vitrine" capture inbox -o shots --idle 0.3 --json
expect 0 "copies  3 photos, 2 skipped" "$vitrine" capture inbox -o copies --idle 0.3
grep -q "copy.png: is a copy of 000" err || fail "the copy was not named: $(cat err)"
expect 1 "is not empty" "$vitrine" capture inbox -o shots --idle 0.3
cp $photos/003.* inbox
expect 0 "4 photos, 5 skipped" "$vitrine" capture inbox -o shots --idle 0.3 --continue

# Killed at any moment, the same command goes on and ends with the same bytes.
for after in 1 2 4; do
  "$vitrine" reconstruct $photos -o killed/model.glb $small --checkpoint work >out 2>err &
  victim=$!
  sleep $after
  kill -9 $victim 2>/dev/null || true
  wait $victim 2>/dev/null || true
done
expect 0 'killed/model.glb' "$vitrine" reconstruct $photos -o killed/model.glb $small --checkpoint work --threads 1
cmp whole/model.glb killed/model.glb || fail "a resumed reconstruction gives other bytes"
# Ctrl-C, the end of a terminal and a polite kill end it cleanly.
for signal in INT HUP TERM; do
  "$vitrine" reconstruct $photos -o stopped.glb $small >out 2>err &
  victim=$!
  sleep 1.5
  kill -$signal $victim
  code=0
  wait $victim || code=$?
  [ $code = 1 ] && grep -q '^error: stopped' err && [ ! -e stopped.glb ] || fail "SIG$signal: exit code $code, $(cat err)"
done
ls | grep -q '\.tmp' && fail "temporary files were left: $(ls)"
# A batch: an object that fails stops no other, and the same command makes only missing objects.
mkdir -p objects/egg objects/two objects/empty objects/broken && cp $photos/*.jpg objects/egg && cp -r objects/egg objects/egg2 && cp $photos/00[01].jpg objects/two
for i in 1 2 3; do head -c 500 $photos/00$i.jpg >objects/broken/$i.jpg; done
expect 2 "need .name." "$vitrine" reconstruct objects --batch -o a.glb
expect 2 "requires --batch" "$vitrine" reconstruct $photos -o a.glb --summary a.html
expect 1 "remove --batch" "$vitrine" reconstruct $photos --batch -o '{name}.glb'
expect 1 "objects: 3 of 5 objects failed: see poses/batch.html" "$vitrine" reconstruct objects --batch --poses 'poses/{name}.json'
grep -q "warning: two failed: .*only 2 can be used" err || fail "the reason is missing: $(cat err)"
cmp poses/egg.json poses/egg2.json || fail "two objects of the same photos have other poses"
grep -q "two</th><td>failed: .*only 2 can be used" poses/batch.html || fail "the page does not show the failed object"
rm -r objects/two objects/empty objects/broken poses/egg.json
expect 0 '"event":"batch_result","failed":0' "$vitrine" reconstruct objects --batch --poses 'poses/{name}.json' --json
[ "$(grep -c '"event":"object"' out)" = 1 ] && grep -q '"name":"egg"' out || fail "a complete object was made again: $(cat out)"
# Stopped, it continues with the object that was in work.
rm poses/*.json*
"$vitrine" reconstruct objects --batch --poses 'poses/{name}.json' >out 2>err &
victim=$!
sleep 0.7
kill -TERM $victim
code=0
wait $victim || code=$?
[ $code = 1 ] && grep -q '^error: objects: stopped after 0 of 2 objects' err || fail "a stopped batch: exit code $code, $(cat err)"
expect 0 "2 of 2 objects complete" "$vitrine" reconstruct objects --batch --poses 'poses/{name}.json'
cmp poses/egg.json poses/egg2.json || fail "a batch that was stopped gives other poses"

# The tasks of a job give the same bytes.
expect 2 "'JOB/p.json': outputs of a job" "$vitrine" job plan $photos -o job --poses JOB/p.json
expect 1 "is not empty" "$vitrine" job plan $photos -o set --poses poses.json
expect 0 "photos, 10 tasks in 1 groups" "$vitrine" job plan $photos -o job --poses poses.json --photos-per-task 8 --pair-tasks 2
expect 1 "needs 1 tasks that are not done: background" "$vitrine" job run job features-1
expect 1 "has no task 'feature-1': did you mean 'features-1'" "$vitrine" job run job feature-1
expect 1 "has no plan.json" "$vitrine" job status set
while tasks=$("$vitrine" job status job --ready) && [ -n "$tasks" ]; do
  for task in $tasks; do expect 0 "$task  done in" "$vitrine" job run job $task; done
  [ -L job ] || { mv job moved-job; ln -s moved-job job; }
done
expect 0 "all 10 tasks are done" "$vitrine" job status job
expect 0 alone.json "$vitrine" reconstruct $photos --poses alone.json
cmp job/outputs/poses.json alone.json || fail "a job gives other poses"
grep -rq "$work" job/ && fail "a job names a place outside of it: $(grep -rl "$work" job/)"

# The example program, on the same photos.
example=$(dirname "$vitrine")/PhotosToModel
if [ -x "$example" ]; then
  expect 2 "usage: PhotosToModel" "$example"
  expect 2 "usage: PhotosToModel" "$example" $photos example.usdz --detail huge
  expect 0 "Processing is complete" "$example" $photos example.usdz --detail preview --picture example.png
  [ -s example.usdz ] && [ -s example.png ] || fail "the example made no model or no image"
else
  echo "command line: $example is not built, the example is skipped"
fi
# Recordings: made here as EuRoC's, converted to ours, inspected, tracked; broken ones are survived and counted, or refused.
for command in track replay record simulate score inspect; do expect 0 "usage: vitrine ar $command" "$vitrine" ar "$command" --help; done
expect 0 "usage: vitrine ar record" "$vitrine" help ar record
expect 2 "unknown command 'ar trakc': did you mean 'vitrine ar track'" "$vitrine" ar trakc
expect 2 "unknown command 'ar dance': run 'vitrine ar --help'" "$vitrine" ar dance
mkdir -p walk/mav0/cam0/data walk/mav0/imu0
python3 - <<'PYTHON'
import random, struct, zlib
random.seed(1)
def png(path, width, height, rows):
    chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    body = b"".join(b"\0" + row for row in rows)
    open(path, "wb").write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)) + chunk(b"IDAT", zlib.compress(body)) + chunk(b"IEND", b""))
texture = [bytes(random.randrange(256) for _ in range(96)) for _ in range(48)]
with open("walk/mav0/cam0/data.csv", "w") as listing:
    listing.write("#timestamp [ns],filename\n")
    for i in range(20):
        png(f"walk/mav0/cam0/data/{i}.png", 64, 48, [row[i:i + 64] for row in texture])
        listing.write(f"{1403715273000000000 + i * 50000000},{i}.png\n")
    listing.write("1403715273000000000,0.png\n")
with open("walk/mav0/imu0/data.csv", "w") as samples:
    for i in range(200): samples.write(f"{1403715273000000000 + i * 5000000},0,0,0,{'nan' if i == 7 else '0'},-9.81,0\n")
open("walk/mav0/cam0/sensor.yaml", "w").write("resolution: [64, 48]\ncamera_model: pinhole\nintrinsics: [60, 60, 31.5, 23.5]\ndistortion_model: none\n")
PYTHON
expect 0 "frames       20, .*problems     2|IMU          199" "$vitrine" ar inspect walk
expect 0 '"inertial_samples" : 199' "$vitrine" ar inspect walk --json
expect 2 "-o RECORDING is missing" "$vitrine" ar record walk
expect 0 "own: 20 frames, 199 inertial samples" "$vitrine" ar record walk -o own
grep -q 'imu0/data.csv:8: an inertial sample that is not finite' err || fail "a broken sample is not reported: $(cat err)"
expect 0 "again: 20 frames" "$vitrine" ar record own -o again
diff -rq own again || fail "a recording of a recording differs"
expect 2 "not a focal length" "$vitrine" ar inspect walk --camera wide
expect 1 "/dev/null: is not a camera" "$vitrine" ar record /dev/null -o live
expect 1 "walk: is a recording: a second camera does not apply" "$vitrine" ar record walk --second /dev/video2 -o paired
expect 1 "walk: is a recording: a calibration does not apply" "$vitrine" ar track walk --camera 300
if command -v ffmpeg >/dev/null; then
  ffmpeg -v error -f lavfi -i testsrc=size=64x48:rate=20:duration=1 walk.mp4
  expect 1 "does not contain the camera's calibration" "$vitrine" ar inspect walk.mp4
  expect 0 "walked: 20 frames, 0 inertial samples" "$vitrine" ar record walk.mp4 --camera 60 -o walked
  expect 1 "walk.mp4: is a video: a second camera does not apply" "$vitrine" ar record walk.mp4 --camera 60 --second /dev/video2 -o paired
  # Ctrl-C leaves a whole recording of what came before.
  ffmpeg -v error -f lavfi -i testsrc=size=320x240:rate=30:duration=120 -c:v libx264 -preset ultrafast long.mp4
  set -m  # for a group of its own, as a shell gives it: else it would ignore the signal
  "$vitrine" ar record long.mp4 --camera 300 -o stopped >out 2>err &
  recorder=$!
  set +m
  until grep -q '"picture"' stopped/events.jsonl 2>/dev/null; do sleep 0.1; done
  kill -INT -- -$recorder
  wait $recorder || fail "a stopped recording fails: $(cat err)"
  tail -n 1 stopped/events.jsonl | grep -q '^{"end":' || fail "a recording that was stopped has no end"
  expect 0 "problems     0" "$vitrine" ar inspect stopped
  head -c 600 walk.mp4 >cut.mp4
  expect 1 "cut.mp4: .*ffprobe" "$vitrine" ar inspect cut.mp4 --camera 60
fi
expect 0 "usage: vitrine ar simulate" "$vitrine" help ar simulate
expect 2 "not one of phone, euroc, tum-vi" "$vitrine" ar simulate bare -o sim --camera toy
expect 2 "'attic' is not one of study, hall, bare, or a model file" "$vitrine" ar simulate attic -o sim
expect 2 "requires --path FILE" "$vitrine" ar simulate bare -o sim --imu walk/mav0/imu0/data.csv
printf '0 0 1 0 0 0 0 1\n1 0 1 0 0 0 0\n' >short.tum
expect 1 "short.tum:2: 7 numbers instead of 8" "$vitrine" ar simulate bare -o sim --path short.tum
expect 0 "sim: 11 frames, 101 inertial samples" "$vitrine" ar simulate bare -o sim --seconds 0.5 --size 96x64 --cover 0.1:0.1 --depth 16x12
expect 0 "frames       11" "$vitrine" ar inspect sim
expect 1 "own: is not empty" "$vitrine" ar record walk -o own
# Damage through the whole: recoverable damage is a warning and in the JSON, other damage is one line and exit code 1.
cp -r sim hurt
sed -i '3s/,[^,]*\]/,null]/; 20s/"time":/"time":-/; 30d' hurt/events.jsonl
head -c 100 sim/frames/000004.png >hurt/frames/000004.png
expect 0 '"problems" : [1-9]' "$vitrine" ar replay hurt --tracker recorded -o hurt-frames --json
grep -q '000004.png' out || fail "a damaged image is not in the JSON: $(cat out)"
expect 0 '"problems" : [1-9]' "$vitrine" ar track hurt --tracker orientation --json
sed -i 's/"width":96/"width":-96/' hurt/recording.json
for command in "track hurt" "inspect hurt" "replay hurt -o none" "record hurt -o none"; do
  expect 1 'recording.json: "rig" lacks a part' "$vitrine" ar $command
  [ "$(wc -l <err)" = 1 ] || fail "ar $command: more than one line of error: $(cat err)"
done
expect 2 "-o OUT is missing" "$vitrine" ar replay own --place cube@plane
expect 2 "not tap:X,Y,T, plane or image" "$vitrine" ar replay own --place cube@floor -o replayed
expect 1 "no frame advanced: 1 came" "$vitrine" ar replay sim --duration 0.001 -o replayed
[ ! -e replayed ] || fail "a failed replay leaves $(ls replayed)"
mkdir replayed; touch replayed/notes.txt
expect 1 "replayed: is not empty" "$vitrine" ar replay sim -o replayed
expect 1 "egg.glb: is a file" "$vitrine" ar replay sim -o egg.glb
expect 2 "must be a folder, or a video that ends in" "$vitrine" ar replay sim -o walk.avi
expect 1 "nowhere: no such file" "$vitrine" ar replay sim -o nowhere/walk.mp4
expect 1 "ffmpeg is not installed" env PATH=/nonexistent "$vitrine" ar replay sim -o walked-again.mp4
expect 2 "'1,2' is not X,Y,T" "$vitrine" ar replay sim --place cube@tap:1,2 -o replay-1
expect 1 "a tap at 500.0, 2.0 is outside of images of 96 × 64" "$vitrine" ar replay sim --place cube@tap:500,2,0 -o replay-1
expect 1 "none.glb: no such file" "$vitrine" ar replay sim --place none.glb@plane -o replay-1
expect 1 "text.glb: is not a known model format" "$vitrine" ar replay sim --place text.glb@plane -o replay-1
expect 1 "has no animation 'jump': the model has no animations" "$vitrine" ar replay sim --place egg.glb@plane --animation jump -o replay-1
echo iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAAAAACPAi4CAAAAKUlEQVR42u3MQREAAAwCIKMb3RD77SAA6VEEAoFAIBAIBAKBQCAQfA8G320AeXC6efoAAAAASUVORK5CYII= | base64 -d >plain.png
expect 1 "error: plain.png: has too few details" "$vitrine" ar replay sim --image plain.png:0.3 -o replay-1
expect 1 "was never placed" "$vitrine" ar replay own --place cube@plane -o replay-1 --tracker recorded
expect 2 "--loop and --duration exclude each other" "$vitrine" ar replay sim --loop 2 --duration 1 -o replay-2
expect 0 "rounds     3: " "$vitrine" ar replay sim --place cube@tap:48,40,0.1 --loop 3 -o replay-2
[ "$(find replay-2 -name '*.png' | wc -l)" = 11 ] || fail "a looped replay writes other than its first round"
expect 1 "not a known recording: searched for recording.json" "$vitrine" ar inspect again/frames
head -c 3000 again/events.jsonl >cut.jsonl && mv cut.jsonl again/events.jsonl
rm again/frames/000001.png
expect 0 "cut short" "$vitrine" ar inspect again
grep -q '000001.png: no such file' out || fail "a missing image is not reported: $(cat out)"
expect 1 "no pose in 20 frames" "$vitrine" ar track own --tracker recorded
expect 1 "own: --marker-size and --depth require visual tracking" "$vitrine" ar track own --marker-size 0.2
expect 1 "own: --marker-size and --depth require visual tracking" "$vitrine" ar replay own --place cube@plane --depth 2 -o replayed
printf '{"format": 7' >broken.json
expect 1 "broken.json: " "$vitrine" ar track own --map broken.json
expect 1 "none.json: " "$vitrine" ar track own --map none.json
expect 1 "the tracker has no map" "$vitrine" ar track own --tracker orientation --save-map map.json
: >again/events.jsonl
expect 1 "has no readable images" "$vitrine" ar track again
example=$(dirname "$vitrine")/Card
if [ -x "$example" ]; then
  expect 2 "usage: Card" "$example" --size huge
  mkdir film
  "$example" --size 96x72 -o film --frames 2 || fail "Card made no film"
  [ -s film/card-1000.png ] && [ -s film/card-1001.png ] || fail "Card skipped images: $(ls film)"
  cmp -s film/card-1000.png film/card-1001.png && fail "Card's two images are equal: nothing rotated"
  mkdir touched
  printf '[{"time":0,"type":"down","x":48,"y":36},\n{"time":0.03,"type":"move","x":76,"y":36}]' >touch.json
  "$example" --size 96x72 -o touched --frames 3 --script touch.json || fail "Card took no script"
  cmp -s touched/card-1000.png touched/card-1001.png && fail "a written hand doesn't turn Card"
  printf '[\n{"time":0,"type":"down","x":48}]' >touch.json
  expect 1 'touch.json:2: "y" is missing' "$example" --size 96x72 -o touched --frames 3 --script touch.json
  "$example" --size 96x72 -o again.png && cmp film/card-1000.png again.png || fail "Card's first image differs in a second run"
  # A program that uses the library prints nothing on standard error without a desktop session.
  env -u XDG_RUNTIME_DIR -u WAYLAND_DISPLAY -u DISPLAY "$example" --size 96x72 -o silent.png 2>silent.txt || fail "Card made no image"
  [ -s silent.txt ] && fail "Card writes to standard error without XDG_RUNTIME_DIR: $(head -1 silent.txt)"
else
  echo "command line: $example is not built, the example is skipped"
fi
# Touch without a window: images of a script's touches; the same script gives the same bytes.
for name in Button:press Logo:drag; do
  example=$(dirname "$vitrine")/${name%:*}
  script=$root/Examples/${name%:*}/${name#*:}.json
  [ -x "$example" ] || { echo "command line: $example is not built, the example is skipped"; continue; }
  expect 2 "usage: ${name%:*}" "$example" --scale huge
  expect 1 "error: .*none.json" "$example" --script none.json --frames 1 -o "$name"
  for run in one two; do
    "$example" --script "$script" --frames 31 -o "$name/$run" || fail "${name%:*} wrote no images"
  done
  [ "$(ls "$name/one" | wc -l)" = 31 ] || fail "${name%:*} skipped images: $(ls "$name/one")"
  diff -rq "$name/one" "$name/two" || fail "${name%:*}: the same script gave other images"
  cmp -s "$name/one/frame-0000.png" "$name/one/frame-0005.png" || fail "${name%:*} moves without being touched"
  cmp -s "$name/one/frame-0000.png" "$name/one/frame-0030.png" && fail "${name%:*} is touched and does nothing"
done
# A tap in a simulated room drops a cube; the same script gives the same bytes.
example=$(dirname "$vitrine")/TapToPlace
if [ -x "$example" ]; then
  expect 2 "usage: TapToPlace" "$example" --scale huge
  for run in one two; do
    "$example" --script "$root/Examples/TapToPlace/taps.json" --frames 8 -o "placed/$run" >out || fail "TapToPlace wrote no images"
    grep -q "^cube 1 " out || fail "TapToPlace dropped no cube: $(cat out)"
  done
  [ "$(ls placed/one | wc -l)" = 8 ] || fail "TapToPlace skipped images: $(ls placed/one)"
  diff -rq placed/one placed/two || fail "TapToPlace: the same script gave other images"
else
  echo "command line: $example is not built, the example is skipped"
fi
example=$(dirname "$vitrine")/MadeInCode
if [ -x "$example" ]; then
  "$example" shapes.png || fail "MadeInCode wrote no image"
  "$example" shapes.glb && expect 0 'Vitrine' "$vitrine" inspect shapes.glb
  [ -s shapes.png ] || fail "MadeInCode wrote no image"
else
  echo "command line: $example is not built, the example is skipped"
fi
echo "command line: ok"
