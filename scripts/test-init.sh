#!/usr/bin/env bash
# Makes each template of `vitrine init` and each example of `vitrine examples`, and compiles the programs against the modules of a build; builds and
# runs the viewer as a package of its own without --quick.      scripts/test-init.sh COMMAND [--quick]
set -euo pipefail
command=$(realpath "$1") quick=${2:-}
cd "$(dirname "$0")/.."
root=$PWD
read -ra flags <<<"$(scripts/module-flags.sh .build/release)"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# compiles FOLDER: all Swift files below it as one program.
compiles() {
  local files
  mapfile -t files < <(find "$1" -name '*.swift' -not -name Package.swift)
  swiftc -typecheck -swift-version 6 -package-name init -module-name Program "${flags[@]}" "${files[@]}" || { echo "test-init: $1 does not compile" >&2; exit 1; }
}

for template in viewer photos ar; do
  "$command" init "$work/a-$template" --template "$template" --package "$root" >/dev/null
  swift package --package-path "$work/a-$template" describe --type json >/dev/null
  compiles "$work/a-$template/Sources"
done
"$command" init "$work/page" --template web >/dev/null 2>&1
for file in index.html page.css page.js model.glb vitrine-viewer.js vitrine.wasm; do [ -s "$work/page/$file" ] || { echo "test-init: the page has no $file" >&2; exit 1; }; done
for name in $("$command" examples | awk '{ print $1 }'); do
  "$command" examples --copy "$name" -o "$work/example-$name" >/dev/null
  diff -r -x '*.md' "Examples/$name" "$work/example-$name" || { echo "test-init: $name differs from Examples/$name" >&2; exit 1; }
done
[ "$("$command" examples | wc -l)" = "$(find Examples -mindepth 1 -maxdepth 1 -type d -not -name Web | wc -l)" ] || { echo "test-init: an example is missing: Sources/CEmbeddedFiles/Programs.c" >&2; exit 1; }
if [ "$quick" != --quick ]; then
  cd "$work/a-viewer"
  swift build --disable-index-store -debug-info-format none >build.log 2>&1 || { grep error build.log >&2; exit 1; }
  .build/debug/a-viewer -o view.png
  [ -s view.png ] || { echo "test-init: the viewer made no image" >&2; exit 1; }
fi
echo "init: templates and examples ok"
