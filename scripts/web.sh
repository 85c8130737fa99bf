#!/usr/bin/env bash
# Builds the web runtime: compiles the core modules for WebAssembly under Embedded Swift, links them, and joins the JavaScript.
# Usage: scripts/web.sh [FOLDER]     (default out/web)
# Writes vitrine.wasm, vitrine-runtime.js, vitrine-viewer.js and vitrine-meshopt.js, and each compressed in FOLDER/gzip, as the command embeds them.
# Needs the Swift toolchain, python3 and webgpu.h; uses wasm-opt (binaryen) if VITRINE_WASM_OPT=1.
set -euo pipefail
cd "$(dirname "$0")/.."
out=${1:-out/web}
build=${VITRINE_WEB_BUILD:-.build/web}
mkdir -p "$build" "$out"
out=$(cd "$out" && pwd)
webgpu=$(pkg-config --variable=includedir wgpu-native)
toolchain=$(dirname "$(readlink -f "$(command -v swiftc)")")
# No paths of this machine in the result: it must not depend on where it is built.
flags=(-enable-experimental-feature Embedded -target wasm32-unknown-none-wasm -swift-version 6 -wmo -parse-as-library -Osize -lto=llvm-full -Xfrontend -disable-stack-protector -package-name vitrine
  -file-prefix-map "$PWD=." -I "$build" -Xcc -ISources/CVitrineBuiltins/include -Xcc -fmodule-map-file=Sources/CWebGPU/module.modulemap
  -Xcc -fmodule-map-file=Sources/CVitrineWeb/include/module.modulemap
  -Xcc -fmodule-map-file=scripts/embedded/CVitrineBuiltins.modulemap -Xcc -Iscripts/embedded/include -Xcc "-I$webgpu")

# A module is compiled again if its sources, the flags or a module before it has changed.
chain=$( (swiftc --version 2>/dev/null; printf '%s\n' "${flags[@]}"; cat Sources/CWebGPU/* Sources/CVitrineBuiltins/include/* Sources/CVitrineWeb/include/*) | sha256sum)
objects=()
for module in VitrineMath VitrineGeometry VitrineMotion VitrineScene VitrineGPU VitrineRender VitrineStage VitrineGLTF VitrineWeb; do
  mapfile -t sources < <(find "Sources/$module" -name '*.swift' | LC_ALL=C sort)
  chain=$( (echo "$chain"; cat "${sources[@]}") | sha256sum)
  if [ "$(cat "$build/$module.stamp" 2>/dev/null)" != "$chain" ]; then
    rm -f "$build/$module.stamp"
    swiftc "${flags[@]}" -module-name "$module" -emit-module -emit-module-path "$build/$module.swiftmodule" -c -o "$build/$module.o" "${sources[@]}"
    echo "$chain" > "$build/$module.stamp"
    echo "web: $module"
  fi
  objects+=("$build/$module.o")
done
"$toolchain/clang" -target wasm32-unknown-none-wasm -Oz -ffreestanding -fno-builtin -mbulk-memory -mnontrapping-fptoint -c Sources/CVitrineWeb/memory.c -o "$build/memory.o"

# Undefined functions become imports of the page: WebGPU's and those of mathematics.
"$toolchain/wasm-ld" --no-entry --gc-sections --lto-O2 --lto-CGO2 -O2 --compress-relocations --strip-all --export-table --growable-table --allow-undefined --stack-first -z stack-size=1048576 \
  --initial-memory=8388608 --max-memory=4294967296 "${objects[@]}" "$build/memory.o" \
  "$toolchain/../lib/swift/embedded/wasm32-unknown-none-wasm/libswiftUnicodeDataTables.a" -o "$build/vitrine.wasm"
if [ "${VITRINE_WASM_OPT:-0}" = 1 ] && command -v wasm-opt > /dev/null; then
  wasm-opt -Oz --all-features "$build/vitrine.wasm" -o "$out/vitrine.wasm"
else
  cp "$build/vitrine.wasm" "$out/vitrine.wasm"
fi
python3 scripts/web-bindings.py --check
python3 scripts/web-join.py Web/runtime "$build/vitrine.wasm" > "$out/vitrine-runtime.js"
python3 scripts/web-join.py --compact Web/element/vitrine-viewer.js > "$out/vitrine-viewer.js"
python3 scripts/web-join.py --compact Web/runtime/vitrine-meshopt.js > "$out/vitrine-meshopt.js"
rm -rf "$out/gzip"
for file in "$out"/vitrine*; do
  mkdir -p "$out/gzip"
  gzip -9n <"$file" >"$out/gzip/$(basename "$file").gz"
done
ls -l "$out" | awk '/vitrine/ { print "web: " $9 ", " $5 " bytes" }'
