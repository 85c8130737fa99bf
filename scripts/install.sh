#!/usr/bin/env bash
# Installs a built command with wgpu-native, its manual pages and shell completions.
#
#   scripts/install.sh COMMAND PREFIX     COMMAND: .build/release/vitrine; PREFIX: such as /usr/local or ~/.local
#
# DESTDIR, if set, precedes PREFIX in the paths that are written (for packages). Symbols are stripped. Each file is renamed into place.
set -euo pipefail
[ $# = 2 ] || { echo "usage: scripts/install.sh COMMAND PREFIX" >&2; exit 2; }
command=$1 root=${DESTDIR:-}$2
[ -x "$command" ] || { echo "error: $command: no such program: run 'make build' first" >&2; exit 1; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
strip -o "$work/vitrine" "$command"
"$command" manual "$work/man"
gzip -9 -n "$work"/man/*.1
for shell in bash zsh fish; do "$command" completions "$shell" >"$work/$shell"; done

# put MODE SOURCE TARGET
put() {
  mkdir -p "$(dirname "$root/$3")"
  install -m "$1" "$2" "$root/$3.new"
  mv "$root/$3.new" "$root/$3"
}
put 755 "$work/vitrine" bin/vitrine
# The command looks there first (scripts/swift-flags.sh), so that another version in the system's folders does no harm.
library=$(ldd "$command" | awk '$1 == "libwgpu_native.so" { print $3 }')
[ -f "$library" ] || { echo "error: $command: its library libwgpu_native.so is missing: run scripts/setup.sh" >&2; exit 1; }
strip -o "$work/libwgpu_native.so" "$library"
put 644 "$work/libwgpu_native.so" lib/vitrine/libwgpu_native.so
for page in "$work"/man/*.gz; do put 644 "$page" "share/man/man1/$(basename "$page")"; done
put 644 "$work/bash" share/bash-completion/completions/vitrine
put 644 "$work/zsh" share/zsh/site-functions/_vitrine
put 644 "$work/fish" share/fish/vendor_completions.d/vitrine.fish
echo "installed: $root/bin/vitrine ($(stat -c %s "$root/bin/vitrine") bytes), manual pages, completions for bash, zsh and fish"
case ":$PATH:" in *":$2/bin:"*) ;; *) [ -n "${DESTDIR:-}" ] || echo "note: $2/bin is not in PATH" ;; esac
