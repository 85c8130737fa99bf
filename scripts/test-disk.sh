#!/usr/bin/env bash
# Writes where writing fails: a full disk, a read-only folder, a closed pipe, an output that is a link, two processes on one output, an input that
# changes while it is read.      scripts/test-disk.sh COMMAND      (a full and a read-only disk need root)
#
# Every failure is one line "error: FILE: reason" and exit code 1, leaves the old file unchanged, and no temporary file.
set -euo pipefail
command=$(realpath "$1")
work=$(mktemp -d)
cleanup() {
  for disk in full readonly; do mountpoint -q "$work/$disk" && umount -l "$work/$disk"; done
  rm -rf "$work"
}
trap cleanup EXIT
cd "$work"
fail() { echo "test-disk: $*" >&2; cat "$work/log" >&2; exit 1; }
checks=0
# refused NAME FILE COMMAND…: must fail with a message about FILE.
refused() {
  local name=$1 file=$2 code=0
  shift 2
  timeout 300 "$@" >log 2>&1 || code=$?
  [ $code = 1 ] || fail "$name: exit code $code, not 1"
  grep -q "^error: .*$file" log || fail "$name: no error that names $file"
  checks=$((checks + 1))
}
nothing_left() { [ -z "$(find "$1" -name '.vitrine-*' -print -quit)" ] || fail "a temporary file is left in $1"; }

"$command" sample s --only model,environment >/dev/null
model=$work/s/owl.glb

if [ "$(id -u)" = 0 ]; then
  mkdir full readonly
  mount -t tmpfs -o size=256k tmpfs full
  echo old >full/out.glb
  for output in out.glb out.usdz out.usdc out.dae out.obj out.ply out.stl out.gltf; do
    refused "full disk, $output" full "$command" convert "$model" "full/$output"
    nothing_left full
  done
  [ "$(cat full/out.glb)" = old ] || fail "a full disk: the old file was changed"
  refused "full disk, web page" full "$command" web "$model" -o full/page
  refused "full disk, image" full "$command" convert "$model" full/a/b.glb
  refused "full disk, sample" full "$command" sample full/sample --only model,environment
  refused "full disk, manual" full sh -c 'dd if=/dev/zero of=full/rest bs=1k 2>/dev/null; "$0" manual full/man' "$command"
  nothing_left full
  mount -t tmpfs -o size=64m tmpfs readonly
  echo old >readonly/out.glb
  mount -o remount,ro readonly
  refused "read-only disk" readonly "$command" convert "$model" readonly/out.glb
  refused "read-only disk, new file" readonly "$command" convert "$model" readonly/new.usdz
  [ "$(cat readonly/out.glb)" = old ] || fail "a read-only disk: the old file was changed"
fi

# A closed pipe ends the output, not with an error of the shell's kind.
"$command" inspect "$model" --json 2>log | head -c 10 >/dev/null
[ ! -s log ] || fail "closed pipe: a message"
code=0
"$command" inspect "$model" >/dev/full 2>log || code=$?
[ $code = 1 ] && grep -q '^error: standard output' log || fail "full standard output: exit code $code"
checks=$((checks + 2))

# An output that is a link: its target is replaced, the link stays.
mkdir elsewhere
echo old >elsewhere/target.glb
ln -s elsewhere/target.glb link.glb
"$command" convert "$model" link.glb >log 2>&1 || fail "link"
[ -L link.glb ] && cmp -s elsewhere/target.glb <("$command" convert "$model" again.glb >/dev/null && cat again.glb) || fail "link: not the same file"
ln -s nowhere/target.glb broken.glb
refused "link into a missing folder" target.glb "$command" convert "$model" broken.glb
ln -s elsewhere/new.glb new.glb
"$command" convert "$model" new.glb >log 2>&1 && [ -L new.glb ] && [ -f elsewhere/new.glb ] || fail "link to a new file"
ln -s loop.glb loop.glb
refused "link to itself" loop.glb "$command" convert "$model" loop.glb
checks=$((checks + 1))

# Two processes on one output: one whole file is left. An input as the output is refused.
for _ in 1 2 3 4 5; do
  "$command" convert "$model" both.usdz >/dev/null 2>&1 &
  first=$!
  "$command" convert "$model" both.usdz >/dev/null 2>&1 || fail "two processes: the second failed"
  wait $first || fail "two processes: the first failed"
  "$command" inspect both.usdz >log 2>&1 || fail "two processes: a damaged file"
done
cp "$model" same.glb
refused "the input is the output" same.glb "$command" convert same.glb same.glb
cmp -s same.glb "$model" || fail "the input is the output: the file was changed"
nothing_left .
checks=$((checks + 1))

# An input that becomes shorter, longer or another while it is read: an error or one of the versions, never a crash.
cp "$model" moving.glb
(for size in 100 1000 100000 50 2000000; do truncate -s $size moving.glb; sleep 0.02; cp "$model" moving.glb; sleep 0.02; done) &
changer=$!
while kill -0 $changer 2>/dev/null; do
  code=0
  "$command" inspect moving.glb >log 2>&1 || code=$?
  [ $code -le 1 ] || fail "a changing input: exit code $code"
done
checks=$((checks + 1))
echo "disk: $checks checks ok"
