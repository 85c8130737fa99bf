#!/usr/bin/env bash
# Fuzzes one reader with libFuzzer and the address sanitizer: scripts/fuzz.sh TARGET SECONDS [INPUT…]
#   scripts/fuzz.sh --list          names the targets: the files of Fuzz/Targets
#   scripts/fuzz.sh png 600         ends with 1 when something was found; the input lies in out/fuzz/TARGET/
#   scripts/fuzz.sh png 0 FILE      runs the target on a kept input
# Seeds: the target's own and the stored corpus (Fuzz/LibFuzzer/Corpus/TARGET.tar.xz, see fuzz-all.py). The corpus grows in out/fuzz/TARGET/corpus and serves the next run.
# VITRINE_FUZZ_REAL=1 adds small real files of the data folder; what grows from them stays in corpus-real. VITRINE_FUZZ_TIMEOUT: seconds per input (10).
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
usage() { sed -n '2,6s/^# //p' "$0" >&2; exit 2; }

list() { find "$root/Fuzz/Targets" -name '*.swift' -exec basename {} .swift \; | sort; }
[ "${1:-}" = --list ] && { list; exit; }
[ $# -ge 2 ] || usage
target=$1 seconds=$2
shift 2
[ -f "$root/Fuzz/Targets/$target.swift" ] || { echo "error: no fuzz target $target; there are: $(list | xargs)" >&2; exit 2; }
[[ $seconds =~ ^[0-9]+$ ]] || usage

out=$root/out/fuzz
build=$out/build
mkdir -p "$build" "$out/$target/corpus" "$out/$target/seeds"
stored=$root/Fuzz/LibFuzzer/Corpus/$target.tar.xz
if [ -f "$stored" ] && [ ! "$out/$target/unpacked" -nt "$stored" ]; then
  tar -C "$out/$target/corpus" -xf "$stored"
  touch "$out/$target/unpacked"
fi
toolchain=$(dirname "$(readlink -f "$(command -v swiftc)")")
modules=(VitrineMath VitrineGeometry VitrineMotion VitrineScene VitrineGLTF VitrineImageFiles VitrineFiles VitrineTestFiles)
# A target's first lines may ask for more: "// modules: NAME…", built for @testable imports, and "// sources: FILE…", compiled with it. Targets that ask for the same
# are one program, so that they are compiled and linked once.
asked() { sed -n "s|^// $1: ||p" "$root/Fuzz/Targets/${2:-$target}.swift"; }
read -ra more <<<"$(asked modules)"
read -ra sources <<<"$(asked sources)"
together=()
for other in $(list); do
  if [ "$(asked modules "$other")|$(asked sources "$other")" = "$(asked modules)|$(asked sources)" ]; then together+=("$other"); fi
done
program=$build/fuzz-${together[0]}
swift_flags=(-swift-version 6 -package-name vitrine -sanitize=fuzzer,address -parse-as-library -wmo -O -g -I "$build" -Xcc "-fmodule-map-file=$build/module.modulemap")
for flag in $(pkg-config --cflags harfbuzz wgpu-native); do swift_flags+=(-Xcc "$flag"); done
c_flags=(-fsanitize=fuzzer-no-link,address -O1 -g -I "$root/Sources/CCodecs/include" -I "$root/Sources/CVitrineBuiltins/include")

# Modules with C code.
c_modules=(CCodecs CVitrineBuiltins CProcessor CDescriptors CVideoDevice CWaylandLog)

# C headers as modules, as SwiftPM would name them.
modulemap() {
  for name in "${c_modules[@]}"; do
    echo "module $name { header \"$root/Sources/$name/include/$name.h\" export * }"
  done
  for name in CExpat CZlib CHarfBuzz; do echo "module $name { header \"$root/Sources/$name/$name.h\" export * }"; done
  echo "module CLanes { header \"$root/Sources/CLanes/CLanes.h\" export * }"
  echo "module CWebGPU { header \"$root/Sources/CWebGPU/CWebGPU.h\" export * }"
  echo "module CMeshOptimizer { header \"$root/Sources/CMeshOptimizer/shim.h\" export * }"
}

newer() { [ ! -e "$1" ] || [ -n "$(find "${@:2}" -newer "$1" -print -quit)" ]; }

compile() {
  cd "$build"  # the compiler leaves files where it runs
  modulemap >"$build/module.modulemap"
  read -ra packages <<<"$(pkg-config --cflags harfbuzz libpng libdeflate libjpeg libwebp OpenEXR libheif draco libzstd)"
  if newer "$build/codecs.stamp" "${c_modules[@]/#/$root/Sources/}"; then
    for name in "${c_modules[@]}"; do
      for source in "$root/Sources/$name"/*.c; do
        "$toolchain/clang" "${c_flags[@]}" "${packages[@]}" -I "$root/Sources/$name/include" -c "$source" -o "$build/$(basename "$source").o"
      done
    done
    for source in "$root"/Sources/CCodecs/*.cpp; do
      "$toolchain/clang++" -std=c++17 "${c_flags[@]}" "${packages[@]}" -c "$source" -o "$build/$(basename "$source").o"
    done
    touch "$build/codecs.stamp"
  fi
  local below=("$build/codecs.stamp")
  for module in "${modules[@]}" "${more[@]}"; do
    local folder=$root/Sources/$module
    [ -d "$folder" ] || folder=$root/Tests/$module
    if newer "$build/$module.o" "$folder" "${below[@]}"; then
      swiftc "${swift_flags[@]}" $([[ " ${more[*]} VitrineTestFiles " == *" $module "* ]] && echo -enable-testing) -module-name "$module" -emit-module -emit-module-path "$build/$module.swiftmodule" \
        -c $(find "$folder" -name '*.swift' | sort) -o "$build/$module.o"
    fi
    below+=("$build/$module.o")
  done
  local files=("$root"/Fuzz/*.swift "$root"/Fuzz/LibFuzzer/*.swift "${sources[@]/#/$root/}") name
  for name in "${together[@]}"; do files+=("$root/Fuzz/Targets/$name.swift"); done
  local objects=("$build"/*.c.o "$build"/*.cpp.o)
  for module in "${modules[@]}" "${more[@]}"; do objects+=("$build/$module.o"); done
  local libraries=()
  if [[ " ${more[*]} " == *" VitrineGPU "* ]]; then read -ra libraries <<<"$(pkg-config --libs wgpu-native) -Xlinker -rpath -Xlinker $(pkg-config --variable=libdir wgpu-native)"; fi
  if newer "$program" "${below[@]}" "${files[@]}"; then
    {
      echo "let targets: [String: FuzzTarget] = ["
      for name in "${together[@]}"; do echo "    \"$name\": ${name}Target,"; done
      echo "]"
    } >"$build/targets.swift"
    swiftc "${swift_flags[@]}" -module-name "Fuzz_${together[0]}" "$build/targets.swift" "${files[@]}" "${objects[@]}" \
      $(pkg-config --libs harfbuzz libpng libdeflate libjpeg libwebp OpenEXR libheif draco libzstd) "${libraries[@]}" -lmeshoptimizer -lexpat -lz -lstdc++ -use-ld=lld -o "$program.new"
    mv "$program.new" "$program"  # another target of the program may run
  fi
}

# Real files that are small enough to mutate quickly.
real_seeds() {
  local data=${VITRINE_DATA:-$root/../shared/data}
  [ -d "$data" ] || { echo "error: VITRINE_FUZZ_REAL: no data folder $data" >&2; exit 1; }
  local names=(-iname "*.$target")
  case $target in
    jpeg) names=(-iname '*.jpg' -o -iname '*.jpeg') ;;
    json) names=(-iname '*.gltf') ;;
    heif) names=(-iname '*.heic' -o -iname '*.avif') ;;
    calibration) names=(-iname '*.yaml' -o -iname '*.yml') ;;
    shader) names=(-iname '*.wgsl') ;;
    recording) names=(-name 'recording.json' -o -iname '*.jsonl') ;;
    font) names=(-iname '*.ttf' -o -iname '*.otf') ;;
  esac
  mkdir -p "$out/$target/corpus-real" "$out/$target/real"
  find "$data" -type f -size -64k \( "${names[@]}" \) 2>/dev/null | sort | head -400 |
    while read -r file; do cp "$file" "$out/$target/real/$(sha256sum "$file" | cut -c 1-16)"; done
}

(
  flock 9
  compile
) 9>"$build/lock"
export LSAN_OPTIONS=suppressions=$root/Fuzz/leaks.txt:print_suppressions=0
# Debian's libheif has no frame pointers: its leaks are recognized by complete stacks only.
if [ "$target" = heif ]; then export ASAN_OPTIONS=fast_unwind_on_malloc=0; fi
export VITRINE_FUZZ_SEEDS="$out/$target/seeds" VITRINE_FUZZ_TARGET=$target
options=("-timeout=${VITRINE_FUZZ_TIMEOUT:-10}" -rss_limit_mb=2048 -max_len=65536 "-artifact_prefix=$out/$target/")
if [ $# -gt 0 ]; then exec "$program" "${options[@]}" "$@"; fi
# libFuzzer reads 0 as no limit.
[ "$seconds" -gt 0 ] || { echo "fuzz $target: built"; exit 0; }
echo "fuzz $target: $seconds s"
# libFuzzer writes new inputs into the first folder and only reads the others. The program itself writes its seeds, before their folder is read.
folders=("$out/$target/corpus" "$out/$target/seeds")
if [ "${VITRINE_FUZZ_REAL:-0}" = 1 ]; then
  real_seeds
  folders=("$out/$target/corpus-real" "${folders[@]}" "$out/$target/real")
fi
"$program" "${options[@]}" -max_total_time="$seconds" -print_final_stats=1 "${folders[@]}" \
  >"$out/$target/log" 2>&1 || { tail -60 "$out/$target/log"; echo "error: $target: a finding, see out/fuzz/$target" >&2; exit 1; }
grep -E '^stat::(number_of_executed_units|average_exec_per_sec|peak_rss_mb)' "$out/$target/log"
echo "fuzz $target: nothing found"
