#!/usr/bin/env bash
# Compiles the core modules under Embedded Swift for WebAssembly (no Foundation, no operating system), as a browser needs them.
#
#   scripts/check-embedded.sh [FOLDER [MODULE ...]]
#
# FOLDER takes the compiled modules (default .build/embedded); with modules named, it holds those that they import.
# The object files are not used: what counts is that the compiler accepts every line.
set -euo pipefail
cd "$(dirname "$0")/.."
out=${1:-.build/embedded}
shift || true
mkdir -p "$out"
webgpu=$(pkg-config --variable=includedir wgpu-native)
# Modules in the order of their imports.
modules=("$@")
[ $# -gt 0 ] || modules=(VitrineMath VitrineGeometry VitrineMotion VitrineScene VitrineGPU VitrineRender VitrineStage VitrineLayers VitrineGLTF)
for module in "${modules[@]}"; do
  swiftc -enable-experimental-feature Embedded -target wasm32-unknown-none-wasm -swift-version 6 -wmo -parse-as-library -Onone \
    -module-name "$module" -package-name vitrine -I "$out" -Xcc -ISources/CVitrineBuiltins/include -Xcc -fmodule-map-file=Sources/CWebGPU/module.modulemap \
    -Xcc -fmodule-map-file=scripts/embedded/CVitrineBuiltins.modulemap -Xcc -Iscripts/embedded/include -Xcc "-I$webgpu" \
    -emit-module -emit-module-path "$out/$module.swiftmodule" -c -o "$out/$module.o" $(find "Sources/$module" -name '*.swift' | sort)
  echo "embedded: $module"
done
