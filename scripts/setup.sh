#!/usr/bin/env bash
# Installs what Vitrine needs beside Swift: Debian packages, and wgpu-native from its PyPI wheel (pinned version and hash).
#
#   scripts/setup.sh [GROUP ...]      groups: build (default), web, test, bench, docs, cluster, browser
#
# Settings: VITRINE_PREFIX, where wgpu-native goes (/usr/local when writable, else ~/.local).
# Leaves alone everything that is already there, so a second call takes a fraction of a second.
set -euo pipefail

WGPU_WHEEL_VERSION=0.32.0
WGPU_NATIVE_VERSION=29.0.0
WGPU_WHEEL_SHA256_x86_64=6499a31b5a29a10b4f1089fea4a0806411f42605fa86b6c0b543a07ca0de8568
WGPU_WHEEL_SHA256_aarch64=00454ba1bc794d38c8365f4ad29f381b88ce0a7f115133bfaa6f1dfad7eb2764

PACKAGES_build="pkg-config libsdl2-dev libpng-dev libdeflate-dev libjpeg62-turbo-dev libwebp-dev libopenexr-dev libheif-dev libexpat1-dev zlib1g-dev libmeshoptimizer-dev libdraco-dev libzstd-dev libharfbuzz-dev ffmpeg libvulkan1 mesa-vulkan-drivers"
PACKAGES_web="binaryen"
PACKAGES_test="xvfb xdotool x11-apps imagemagick python3 fonts-dejavu-core"
# libusb: Open3D asks for it when it is imported.
PACKAGES_bench="python3-venv libusb-1.0-0"
PACKAGES_docs=""
PACKAGES_browser="xvfb python3 chromium"
PACKAGES_cluster="slurmctld slurmd slurm-client munge python3-venv"

fail() { echo "error: setup: $*" >&2; exit 1; }

default_prefix() {
  if [ -w /usr/local/lib ] && [ -w /usr/local/include ]; then echo /usr/local; else echo "$HOME/.local"; fi
}

missing_packages() {
  command -v dpkg-query >/dev/null || return 0
  for package in "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || printf '%s ' "$package"
  done
}

install_packages() {
  local missing
  missing=$(missing_packages "$@")
  [ -z "$missing" ] && return 0
  command -v apt-get >/dev/null || fail "missing: $missing. This system has no apt-get: install the same libraries with its own package manager"
  [ "$(id -u)" = 0 ] || fail "missing packages. Install them, then run this again:  sudo apt-get install -y $missing"
  echo "setup: installing $missing"
  local log; log=$(mktemp)
  export DEBIAN_FRONTEND=noninteractive
  # shellcheck disable=SC2086
  { apt-get update -qq && apt-get install -y -qq --no-install-recommends $missing; } >"$log" 2>&1 || { tail -n 5 "$log" >&2; fail "apt-get could not install: $missing (log: $log)"; }
  rm -f "$log"
}

install_wgpu() {
  local prefix=$1 machine hash work
  export PKG_CONFIG_PATH="$prefix/lib/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}"
  [ "$(pkg-config --modversion wgpu-native 2>/dev/null)" = "$WGPU_NATIVE_VERSION" ] && return 0
  machine=$(uname -m)
  hash=WGPU_WHEEL_SHA256_$machine
  [ -n "${!hash:-}" ] || fail "no pinned wgpu-native for the processor '$machine' (known: x86_64, aarch64)"
  python3 -m pip --version >/dev/null 2>&1 || install_packages python3-pip
  echo "setup: installing wgpu-native $WGPU_NATIVE_VERSION into $prefix"
  work=$(mktemp -d); trap 'rm -rf "$work"' RETURN
  echo "wgpu==$WGPU_WHEEL_VERSION --hash=sha256:${!hash}" >"$work/requirements.txt"
  python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary=:all: --require-hashes \
    -r "$work/requirements.txt" -d "$work" >"$work/log" 2>&1 || { tail -n 3 "$work/log" >&2; fail "the wheel wgpu $WGPU_WHEEL_VERSION could not be fetched from PyPI"; }
  python3 -m zipfile -e "$work"/wgpu-*.whl "$work/wheel"
  mkdir -p "$prefix/lib/pkgconfig" "$prefix/include/webgpu"
  install -m 644 "$work/wheel/wgpu/resources/webgpu.h" "$work/wheel/wgpu/resources/wgpu.h" "$prefix/include/webgpu/"
  # Renamed into place in one step, so that a program that runs now keeps the library it has open.
  install -m 755 "$work/wheel/wgpu/resources/libwgpu_native-release.so" "$prefix/lib/libwgpu_native.so.new"
  mv "$prefix/lib/libwgpu_native.so.new" "$prefix/lib/libwgpu_native.so"
  cat >"$prefix/lib/pkgconfig/wgpu-native.pc" <<PC
prefix=$prefix
libdir=\${prefix}/lib
includedir=\${prefix}/include

Name: wgpu-native
Description: WebGPU in native code
Version: $WGPU_NATIVE_VERSION
Libs: -L\${libdir} -lwgpu_native
Cflags: -I\${includedir}
PC
  if [ "$prefix" = /usr/local ] && [ "$(id -u)" = 0 ]; then ldconfig; fi
}

# SwiftPM refuses compiler flags such as -pthread in a library's pkg-config file, and prints a warning each time it reads one. For these libraries
# Package.swift names a copy without such flags, written here: vitrine-NAME.pc.
install_pkg_config_copies() {
  local directory=$1/lib/pkgconfig name content
  export PKG_CONFIG_PATH="$directory${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}"
  mkdir -p "$directory"
  for name in sdl2 OpenEXR; do
    pkg-config --exists "$name" || fail "pkg-config does not know $name: install its development package"
    content="Name: vitrine-$name
Description: $name without the flags that SwiftPM refuses (written by Vitrine's scripts/setup.sh)
Version: $(pkg-config --modversion "$name")
Libs: $(pkg-config --libs-only-L "$name")$(pkg-config --libs-only-l "$name")
Cflags: $(pkg-config --cflags-only-I "$name")"
    [ "$(cat "$directory/vitrine-$name.pc" 2>/dev/null)" = "$content" ] && continue
    echo "$content" >"$directory/vitrine-$name.pc.new"
    mv "$directory/vitrine-$name.pc.new" "$directory/vitrine-$name.pc"
  done
}

command -v swift >/dev/null || fail "Swift 6.1 or newer is not on the PATH: https://www.swift.org/install"
[ $# -gt 0 ] || set -- build
for group in "$@"; do
  packages=PACKAGES_$group
  [ -n "${!packages+set}" ] || fail "unknown group '$group' (known: build, web, test, bench, docs, cluster, browser)"
  # shellcheck disable=SC2086
  install_packages ${!packages}
done
prefix=${VITRINE_PREFIX:-$(default_prefix)}
install_wgpu "$prefix"
install_pkg_config_copies "$prefix"
