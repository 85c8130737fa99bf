# A bare Debian in a folder, for scripts that try Vitrine where nothing is installed: sourced by check-deb.sh and check-fresh.sh.
#
# debian_system FOLDER makes the system in FOLDER/system; `inside COMMAND…` runs a command there; `debian_unmount` undoes the mounts.
# Needs root, mmdebstrap (installed if missing) and the network. VITRINE_DEBIAN selects the release: by default bookworm.

debian_root=
debian_suite=${VITRINE_DEBIAN:-bookworm}

debian_system() {
  [ "$(id -u)" = 0 ] || { echo "error: $0: needs root, for a system of its own" >&2; exit 1; }
  command -v mmdebstrap >/dev/null || { apt-get update -qq && apt-get install -y -qq mmdebstrap >/dev/null; }
  local base=.build/debian-$debian_suite.tar
  if [ ! -f "$base" ]; then
    echo "$(basename "$0"): creating a bare $debian_suite"
    mkdir -p .build
    mmdebstrap --quiet --format=tar --variant=apt "$debian_suite" "$base.new" http://deb.debian.org/debian
    mv "$base.new" "$base"
  fi
  debian_root=$1/system
  mkdir -p "$debian_root"
  tar -C "$debian_root" -xf "$base"
  mount --bind /dev "$debian_root/dev"
  # Terminals: a bind mount of /dev does not include them.
  mount --bind /dev/pts "$debian_root/dev/pts"
  mount -t proc proc "$debian_root/proc"
  mount -t sysfs sys "$debian_root/sys"
  cp /etc/resolv.conf "$debian_root/etc/resolv.conf"
  # The authorities that this machine trusts, for networks with a proxy that signs for others.
  if [ -f /etc/ssl/certs/ca-certificates.crt ]; then
    mkdir -p "$debian_root/usr/local/share"
    cp /etc/ssl/certs/ca-certificates.crt "$debian_root/usr/local/share/trusted.crt"
  fi
}

debian_unmount() {
  local mount
  [ -n "$debian_root" ] || return 0
  for mount in "$@" proc dev/pts dev sys; do
    if mountpoint -q "$debian_root/$mount"; then umount -l "$debian_root/$mount"; fi
  done
}

# In /root, with the environment of a new login.
inside() {
  chroot "$debian_root" /usr/bin/env -i HOME=/root PATH="${debian_path:+$debian_path:}/usr/sbin:/usr/bin:/sbin:/bin" LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive PIP_CERT=/usr/local/share/trusted.crt \
    bash -e -o pipefail -c "cd /root; $1"
}
