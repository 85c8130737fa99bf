#!/usr/bin/env python3
"""Tests of the web runtime without the element, against native renders; needs $VITRINE_DATA, and $VITRINE, the command, for images.

    VITRINE=.build/release/vitrine python3 Tests/Web/runtime_tests.py [RuntimeTests.NAME]
"""
import base64
import json
import math
import os
import pathlib
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.dirname(__file__))
import material_models  # noqa: E402
from browser import BUILD, DATA, OUT, VITRINE, Image, PageTests, retried  # noqa: E402

STRICT = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; style-src 'unsafe-inline'"

# Name: file in the data folder (or in `OUT`, for models that are made here), script for the viewer, arguments of `vitrine render`.
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
    "transmission": ("transmission.glb", "", []),
    "sheen": ("sheen.glb", "", []),
    "lacquer": ("lacquer.glb", "", []),
    "bust": ("bust.glb", "", []),
}


def reconstruct(path):
    """A bust from 36 photos. Takes about a minute; later runs use the file again."""
    photos = DATA / "photosets/bust36/images"
    if not path.exists() and photos.exists():
        subprocess.run([VITRINE, "reconstruct", photos, "-o", path, "--detail", "preview"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


MADE = {"transmission": material_models.transmission, "sheen": material_models.sheen, "lacquer": material_models.lacquer, "bust": reconstruct}


def png(page, options="{}"):
    """The view of the page's viewer."""
    return Image(base64.b64decode(page.run(f"tests.png({options})")))


@unittest.skipUnless((DATA / "gltf/Duck/glTF-Binary/Duck.glb").exists(), f"{DATA} has no models")
class RuntimePages(PageTests):
    @classmethod
    def folders(cls):
        return {"/": pathlib.Path(__file__).parent, "/build/": BUILD, "/data/": DATA, "/made/": OUT}

    def open(self, path="runtime.html", **size):
        page = self.visit(self.server.url + path, **{"width": 800, "height": 600, **size})
        page.wait("!!window.tests", timeout=30)
        return page

    def viewer(self, model=None, moves=False, **size):
        """A page with a viewer of a model, at rest unless the model moves."""
        page = self.open(**size)
        page.run("tests.open().then(() => true)")
        if model:
            page.run(f"tests.load('/data/{model}').then(() => true)")
            if not moves:
                page.run("tests.settle()")
        return page


class ImageTests(RuntimePages):
    """Models look as `vitrine render` draws them. The software GPU fails after a few large models: each gets a browser of its own."""

    def setUp(self):
        super().setUp()
        if not VITRINE:
            self.skipTest("needs $VITRINE")

    def tearDown(self):
        super().tearDown()
        self.browser.restart()

    def compare(self, name):
        path, script, arguments = MODELS[name]
        folder, address = (OUT, "/made/") if name in MADE else (DATA, "/data/")
        if name in MADE:
            OUT.mkdir(parents=True, exist_ok=True)
            MADE[name](OUT / path)
        if not (folder / path).exists():
            self.skipTest(f"{path} is missing")
        page = self.viewer()
        resolve = "{ resolve: async (path) => (await fetch('%s/' + path)).arrayBuffer() }" % os.path.dirname(address + path)
        page.run(f"tests.load('{address}{path}', tests.viewer, {resolve}).then(() => true)")
        page.run("{ const viewer = tests.viewer; %s }" % script)
        # Two GPUs place the samples of a pixel differently: 16 frames with different offsets average that.
        image = png(page, "{ width: 640, height: 480, samples: 16 }")
        image.save(OUT / f"{name}-web.png")
        native = OUT / f"{name}-native.png"
        subprocess.run([VITRINE, "render", folder / path, "-o", native, "--size", "640x480", "--samples", "16", "--occlusion", "map", "--background", "transparent",
                        *arguments], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        likeness = image.psnr(Image(native.read_bytes()))
        print(f"{name} {likeness:.1f} dB")
        self.assertEqual([line for line in page.console if line.startswith("error") and "favicon" not in line and "404" not in line], [])
        self.assertGreaterEqual(likeness, 40)


for name in MODELS:
    setattr(ImageTests, f"test_{name}", retried(lambda self, name=name: self.compare(name)))


class RuntimeTests(RuntimePages):
    def test_input(self):
        """Drag, wheel, touch, pinch and keys move the camera; without input nothing is drawn."""
        page = self.viewer("gltf/Duck/glTF-Binary/Duck.glb")
        camera = lambda: json.loads(page.run("JSON.stringify(tests.viewer.camera)"))
        settle = lambda: page.run("tests.settle()")
        settle()
        frames = page.run("tests.viewer.statistics.frames")
        self.assertTrue(frames >= 1, "no frame was drawn")
        time.sleep(1)
        self.assertTrue(page.run("tests.viewer.statistics.frames") == frames, "frames are drawn at rest")
        start = camera()
        page.drag((300, 240), (400, 260))
        settle()
        after = camera()
        self.assertTrue(abs(after["azimuth"] - start["azimuth"]) > 10, f"a drag did not orbit: {start} {after}")
        self.assertTrue(page.run("tests.cameraSource") == "user", "the camera's change was not reported as the user's")
        page.drag((300, 240), (360, 240), button="right")
        settle()
        panned = camera()
        self.assertTrue(math.dist(panned["target"], after["target"]) > 0.01, "a drag with the right button did not pan")
        page.wheel(320, 240, -200)
        settle()
        zoomed = camera()
        self.assertTrue(zoomed["distance"] < panned["distance"] * 0.9, f"the wheel did not zoom: {panned} {zoomed}")
        page.run("document.getElementById('canvas').focus()")
        page.key("ArrowLeft")
        settle()
        self.assertTrue(abs(camera()["azimuth"] - zoomed["azimuth"] + 15) < 1, f"an arrow key did not orbit: {camera()}")
        before = camera()
        page.touches(True)
        page.pinch((300, 240), 50, 100, steps=5)
        settle()
        self.assertTrue(camera()["distance"] < before["distance"] * 0.8, f"a pinch did not zoom: {before} {camera()}")
        page.key("Home")
        settle()
        self.assertTrue(abs(camera()["azimuth"] - 30) < 0.5, f"Home did not reset the camera: {camera()}")
        hit = page.run("JSON.stringify(tests.viewer.pick(320, 260))")
        self.assertTrue(json.loads(hit) is not None, "nothing was picked at the centre")
        self.assertTrue(page.run("tests.viewer.pick(5, 5)") is None, "something was picked in the corner")

    def test_look(self):
        """Environment, background, exposure, shadow, auto-rotation and variants change the image."""
        page = self.viewer("gltf/Duck/glTF-Binary/Duck.glb")
        images, last = {}, None
        steps = {
            "plain": "", "exposure": "viewer.exposure = 1", "tone": "viewer.exposure = 0; viewer.toneMapping = 'agx'",
            "background": "viewer.toneMapping = 'neutral'; viewer.background = '#ffffff'", "shadow": "viewer.shadow = 1",
            "environment": "await tests.environment('/data/environments/quarry_01_1k.hdr'); viewer.background = 'environment'",
            "rotation": "viewer.rotation = 90", "studio": "viewer.rotation = 0; viewer.shadow = 0; viewer.background = 'transparent'; await viewer.setEnvironment(null)",
        }
        for name, script in steps.items():
            page.run("(async () => { const viewer = tests.viewer; %s })()" % script)
            image = png(page)
            image.save(OUT / f"look-{name}.png")
            images[name] = image.data
            self.assertTrue(images[name] != last, f"{name}: the image is the same as before")
            last = images[name]
        self.assertTrue(images["studio"] == images["plain"], "the image is not the same after all was set back")
        page.run("tests.viewer.autoRotateDelay = 0; tests.viewer.autoRotate = true; 0")
        first = page.run("tests.viewer.camera.azimuth")
        time.sleep(1)
        self.assertTrue(page.run("tests.viewer.camera.azimuth") > first + 3, "the camera does not rotate by itself")
        page.run("tests.viewer.autoRotate = false; 0")
        for bad in ["exposure = 99", "background = 'blue'", "toneMapping = 'x'"]:
            self.assertTrue("RangeError" in page.run(f"(() => {{ try {{ tests.viewer.{bad} }} catch (error) {{ return error.name }} }})()"), f"{bad} was accepted")

    def test_errors(self):
        """Damaged models and environments are refused with readable messages, and the viewer continues."""
        page = self.viewer("gltf/Duck/glTF-Binary/Duck.glb")
        message = page.run("tests.viewer.load(new Uint8Array(100)).then(() => '', tests.error)")
        self.assertTrue(message.startswith("model: ") and "not a glTF file" in message, message)
        page.run("fetch('/data/gltf/Duck/glTF-Binary/Duck.glb').then(r => r.arrayBuffer()).then(b => { window.duck = b })")
        message = page.run("tests.viewer.load(duck.slice(0, 5000)).then(() => '', tests.error)")
        self.assertTrue(message.startswith("model: "), message)
        message = page.run("tests.viewer.setEnvironment(new Uint8Array([35, 63, 10])).then(() => '', tests.error)")
        self.assertTrue(message.startswith("environment: "), message)
        self.assertTrue(page.run("tests.viewer.model.triangles") == 4212, "the shown model was removed")
        message = page.run("(async () => { const first = tests.viewer.load(duck).then(() => '', tests.error); await tests.viewer.load(duck); return first })()")
        self.assertTrue(message.startswith("aborted: "), message)
        page.run("tests.viewer.destroy()")
        message = page.run("(() => { try { tests.viewer.camera } catch (error) { return tests.error(error) } })()")
        self.assertTrue(message.startswith("destroyed: "), message)

    def test_memory(self):
        """Loading again and drawing many frames leave memory flat; destroying a viewer frees its objects."""
        page = self.viewer("gltf/Duck/glTF-Binary/Duck.glb")
        page.run("fetch('/data/gltf/Duck/glTF-Binary/Duck.glb').then(r => r.arrayBuffer()).then(b => { window.duck = b })")
        state = "(() => { const info = tests.runtime.info; return [info.usedBytes, info.gpuObjects, info.wasmBytes] })()"
        for _ in range(2):
            page.run("tests.viewer.load(duck).then(() => tests.settle(100))")
        before = page.run(state)
        for _ in range(4):
            page.run("tests.viewer.load(duck).then(() => tests.settle(100))")
        after = page.run(state)
        self.assertTrue(after[1] == before[1] and after[0] < before[0] * 1.01 + 4096, f"loading again leaks: {before} {after}")
        page.run("(async () => { for (let i = 0; i < 300; i++) { tests.viewer.camera = { azimuth: i }; tests.viewer.frame(performance.now()); if (i % 20 === 0) await new Promise(requestAnimationFrame) } })()")
        frames = page.run(state)
        self.assertTrue(frames[1] == after[1] and frames[0] < after[0] * 1.01 + 4096, f"frames leak: {after} {frames}")
        objects = page.run("""(async () => {
            const canvas = document.createElement('canvas'); document.body.append(canvas);
            const second = await tests.open(canvas); await second.load(duck); second.resize(64, 64, 1); second.frame(performance.now());
            const most = tests.runtime.info.gpuObjects; second.destroy(); return [most, tests.runtime.info.gpuObjects, tests.runtime.info.usedBytes] })()""")
        self.assertTrue(objects[0] > objects[1] and objects[1] <= frames[1], f"a destroyed viewer leaves objects: {frames} {objects}")
        page.run("tests.viewer.destroy()")
        # The instance stays for the life of the page.
        self.assertEqual(page.run("tests.runtime.info.gpuObjects"), 1, "GPU objects are left after the last viewer")
        page.run("(async () => { tests.viewer = null; const canvas = document.createElement('canvas'); document.body.append(canvas); await tests.open(canvas); await tests.viewer.load(duck) })()")
        print(f"{frames[0] >> 10} KB and {frames[1]} GPU objects after 300 frames")

    def test_ten_thousand_frames(self):
        """Wasm memory, GPU objects and the heap of JavaScript stay flat over 10,000 frames of an animation, a rotating camera and input."""
        page = self.viewer("gltf/CesiumMan/glTF-Binary/CesiumMan.glb", moves=True, width=100, height=100)

        def state():
            page.run("tests.viewer.pixels({ width: 1, height: 1 }).then(() => gc())")
            heap = page.send("Runtime.getHeapUsage")["usedSize"]
            return dict(zip(["used", "wasm", "objects", "heap"], [*page.run("(({ usedBytes, wasmBytes, gpuObjects }) => [usedBytes, wasmBytes, gpuObjects])(tests.runtime.info)"), heap]))

        def run(count):
            page.run(f"""(async () => {{
                const {{ viewer }} = tests;
                for (let frame = 0; frame < {count}; frame++) {{
                    window.clock += 1000 / 60;
                    if (frame % 100 === 0) viewer.pointer("down", 1, "mouse", 8, 8, 0, 0, clock);
                    if (frame % 100 < 10) viewer.pointer("move", 1, "mouse", 8 + frame % 10, 8, 0, 0, clock);
                    if (frame % 100 === 10) viewer.pointer("up", 1, "mouse", 18, 8, 0, 0, clock);
                    if (frame % 150 === 0) viewer.wheel(0, frame % 300 ? 100 : -100, 0, 8, 8, 0, clock);
                    viewer.frame(clock);
                    if (frame % 50 === 49) await viewer.pixels({{ width: 1, height: 1 }});
                }} }})()""", timeout=900)

        page.run("window.clock = performance.now() + 1e6; tests.viewer.resize(16, 16, 1); Object.assign(tests.viewer, { paused: false, autoRotate: true, autoRotateDelay: 0, antialiasing: false }); 0")
        run(1000)
        before = state()
        drawn = page.run("tests.viewer.statistics.frames")
        run(10_000)
        after = state()
        self.assertGreater(page.run("tests.viewer.statistics.frames") - drawn, 9_900)
        print(f"{before} → {after}", end=" ")
        self.assertEqual(after["objects"], before["objects"])
        self.assertEqual(after["wasm"], before["wasm"])
        self.assertLess(after["used"] - before["used"], 16_384)
        self.assertLess(after["heap"] - before["heap"], 300_000)

    def test_several(self):
        """Six viewers share one device."""
        page = self.open()
        page.run("""(async () => {
            document.getElementById('canvas').remove();
            document.body.style.cssText = 'display: grid; grid-template-columns: repeat(3, 200px)';
            const bytes = await (await fetch('/data/gltf/Duck/glTF-Binary/Duck.glb')).arrayBuffer();
            window.viewers = await Promise.all(Array.from({ length: 6 }, async (_, index) => {
                const canvas = document.createElement('canvas'); canvas.style.cssText = 'width: 200px; height: 150px'; document.body.append(canvas);
                const viewer = await tests.open(canvas); await viewer.load(bytes); viewer.camera = { azimuth: index * 60 }; return viewer }));
            await tests.settle() })()""")
        self.assertTrue(page.run("tests.runtime.info.viewers") == 6, "not six viewers")
        self.assertTrue(page.run("viewers.every((viewer) => viewer.statistics.frames > 0)"), "a viewer has drawn nothing")
        page.screenshot().save(OUT / "several.png")

    def test_lost(self):
        """After the device is lost, a new runtime shows the model again on the same canvas."""
        page = self.open()
        page.run("""(() => { const request = GPUAdapter.prototype.requestDevice;
            GPUAdapter.prototype.requestDevice = async function (...parameters) { window.device = await request.apply(this, parameters); return window.device } })()""")
        page.run("tests.open().then(() => tests.load('/data/gltf/Duck/glTF-Binary/Duck.glb')).then(() => true)")
        before = png(page).data
        page.run("tests.viewer.exposure = 0.5; device.destroy()")
        page.wait("!!tests.lost", 10)
        self.assertTrue(page.run("tests.runtime.isLost"), "isLost is false")
        message = page.run("(() => { try { tests.viewer.frame(0) } catch (error) { return tests.error(error) } })()")
        self.assertTrue(message.startswith("lost: "), message)
        page.run("""(async () => { const state = tests.viewer.state(); tests.viewer.destroy(); tests.viewer = null;
            await tests.open(undefined, { state }); await tests.load('/data/gltf/Duck/glTF-Binary/Duck.glb'); tests.viewer.exposure = 0 })()""")
        self.assertTrue(png(page).data == before, "the image differs after the device was lost")

    def test_unsupported(self):
        """A page without WebGPU gets an error with a code."""
        page = self.open()
        page.run("Object.defineProperty(navigator, 'gpu', { value: undefined })")
        message = page.run("tests.open().then(() => '', tests.error)")
        self.assertTrue(message.startswith("no-webgpu: "), message)

    def test_policy(self):
        """Works under a strict content security policy, without other requests."""
        self.server.headers["Content-Security-Policy"] = STRICT
        page = self.open()
        page.run("tests.open().then(() => tests.load('/data/gltf/Duck/glTF-Binary/Duck.glb')).then(() => true)")
        blocked = [text for text in page.console if "Content Security Policy" in text]
        self.assertTrue(not blocked, f"{blocked[:2]}")
        allowed = {"/runtime.html", "/runtime-page.js", "/build/vitrine-runtime.js", "/build/vitrine.wasm", "/data/gltf/Duck/glTF-Binary/Duck.glb", "/favicon.ico"}
        self.assertTrue(set(self.server.requests) <= allowed, f"other requests: {set(self.server.requests) - allowed}")


if __name__ == "__main__":
    unittest.main(verbosity=2)
