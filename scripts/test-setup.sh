#!/usr/bin/env bash
# What set-up says where it may not install: as an ordinary user, with a package missing.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# A machine on which no Debian package is installed, and a user who isn't root.
printf '#!/bin/sh\nexit 1\n' >"$work/dpkg-query"
printf '#!/bin/sh\necho 1000\n' >"$work/id"
chmod +x "$work/dpkg-query" "$work/id"
if message=$(PATH="$work:$PATH" scripts/setup.sh build 2>&1); then
  echo "test-setup: set-up claimed success although packages were missing" >&2
  exit 1
fi
for wanted in "sudo apt-get install" libsdl2-dev mesa-vulkan-drivers; do
  grep -qF "$wanted" <<<"$message" || { echo "test-setup: the message lacks '$wanted': $message" >&2; exit 1; }
done
if message=$(scripts/setup.sh nonsense 2>&1); then
  echo "test-setup: an unknown group was taken" >&2
  exit 1
fi
echo "set-up: without root it names what to install"
