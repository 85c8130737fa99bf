#!/usr/bin/env bash
# The flags with which a compiler finds the modules of a finished build: swiftc -typecheck $(scripts/module-flags.sh) FILE
#
#   scripts/module-flags.sh [BUILD]       BUILD: .build/release (default) or .build/debug
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-.build/release}
[ -d "$build/Modules" ] || { echo "error: $build/Modules: no such folder: build first (make build)" >&2; exit 1; }
export PKG_CONFIG_PATH=${VITRINE_PREFIX:-/usr/local}/lib/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
flags="-I $build/Modules"
for map in Sources/C*/module.modulemap "$build"/C*.build/module.modulemap; do
  if [ -f "$map" ]; then flags="$flags -Xcc -fmodule-map-file=$map"; fi
done
for directory in $(pkg-config --cflags-only-I wgpu-native vitrine-sdl2 libpng vitrine-OpenEXR libheif harfbuzz); do flags="$flags -Xcc $directory"; done
echo "$flags"
