#!/usr/bin/env bash
# Shows a model in a window on a display of its own (Xvfb), does with pointer and keys what a person does, and looks at the images.
#
#   scripts/window-test.sh [VITRINE] [OUT]     default: .build/release/vitrine, out/window-test
#
# Drops files on it, too. Needs Xvfb, xdotool and ImageMagick (scripts/setup.sh test). Waits for images to come to rest instead of counting seconds, so that a
# slow or busy machine only takes longer.
set -euo pipefail
cd "$(dirname "$0")/.."
vitrine=$(realpath "${1:-.build/release/vitrine}")
out=${2:-out/window-test}
for tool in Xvfb xdotool import compare python3; do
  command -v "$tool" >/dev/null || { echo "window-test: $tool is missing:  scripts/setup.sh test" >&2; exit 1; }
done
mkdir -p "$out"
out=$(realpath "$out")
rm -f "$out"/*
work=$(mktemp -d)
pids=()
cleanup() {
  for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
  rm -rf "$work"
}
trap cleanup EXIT

failures=()
check() { # NAME CONDITION...
  local name=$1; shift
  if "$@"; then echo "ok   $name"; else echo "FAIL $name"; failures+=("$name"); fi
}

mkfifo "$work/display"
# Without -noreset the server starts again when its last window closes, and refuses programs that connect meanwhile.
Xvfb -noreset -displayfd 3 -screen 0 1000x800x24 -nolisten tcp 3>"$work/display" 2>"$work/xvfb.log" &
pids+=($!)
read -r number <"$work/display"
export DISPLAY=:$number
unset WAYLAND_DISPLAY
# xdotool finds windows by titles in plain text only.
export LC_ALL=C
# The program must not need a session, and must not complain about that.
unset XDG_RUNTIME_DIR

python3 scripts/window-test-model.py "$work/cube.glb"
check "show takes a ground and lights" "$vitrine" show "$work/cube.glb" --size 240x180 --frames 2 --ground --light spot,size=0.05 --shadows
# The program runs in a directory of its own: that is where its screenshots go.
mkdir "$work/here"
( cd "$work/here" && exec "$vitrine" show "$work/cube.glb" --size 480x360 >"$work/log" 2>&1 ) &
program=$!
pids+=("$program")

window=
for _ in $(seq 300); do
  window=$(xdotool search --onlyvisible --name '^cube\.glb$' 2>/dev/null | head -1 || true)
  [ -n "$window" ] && break
  kill -0 "$program" 2>/dev/null || { echo "window-test: the program ended:"; cat "$work/log"; exit 1; }
  sleep 0.2
done
[ -n "$window" ] || { echo "window-test: no window came"; cat "$work/log"; exit 1; }

capture() { import -window "$window" "png24:$out/$1.png"; }
# The number of pixels that differ between two images; a big number when their sizes do.
differing() { local n; n=$(compare -metric AE "$out/$1.png" "$out/$2.png" null: 2>&1 || true); [[ $n =~ ^[0-9.e+]+$ ]] && printf '%.0f' "$n" || echo 999999; }
same() { [ "$(differing "$1" "$2")" = 0 ]; }
changed() { [ "$(differing "$1" "$2")" -gt "${3:-2000}" ]; }
# Takes an image once nothing moves; with a second name, once it looks different from that one (or time is up).
settled() {
  local previous
  capture "$1"
  for _ in $(seq 50); do
    [ -z "${2:-}" ] && break
    same "$1" "$2" || break
    sleep 0.2; capture "$1"
  done
  for _ in $(seq 120); do
    sleep 0.5
    previous=$(sha256sum <"$out/$1.png")
    capture "$1"
    [ "$(sha256sum <"$out/$1.png")" = "$previous" ] && return
  done
  echo "FAIL $1: the image does not come to rest"; failures+=("the image $1 comes to rest")
}
drag() { # BUTTON DX DY
  xdotool mousemove --window "$window" 240 180 mousedown "$1"
  for _ in $(seq 10); do xdotool mousemove_relative -- $(($2 / 10)) $(($3 / 10)); sleep 0.02; done
  # The hand rests, so that nothing runs on.
  sleep 0.3
  xdotool mouseup "$1"
}
# The same once the viewer's messages (2 s, failures 6 s) have disappeared.
quiet() { sleep "${3:-2.5}"; settled "$1" ${2:+"$2"}; }
# The number of bright pixels, as text has them, in a part of an image, WxH+X+Y.
bright() { convert "$out/$1.png" -crop "$2" +repage -colorspace gray -threshold 93% -format '%[fx:int(mean*w*h+0.5)]' info:; }
corner=300x40+5+315
# Takes images until one has more than so many bright pixels in a part, as a message has that disappears.
shows() { # IMAGE PART COUNT
  for _ in $(seq 50); do
    capture "$1"
    [ "$(bright "$1" "$2")" -gt "$3" ] && return
  done
  return 1
}
ticks() { awk '{ print $14 + $15 }' "/proc/$program/stat"; }
alive() { kill -0 "$program" 2>/dev/null; }

# The first image: whole, and still. A window has no content until it is drawn once more after it has come.
for _ in $(seq 50); do
  capture first
  [ "$(identify -format %k "$out/first.png")" -gt 50 ] && break
done
check "the first image is not empty" [ "$(identify -format %k "$out/first.png")" -gt 50 ]
settled rest
check "an untouched window shows the first image" same first rest

before=$(ticks); sleep 5; used=$(($(ticks) - before))
echo "     an untouched window used $used ticks of $(getconf CLK_TCK) a second in 5 s"
check "an untouched window uses less than 2 % of a processor" [ "$used" -lt $((5 * $(getconf CLK_TCK) / 50)) ]

drag 1 120 0; settled orbit rest
check "dragging turns the model" changed rest orbit
xdotool key r; settled home orbit
check "R goes home" [ "$(differing rest home)" -lt 2000 ]
drag 3 80 40; settled pan home
check "the right button moves the model" changed home pan
xdotool key Home; settled home2 pan

xdotool keydown shift mousemove --window "$window" 240 180 mousedown 1
for _ in $(seq 10); do xdotool mousemove_relative -- 15 0; sleep 0.02; done
check "shift + drag shows the angle" shows turning $corner $(($(bright home2 $corner) + 100))
# The hand rests, so that nothing runs on.
sleep 0.3; xdotool mouseup 1 keyup shift
quiet light home2
check "the angle disappears" [ "$(bright light $corner)" -lt 50 ]
check "shift + drag turns the light" changed home2 light 300
xdotool key d; settled normals light
check "a debug view shows its name" [ "$(bright normals $corner)" -gt 100 ]
xdotool keydown shift; drag 1 -150 0; xdotool keyup shift; quiet normals2
check "shift + drag leaves the model where it is" same normals normals2
xdotool key shift+d; quiet light2 normals

for _ in 1 2 3 4; do xdotool click 4; done; settled near light2
check "the wheel comes nearer" changed light2 near
for _ in 1 2 3 4; do xdotool click 5; done; settled far near
check "the wheel back goes back" [ "$(differing light2 far)" -lt 2000 ]

xdotool key Left; settled keys far
check "an arrow key turns the model" changed far keys
xdotool key m; quiet hard keys
check "M switches smooth edges off" changed keys hard 20
xdotool key m; quiet smooth hard
check "M switches them on again" same keys smooth
xdotool key t
check "T shows the name of the tone mapping" shows named $corner 100
quiet agx named
check "T changes the tone mapping" changed smooth agx
xdotool key s; settled statistics agx
check "S shows statistics" changed agx statistics 100
check "they have a frame time at rest" [ "$(bright statistics 250x100+5+5)" -gt $(($(bright agx 250x100+5+5) + 300)) ]
xdotool key s; settled bare statistics
xdotool key h; settled help bare
check "H shows the help in the window" [ "$(bright help 480x360+0+0)" -gt $(($(bright bare 480x360+0+0) + 1500)) ]
check "and not on the terminal" [ "$(grep -c 'left drag' "$work/log")" = 0 ]
xdotool key Escape; settled unhelped help
check "Escape closes the help" same bare unhelped
check "and not the window" alive

xdotool windowsize "$window" 640 240; settled wide
check "the image follows the window's size" [ "$(identify -format %wx%h "$out/wide.png")" = 640x240 ]
check "the wide image is whole" [ "$(identify -format %k "$out/wide.png")" -gt 50 ]
for size in "1 1" "900 700" "1 500" "333 217" "480 360"; do
  # shellcheck disable=SC2086
  xdotool windowsize "$window" $size; sleep 0.2
done
settled again
check "live resizing leaves the program alive" alive
xdotool windowunmap "$window"; sleep 0.5; xdotool windowmap "$window"; settled mapped
# Without a window manager nothing gives the keyboard back.
xdotool windowfocus "$window"
check "an unmapped window comes back as it was" same again mapped

xdotool key p
for _ in $(seq 100); do [ -f "$work/here/cube-001.png" ] && break; sleep 0.2; done
check "P writes an image" [ "$(identify -format '%m %wx%h' "$work/here/cube-001.png" 2>/dev/null)" = "PNG 480x360" ]
check "no temporary file is left" [ "$(find "$work/here" -type f | wc -l)" = 1 ]
cp "$work/here/cube-001.png" "$out/screenshot.png" 2>/dev/null || true
# Formats of windows round in their own way: a few levels, and a little more at edges.
apart=$(compare -metric AE -fuzz 3% "$out/mapped.png" "$out/screenshot.png" null: 2>&1 || true)
check "the screenshot is what the window shows" [ "${apart%%.*}" -lt 1500 ]
check "the log names it" grep -q 'cube-001.png' "$work/log"

named() { # TEXT: waits until the title contains it
  for _ in $(seq 300); do [[ "$(xdotool getwindowname "$window")" == *"$1"* ]] && return; sleep 0.2; done
  return 1
}
echo "a letter" >"$work/letter.txt"
check "a file can be dropped" python3 scripts/window-test-drop.py "$window" "$work/letter.txt"
check "a file that is no model is named in the title" named "letter.txt: is not a known model format"
check "and on standard error" grep -q '^error: .*letter.txt: ' "$work/log"
check "and in the window" shows failure 470x100+5+255 $(($(bright mapped 470x100+5+255) + 100))
quiet kept "" 6.5
check "and the content shown is still there" same mapped kept
convert -size 64x32 gradient:red-blue "$work/light.png"
check "an environment can be dropped" python3 scripts/window-test-drop.py "$window" "$work/light.png"
settled lit mapped
check "it lights the model" changed mapped lit
sed 's/slab/slob/' "$work/cube.glb" >"$work/other.glb"
check "a model can be dropped" python3 scripts/window-test-drop.py "$window" "$work/other.glb"
check "its name is in the title" named "other.glb"

xdotool key Escape
for _ in $(seq 50); do alive || break; sleep 0.2; done
alive && kill "$program"
code=0; wait "$program" || code=$?
check "Escape closes the window with exit code 0" [ "$code" = 0 ]

# The examples of touch, under a real pointer.
start() { # NAME: the program and its window
  # Line by line, or its output is lost when it is stopped.
  stdbuf -oL "$(dirname "$vitrine")/$1" --size 400x240 >"$work/log" 2>&1 &
  program=$!
  pids+=("$program")
  window=
  for _ in $(seq 300); do
    window=$(xdotool search --onlyvisible --name "^$1\$" 2>/dev/null | head -1 || true)
    [ -n "$window" ] && return
    alive || { echo "window-test: $1 ended:"; cat "$work/log"; exit 1; }
    sleep 0.2
  done
  echo "window-test: no window of $1 came"; cat "$work/log"; exit 1
}
idle() { # NAME: no time is used where nothing moves
  local before; before=$(ticks); sleep 3
  check "$1 at rest uses less than 2 % of a processor" [ $(($(ticks) - before)) -lt $((3 * $(getconf CLK_TCK) / 50)) ]
}
if [ -x "$(dirname "$vitrine")/Button" ]; then
  start Button
  settled button-rest
  idle Button
  xdotool mousemove --window "$window" 140 120 mousedown 1
  for _ in 1 2 3 4 5; do
    sleep 1
    capture button-pressed
    ! changed button-rest button-pressed || break
  done
  check "a press makes the button glow" changed button-rest button-pressed
  xdotool mousemove_relative 120 0; sleep 0.5; capture button-dragged
  check "the glow follows the pointer" changed button-pressed button-dragged 500
  xdotool mouseup 1; settled button-after button-dragged
  check "let go, it is as it was" same button-rest button-after
  check "the touch was reported once" [ "$(grep -c touched "$work/log")" = 1 ]
  idle "a Button that was pressed"
  kill "$program"; wait "$program" || true

  start Logo
  settled logo-rest
  idle Logo
  xdotool mousemove --window "$window" 120 120 mousedown 1
  for _ in $(seq 10); do xdotool mousemove_relative -- 6 -3; sleep 0.02; done
  sleep 0.5; capture logo-tilted
  check "a drag tilts the logo" changed logo-rest logo-tilted 500
  xdotool mouseup 1; settled logo-after logo-tilted
  check "let go, it springs back to where it was" [ "$(differing logo-rest logo-after)" -lt 200 ]
  idle "a Logo that was dragged"
  kill "$program"; wait "$program" || true
else
  echo "     Button and Logo are not beside $vitrine: not tried"
fi

# Things put into a recording's images by a real pointer.
start_tapping() { # RECORDING
  stdbuf -oL "$(dirname "$vitrine")/TapToPlace" "$1" >"$work/log" 2>&1 &
  program=$!
  pids+=("$program")
  window=
  for _ in $(seq 300); do
    window=$(xdotool search --onlyvisible --name '^Tap to place$' 2>/dev/null | head -1 || true)
    [ -n "$window" ] && return
    alive || { echo "window-test: TapToPlace ended:"; cat "$work/log"; exit 1; }
    sleep 0.2
  done
  echo "window-test: no window of TapToPlace came"; cat "$work/log"; exit 1
}
cubes() { grep -c '^cube' "$work/log" || true; }
# How many pixels are coloured, which only the placed objects are: in a part of an image, WxH+X+Y, or in all of it.
colored() { # IMAGE [PART]
  convert "$out/$1.png" ${2:+-crop "$2" +repage} -depth 8 txt:- |
    awk -F'[(,)]' 'NR > 1 && ($3 > $5 + 60 || $4 > $5 + 60) { count += 1 } END { print count + 0 }'
}
tap() { xdotool mousemove --window "$window" "$1" "$2" click 1; }
if [ -x "$(dirname "$vitrine")/TapToPlace" ]; then
  "$vitrine" ar simulate study -o "$work/room" --path held --extent 0.4 --seconds 14 --size 320x240 --fps 10 --gray >"$work/log" 2>&1 ||
    { echo "window-test: no room to tap in:"; cat "$work/log"; exit 1; }
  printf '[{"time":4,"type":"down","x":150,"y":150},{"time":4.05,"type":"up","x":150,"y":150}]' >"$work/taps.json"
  "$(dirname "$vitrine")/TapToPlace" "$work/room" --script "$work/taps.json" --frames 44 -o "$work/tapped" >"$work/log" 2>&1 || cat "$work/log"
  cp "$work/tapped/frame-0042.png" "$out/tapped.png"
  check "without a window: the cube is where it was tapped" [ "$(colored tapped 60x60+120+105)" -gt 60 ]
  check "and nothing else changed" [ "$(colored tapped)" = "$(colored tapped 60x60+120+105)" ]
  start_tapping "$work/room"
  # It takes a tap once it knows where the camera is.
  for _ in $(seq 200); do
    capture tap-before
    tap 150 150
    for _ in 1 2 3; do [ "$(cubes)" = 0 ] && sleep 0.1; done
    [ "$(cubes)" != 0 ] && break
  done
  check "a tap drops a cube" [ "$(cubes)" -ge 1 ]
  for _ in $(seq 100); do
    capture tap-after
    [ "$(colored tap-after)" -gt 60 ] && break
  done
  echo "     coloured: $(colored tap-before) pixels before the tap, $(colored tap-after) after"
  check "it is drawn" [ "$(colored tap-after)" -gt $(($(colored tap-before) + 50)) ]
  known=$(cubes)
  xdotool mousemove --window "$window" 60 60 mousedown 1
  for _ in $(seq 10); do xdotool mousemove_relative 12 4; sleep 0.02; done
  xdotool mouseup 1; sleep 0.5
  check "a drag drops nothing" [ "$(cubes)" = "$known" ]
  xdotool windowsize "$window" 480 360
  kill -STOP "$program"; sleep 1; kill -CONT "$program"
  xdotool windowunmap "$window"; sleep 0.5; xdotool windowmap "$window"
  # The recording ends, and its last image stays.
  settled tap-end
  check "the camera's image follows the window's size" [ "$(identify -format %wx%h "$out/tap-end.png")" = 480x360 ]
  # To its right lower corner, which stays black where it doesn't.
  check "and fills it" [ "$(convert "$out/tap-end.png" -crop 60x60+420+300 +repage -format %k info:)" -gt 20 ]
  check "the program is alive, and said no error" [ "$(alive && grep -c error "$work/log" || true)" = 0 ]
  idle "a recording at its end"
  kill "$program"; wait "$program" || true
else
  echo "     TapToPlace is not beside $vitrine: not tried"
fi

# Keys that are pressed while it loads take effect with the first frame. The model is large, so that it takes long enough.
python3 - "$work/large.obj" <<'PYTHON'
import math, sys
rows, columns = 400, 800
with open(sys.argv[1], "w") as file:
    for i in range(rows + 1):
        for j in range(columns):
            a, b = math.pi * i / rows, 2 * math.pi * j / columns
            file.write("v %.5f %.5f %.5f\n" % (math.sin(a) * math.cos(b), math.cos(a), math.sin(a) * math.sin(b)))
    for i in range(rows):
        for j in range(columns):
            a, b = i * columns + j, i * columns + (j + 1) % columns
            file.write("f %d %d %d %d\n" % (a + 1, a + columns + 1, b + columns + 1, b + 1))
PYTHON
"$vitrine" show "$work/large.obj" --size 480x360 --occlusion map >"$work/log" 2>&1 &
program=$!
pids+=("$program")
bar=
for _ in $(seq 200); do
  bar=$(xdotool search --onlyvisible --name '^large\.obj - ' 2>/dev/null | head -1 || true)
  [ -n "$bar" ] && break
  alive || break
  sleep 0.05
done
if [ -n "$bar" ]; then
  sleep 0.2; import -window "$bar" "png24:$out/loading.png" || true
  xdotool windowfocus "$bar" key d
  window=
  for _ in $(seq 300); do
    window=$(xdotool search --onlyvisible --name '^large\.obj$' 2>/dev/null | head -1 || true)
    [ -n "$window" ] && break
    sleep 0.2
  done
  # The name of the debug view that D switches to. A slow machine takes seconds for the second frame.
  for _ in $(seq 120); do
    capture early
    [ "$(bright early $corner)" -gt 100 ] && break
    sleep 0.5
  done
  check "a key pressed while it loads takes effect" [ "$(bright early $corner)" -gt 100 ]
  check "nothing is on standard error" [ "$(grep -c error "$work/log")" = 0 ]
else
  echo "     it loaded before the progress window came: keys while loading are not tried"
fi
kill "$program" 2>/dev/null; wait "$program" || true

# The unit tests of windows lose the GPU device, which the command cannot do: in make check-long, because one run failed beside other tests.
tests=$(dirname "$vitrine")/VitrinePackageTests.xctest
if [ -n "${VITRINE_WINDOW_LOSSES:-}" ] && [ -f "$tests" ]; then
  lose_devices() { VITRINE_TESTS_IN_WINDOW=1 timeout 300 "$tests" --testing-library swift-testing --filter WindowLossTests >"$work/log" 2>&1 && grep -q '3 tests' "$work/log"; }
  check "windows continue on another GPU device" lose_devices
fi

[ ${#failures[@]} = 0 ] || {
  echo "window-test: ${#failures[@]} failed; images in $out; the program said:"
  cat "$work/log"
  printf 'window-test: failed: %s\n' "${failures[@]}"
  exit 1
}
echo "window-test: all passed, images in $out"
