#!/usr/bin/env bash
# Renders the images of the documentation again, with the commands that the pages name. Look at each before you commit it.
#
#   scripts/docs-images.sh [NAME ...]       NAME: owl, ar, made-in-code, card, egg, web (default: owl ar)
#
# Needs a finished build and ImageMagick. owl takes about five minutes on two cores, ar two.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD build=$PWD/.build/release vitrine=$PWD/.build/release/vitrine images=$PWD/docs/images
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ $# -gt 0 ] || set -- owl ar

# Left: a photo. Right: the reconstructed model from the camera of that photo. Below: the model from all sides, in its own colours.
owl() {
  cd "$work"
  "$vitrine" sample owl --only model >/dev/null
  "$vitrine" render owl/owl.glb -o set --photoset 30 --table --size 960x720 --fov 38 --samples 6 >/dev/null
  "$vitrine" reconstruct set/images -o model.glb --detail reduced --transforms transforms.json >/dev/null
  local photo; photo=$(find set/images -type f | LC_ALL=C sort | sed -n 1p)
  local plain="--samples 8 --debug base-color --background color:#F4F1EC"
  # shellcheck disable=SC2086
  "$vitrine" render model.glb -o match.png --photo-camera "transforms.json,$(basename "$photo")" --size 960x720 $plain >/dev/null
  # shellcheck disable=SC2086
  "$vitrine" render model.glb -o turn.png --size 360x360 --turntable 6 --orbit 20,12,auto --fov 30 $plain >/dev/null
  montage "$photo" match.png -tile 2x1 -geometry 560x420+4+0 top.png
  montage turn-*.png -tile 6x1 -geometry 181x181+4+4 bottom.png
  convert top.png bottom.png -gravity center -background white -append -quality 86 "$images/owl.jpg"
}

# Two frames of a simulated room, four seconds apart, with a model on a stool and one on the carpet.
ar() {
  cd "$work"
  "$vitrine" sample ar --only model >/dev/null
  python3 "$root/scripts/make-demo-model.py" egg.glb
  "$vitrine" ar simulate study -o room --seconds 9 --size 960x720 --fps 15 --noise 1 --depth 240x180 >/dev/null
  "$vitrine" ar replay room --place ar/owl.glb@tap:462,600,4.2 --place egg.glb@tap:560,440,4.2 --model-size 0.34 --tracker automatic -o frames >/dev/null
  montage frames/000075.png frames/000134.png -tile 2x1 -geometry 720x540+2+0 -quality 84 "$images/ar.jpg"
}

made-in-code() { "$build/MadeInCode" -o "$work/made.png" && cp "$work/made.png" "$images/made-in-code.png"; }
card() { "$build/Card" -o "$work/card.png" && convert "$work/card.png" -quality 86 "$images/card.jpg"; }
egg() {
  python3 scripts/make-demo-model.py "$work/egg.glb"
  "$vitrine" render "$work/egg.glb" -o "$images/egg.png" --size 1280x960 --orbit 24,9,0.34 --target 0,0.083,0 --fov 32 --background environment >/dev/null
}

# The page of the owl, in a wide window and on a phone. Needs Chromium and Xvfb.
web() {
  cd "$work"
  "$vitrine" sample sample --only model >/dev/null
  "$vitrine" web sample/owl.glb -o site --title "Painted owl" --shadow 0.6 >/dev/null
  python3 "$root/Tests/Web/screenshot.py" site wide.png --size 900x600
  python3 "$root/Tests/Web/screenshot.py" site phone.png --size 300x600 --scale 2 --dark
  convert phone.png -resize x600 narrow.png
  montage wide.png narrow.png -mode concatenate -tile 2x1 -border 1 -bordercolor '#c8ccd2' -geometry +5+0 -background white -quality 88 "$images/web.jpg"
}

for name in "$@"; do ("$name"); done
