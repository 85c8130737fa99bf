#!/usr/bin/env bash
# Compiles the core modules, the modules of web pages and the examples for pages under Embedded Swift for WebAssembly (no Foundation, no operating system).
# No object files are made: what counts is that the compiler accepts every line, and all its checks are done on its intermediate language (SIL).
set -euo pipefail
cd "$(dirname "$0")/.."
out=.build/embedded
mkdir -p "$out"
webgpu=$(pkg-config --variable=includedir wgpu-native)
# In the order of their imports. The last are the modules of programs with layers.
modules=(VitrineMath VitrineGeometry VitrineMotion VitrineScene VitrineGPU VitrineRender VitrineStage VitrineLayers VitrineGLTF VitrineWeb
  _Concurrency Vitrine $(cd Examples/Web && echo *))
for module in "${modules[@]}"; do
  library=(-parse-as-library -package-name vitrine)
  case "$module" in
  _Concurrency) files=$(find Sources/VitrineWebConcurrency -name '*.swift') ;;
  Vitrine) files=$(find Sources/VitrineWebLayers -name '*.swift' && echo Sources/Vitrine/Layers/LayerView.swift) ;;
  Vitrine*) files=$(find "Sources/$module" -name '*.swift') ;;
  *)
    files=$(find "Examples/$module" "Examples/Web/$module" -name '*.swift' ! -path "Examples/$module/main.swift")
    library=()
    ;;
  esac
  swiftc -enable-experimental-feature Embedded -target wasm32-unknown-none-wasm -swift-version 6 -wmo -Onone "${library[@]}" \
    -module-name "$module" -I "$out" -Xcc -ISources/CVitrineBuiltins/include -Xcc -fmodule-map-file=Sources/CWebGPU/module.modulemap \
    -Xcc -fmodule-map-file=Sources/CLanes/module.modulemap \
    -Xcc -fmodule-map-file=Sources/CVitrineWeb/include/module.modulemap \
    -Xcc -fmodule-map-file=scripts/embedded/CVitrineBuiltins.modulemap -Xcc -Iscripts/embedded/include -Xcc "-I$webgpu" \
    -emit-module -emit-module-path "$out/$module.swiftmodule" -emit-sil -o "$out/$module.sil" $(echo "$files" | LC_ALL=C sort)
  echo "embedded: $module"
done
