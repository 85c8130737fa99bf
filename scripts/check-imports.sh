#!/usr/bin/env bash
# Refuses sources that import the full Foundation on Linux: it brings 40 MB of locale data into the installed command. FoundationEssentials has files,
# data, dates and JSON; VitrineImageFiles/Text has numbers and paths as text, FileStatus the status of files.
set -euo pipefail
cd "$(dirname "$0")/.."
# Indented: behind "#if canImport(FoundationEssentials)", for systems that have no other.
if grep -rnE '^(@\S+ |public |package |internal |private )*import (struct |class |enum |func )?(Foundation|FoundationNetworking|FoundationXML|FoundationInternationalization)\b' Sources --include='*.swift'; then
  echo "error: import FoundationEssentials where it exists, as in Sources/VitrineVideo/VideoProbe.swift: these import all of Foundation" >&2
  exit 1
fi
echo "imports: ok"
