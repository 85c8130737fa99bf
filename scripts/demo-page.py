#!/usr/bin/env python3
"""Writes OUTDIR/index.html around the images that demo.sh made.   demo-page.py OUTDIR [REAL_IMAGE]"""
import html
import json
import pathlib
import sys

out = pathlib.Path(sys.argv[1])
real = sys.argv[2] if len(sys.argv) > 2 else None
benchmark = json.loads((out / "benchmark.json").read_text())
frame = benchmark["frame_ms"]
matching = json.loads((out / "matches.json").read_text())
seconds = int((out / "reconstruct-seconds.txt").read_text())
made = (out / "photos-kind.txt").read_text().strip() == "made"


def row(names, captions):
    cells = "".join(f'<figure><img src="{name}" alt="{html.escape(caption)}"><figcaption>{html.escape(caption)}</figcaption></figure>' for name, caption in zip(names, captions))
    return f'<div class="row">{cells}</div>'


def pairs(matches):
    return "".join(
        f'<div class="pair"><figure><img class="photo" src="{m["photo"]}" alt="photo"><figcaption>photo {html.escape(m["name"])}</figcaption></figure>'
        f'<figure><img src="{m["model"]}" alt="model"><figcaption>the model, from the same place, in its own colours</figcaption></figure></div>' for m in matches)


def live(name, title):
    """A page with the viewer, which loads the model after a click or a touch."""
    size = (out / name).stat().st_size / 1e6
    return f'<figure><iframe src="{name}" title="{title}"></iframe><figcaption>Click or touch it, then turn it. <a href="{name}">{name}</a>, {size:.1f} MB</figcaption></figure>'


def text(name):
    return f"<pre>{html.escape((out / name).read_text())}</pre>"


degrees = [0, 60, 120, 180, 240, 300]
views = ["normals", "metalness", "roughness", "wireframe"]
source = "The photos are renderings of the model that <code>vitrine sample</code> makes, with image noise and exposure jitter; nothing but the photos is used." if made else "From the photos given."
sections = [
    "<h1>Vitrine</h1><p>Made on this machine by <code>make demo</code>.</p>",
    f'<h2>Photos become a model</h2><p>{matching["placed"]} photos, {seconds} s. {source} '
    'The results: <a href="model.glb">model.glb</a>, <a href="model.usdz">model.usdz</a>, <a href="report.html">the report</a>.</p>' + pairs(matching["matches"]),
    "<h2>Touch it</h2><p>The model in a web page: <code>vitrine web model.glb -o model.html --single-file --unlit</code>. Its colours contain the light of the photos already.</p>" + live("model.html", "The model"),
    "<h2>All around the model</h2><p>Without light: that of the photos is in the colours.</p>" + row([f"model-turn-{i:03}.png" for i in range(12)], [f"{i * 30}°" for i in range(12)]),
    "<h2>Its shape</h2>" + row(["model-shape.png"], ["surface normals as colours"]) + text("model.txt") + text("reconstruct.txt"),
    '<h2>A jewelled egg</h2><img class="wide" src="egg.png" alt="A jewelled egg">' + live("egg.html", "The egg"),
    "<h2>The light turns, the object stays</h2>" + row([f"turned-{d}.png" for d in degrees], [f"{d}°" for d in degrees]),
    "<h2>Its materials</h2>" + row([f"debug-{v}.png" for v in views], views),
    '<h2>Transparent, over a page</h2><div class="checker"><img src="egg-transparent.png" alt="The egg without background"></div>',
    f"<h2>Figures</h2><p>1280×720, MSAA 4×: {frame['median']:.1f} ms a frame (median of 30, {frame['min']:.1f} to {frame['max']:.1f}), "
    f"{benchmark['draw_calls']} draw calls, {benchmark['triangles']:,} triangles, first frame after {benchmark['startup_ms']:.0f} ms.</p>" + text("egg.txt"),
]
if real:
    sections.insert(5, f'<h2>A real model under a real environment</h2><img class="wide" src="{real}" alt="A real model">')
style = """
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 1280px; padding: 0 1rem; color: #222; background: #faf9f7 }
iframe { display: block; width: 100%; height: min(600px, 90vw); border: 1px solid #e3e1dc; border-radius: 8px; background: #fff }
img { max-width: 100%; display: block } .wide { width: 100%; border-radius: 8px } pre { overflow: auto; background: #f0eeea; padding: 1rem }
.row { display: grid; grid-template-columns: repeat(auto-fit, minmax(180px, 1fr)); gap: 12px } figure { margin: 0 } figcaption { color: #777; font-size: 14px }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: 12px; margin-bottom: 12px } .pair img { width: 100%; border-radius: 6px }
/* The model's image lies as the photo is stored. */
.photo { image-orientation: none }
.checker { background: repeating-conic-gradient(#ddd 0 25%, #fff 0 50%) 0 / 32px 32px; display: inline-block }
"""
page = f'<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Vitrine: demo</title><style>{style}</style><body>{"".join(sections)}</body></html>'
(out / "index.html").write_text(page)
