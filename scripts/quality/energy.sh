#!/usr/bin/env bash
# Where the energy of path traced images differs from Cycles: the same scenes with Lambert materials on both sides, and with Cycles' own.
#
#   scripts/quality/energy.sh [VITRINE]
#
# Needs blender (Debian package), a Python with numpy for it (.build/quality-venv of scripts/quality/run.sh), and the data folder.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
vitrine=$(realpath "${1:-$root/.build/release/vitrine}")
data=$(realpath "${VITRINE_DATA:-$root/../shared/data}")
source "$here/venv.sh"
python=$(venv quality-venv requirements.txt)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# compare SCENE VITRINES CYCLES: materials are lambert, nospecular (Cycles only) or own.
compare() {
  local model environment orbit target fov
  IFS=';' read -r _ _ model environment _ orbit target fov _ < <(grep "^$1.png;" "$data/gltf/path-traced/pictures.csv")
  local folder=$work/$1
  rm -rf "$folder"
  cp -r --no-preserve=mode "$(dirname "$data/gltf/$model")" "$folder"
  model=$folder/$(basename "$model")
  [ "$2" = own ] || "$python" "$here/energy_materials.py" "$model"
  "$vitrine" render "$model" -o "$work/ours.exr" --quality path --samples 64 --size 320x240 --environment "$data/environments/$environment" \
    --orbit="$orbit" --target="$target" --fov "$fov" --tonemap none --background environment >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
  PYTHONPATH=$("$python" -c 'import numpy, pathlib; print(pathlib.Path(numpy.__file__).parents[1])') blender -b --python-use-system-env \
    --python "$here/energy_cycles.py" -- "$model" "$data/environments/$environment" "$3" "$orbit" "$target" "$fov" \
    "$data/gltf/path-traced/$1-mask.png" "$work/ours.exr" >"$work/log" 2>&1 || true
  grep -m1 "^energy" "$work/log" | sed "s/^/$1, Vitrine $2, Cycles $3: /" || { tail -5 "$work/log" >&2; exit 1; }
}

for scene in duck-venice suzanne-quarry helmet-esplanade avocado-studio; do compare "$scene" lambert lambert; done
compare duck-venice lambert nospecular
compare duck-venice own own
compare suzanne-quarry own own
