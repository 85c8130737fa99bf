#!/usr/bin/env python3
"""Tests the web runtime in Chromium under Xvfb against native renders: scripts/test-web.sh calls it.

Usage: run.py --build FOLDER --vitrine COMMAND [--data FOLDER] [--out FOLDER] [NAME …]
Without names, runs all tests. Images go to the folder of --out.
"""
import argparse
import base64
import json
import math
import os
import struct
import subprocess
import sys
import time
import zlib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from browser import Browser, PageError, Server

here = os.path.dirname(os.path.abspath(__file__))
parser = argparse.ArgumentParser()
parser.add_argument("--build", required=True)
parser.add_argument("--vitrine")
parser.add_argument("--data", default=os.environ.get("VITRINE_DATA", os.path.join(here, "../../../shared/data")))
parser.add_argument("--out", default="out/test-web")
parser.add_argument("--models", help="names of the models for the test images, with commas; default all")
parser.add_argument("names", nargs="*")
options = parser.parse_args()
os.makedirs(options.out, exist_ok=True)
tests = []


def test(function):
    tests.append(function)
    return function


def check(condition, text):
    if not condition:
        raise AssertionError(text)


# Images: PNG of 8 bits per channel, as lists of rows of RGBA bytes.


def read_png(data):
    position, parts, header = 8, b"", None
    while position < len(data):
        length, kind = struct.unpack(">I4s", data[position:position + 8])
        chunk = data[position + 8:position + 8 + length]
        position += 12 + length
        if kind == b"IHDR":
            header = struct.unpack(">IIBBBBB", chunk)
        elif kind == b"IDAT":
            parts += chunk
    width, height, depth, color, _, _, interlace = header
    check(depth == 8 and color in (2, 6) and interlace == 0, f"unexpected PNG {header}")
    channels = 3 if color == 2 else 4
    raw, stride, previous, rows = zlib.decompress(parts), width * channels, bytearray(width * channels), []
    for y in range(height):
        kind, line = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        if kind == 1:
            for x in range(channels, stride):
                line[x] = (line[x] + line[x - channels]) & 255
        elif kind == 2:
            for x in range(stride):
                line[x] = (line[x] + previous[x]) & 255
        elif kind == 3:
            for x in range(stride):
                line[x] = (line[x] + ((line[x - channels] if x >= channels else 0) + previous[x]) // 2) & 255
        elif kind == 4:
            for x in range(stride):
                a, b, c = (line[x - channels] if x >= channels else 0), previous[x], (previous[x - channels] if x >= channels else 0)
                p = a + b - c
                pa, pb, pc = abs(p - a), abs(p - b), abs(p - c)
                line[x] = (line[x] + (a if pa <= pb and pa <= pc else b if pb <= pc else c)) & 255
        previous = line
        rows.append(bytes(line) if channels == 4 else b"".join(bytes(line[x:x + 3]) + b"\xff" for x in range(0, stride, 3)))
    return width, height, rows


def psnr(first, second):
    """Of the premultiplied colors, in dB."""
    check(first[:2] == second[:2], f"sizes differ: {first[:2]} and {second[:2]}")
    total = count = 0
    for a, b in zip(first[2], second[2]):
        for x in range(0, len(a), 4):
            for channel in range(3):
                total += ((a[x + channel] * a[x + 3] - b[x + channel] * b[x + 3]) / 255) ** 2
            count += 3
    return 99.0 if total == 0 else 10 * math.log10(255 ** 2 * count / total)


def save(name, data):
    with open(os.path.join(options.out, name), "wb") as file:
        file.write(data)


class Context:
    """A page with one viewer."""

    def __init__(self, browser, server):
        self.browser, self.server = browser, server

    def open(self, path="viewer.html", **size):
        page = self.browser.open(self.server.url + path, **size)
        page.wait("!!window.tests", 30)
        return page

    def fresh(self):
        """A page with a viewer in a browser that has just started."""
        for attempt in range(4):
            self.browser.__exit__()
            self.browser.__enter__()
            try:
                return self.viewer()
            except PageError as error:
                if attempt == 3:
                    raise error

    def viewer(self, model=None, **size):
        page = self.open(**size)
        page.evaluate("tests.open().then(() => true)")
        if model:
            page.evaluate(f"tests.load('/data/{model}').then(() => true)")
            page.evaluate("tests.settle()")
        return page


def png(page, options_text="{}"):
    return base64.b64decode(page.evaluate(f"tests.png({options_text})"))


MODELS = {
    "duck": ("gltf/Duck/glTF-Binary/Duck.glb", "", []),
    "helmet": ("gltf/DamagedHelmet/glTF/DamagedHelmet.gltf", "", []),
    "flight": ("gltf/bevy-FlightHelmet/FlightHelmet.gltf", "", []),
    "skin": ("gltf/CesiumMan/glTF-Binary/CesiumMan.glb", "viewer.paused = true; viewer.animationTime = 0.7; viewer.camera = {}", ["--time", "0.7"]),
    "morph": ("gltf/MorphStressTest/glTF/MorphStressTest.gltf", "viewer.paused = true; viewer.animationTime = 0.3; viewer.camera = {}", ["--time", "0.3"]),
    "clearcoat": ("gltf/ClearcoatTest/ClearcoatTest.glb", "", []),
    "mug": ("gltf/coffeeMug.glb", "", []),
    "camera": ("gltf/steampunk_camera.glb", "", []),
    "tangents": ("gltf/NormalTangentTest/glTF-Binary/NormalTangentTest.glb", "", []),
}


@test
def images(context):
    """Models look as `vitrine render` draws them."""
    if not options.vitrine:
        return "skipped: no command"
    report, worst = [], 99
    for name, (model, script, arguments) in MODELS.items():
        if not os.path.exists(os.path.join(options.data, model)) or (options.models and name not in options.models.split(",")):
            continue
        # The software GPU of this browser fails after a few large models: each gets a browser of its own.
        page = context.fresh()
        resolve = "{ resolve: async (path) => (await fetch('/data/%s/' + path)).arrayBuffer() }" % os.path.dirname(model)
        try:
            page.evaluate(f"tests.load('/data/{model}', tests.viewer, {resolve}).then(() => true)")
        except PageError as error:
            report.append(f"{name}: {error}".split("\n")[0])
            worst = 0
            continue
        page.evaluate("{ const viewer = tests.viewer; %s }" % script)
        data = png(page, "{ width: 640, height: 480 }")
        save(name + "-web.png", data)
        path = os.path.join(options.out, name + "-native.png")
        subprocess.run([options.vitrine, "render", os.path.join(options.data, model), "-o", path, "--size", "640x480", "--msaa", "4", "--occlusion", "map",
                        "--background", "transparent", *arguments], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with open(path, "rb") as file:
            value = psnr(read_png(data), read_png(file.read()))
        report.append(f"{name} {value:.1f}")
        worst = min(worst, value)
        errors = [text for kind, text in page.messages if kind in ("error", "exception") and "favicon" not in text and "404" not in text]
        check(not errors, f"{name}: {errors[:2]}")
    check(report, "no model was compared")
    check(worst >= 40, "; ".join(report))
    return "dB: " + ", ".join(report)


@test
def input(context):
    """Drag, wheel, touch, pinch and keys move the camera; without input nothing is drawn."""
    page = context.viewer("gltf/Duck/glTF-Binary/Duck.glb")
    camera = lambda: json.loads(page.evaluate("JSON.stringify(tests.viewer.camera)"))
    settle = lambda: page.evaluate("tests.settle()")
    settle()
    frames = page.evaluate("tests.viewer.statistics.frames")
    check(frames >= 1, "no frame was drawn")
    time.sleep(1)
    check(page.evaluate("tests.viewer.statistics.frames") == frames, "frames are drawn at rest")
    start = camera()
    page.drag((300, 240), (400, 260))
    settle()
    after = camera()
    check(abs(after["azimuth"] - start["azimuth"]) > 10, f"a drag did not orbit: {start} {after}")
    check(page.evaluate("tests.cameraSource") == "user", "the camera's change was not reported as the user's")
    page.drag((300, 240), (360, 240), button="right")
    settle()
    panned = camera()
    check(math.dist(panned["target"], after["target"]) > 0.01, "a drag with the right button did not pan")
    page.mouse("mouseWheel", 320, 240, button="none", buttons=0, deltaX=0, deltaY=-200)
    settle()
    zoomed = camera()
    check(zoomed["distance"] < panned["distance"] * 0.9, f"the wheel did not zoom: {panned} {zoomed}")
    page.evaluate("document.getElementById('canvas').focus()")
    page.key("ArrowLeft")
    settle()
    check(abs(camera()["azimuth"] - zoomed["azimuth"] + 15) < 1, f"an arrow key did not orbit: {camera()}")
    before = camera()
    page.touch("touchStart", [(250, 240), (350, 240)])
    for step in range(1, 6):
        page.touch("touchMove", [(250 - 10 * step, 240), (350 + 10 * step, 240)])
        time.sleep(0.03)
    page.touch("touchEnd", [])
    settle()
    check(camera()["distance"] < before["distance"] * 0.8, f"a pinch did not zoom: {before} {camera()}")
    page.key("Home")
    settle()
    check(abs(camera()["azimuth"] - 30) < 0.5, f"Home did not reset the camera: {camera()}")
    hit = page.evaluate("JSON.stringify(tests.viewer.pick(320, 260))")
    check(json.loads(hit) is not None, "nothing was picked at the centre")
    check(page.evaluate("tests.viewer.pick(5, 5)") is None, "something was picked in the corner")
    page.close()


@test
def look(context):
    """Environment, background, exposure, shadow, auto-rotation and variants change the image."""
    page = context.viewer("gltf/Duck/glTF-Binary/Duck.glb")
    images, last = {}, None
    steps = {
        "plain": "", "exposure": "viewer.exposure = 1", "tone": "viewer.exposure = 0; viewer.toneMapping = 'agx'",
        "background": "viewer.toneMapping = 'neutral'; viewer.background = '#ffffff'", "shadow": "viewer.shadow = 1",
        "environment": "await tests.environment('/data/environments/quarry_01_1k.hdr'); viewer.background = 'environment'",
        "rotation": "viewer.rotation = 90", "studio": "viewer.rotation = 0; viewer.shadow = 0; viewer.background = 'transparent'; await viewer.setEnvironment(null)",
    }
    for name, script in steps.items():
        page.evaluate("(async () => { const viewer = tests.viewer; %s })()" % script)
        images[name] = png(page)
        save(f"look-{name}.png", images[name])
        check(images[name] != last, f"{name}: the image is the same as before")
        last = images[name]
    check(images["studio"] == images["plain"], "the image is not the same after all was set back")
    page.evaluate("tests.viewer.autoRotateDelay = 0; tests.viewer.autoRotate = true; 0")
    first = page.evaluate("tests.viewer.camera.azimuth")
    time.sleep(1)
    check(page.evaluate("tests.viewer.camera.azimuth") > first + 3, "the camera does not rotate by itself")
    page.evaluate("tests.viewer.autoRotate = false; 0")
    for bad in ["exposure = 99", "background = 'blue'", "toneMapping = 'x'"]:
        check("RangeError" in page.evaluate(f"(() => {{ try {{ tests.viewer.{bad} }} catch (error) {{ return error.name }} }})()"), f"{bad} was accepted")
    page.close()


@test
def errors(context):
    """Damaged models and environments are refused with readable messages, and the viewer continues."""
    page = context.viewer("gltf/Duck/glTF-Binary/Duck.glb")
    message = page.evaluate("tests.viewer.load(new Uint8Array(100)).then(() => '', tests.error)")
    check(message.startswith("model: ") and "not a glTF file" in message, message)
    page.evaluate("fetch('/data/gltf/Duck/glTF-Binary/Duck.glb').then(r => r.arrayBuffer()).then(b => { window.duck = b })")
    message = page.evaluate("tests.viewer.load(duck.slice(0, 5000)).then(() => '', tests.error)")
    check(message.startswith("model: "), message)
    message = page.evaluate("tests.viewer.setEnvironment(new Uint8Array([35, 63, 10])).then(() => '', tests.error)")
    check(message.startswith("environment: "), message)
    check(page.evaluate("tests.viewer.model.triangles") == 4212, "the shown model is gone")
    message = page.evaluate("(async () => { const first = tests.viewer.load(duck).then(() => '', tests.error); await tests.viewer.load(duck); return first })()")
    check(message.startswith("aborted: "), message)
    page.evaluate("tests.viewer.destroy()")
    message = page.evaluate("(() => { try { tests.viewer.camera } catch (error) { return tests.error(error) } })()")
    check(message.startswith("destroyed: "), message)
    page.close()


@test
def memory(context):
    """Loading again and drawing many frames leave memory flat; destroying a viewer frees its objects."""
    page = context.viewer("gltf/Duck/glTF-Binary/Duck.glb")
    page.evaluate("fetch('/data/gltf/Duck/glTF-Binary/Duck.glb').then(r => r.arrayBuffer()).then(b => { window.duck = b })")
    state = "(() => { const info = tests.runtime.info; return [info.usedBytes, info.gpuObjects, info.wasmBytes] })()"
    for _ in range(2):
        page.evaluate("tests.viewer.load(duck).then(() => tests.settle(100))")
    before = page.evaluate(state)
    for _ in range(4):
        page.evaluate("tests.viewer.load(duck).then(() => tests.settle(100))")
    after = page.evaluate(state)
    check(after[1] == before[1] and after[0] < before[0] * 1.01 + 4096, f"loading again leaks: {before} {after}")
    page.evaluate("(async () => { for (let i = 0; i < 300; i++) { tests.viewer.camera = { azimuth: i }; tests.viewer.frame(performance.now()); if (i % 20 === 0) await new Promise(requestAnimationFrame) } })()")
    frames = page.evaluate(state)
    check(frames[1] == after[1] and frames[0] < after[0] * 1.01 + 4096, f"frames leak: {after} {frames}")
    objects = page.evaluate("""(async () => {
        const canvas = document.createElement('canvas'); document.body.append(canvas);
        const second = await tests.open(canvas); await second.load(duck); second.resize(64, 64, 1); second.frame(performance.now());
        const most = tests.runtime.info.gpuObjects; second.destroy(); return [most, tests.runtime.info.gpuObjects, tests.runtime.info.usedBytes] })()""")
    check(objects[0] > objects[1] and objects[1] <= frames[1], f"a destroyed viewer leaves objects: {frames} {objects}")
    page.evaluate("tests.viewer.destroy()")
    check(page.evaluate("tests.runtime.info.gpuObjects") == 0, "GPU objects are left after the last viewer")
    page.evaluate("(async () => { tests.viewer = null; const canvas = document.createElement('canvas'); document.body.append(canvas); await tests.open(canvas); await tests.viewer.load(duck) })()")
    page.close()
    return f"{frames[0] >> 10} KB and {frames[1]} GPU objects after 300 frames"


@test
def several(context):
    """Six viewers share one device."""
    page = context.open()
    page.evaluate("""(async () => {
        document.getElementById('canvas').remove();
        document.body.style.cssText = 'display: grid; grid-template-columns: repeat(3, 200px)';
        const bytes = await (await fetch('/data/gltf/Duck/glTF-Binary/Duck.glb')).arrayBuffer();
        window.viewers = await Promise.all(Array.from({ length: 6 }, async (_, index) => {
            const canvas = document.createElement('canvas'); canvas.style.cssText = 'width: 200px; height: 150px'; document.body.append(canvas);
            const viewer = await tests.open(canvas); await viewer.load(bytes); viewer.camera = { azimuth: index * 60 }; return viewer }));
        await tests.settle() })()""")
    check(page.evaluate("tests.runtime.info.viewers") == 6, "not six viewers")
    check(page.evaluate("viewers.every((viewer) => viewer.statistics.frames > 0)"), "a viewer has drawn nothing")
    save("several.png", page.screenshot())
    page.close()


@test
def lost(context):
    """After the device is lost, a new runtime shows the model again on the same canvas."""
    page = context.open()
    page.evaluate("""(() => { const request = GPUAdapter.prototype.requestDevice;
        GPUAdapter.prototype.requestDevice = async function (...parameters) { window.device = await request.apply(this, parameters); return window.device } })()""")
    page.evaluate("tests.open().then(() => tests.load('/data/gltf/Duck/glTF-Binary/Duck.glb')).then(() => true)")
    before = png(page)
    page.evaluate("tests.viewer.exposure = 0.5; device.destroy()")
    page.wait("!!tests.lost", 10)
    check(page.evaluate("tests.runtime.isLost"), "isLost is false")
    message = page.evaluate("(() => { try { tests.viewer.frame(0) } catch (error) { return tests.error(error) } })()")
    check(message.startswith("lost: "), message)
    page.evaluate("""(async () => { const state = tests.viewer.state(); tests.viewer.destroy(); tests.viewer = null;
        await tests.open(undefined, { state }); await tests.load('/data/gltf/Duck/glTF-Binary/Duck.glb'); tests.viewer.exposure = 0 })()""")
    check(png(page) == before, "the image differs after the device was lost")
    page.close()


@test
def unsupported(context):
    """A page without WebGPU gets an error with a code."""
    page = context.open()
    page.evaluate("Object.defineProperty(navigator, 'gpu', { value: undefined })")
    message = page.evaluate("tests.open().then(() => '', tests.error)")
    check(message.startswith("no-webgpu: "), message)
    page.close()


@test
def policy(context):
    """Works under a strict content security policy, without other requests."""
    del context.server.requests[:]
    page = context.open("viewer.html?strict")
    page.evaluate("tests.open().then(() => tests.load('/data/gltf/Duck/glTF-Binary/Duck.glb')).then(() => true)")
    blocked = [text for _, text in page.messages if "Content Security Policy" in text]
    check(not blocked, f"{blocked[:2]}")
    page.close()
    allowed = {"/viewer.html", "/viewer.js", "/build/vitrine-runtime.js", "/build/vitrine.wasm", "/data/gltf/Duck/glTF-Binary/Duck.glb", "/favicon.ico"}
    check(set(context.server.requests) <= allowed, f"other requests: {set(context.server.requests) - allowed}")


headers = {"/viewer.html": {"Content-Security-Policy": "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; style-src 'unsafe-inline'"}}
if not os.path.exists(os.path.join(options.data, "gltf/Duck/glTF-Binary/Duck.glb")):
    print(f"web: skipped, {options.data} has no models")
    sys.exit(0)
failures = 0
chosen = [function for function in tests if not options.names or function.__name__ in options.names]
with Server({"/": here, "/build/": options.build, "/data/": options.data}, headers) as server:
    for function in chosen:
        for attempt in range(4):
            started = time.time()
            try:
                with Browser() as browser:
                    result = function(Context(browser, server))
                print(f"ok       {function.__name__}, {time.time() - started:.0f} s" + (f": {result}" if result else ""), flush=True)
                break
            except (AssertionError, PageError, OSError) as error:
                text = f"{function.__name__}: {error}"
                # The software GPU cannot always be opened: that is no failure of the page.
                if attempt < 3 and any(part in text for part in ["no-adapter", "found no GPU", "external Instance", "no answer", "has ended", "no-webgpu: The canvas"]):
                    continue
                print(f"FAILED   {text}", flush=True)
                failures += 1
                break
sys.exit(1 if failures else 0)
