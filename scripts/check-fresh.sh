#!/usr/bin/env bash
# Follows the README in a bare Debian that has only Swift: scripts/check-fresh.sh [--demo] [--test] [FOLDER]
#
# Clones the last commit into a new system, where /opt/swift (VITRINE_SWIFT) is mounted, and runs `make demo` and `make test` there (by default both),
# so that no leftover of this machine hides a missing step of the set-up. The data folder is not there: tests that need it are skipped.
# FOLDER keeps the system and what the demo made: by default a temporary one. Needs root, mmdebstrap and the network; takes half an hour.
set -euo pipefail
cd "$(dirname "$0")/.."
usage() { sed -n '2,6s/^# //p' "$0" >&2; exit 2; }
steps=()
keep=""
for argument in "$@"; do
  case $argument in
    --demo | --test) steps+=("${argument#--}") ;;
    -*) usage ;;
    *) keep=$argument ;;
  esac
done
[ ${#steps[@]} -gt 0 ] || steps=(demo test)
swift=${VITRINE_SWIFT:-$(dirname "$(dirname "$(dirname "$(readlink -f "$(command -v swift)")")")")}
[ -x "$swift/usr/bin/swift" ] || { echo "error: $swift: no usr/bin/swift: set VITRINE_SWIFT to the folder of a toolchain" >&2; exit 1; }

source scripts/debian-system.sh
folder=${keep:-$(mktemp -d)}
cleanup() {
  debian_unmount opt/swift
  [ -n "$keep" ] || rm -rf --one-file-system "$folder"
}
trap cleanup EXIT
debian_system "$folder"
mkdir -p "$debian_root/opt/swift"
mount --bind -o ro "$swift" "$debian_root/opt/swift"
debian_path=/opt/swift/usr/bin

# What swift.org asks for on Debian 12, and what a clone and make need: the README asks for Swift, git and make.
packages="binutils-gold ca-certificates gcc g++ git libc6-dev libcurl4 libedit2 libgcc-12-dev libncurses6 libpython3.11 libsqlite3-0 libstdc++-12-dev libxml2 libz3-4 make tzdata zlib1g-dev"
inside "apt-get update -qq && apt-get install -y -qq --no-install-recommends $packages >/root/install.log 2>&1 || { tail -20 /root/install.log; exit 1; }"
inside 'swift --version 2>&1 | head -2'

# A clone, as a person would make: only committed files.
git clone --quiet --no-local . "$debian_root/root/vitrine"
echo "check-fresh: commit $(git rev-parse --short HEAD)"
for step in "${steps[@]}"; do
  started=$(date +%s)
  inside "cd vitrine && make $step >/root/$step.log 2>&1 || { grep -E '^FAIL|recorded an issue' /root/$step.log || true; tail -40 /root/$step.log; exit 1; }"
  echo "check-fresh: make $step: $(($(date +%s) - started)) s"
  if [ "$step" = demo ]; then inside 'cd vitrine/out/demo && for file in index.html model.glb model.usdz egg.png; do [ -s "$file" ] || { echo "error: $file is missing" >&2; exit 1; }; done'; fi
done
echo "check-fresh: ok"
