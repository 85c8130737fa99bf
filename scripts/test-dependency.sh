#!/usr/bin/env bash
# Adds this package to another one, as an app would, and runs the example of README.md there.
#
#   scripts/test-dependency.sh [--plan]
#
# --plan: without the build, which takes minutes: finds what SwiftPM refuses in the manifest, and flags of libraries that it warns of. (`make test`
# type-checks the example with the other snippets of the documentation.)
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
work=$root/.build/dependency
mkdir -p "$work/Sources/App"
cat >"$work/Package.swift" <<SWIFT
// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "App",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Vitrine", path: "$root")],
    targets: [.executableTarget(name: "App", dependencies: [.product(name: "Vitrine", package: "Vitrine")])]
)
SWIFT
# The README's own example: what people copy must run.
python3 - "$root/README.md" "$work/Sources/App/main.swift" <<'PY'
import re, sys
blocks = re.findall(r"```swift\n(.*?)```", open(sys.argv[1]).read(), re.S)
headless = [b for b in blocks if "snapshot" in b]
if not headless:
    sys.exit("test-dependency: README.md has no Swift example that makes an image")
open(sys.argv[2], "w").write(headless[0])
PY
cd "$work"
build=(swift build --disable-index-store -debug-info-format none)
[ "${1:-}" != --plan ] || build+=(--print-manifest-job-graph)
"${build[@]}" >build.log 2>&1 || { grep -E "error" build.log >&2; exit 1; }
# SwiftPM complains of flags in the libraries' pkg-config files, which scripts/setup.sh filters.
if grep "prohibited flag" build.log; then echo "test-dependency: the build warns of prohibited flags" >&2; exit 1; fi
if [ "${1:-}" = --plan ]; then echo "dependency: another package can be built with this one"; exit; fi
rm -f card.png
.build/debug/App
[ -s card.png ] || { echo "test-dependency: the example made no image" >&2; exit 1; }
echo "dependency: the README's example built in another package and made card.png ($(stat -c %s card.png) bytes)"
