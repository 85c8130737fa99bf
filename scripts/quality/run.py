"""Measures the renderer's images: `scripts/quality/run.sh --help`."""

import argparse
import os
import sys
from pathlib import Path

import path_traced
import reference_images
from documents import write_section

ROOT = Path(__file__).resolve().parents[2]


def main():
    parser = argparse.ArgumentParser(prog="scripts/quality/run.sh", description="Scores our images against a path tracer's.")
    parser.add_argument("--vitrine", default=ROOT / ".build/release/vitrine", help="the program (default: .build/release/vitrine)")
    parser.add_argument("--data", default=os.environ.get("VITRINE_DATA", ROOT / "../shared/data"), help="default: $VITRINE_DATA, else ../shared/data")
    parser.add_argument("--out", default=ROOT / "out/quality", help="where the images go (default: out/quality)")
    parser.add_argument("--pictures", dest="images", help="score NAME.png of this folder, drawn by any program, instead of drawing")
    parser.add_argument("--table", help="another pictures.csv; its references and masks lie beside it")
    parser.add_argument("--only", help="only scenes with this in their name")
    parser.add_argument("--skip-silhouettes", action="store_true", help="leave the other renderers' images out")
    parser.add_argument("--path-samples", type=int, help="score `vitrine render --quality path` with so many samples per pixel instead")
    parser.add_argument("--write", action="store_true", help="put the tables into docs/measurements/image-quality.md")
    options = parser.parse_args()

    data, out = Path(options.data), Path(options.out)
    table = Path(options.table) if options.table else data / "gltf/path-traced/pictures.csv"
    if not table.exists():
        sys.exit(f"error: {table}: not there. Set VITRINE_DATA to the folder that holds gltf/ and environments/")
    if not options.images and not Path(options.vitrine).exists():
        sys.exit(f"error: {options.vitrine}: not there. Build it: make build")

    if options.path_samples:
        out = out / "path"
    rows = path_traced.run(options.vitrine, data, table, out, options.only, options.images, options.path_samples)
    print("\n" + path_traced.markdown(rows))
    silhouettes = []
    if not options.images and not options.table and not options.skip_silhouettes and not options.path_samples:
        silhouettes = reference_images.run(options.vitrine, data, out / "silhouettes", options.only)
        print("\n" + reference_images.markdown(silhouettes))
    if options.write and options.path_samples:
        print("the table of path tracing has further columns: put the figures into docs/measurements/image-quality.md by hand")
    elif options.write:
        document = ROOT / "docs/measurements/image-quality.md"
        write_section(document, "path-traced", path_traced.markdown(rows))
        if silhouettes:
            write_section(document, "silhouettes", reference_images.markdown(silhouettes))


main()
