#!/usr/bin/env bash
# The flags of the one build that everything here uses: `swift build $(scripts/swift-flags.sh)`, `swift test $(scripts/swift-flags.sh)`.
#
# Release, because photos are too slow in debug; testable, so that tests and the command share a build. Where this machine's processor
# has AVX2 and FMA the code is made for them: the photo kernels run many times faster. They stand here, not in Package.swift, because a
# package that asks for such flags can't be a dependency of another. VITRINE_PORTABLE=1 leaves them out.
# Debug information is omitted: objects and the command shrink to a third, which saves time to compile and to link.
# --install gives the flags of `make install` and `make deb`: without what only tests need, a tenth of the code. Functions in sections of their own,
# and lld, remove functions without a caller, and keep one of equal functions; Swift code has no tables for unwinding the stack. The Swift runtime is linked in, so that the command runs without
# Swift; wgpu-native is found in ../lib/vitrine.
set -euo pipefail
flags="-c release -debug-info-format none"
if [ "${1:-}" != --install ]; then
  flags="$flags -Xswiftc -enable-testing"
elif [ "$(uname -s)" = Linux ]; then
  flags="$flags -Xswiftc -Xfrontend -Xswiftc -function-sections -Xlinker --icf=all"
  # lld, without unwinding tables of Swift code.
  flags="$flags -Xswiftc -ld-path=$(cd "$(dirname "$0")" && pwd)/link-without-unwinding.py"
  # Swift's list of static libraries exports all symbols of the program, which keeps unused functions.
  flags="$flags --static-swift-stdlib -Xlinker --no-export-dynamic -Xlinker -rpath -Xlinker \$ORIGIN/../lib/vitrine"
  # Relocations in a compact format, which the loader knows since glibc 2.36.
  if printf '%s\n' "glibc 2.36" "$(getconf GNU_LIBC_VERSION)" | sort -VC; then flags="$flags -Xlinker -z -Xlinker pack-relative-relocs"; fi
fi
# VITRINE_PROCESSOR=fast or portable, for programs that run elsewhere, doesn't ask this machine.
has() { grep -m1 -E '^flags' /proc/cpuinfo 2>/dev/null | grep -qw "$1"; }
processor=${VITRINE_PROCESSOR:-}
[ -n "$processor" ] || { [ "${VITRINE_PORTABLE:-0}" != 1 ] && has avx2 && has fma && processor=fast || processor=portable; }
if [ "$processor" = fast ] && [ "$(uname -m)" = x86_64 ]; then
  flags="$flags -Xcc -mavx2 -Xcc -mfma"
fi
# A prefix outside the dynamic loader's default path (set-up without root) goes into the programs, so that they run without LD_LIBRARY_PATH.
prefix=${VITRINE_PREFIX:-}
[ -n "$prefix" ] || { [ -w /usr/local/lib ] && [ -w /usr/local/include ] && prefix=/usr/local || prefix=$HOME/.local; }
if [ "$prefix" != /usr/local ]; then flags="$flags -Xlinker -rpath -Xlinker $prefix/lib"; fi
echo "$flags"
