#!/usr/bin/env bash
# Checks that take too long for every change: the Debian package, a package that depends on this one, the commands of all pages, the viewer of web pages built again, the five starts and the README in a bare Debian, the images of the gallery, windows that lose their GPU device, hostile files, full disks, pages in Chromium, ten minutes of frames with something drawn into them, by a process whose memory stays, captures and jobs that are killed at
# random, a job on Slurm with lost nodes, every fuzz target, VITRINE_FUZZ_SECONDS each (default: 600), and all tests under the thread sanitizer.
set -euo pipefail
cd "$(dirname "$0")/.."

make deb
scripts/check-deb.sh
scripts/check-starts.sh
scripts/check-fresh.sh
scripts/gallery.py .build/release
swift build $(scripts/swift-flags.sh) --build-tests
VITRINE_WINDOW_LOSSES=1 scripts/window-test.sh .build/release/vitrine
scripts/test-low-memory.py .build/release
scripts/test-hostile.py .build/release/vitrine
scripts/test-disk.sh .build/release/vitrine
scripts/test-init.sh .build/release/vitrine
scripts/test-dependency.sh
scripts/test-doc-commands.sh .build/release/vitrine
scripts/check-web.sh --build
scripts/check-web.sh --layers
scripts/test-web.sh
scripts/test-capture-kills.py .build/release/vitrine
scripts/test-kills.py .build/release/vitrine --kills 125
scripts/test-jobs.py .build/release/vitrine
scripts/test-slurm.py .build/release/vitrine
scripts/test-workflows.py .build/release/vitrine
scripts/check-replay-memory.sh .build/release/vitrine
scripts/fuzz-all.py --once --slice "${VITRINE_FUZZ_SECONDS:-600}"
scripts/test-threads.py
