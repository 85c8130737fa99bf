#!/usr/bin/env python3
"""Writes OUTDIR/index.html around the pictures that demo.sh made.   demo-page.py OUTDIR [REAL_PICTURE]"""
import html
import json
import pathlib
import sys

out = pathlib.Path(sys.argv[1])
real = sys.argv[2] if len(sys.argv) > 2 else None
benchmark = json.loads((out / "benchmark.json").read_text())
frame = benchmark["frame_ms"]


def row(names, captions):
    cells = "".join(f'<figure><img src="{name}" alt="{caption}"><figcaption>{caption}</figcaption></figure>' for name, caption in zip(names, captions))
    return f'<div class="row">{cells}</div>'


degrees = [0, 60, 120, 180, 240, 300]
views = ["normals", "metalness", "roughness", "wireframe"]
sections = [
    '<h1>Vitrine</h1><p>Rendered on this machine by <code>make demo</code>.</p><img class="wide" src="egg.png" alt="A jewelled egg">',
    "<h2>The light turns, the object stays</h2>" + row([f"turned-{d}.png" for d in degrees], [f"{d}°" for d in degrees]),
    "<h2>All around</h2>" + row([f"turn-{i:03}.png" for i in range(0, 12, 2)], [f"{i * 30}°" for i in range(0, 12, 2)]),
    "<h2>What it is made of</h2>" + row([f"debug-{v}.png" for v in views], views),
    '<h2>Transparent, over a page</h2><div class="checker"><img src="egg-transparent.png" alt="The egg without background"></div>',
    f"<h2>Figures</h2><p>1280×720, MSAA 4×: {frame['median']:.1f} ms a frame (median of 30, {frame['min']:.1f} to {frame['max']:.1f}), "
    f"{benchmark['draw_calls']} draw calls, {benchmark['triangles']:,} triangles, first frame after {benchmark['startup_ms']:.0f} ms.</p>"
    f"<pre>{html.escape((out / 'egg.txt').read_text())}</pre>",
]
if real:
    sections.insert(1, f'<h2>A real model under a real environment</h2><img class="wide" src="{real}" alt="A real model">')
style = """
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 1280px; padding: 0 1rem; color: #222; background: #faf9f7 }
img { max-width: 100%; display: block } .wide { width: 100%; border-radius: 8px } pre { overflow: auto; background: #f0eeea; padding: 1rem }
.row { display: grid; grid-template-columns: repeat(auto-fit, minmax(180px, 1fr)); gap: 12px } figure { margin: 0 } figcaption { color: #777; font-size: 14px }
.checker { background: repeating-conic-gradient(#ddd 0 25%, #fff 0 50%) 0 / 32px 32px; display: inline-block }
"""
page = f'<!doctype html><html lang="en"><meta charset="utf-8"><title>Vitrine: demo</title><style>{style}</style><body>{"".join(sections)}</body></html>'
(out / "index.html").write_text(page)
