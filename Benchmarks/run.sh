#!/usr/bin/env bash
# Measures Vitrine against pygfx and Filament in one run, alternately, and prints a table. `make bench` calls it.
#
#   Benchmarks/run.sh [--write] [--rounds N] [--frames N] [--only frame,boxes,first,files,floor,lights,lobes,effects,formats,touch,size]
#
# --write puts the tables into docs/measurements/speed.md. The other programs come from PyPI (pygfx, trimesh, assimp, OpenUSD; versions and hashes in
# requirements.txt) and from Debian (libfilament-dev, libfilament-tools). Programs that cannot be installed are named and skipped.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/.." && pwd)
work=$root/.build/baselines

note() { echo "bench: $*" >&2; }

make_pygfx() {
  cmp -s "$here/requirements.txt" "$work/venv/requirements.txt" && return 0
  command -v python3 >/dev/null || { note "no python3: programs from PyPI are skipped. apt-get install python3-venv"; return 0; }
  rm -rf "$work/venv"
  python3 -m venv "$work/venv" || { note "python3 has no venv: programs from PyPI are skipped. apt-get install python3-venv"; return 0; }
  note "installing pygfx, trimesh, assimp and OpenUSD from PyPI"
  "$work/venv/bin/pip" install --quiet --disable-pip-version-check --require-hashes -r "$here/requirements.txt" \
    || { note "PyPI could not be reached: programs from PyPI are skipped"; rm -rf "$work/venv"; return 0; }
  cp "$here/requirements.txt" "$work/venv/requirements.txt"
}

make_filament() {
  local package missing=""
  for package in libfilament-dev libfilament-tools xvfb g++; do
    dpkg-query -W -f='${Status}' $package 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
  done
  if [ -n "$missing" ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    note "installing$missing"
    # shellcheck disable=SC2086
    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing; } >"$work/apt.log" 2>&1 && missing=""
  fi
  [ -z "$missing" ] || { note "Filament is skipped: apt-get install$missing"; return 0; }
  [ "$work/filament-frame" -nt "$here/filament/main.cpp" ] && return 0
  g++ -std=c++17 -O2 -isystem /usr/include/filament-1.9 "$here/filament/main.cpp" -o "$work/filament-frame" \
    -lfilament -lfilament_gltfio_core -l:libfilament_gltfio_resources.a -lfilament_image -lfilament_utils -lfilament_backend -lpthread \
    || note "Filament is skipped: its program does not compile"
}

only=$(printf '%s\n' "$@" | sed -n '/^--only$/{n;p;}; s/^--only=//p')
# Whether one of these parts will be measured.
wants() {
  local part
  [ -n "$only" ] || return 0
  for part in "$@"; do case ",$only," in *,$part,*) return 0 ;; esac; done
  return 1
}

mkdir -p "$work"
! wants frame boxes first files formats touch || make_pygfx
! wants frame boxes first files || make_filament
# The in-process measurements: a package of its own, so that the library carries no benchmark.
if wants files floor lights formats touch; then
  # shellcheck disable=SC2046
  swift build $("$root/scripts/swift-flags.sh") --package-path "$here" --scratch-path "$root/.build/benchmarks" --product vitrine-measure >"$work/measure.log" 2>&1 \
    || { tail -n 20 "$work/measure.log" >&2; note "the in-process measurements do not build and are skipped"; }
fi
export XDG_RUNTIME_DIR=${XDG_RUNTIME_DIR:-$(mktemp -d)}
cd "$root"
exec python3 "$here/run.py" "$@"
