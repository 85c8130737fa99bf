#!/usr/bin/env bash
# Kills captures and reconstructions of videos at random moments: folders stay usable, and the same command ends with the same bytes.
#
#   scripts/test-capture-kills.sh VITRINE [KILLS]     default: 10 kills of each
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
vitrine=$(realpath "${1:?usage: scripts/test-capture-kills.sh VITRINE [KILLS]}")
kills=${2:-10}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
source "$root/scripts/expect.sh"
RANDOM=7

# kill_after SECONDS COMMAND…
kill_after() {
  local seconds=$1
  shift
  "$@" >out 2>err &
  local victim=$!
  sleep "$seconds"
  kill -9 $victim 2>/dev/null || true
  wait $victim 2>/dev/null || true
}

"$vitrine" sample try --only photos,recording --photos 24 >/dev/null 2>err || fail "no sample: $(cat err)"

# A video of the photos, each for a tenth of a second.
ffmpeg -v error -y -framerate 10 -i try/photos/%03d.jpg -r 30 -pix_fmt yuv420p owl.mp4
reconstruct=(reconstruct owl.mp4 --frames 12)
began=$(date +%s%N)
expect 0 '12 of 12 photos used' "$vitrine" "${reconstruct[@]}" --poses whole.json --checkpoint whole
length=$((($(date +%s%N) - began) / 1000000))
for ((n = 0; n < kills; n++)); do
  # Every second kill is early: while frames are chosen and extracted.
  limit=$((n % 2 ? length : length / 4))
  at=$((RANDOM * limit / 32768))
  kill_after "$(printf '%d.%03d' $((at / 1000)) $((at % 1000)))" "$vitrine" "${reconstruct[@]}" --poses killed.json --checkpoint killed
done
expect 0 '12 of 12 photos used' "$vitrine" "${reconstruct[@]}" --poses killed.json --checkpoint killed --threads 1
cmp whole.json killed.json || fail "after kills, the video's poses differ"
diff -r whole/video-frames killed/video-frames || fail "after kills, the video's frames differ"

# Captures of a recording: complete shots only, and the next capture adds to them.
mkdir shots
count=0
for ((n = 0; n < kills; n++)); do
  kill_after "$((RANDOM % 5)).$((RANDOM % 10))" "$vitrine" capture try/walk -o shots --area --continue --json
  ls -A shots | grep -q . || continue
  for image in shots/shot-*.jpg; do
    [ -e "$image" ] || continue
    [ -s "${image%.jpg}.json" ] || fail "$image has no record"
    python3 -c 'import sys; d = open(sys.argv[1], "rb").read(); sys.exit(d[:2] != b"\xff\xd8" or d[-2:] != b"\xff\xd9")' "$image" || fail "$image is cut off"
  done
  now=$(find shots -name 'shot-*.jpg' | wc -l)
  [ "$now" -ge "$count" ] || fail "a capture lost $((count - now)) shots"
  count=$now
done
expect 0 '"event":"result"' "$vitrine" capture try/walk -o shots --area --continue --json
ls -A shots | grep -q '\.tmp$' && fail "temporary files were left: $(ls -A shots)"
[ "$(find shots -name 'shot-*.jpg' | wc -l)" -gt "$count" ] || fail "the last capture added no shot"
echo "capture kills: $kills kills of a video's reconstruction and $kills of a capture, nothing was lost"
