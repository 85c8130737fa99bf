#!/usr/bin/env bash
# Checks the documentation and makes its pages: every link in the Markdown must lead somewhere, every room gets its symbols' pages.
#
#   scripts/docs.sh OUTDIR
set -euo pipefail
cd "$(dirname "$0")/.."
out=${1:?usage: scripts/docs.sh OUTDIR}
mkdir -p "$out"

python3 - <<'PY'
import pathlib, re, sys
broken = []
for page in [*pathlib.Path(".").glob("*.md"), *pathlib.Path("docs").rglob("*.md")]:
    for target in re.findall(r"\]\(([^)#\s]+)", page.read_text()):
        if not re.match(r"[a-z]+:", target) and not (page.parent / target).exists():
            broken.append(f"{page}: {target}")
sys.exit("docs: broken links:\n" + "\n".join(broken) if broken else 0)
PY

for room in VitrineMath VitrineMotion VitrineScene VitrineGPU VitrineRender VitrineLayers VitrineGLTF VitrineFiles VitrineText VitrineWindow Vitrine; do
  swift build --quiet --target "$room" -Xswiftc -emit-symbol-graph -Xswiftc -emit-symbol-graph-dir -Xswiftc "$PWD/.build/symbols" --scratch-path .build/docs
done
docc convert --fallback-display-name Vitrine --fallback-bundle-identifier vitrine --additional-symbol-graph-dir .build/symbols --output-path "$out" 2>&1 | tail -n 3
echo "docs: pages in $out"
