#!/usr/bin/env bash
# Films as `vitrine render` writes them: lengths, colours against stills, transparency, the same bytes twice, nothing left behind.
#
#   scripts/test-films.sh PATH/TO/vitrine
set -euo pipefail
vitrine=$(realpath "${1:?usage: scripts/test-films.sh VITRINE}")
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
source "$root/scripts/expect.sh"
python3 "$root/scripts/make-moving-model.py" moving.gltf

film="--size 64x48 --samples 1 --occlusion map --fps 10"
expect 2 "requires a film" "$vitrine" render moving.gltf -o a.png --fps 10
expect 2 "in seconds requires a film" "$vitrine" render moving.gltf -o a.png --turntable 6s
expect 2 "stores no transparency" "$vitrine" render moving.gltf -o a.mp4 --background transparent
expect 2 "at most 50 frames per second" "$vitrine" render moving.gltf -o a.gif --fps 60
expect 2 "not a number of images" "$vitrine" render moving.gltf -o a.mp4 --turntable fast
expect 2 "--time and --ping-pong exclude each other" "$vitrine" render moving.gltf -o a.mp4 --time 1 --ping-pong
expect 1 "'Slide' ends at 2.0 s" "$vitrine" render moving.gltf -o a.mp4 --to 5
expect 1 "no animation 'Jump'" "$vitrine" render moving.gltf -o a.mp4 --animation Jump
expect 1 "ffmpeg is not installed: sudo apt-get install" env PATH=/nonexistent "$vitrine" render moving.gltf -o a.mp4 $film
expect 1 "none: no such file" "$vitrine" render moving.gltf -o none/a.mp4 $film
[ "$(ls)" = "$(printf 'err\nmoving.gltf\nout')" ] || fail "failed films left something: $(ls -A)"
command -v ffmpeg >/dev/null || { echo "test-films: ffmpeg is missing: the rest is skipped"; exit 0; }

expect 0 'slide.mp4: 20 frames, 2.00 s, 64x48' "$vitrine" render moving.gltf -o slide.mp4 $film --background color:#406080
expect 0 'again.mp4' "$vitrine" render moving.gltf -o again.mp4 $film --background color:#406080
cmp slide.mp4 again.mp4 || fail "two films of the same scene differ"
expect 0 '"frames" ?: 5' "$vitrine" render moving.gltf -o part.mp4 $film --from 0.5 --to 1 --json
expect 0 'even sides: 66x50 instead of 65x49' "$vitrine" render moving.gltf -o odd.mp4 $film --size 65x49 --to 0.2
expect 0 'both.webp: 20 frames' "$vitrine" render moving.gltf -o both.webp $film --turntable 2s --turns -1 --background transparent
expect 0 'both2.webp' "$vitrine" render moving.gltf -o both2.webp $film --turntable 2s --turns -1 --background transparent
cmp both.webp both2.webp || fail "two animated WebP of the same scene differ"
expect 0 'back.gif: 20 frames' "$vitrine" render moving.gltf -o back.gif $film --to 1 --ping-pong --background transparent --loop 2
expect 0 'back2.gif' "$vitrine" render moving.gltf -o back2.gif $film --to 1 --ping-pong --background transparent --loop 2
cmp back.gif back2.gif || fail "two GIF of the same scene differ"
expect 0 'still.webp' "$vitrine" render moving.gltf -o still.webp --size 64x48 --samples 1
expect 0 'turn.gif: 6 frames' "$vitrine" render moving.gltf -o turn.gif $film --animation none --turntable 6
expect 0 'pose.gif: 6 frames' "$vitrine" render moving.gltf -o pose.gif $film --time 1 --turntable 6
cmp -s turn.gif pose.gif && fail "--time changed nothing"

# The tags, the index before the frames, and colors equal to those of a still image from the same camera.
tags=$(ffprobe -v error -show_entries stream=codec_name,pix_fmt,color_range,color_space,color_transfer,color_primaries,nb_frames -of csv=p=0 slide.mp4)
[ "$tags" = "h264,yuv420p,tv,bt709,bt709,bt709,20" ] || fail "slide.mp4 is tagged $tags"
python3 - <<'PYTHON' || fail "the index is after the frames"
data = open("slide.mp4", "rb").read()
assert data.index(b"moov") < data.index(b"mdat")
PYTHON
for kind in mp4 webp gif; do
  "$vitrine" render moving.gltf -o colour.$kind $film --size 128x96 --time 0 --turntable 2 --turns 0.5 --quality 95 --background color:#406080 >/dev/null 2>&1
done
"$vitrine" render moving.gltf -o colour.png --size 128x96 --samples 1 --occlusion map --time 0 --background color:#406080 >/dev/null 2>&1
# ffmpeg 5 doesn't decode animated WebP: its first frame is taken out as a file of its own.
python3 - <<'PYTHON'
import struct
data = open("colour.webp", "rb").read()
at = data.index(b"ANMF")
size = struct.unpack("<I", data[at + 4:at + 8])[0]
frame = data[at + 24:at + 8 + size]
width, height = (int.from_bytes(data[at + 14 + 3 * i:at + 17 + 3 * i], "little") + 1 for i in (0, 1))
head = b"VP8X" + struct.pack("<IB3x", 10, 0x10) + (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little") if frame.startswith(b"ALPH") else b""
body = b"WEBP" + head + frame
open("first.webp", "wb").write(b"RIFF" + struct.pack("<I", len(body)) + body)
PYTHON
raw="-v error -frames:v 1 -f rawvideo -pix_fmt rgb24"
ffmpeg -i colour.png $raw still.rgb </dev/null
ffmpeg -i colour.mp4 $raw mp4.rgb </dev/null
ffmpeg -i colour.gif $raw gif.rgb </dev/null
ffmpeg -i first.webp $raw webp.rgb </dev/null
python3 - <<'PYTHON' || fail "the colours of a film are not those of the still"
def mean(name):
    a, b = open("still.rgb", "rb").read(), open(name, "rb").read()
    assert len(a) == len(b) == 128 * 96 * 3, (name, len(b))
    # Flat areas: pixels whose neighbours left and right are alike; edges differ by the halved colour resolution.
    total = count = 0
    for y in range(2, 94):
        for x in range(4, 124):
            i = 3 * (128 * y + x)
            if all(a[i + 3 * d:i + 3 * d + 3] == a[i:i + 3] for d in (-3, -2, -1, 1, 2, 3, -128, 128, -256, 256)):
                total += sum(abs(a[i + c] - b[i + c]) for c in range(3))
                count += 3
    assert count > 1000, count
    return total / count
for name in ("mp4", "gif", "webp"):
    difference = mean(name + ".rgb")
    assert difference <= 2.0, (name, difference)
PYTHON
ffmpeg -v error -i back.gif -frames:v 1 -f rawvideo -pix_fmt rgba back.rgba </dev/null
python3 -c 'data = open("back.rgba", "rb").read(); alphas = set(data[3::4]); assert alphas == {0, 255}, alphas' || fail "the GIF is not transparent"

# Ctrl-C and a polite kill leave nothing.
for signal in INT TERM; do
  "$vitrine" render moving.gltf -o cut.gif --size 640x480 --fps 50 --repeat 200 >out 2>err &
  victim=$!
  for _ in $(seq 200); do compgen -G '.vitrine*' >/dev/null && break; sleep 0.1; done
  kill -$signal $victim
  wait $victim 2>/dev/null && fail "a film interrupted by SIG$signal ended well"
  sleep 0.5
  [ ! -e cut.gif ] && ! compgen -G '.vitrine*' >/dev/null || fail "a film interrupted by SIG$signal left $(ls -A)"
done
echo "test-films: ok"
