#!/usr/bin/env bash
# Packs a built command as a Debian package and as a tarball: scripts/deb.sh COMMAND FOLDER      (make deb builds the command first)
#
# The package declares what the command links (dpkg-shlibdeps) and loads. The tarball holds the same files, and runs where it is unpacked.
# The same command and commit give the same bytes.
set -euo pipefail
[ $# = 2 ] || { echo "usage: scripts/deb.sh COMMAND FOLDER" >&2; exit 2; }
cd "$(dirname "$0")/.."
command=$(realpath "$1") out=$2
for tool in dpkg-deb dpkg-shlibdeps; do
  command -v "$tool" >/dev/null || { echo "error: $tool is missing: sudo apt-get install -y dpkg-dev" >&2; exit 1; }
done
read -r _ number described <<<"$("$command" --version)"
commit=$(sed -n 's/^(commit \(.*\))$/\1/p' <<<"$described")
[ -n "$commit" ] || { echo "error: $command doesn't know its commit: build it by make deb" >&2; exit 1; }
if ldd "$command" | grep -q libswift; then echo "error: $command needs Swift's libraries: build it by make deb" >&2; exit 1; fi

export SOURCE_DATE_EPOCH
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
date=$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y%m%d)
# A commit between two versions sorts before the next one: 0.1.0~20261123.a3393060ab.
version=$number
[ "$(git describe --exact-match --tags HEAD 2>/dev/null)" = "v$number" ] && [ "${commit%+}" = "$commit" ] || version=$number~$date.$commit
architecture=$(dpkg --print-architecture)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root
mkdir -p "$root" "$out"
DESTDIR=$root scripts/install.sh "$command" /usr >/dev/null
mkdir -p "$root/usr/share/zsh/vendor-completions" "$root/usr/share/doc/vitrine" "$root/DEBIAN"
mv "$root/usr/share/zsh/site-functions/_vitrine" "$root/usr/share/zsh/vendor-completions/_vitrine"
rmdir "$root/usr/share/zsh/site-functions"
gzip -9 -n <CHANGELOG.md >"$root/usr/share/doc/vitrine/changelog.gz"
cat - LICENSE scripts/deb/copyright >"$root/usr/share/doc/vitrine/copyright" <<TEXT
Vitrine $number, commit $commit

TEXT

# What the command and wgpu-native link, with the oldest versions that have the symbols that they use.
mkdir -p "$work/debian"
printf 'Source: vitrine\n\nPackage: vitrine\nArchitecture: any\n' >"$work/debian/control"
linked=$(cd "$work" && dpkg-shlibdeps -O --ignore-missing-info "-l$root/usr/lib/vitrine" "$root/usr/bin/vitrine" "$root/usr/lib/vitrine/libwgpu_native.so" \
  2>"$work/shlibdeps.log" | sed -n 's/^shlibs:Depends=//p') || { cat "$work/shlibdeps.log" >&2; exit 1; }
[ -n "$linked" ] || { cat "$work/shlibdeps.log" >&2; echo "error: dpkg-shlibdeps named no package" >&2; exit 1; }

# wgpu-native loads Vulkan; Mesa has a driver for machines without a GPU. Videos are read and written by ffmpeg, in a process of its own.
cat >"$root/DEBIAN/control" <<CONTROL
Package: vitrine
Version: $version
Architecture: $architecture
Maintainer: The Vitrine developers <vitrine@localhost>
Installed-Size: $(du -k -s --apparent-size "$root/usr" | cut -f 1)
Depends: $linked, libvulkan1, mesa-vulkan-drivers | vulkan-icd
Recommends: ffmpeg, fonts-dejavu-core
Section: graphics
Priority: optional
Description: 3D models: show, render, convert, reconstruct from photos, AR
 Shows and renders glTF, USD, COLLADA, OBJ, PLY and STL models with physically
 based materials, converts and optimizes them, makes web pages of them,
 reconstructs textured models from photos, and tracks cameras for AR.
 Needs no GPU: Mesa's software renderer serves.
CONTROL
if "$command" doctor --json | grep -q 'compiled for AVX2'; then
  cat >"$root/DEBIAN/preinst" <<'SCRIPT'
#!/bin/sh
set -e
for word in avx2 fma; do
  grep -qw "$word" /proc/cpuinfo || { echo "vitrine: this processor has no $word: build a package for it by VITRINE_PORTABLE=1 make deb" >&2; exit 1; }
done
SCRIPT
  chmod 755 "$root/DEBIAN/preinst"
fi
(cd "$root" && find usr -type f -printf '%P\n' | sort | sed 's|^|usr/|' | xargs -d '\n' md5sum >DEBIAN/md5sums)
find "$root" -type d -exec chmod 755 {} +

package=$out/vitrine_${version}_$architecture.deb
dpkg-deb --root-owner-group -Zxz --build "$root" "$package" >/dev/null
name=vitrine-$version-linux-$(uname -m)
mv "$root/usr" "$work/$name"
tar -C "$work" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner -cJf "$out/$name.tar.xz" "$name"
installed=$(du -k -s --apparent-size "$work/$name" | cut -f 1)
for file in "$package" "$out/$name.tar.xz"; do echo "$file: $(stat -c %s "$file" | awk '{ printf "%.1f MB", $1 / 1e6 }')"; done
echo "installed: $(awk -v k="$installed" 'BEGIN { printf "%.1f MB", k * 1024 / 1e6 }'); depends: $linked"
# The aim is 40 MB beside Debian's libraries.
[ "$installed" -lt 39062 ] || { echo "error: more than 40 MB" >&2; exit 1; }
