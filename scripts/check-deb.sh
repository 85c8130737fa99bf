#!/usr/bin/env bash
# Installs the Debian package in a bare Debian without Swift, and uses the command there: scripts/check-deb.sh [PACKAGE] [FOLDER]
#
# PACKAGE: by default the newest in out/deb (make deb). FOLDER keeps the system and the results: by default a temporary one. Needs root, mmdebstrap and
# the network. Prints the time from `apt install` to the first image: the aim is a minute.
set -euo pipefail
cd "$(dirname "$0")/.."
package=${1:-$(ls -t out/deb/vitrine_*.deb 2>/dev/null | head -1)}
[ -f "$package" ] || { echo "error: no package in out/deb: run make deb" >&2; exit 1; }
source scripts/debian-system.sh
keep=${2:-}
folder=${2:-$(mktemp -d)}
cleanup() {
  debian_unmount
  [ -n "$keep" ] || rm -rf --one-file-system "$folder"
}
trap cleanup EXIT
debian_system "$folder"
system=$debian_root
cp "$package" "$system/root/"
seconds() { echo $(($(date +%s) - started)); }

inside 'if command -v swift; then exit 1; fi; apt-get update -qq'
started=$(date +%s)
inside 'apt-get install -y -qq --no-install-recommends ./vitrine_*.deb >/root/install.log 2>&1 || { tail -20 /root/install.log; exit 1; }'
echo "check-deb: apt install: $(seconds) s"
inside 'vitrine --version && vitrine doctor'
inside 'vitrine sample try --only model,environment >/dev/null; cd try && vitrine render owl.glb -o owl.png --size 640x480 --environment studio.hdr && [ -s owl.png ]'
took=$(seconds)
echo "check-deb: the first image after $took s"
[ -z "$keep" ] || cp "$system/root/try/owl.png" "$keep"
inside 'vitrine sample photos --only photos >/dev/null; cd photos && vitrine reconstruct photos -o model.usdz --detail preview --report model.html && vitrine inspect model.usdz'
echo "check-deb: a model from photos after $(seconds) s"
if [ -n "$keep" ]; then
  inside 'cd photos && vitrine render model.usdz -o model.png --size 640x480'
  cp "$system/root/photos/model.png" "$system/root/photos/model.html" "$keep"
fi
# Manual pages and completions, and no files left after the package was removed.
inside '[ -s /usr/share/man/man1/vitrine-render.1.gz ]; bash -n /usr/share/bash-completion/completions/vitrine; [ -s /usr/share/doc/vitrine/copyright ]'
inside '! ldd /usr/bin/vitrine | grep "not found"; apt-get remove -y -qq vitrine >/dev/null 2>&1; [ ! -e /usr/bin/vitrine ] && [ ! -e /usr/lib/vitrine ]'
# The container file's lines, in the same system; COPY put the package into /tmp.
cp "$package" "$system/tmp/"
sed -n 's/^RUN //p' Containerfile >"$system/root/container.sh"
[ -s "$system/root/container.sh" ]
inside 'bash -ex /root/container.sh >/root/container.log 2>&1 || { tail -20 /root/container.log; exit 1; }; vitrine --version'
echo "check-deb: ok, $(du -k -s --apparent-size "$system/usr" | cut -f 1) kB in /usr with everything installed"
