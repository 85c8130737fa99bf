#!/usr/bin/env bash
# Follows docs/guide/starts.md in a bare Debian that has only the package of `make deb`: scripts/check-starts.sh [PACKAGE] [FOLDER]
#
# Runs the commands of each start and prints the seconds from its first command to its last result, with the files of `vitrine sample`; then, where the data
# folder is, with files of that folder in their place: a model, photos, a recording, an environment. The page's commands that need Swift are not run.
# PACKAGE: by default the newest in out/deb. FOLDER keeps the results: by default nothing is kept. Needs root, mmdebstrap and the network.
set -euo pipefail
cd "$(dirname "$0")/.."
package=${1:-$(ls -t out/deb/vitrine_*.deb 2>/dev/null | head -1)}
[ -f "$package" ] || { echo "error: no package in out/deb: run make deb" >&2; exit 1; }
keep=${2:-}
page=docs/guide/starts.md
data=$(realpath -m ../shared/data)
source scripts/debian-system.sh
folder=$(mktemp -d)
cleanup() {
  debian_unmount
  rm -rf --one-file-system "$folder"
}
trap cleanup EXIT
debian_system "$folder"
cp "$package" scripts/in-window.sh "$debian_root/root/"

inside 'apt-get update -qq; apt-get install -y -qq --no-install-recommends xvfb xdotool procps >/root/install.log 2>&1 || { tail -20 /root/install.log; exit 1; }'
installation=$(date +%s)
inside 'apt-get install -y -qq ./vitrine_*.deb >/root/install.log 2>&1 || { tail -20 /root/install.log; exit 1; }'
inside 'vitrine sample try >/root/sample.log 2>&1 || { tail -20 /root/sample.log; exit 1; }'
echo "check-starts: apt install and vitrine sample: $(($(date +%s) - installation)) s"

# A start whose window opens on a display of its own.
cat >"$debian_root/root/prelude.sh" <<'PRELUDE'
. /root/in-window.sh
mkfifo /tmp/display.$$
Xvfb -noreset -displayfd 3 -screen 0 1280x900x24 -nolisten tcp 3>/tmp/display.$$ 2>/dev/null &
display=$!
trap 'kill $display 2>/dev/null' EXIT
read -r number </tmp/display.$$
export DISPLAY=:$number
vitrine() { if [ "$1" = show ]; then in_window /usr/bin/vitrine "$@"; else /usr/bin/vitrine "$@"; fi; }
PRELUDE

# start FOLDER TITLE: runs the commands of one start there.
start() {
  { echo '. /root/prelude.sh'; scripts/doc-commands.py "$page" --section "$2"; } >"$debian_root/root/start.sh"
  local began
  began=$(date +%s.%N)
  inside "cd $1 && bash -e -o pipefail /root/start.sh >/root/start.log 2>&1 || { tail -20 /root/start.log; exit 1; }"
  echo "check-starts: $1: $2: $(python3 -c "import sys; print(f'{float(sys.argv[1]) - float(sys.argv[2]):.1f} s')" "$(date +%s.%N)" "$began")"
}

mapfile -t titles < <(scripts/doc-commands.py "$page" --titles)
for title in "${titles[@]}"; do start try "$title"; done

# The page's names, with other content: a model and an environment, 36 photos, a recording by hand.
if [ -d "$data" ]; then
  mkdir "$debian_root/root/own"
  cp -r "$data/gltf/DamagedHelmet/glTF" "$debian_root/root/helmet"
  cp -r "$data/photosets/bust36/images" "$debian_root/root/own/photos"
  cp -r "$data/ar/handheld-room" "$debian_root/root/own/walk"
  cp "$data/environments/venice_sunset_1k.hdr" "$debian_root/root/own/studio.hdr"
  inside 'cp try/wave.wgsl own/; vitrine convert helmet/*.gltf own/owl.glb; photos=(own/photos/*); [ -e own/photos/000.jpg ] || mv "${photos[0]}" own/photos/000.jpg'
  for title in "${titles[@]}"; do start own "$title"; done
else
  echo "check-starts: $data is missing: the starts with other files are skipped"
fi
if [ -n "$keep" ]; then
  mkdir -p "$keep"
  for kind in try own; do
    [ -d "$debian_root/root/$kind" ] || continue
    mkdir -p "$keep/$kind"
    for result in owl.png waved.png model.html model.usdz walk.mp4 owl-page; do cp -r "$debian_root/root/$kind/$result" "$keep/$kind/"; done
  done
fi
echo "check-starts: ok"
