#!/usr/bin/env bash
# Builds what web pages load: compiles the core modules for WebAssembly under Embedded Swift, links them, and joins the JavaScript.
# Usage: scripts/web.sh [FOLDER]                              the viewer (default out/web): vitrine.wasm, vitrine-runtime.js,
#                                                             vitrine-viewer.js, vitrine-meshopt.js
#        scripts/web.sh --scenes NAME FOLDER FILE.swift …     a program with layers and the scene code in these files, one of them main.swift:
#                                                             NAME.wasm, vitrine-runtime.js, vitrine-layers.js
#        scripts/web.sh --example NAME [FOLDER]               the page of Examples/Web/NAME (default out/web/NAME)
#        scripts/web.sh --digest viewer|layers                the digest of the sources and tools of the viewer, or of all that pages compile
# Needs the Swift toolchain, python3, webgpu.h and wasm-opt (scripts/setup.sh web).
set -euo pipefail
here=$PWD
cd "$(dirname "$0")/.."
name=vitrine
viewer=(VitrineMath VitrineGeometry VitrineMotion VitrineScene VitrineGPU VitrineRender VitrineStage VitrineGLTF VitrineWeb)
scenes=()
page=()
case "${1:-}" in
--digest) ;;
--scenes)
  [ $# -ge 4 ] || { echo "usage: scripts/web.sh --scenes NAME FOLDER FILE.swift …" >&2; exit 2; }
  name=$2 program=${2//[^a-zA-Z0-9]/_} out=$(cd "$here" && mkdir -p "$3" && cd "$3" && pwd)
  shift 3
  # The module of the scene code has the program's name.
  case "${name,,}" in vitrine* | swift | [!a-z]*) echo "error: a program cannot have the name '$name'" >&2; exit 2 ;; esac
  for file in "$@"; do scenes+=("$(cd "$here" && realpath "$file")"); done
  ;;
--example)
  example=${2:-}
  [ -n "$example" ] && [ -f "Examples/Web/$example/main.swift" ] || {
    echo "error: there is no example '$example', only $(cd Examples/Web && echo *)" >&2
    exit 2
  }
  name=${example,,} program=$example out=${3:-out/web/$example}
  mapfile -t scenes < <(find "Examples/$example" "Examples/Web/$example" -name '*.swift' ! -path "Examples/$example/main.swift" | LC_ALL=C sort)
  mapfile -t page < <(find "Examples/Web/$example" -type f ! -name '*.swift')
  ;;
*) out=${1:-out/web} ;;
esac
command -v wasm-opt >/dev/null || { echo "error: scripts/web.sh: wasm-opt is missing:  scripts/setup.sh web" >&2; exit 1; }
webgpu=$(pkg-config --variable=includedir wgpu-native)
if [ "${1:-}" = --digest ]; then
  files=("${viewer[@]/#/Sources/}" Sources/C{Lanes,VitrineBuiltins,VitrineWeb,WebGPU} Web/element Web/runtime scripts/embedded scripts/web*)
  if [ "${2:-}" = layers ]; then
    files+=(Sources/Vitrine{Layers,WebConcurrency,WebLayers} Sources/Vitrine/Layers/LayerView.swift Examples/Web scripts/check-embedded.sh)
    for example in Examples/Web/*; do files+=("Examples/$(basename "$example")"); done
  fi
  {
    swiftc --version 2>/dev/null
    wasm-opt --version
    find "${files[@]}" -type f -exec sha256sum {} + | LC_ALL=C sort -k 2
    cat "$webgpu"/webgpu/*.h
  } | sha256sum | cut -c 1-64
  exit
fi
build=${VITRINE_WEB_BUILD:-.build/web}
mkdir -p "$build" "$out"
out=$(cd "$out" && pwd)
toolchain=$(dirname "$(readlink -f "$(command -v swiftc)")")
# No paths of this machine in the result: it must not depend on where it is built.
flags=(-enable-experimental-feature Embedded -target wasm32-unknown-none-wasm -swift-version 6 -wmo -Osize -lto=llvm-full -Xfrontend -disable-stack-protector
  -file-prefix-map "$PWD=." -I "$build" -Xcc -ISources/CVitrineBuiltins/include -Xcc -fmodule-map-file=Sources/CWebGPU/module.modulemap
  -Xcc -fmodule-map-file=Sources/CLanes/module.modulemap
  -Xcc -fmodule-map-file=Sources/CVitrineWeb/include/module.modulemap
  -Xcc -fmodule-map-file=scripts/embedded/CVitrineBuiltins.modulemap -Xcc -Iscripts/embedded/include -Xcc "-I$webgpu")

# A module is compiled again if its sources, the flags or a module before it has changed.
chain=$( (swiftc --version 2>/dev/null; printf '%s\n' "${flags[@]}"; cat scripts/web-sources.py Sources/CWebGPU/* Sources/CLanes/* Sources/CVitrineBuiltins/include/* Sources/CVitrineWeb/include/*) | sha256sum)
objects=()
compile() { # MODULE FILE… [-- FLAG…]
  local module=$1 sources=() options=()
  shift
  while [ $# -gt 0 ] && [ "$1" != -- ]; do sources+=("$1"); shift; done
  [ $# -eq 0 ] || { shift; options=("$@"); }
  chain=$( (echo "$chain"; printf '%s\n' "${options[@]}"; cat "${sources[@]}") | sha256sum)
  if [ "$(cat "$build/$module.stamp" 2>/dev/null)" != "$chain" ]; then
    rm -f "$build/$module.stamp"
    swiftc "${flags[@]}" "${options[@]}" -module-name "$module" -emit-module -emit-module-path "$build/$module.swiftmodule" -c -o "$build/$module.o" "${sources[@]}"
    echo "$chain" > "$build/$module.stamp"
    echo "web: $module"
  fi
  objects+=("$build/$module.o")
}
# A module of Vitrine, with compact shaders. FOLDER: where it is, if not under its name.
module() { # MODULE [FOLDER] [FILE…]
  local module=$1 files
  mapfile -t files < <(find "Sources/${2:-$1}" -name '*.swift' | LC_ALL=C sort)
  mapfile -t files < <(scripts/web-sources.py "$build/sources" "${files[@]}" "${@:3}")
  compile "$module" "${files[@]}" -- -parse-as-library -package-name vitrine
}
for name_of_module in "${viewer[@]}"; do module "$name_of_module"; done
if [ "$name" != vitrine ]; then
  module VitrineLayers
  module _Concurrency VitrineWebConcurrency
  module Vitrine VitrineWebLayers Sources/Vitrine/Layers/LayerView.swift
  compile "$program" "${scenes[@]}"
fi
clang=("$toolchain/clang" -target wasm32-unknown-none-wasm -Oz -ffreestanding -fno-builtin -mbulk-memory -mnontrapping-fptoint)
"${clang[@]}" -c Sources/CVitrineWeb/memory.c -o "$build/memory.o"
"${clang[@]}" -flto -c Sources/CVitrineWeb/unicode.c -o "$build/unicode.o"

# Undefined functions become imports of the page: WebGPU's and those of mathematics. Every browser with WebGPU has SIMD.
"$toolchain/wasm-ld" --no-entry --gc-sections --lto-O2 --lto-CGO2 -O2 -mllvm -mattr=+simd128 -mllvm -enable-merge-functions --compress-relocations --strip-all \
  --export-table --export-if-defined=__main_argc_argv --growable-table --allow-undefined --stack-first -z stack-size=1048576 --initial-memory=8388608 --max-memory=4294967296 \
  "${objects[@]}" "$build/memory.o" "$build/unicode.o" \
  "$toolchain/../lib/swift/embedded/wasm32-unknown-none-wasm/libswiftUnicodeDataTables.a" -o "$build/$name.wasm"
# 3 % smaller with gzip.
wasm-opt -Oz --enable-simd --enable-bulk-memory --enable-nontrapping-float-to-int --enable-sign-ext --enable-mutable-globals "$build/$name.wasm" -o "$out/$name.wasm"
python3 scripts/web-bindings.py --check
if [ "$name" = vitrine ]; then
  python3 scripts/web-join.py Web/runtime "$build/vitrine.wasm" > "$out/vitrine-runtime.js"
  for file in Web/element/vitrine-viewer.js Web/runtime/vitrine-meshopt.js; do
    python3 scripts/web-join.py --compact "$file" > "$out/$(basename "$file")"
  done
else
  python3 scripts/web-join.py Web/runtime "$build/$name.wasm" Web/element/vitrine-layers.js > "$out/vitrine-runtime.js"
  python3 scripts/web-join.py --compact Web/element/vitrine-layers.js > "$out/vitrine-layers.js"
  for file in "${page[@]}"; do cp "$file" "$out/"; done
fi
ls -l "$out" | awk 'NR > 1 && $9 ~ /\./ { print "web: " $9 ", " $5 " bytes" }'
