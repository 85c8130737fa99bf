#!/usr/bin/env python3
"""Tests of <vitrine-viewer> with the built renderer, by real input events; with $VITRINE, the command, also of the pages of `vitrine web`.

    VITRINE=.build/release/vitrine python3 Tests/Web/viewer_tests.py [ViewerTests.NAME]
"""
import math
import os
import pathlib
import shutil
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.dirname(__file__))
from browser import BUILD, PATIENCE, ROOT, VITRINE, PageTests, Server  # noqa: E402

POSTER = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 10 10'%3E%3Crect width='10' height='10' fill='%23c33'/%3E%3C/svg%3E"
STRICT = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self'; connect-src 'self'"


class Pages(PageTests):
    head = ("<link rel='stylesheet' href='page.css'><script src='events.js'></script>"
            "<script type='module' src='vitrine-viewer.js'></script>")

    @classmethod
    def fill(cls):
        for file in BUILD.iterdir():
            shutil.copy(file, cls.folder)
        subprocess.run([sys.executable, ROOT / "scripts/make-demo-model.py", cls.folder + "/egg.glb"], check=True, stdout=subprocess.DEVNULL)
        whole = pathlib.Path(cls.folder, "egg.glb").read_bytes()
        pathlib.Path(cls.folder, "cut.glb").write_bytes(whole[:2000])
        pathlib.Path(cls.folder, "page.css").write_text("body { margin: 0; background: #fff } vitrine-viewer { width: 240px; height: 180px }")
        pathlib.Path(cls.folder, "events.js").write_text(
            "window.seen = []; for (const name of ['load', 'error', 'camera-change']) document.addEventListener(name, (event) =>"
            " event.target.localName === 'vitrine-viewer' && seen.push([name, event.detail]), true);"
            " window.count = (name) => seen.filter((entry) => entry[0] === name).length; window.v = () => document.querySelector('vitrine-viewer');")

    def visit(self, url, **options):
        return super().visit(url, **{"width": 500, "height": 400, **options})

    def loaded(self, attributes="camera-controls", **options):
        page = self.page(f"<vitrine-viewer src='egg.glb' {attributes}></vitrine-viewer>", **options)
        page.wait("count('load') === 1", timeout=PATIENCE)
        return page

    def shows_model(self, page, x=120, y=90, timeout=PATIENCE):
        """Waits until the middle of the viewer is not white."""
        end = time.time() + timeout
        while page.screenshot().pixel(x, y) == (255, 255, 255):
            self.assertLess(time.time(), end, f"nothing is drawn: {page.console[-5:]}")
            time.sleep(0.3)


class ControlTests(Pages):
    """The camera by real input."""

    def orbit(self, page):
        return page.run("(({ theta, phi, radius }) => [theta, phi, radius])(v().getCameraOrbit())")

    def target(self, page):
        return page.run("Object.values(v().getCameraTarget()).slice(0, 3)")

    def settled(self, page):
        """The orbit after all motion, on a machine of any speed."""
        last = None
        while True:
            page.frames(3)
            time.sleep(0.2)
            now = self.orbit(page)
            if now == last:
                return now
            last = now

    def test_keys_orbit_pan_and_zoom(self):
        page = self.loaded()
        page.key("Tab")
        start = self.settled(page)
        for key, part, sign in [("ArrowLeft", 0, -1), ("ArrowRight", 0, 1), ("ArrowUp", 1, -1), ("ArrowDown", 1, 1), ("+", 2, -1), ("-", 2, 1)]:
            before = self.settled(page)
            page.key(key)
            after = self.settled(page)
            self.assertGreater((after[part] - before[part]) * sign, 0, key)
        before = self.target(page)
        page.key("ArrowLeft", modifiers=8)
        self.settled(page)
        self.assertNotEqual(self.target(page), before)
        page.key("Home")
        self.assertLess(max(abs(a - b) for a, b in zip(self.settled(page), start)), 1e-3)

    def test_a_tap_focuses_and_a_double_tap_orbits_the_surface(self):
        page = self.loaded(mobile=True)
        start, target = self.settled(page), self.target(page)
        page.tap(120, 60)
        self.assertEqual(self.settled(page), start)
        # On a slow machine a tap may last too long to count.
        for _ in range(20):
            time.sleep(0.6)
            page.tap(120, 60)
            page.tap(120, 60)
            self.settled(page)
            if self.target(page) != target:
                return
        self.fail("a double tap has no effect")

    def test_a_swipe_orbits_and_a_pinch_zooms(self):
        page = self.loaded("camera-controls touch-action='none'", mobile=True)
        before = self.settled(page)
        page.touch("touchStart", (60, 90, 1))
        for step in range(1, 9):
            page.touch("touchMove", (60 + 10 * step, 90, 1))
            time.sleep(0.02)
        page.touch("touchEnd")
        after = self.settled(page)
        self.assertLess(after[0], before[0] - 0.2)
        page.pinch((120, 90), 20, 60)
        self.assertLess(self.settled(page)[2], after[2] * 0.7)

    def test_limits_of_the_camera(self):
        page = self.loaded("camera-controls camera-orbit='0deg 75deg auto' min-camera-orbit='-20deg 60deg 80%' max-camera-orbit='20deg 90deg 120%'")
        fitting = self.settled(page)[2]
        for delta, part, limit in [((100, 0), 0, -20), ((-200, 0), 0, 20), ((0, 120), 1, 60), ((0, -150), 1, 90)]:
            page.drag((120 - delta[0] / 2, 90 - delta[1] / 2), (120 + delta[0] / 2, 90 + delta[1] / 2))
            self.assertAlmostEqual(math.degrees(self.settled(page)[part]), limit, delta=0.1)
        for notches, share in [(-3000, 0.8), (3000, 1.2)]:
            page.wheel(120, 90, notches)
            time.sleep(0.2)
            self.assertAlmostEqual(self.settled(page)[2] / fitting, share, delta=0.01)

    def test_disabled_zoom_and_pan(self):
        page = self.page("<vitrine-viewer src='egg.glb' camera-controls touch-action='none' disable-zoom disable-pan></vitrine-viewer><div style='height: 3000px'></div>")
        page.wait("count('load') === 1", timeout=PATIENCE)
        radius, target = self.settled(page)[2], self.target(page)
        page.wheel(120, 90, 200)
        page.wait("scrollY > 50")
        page.run("scrollTo(0, 0)")
        page.drag((100, 90), (150, 60), button="right")
        page.run("v().shadowRoot.querySelector('.stage').focus()")
        page.key("+")
        page.key("ArrowUp", modifiers=8)
        page.touches(True)
        page.pinch((120, 90), 20, 60)
        self.assertEqual((self.settled(page)[2], self.target(page)), (radius, target))
        page.touches(False)
        page.drag((100, 90), (150, 90))
        self.assertNotEqual(self.settled(page)[0], 0.5)

    def test_reduced_motion_has_no_inertia(self):
        page = self.loaded(reduced_motion=True)
        self.settled(page)
        page.drag((80, 90), (160, 90), steps=4)
        page.frames(3)
        at_release = self.orbit(page)
        time.sleep(0.5)
        self.assertEqual(self.orbit(page), at_release)

    def test_size_and_resolution(self):
        page = self.loaded()
        size = "(({ width, height }) => [width, height])(v().shadowRoot.querySelector('canvas'))"
        self.assertEqual(page.run(size), [240, 180])
        page.run("v().style.width = '200px'")
        page.wait(f"{size}[0] === 200", timeout=PATIENCE)
        # With the same size the emulation reports no change, unlike a zoomed page.
        page.resize(500, 401, 2)
        page.wait(f"{size}[0] === 400")
        self.shows_model(page, 200, 180)

    def test_a_hidden_tab_and_a_viewer_at_rest_draw_nothing(self):
        page = self.loaded("auto-rotate auto-rotate-delay='0'", before="window.drawn = 0; { const submit = GPUQueue.prototype.submit;"
                           " GPUQueue.prototype.submit = function (...list) { window.drawn++; return submit.apply(this, list) } }")
        page.wait("(window.before ??= drawn, drawn > before + 2)", timeout=PATIENCE)
        other = self.page("")
        other.send("Page.bringToFront")
        page.wait("document.hidden")
        time.sleep(0.3)
        before = page.run("drawn")
        time.sleep(1)
        self.assertEqual(page.run("drawn"), before)
        page.send("Page.bringToFront")
        page.wait(f"drawn > {before}", timeout=PATIENCE)
        page.run("v().autoRotate = false")
        self.settled(page)
        before = page.run("drawn")
        time.sleep(1)
        self.assertEqual(page.run("drawn"), before)


    def test_the_rotation_continues_after_a_frame_of_an_earlier_time(self):
        page = self.loaded("auto-rotate auto-rotate-delay='0'", before="{ const request = requestAnimationFrame; let early = 3;"
                           " window.requestAnimationFrame = (draw) => request((time) => draw(early-- > 0 ? time - 500 : time)) }")
        start = self.orbit(page)[0]
        page.wait(f"Math.abs(v().getCameraOrbit().theta - {start}) > 0.02", timeout=PATIENCE)


class ViewerTests(Pages):
    def test_the_model_is_drawn_over_the_page(self):
        page = self.loaded()
        self.shows_model(page)
        self.assertEqual(page.screenshot().pixel(5, 5), (255, 255, 255))
        self.assertGreater(page.run("v().getDimensions().y"), 0)

    def test_drags_wheel_keys_and_touches_move_the_camera(self):
        page = self.loaded()
        orbit = lambda: page.run("(({ theta, phi, radius }) => [theta, phi, radius])(v().getCameraOrbit())")
        moves = lambda condition: page.wait(f"(({{ theta, phi, radius }}) => {condition})(v().getCameraOrbit())", timeout=PATIENCE)
        start = orbit()
        page.drag((120, 90), (180, 90))
        page.wait("seen.some(entry => entry[0] === 'camera-change' && entry[1].source === 'user-interaction')", timeout=PATIENCE)
        moves(f"theta < {start[0] - 0.1}")
        page.wheel(120, 90, -240)
        moves(f"radius < {start[2] * 0.95}")
        now = orbit()
        page.key("ArrowUp")
        moves(f"phi < {now[1] - 0.1}")
        now = orbit()
        page.key("+")
        moves(f"radius < {now[2] * 0.95}")
        page.touches(True)
        now = orbit()
        page.pinch((120, 90), 60, 12, steps=16)
        moves(f"radius > {now[2] * 1.1}")

    def test_a_lost_device_in_every_state(self):
        hook = ("window.devices = []; { const request = GPUAdapter.prototype.requestDevice; GPUAdapter.prototype.requestDevice = async function (...list) {"
                " const device = await request.apply(this, list); devices.push(device); return device } }")
        states = {"while the device opens": "devices.length === 1", "while the model loads": "document.querySelector('vitrine-viewer').shadowRoot.querySelector('canvas')?.width === 240",
                  "at rest": "v().modelIsVisible", "while it draws": "v().modelIsVisible && (v().autoRotateDelay = 0, v().autoRotate = true)"}
        for state, ready in states.items():
            with self.subTest(state):
                page = self.page("<vitrine-viewer src='egg.glb' camera-orbit='90deg 75deg auto'></vitrine-viewer>", before=hook)
                page.wait(ready, timeout=PATIENCE)
                page.run("seen.length = 0; devices[0].destroy(); 0")
                page.wait("devices.length === 2 && count('load') === 1 && v().modelIsVisible", timeout=PATIENCE)
                page.run("v().autoRotate = false")
                self.assertEqual(page.run("[count('error'), v().shadowRoot.querySelectorAll('canvas').length]"), [0, 1])
                self.shows_model(page)

    def test_pipelines_are_compiled_while_images_are_decoded(self):
        hook = ("window.pipelines = []; { const make = GPUDevice.prototype.createRenderPipeline; GPUDevice.prototype.createRenderPipeline = function (descriptor) {"
                " pipelines.push(descriptor.label); return make.call(this, descriptor) } }"
                " { const decode = createImageBitmap, gate = new Promise(open => window.openGate = open);"
                " window.createImageBitmap = async (...list) => { await gate; return decode(...list) } }")
        page = self.page("<vitrine-viewer src='egg.glb' shadow='0.5'></vitrine-viewer>", before=hook)
        page.wait("pipelines.includes('surface') && pipelines.includes('shadow caster')", timeout=PATIENCE)
        page.wait("(window.counts ??= []).push(pipelines.length) > 20 && counts.at(-20) === counts.at(-1)", timeout=PATIENCE)
        self.assertFalse(page.run("v().modelIsVisible"))
        compiled = page.run("pipelines")
        page.run("openGate()")
        page.wait("count('load') === 1", timeout=PATIENCE)
        page.frames(2)
        self.assertEqual(page.run("pipelines"), compiled)

    def test_percentages_of_the_fitting_distance(self):
        page = self.loaded("camera-controls camera-orbit='0deg 75deg 60%'")
        near = page.run("v().getCameraOrbit().radius")
        page.drag((100, 90), (150, 90))
        page.run("v().cameraOrbit = '0deg 75deg 100%'; v().jumpCameraToGoal()")
        self.assertAlmostEqual(near / page.run("v().getCameraOrbit().radius"), 0.6, places=4)
        fitting = page.run("v().getCameraOrbit().radius")
        page.run("v().removeAttribute('camera-orbit'); v().updateFraming()")
        self.assertAlmostEqual(page.run("v().getCameraOrbit().radius") / fitting, 1, places=4)

    def test_a_portrait_view_has_the_distance_and_the_width_of_a_square_one(self):
        page = self.loaded("camera-orbit='40deg 60deg auto'")
        # The distance, the field of view, and a point of the model in halves of the width from the middle.
        view = ("(({ radius }, { x }, width) => [radius, v().getFieldOfView(), 2 * x / width - 1])"
                "(v().getCameraOrbit(), v().queryHotspot('hotspot-a').canvasPosition, v().clientWidth)")
        page.run("v().innerHTML = '<b slot=hotspot-a data-position=\\'0.02m 0.03m 0.01m\\'></b>'; v().style.width = v().style.height = '150px'; 0")
        page.wait("v().shadowRoot.querySelector('canvas').height === 150")
        page.frames(3)
        square = page.run(view)
        self.assertGreater(abs(square[2]), 0.01)
        page.run("v().style.height = '300px'; 0")
        page.wait("v().shadowRoot.querySelector('canvas').height === 300")
        page.frames(3)
        for value, wanted in zip(page.run(view), square):
            self.assertAlmostEqual(value, wanted, places=4)
        # An image of another shape fits the model by itself.
        corner = "v().toBlob({ width: 64, height: 64, samples: 1 }).then(createImageBitmap).then(image => [image.width, v().getFieldOfView()])"
        self.assertEqual(page.run(corner)[0], 64)

    def test_six_viewers(self):
        page = self.page("<vitrine-viewer src='egg.glb'></vitrine-viewer>" * 6, width=520, height=600)
        page.run("document.querySelectorAll('vitrine-viewer').forEach(viewer => viewer.style.display = 'inline-block')")
        page.wait("count('load') === 6", timeout=PATIENCE)
        for x, y in [(120, 90), (360, 90), (120, 270), (360, 270), (120, 450), (360, 450)]:
            self.shows_model(page, x, y)

    def test_a_strict_policy(self):
        self.server.headers["Content-Security-Policy"] = STRICT
        page = self.loaded()
        self.shows_model(page)
        self.assertEqual([line for line in page.console if "Security Policy" in line], [])

    def test_a_damaged_model(self):
        page = self.page("<vitrine-viewer src='cut.glb'></vitrine-viewer>")
        page.wait("count('error') === 1", timeout=PATIENCE)
        self.assertIn("damaged", page.run("v().shadowRoot.querySelector('.message').textContent"))
        self.assertIn("cut.glb", page.run("seen.find(entry => entry[0] === 'error')[1].message"))
        page.run("v().src = 'egg.glb'")
        page.wait("count('load') === 1", timeout=PATIENCE)
        self.shows_model(page)

    def test_images_of_the_view(self):
        page = self.loaded()
        self.assertTrue(page.run("v().toDataURL().length > 1000"))
        self.assertEqual(page.run("v().toBlob({ width: 64, height: 64, samples: 1 }).then(createImageBitmap).then(image => [image.width, image.height])"), [64, 64])

    def test_a_hotspot_lies_on_its_surface(self):
        page = self.loaded("camera-controls camera-orbit='30deg 75deg auto'")
        page.run("const { position, normal } = v().positionAndNormalFromPoint(130, 80); const spot = document.createElement('button'); spot.slot = 'hotspot-1';"
                 " spot.textContent = 'A'; spot.dataset.position = position; spot.dataset.normal = normal; v().append(spot)")
        page.wait("v().queryHotspot('hotspot-1')?.facingCamera", timeout=PATIENCE)
        centre = "(({ x, y, width, height }) => [x + width / 2, y + height / 2])(document.querySelector('button').getBoundingClientRect())"
        for value, wanted in zip(page.run(centre), (130, 80)):
            self.assertAlmostEqual(value, wanted, delta=1)
        page.run("v().cameraOrbit = '210deg 75deg auto'; v().jumpCameraToGoal()")
        page.wait("!v().queryHotspot('hotspot-1').facingCamera && getComputedStyle(document.querySelector('button')).opacity < 0.5", timeout=PATIENCE)

    def test_a_removed_viewer_comes_back(self):
        page = self.loaded()
        page.run("window.kept = v(); kept.remove()")
        time.sleep(0.3)
        page.run("document.body.append(kept)")
        page.wait("count('load') === 2", timeout=PATIENCE)
        self.shows_model(page)

    @unittest.skipUnless(VITRINE, "needs $VITRINE")
    def test_the_page_of_the_command(self):
        folder = self.folder + "/site"
        subprocess.run([VITRINE, "web", self.folder + "/egg.glb", "-o", folder, "--poster-size", "200"], check=True)
        with Server(folder) as server:
            page = self.visit(server.url, before="addEventListener('load', () => {}, true)")
            page.wait("document.querySelector('vitrine-viewer').modelIsVisible", timeout=PATIENCE)
            self.shows_model(page, 250, 200)
            self.assertEqual([line for line in page.console if "Security Policy" in line], [])

    @unittest.skipUnless(VITRINE, "needs $VITRINE")
    def test_one_file_from_the_disk(self):
        file = self.folder + "/egg.html"
        subprocess.run([VITRINE, "web", self.folder + "/egg.glb", "-o", file, "--single-file", "--poster-size", "200"], check=True)
        page = self.visit("file://" + file)
        page.wait("document.querySelector('vitrine-viewer').modelIsVisible", timeout=PATIENCE)
        self.shows_model(page, 250, 200)


class NoWebGPUTests(Pages):
    webgpu = False

    def test_the_poster_stays_with_a_sentence(self):
        page = self.page(f"<vitrine-viewer src='egg.glb' poster=\"{POSTER}\"></vitrine-viewer>")
        page.wait("count('error') === 1")
        self.assertIn(page.run("seen.find(entry => entry[0] === 'error')[1].type"), ["webgpu", "adapter"])
        self.assertIn("cannot", page.run("v().shadowRoot.querySelector('.message').textContent"))
        self.assertEqual(page.screenshot().pixel(120, 20), (204, 51, 51))


if __name__ == "__main__":
    unittest.main(verbosity=2)
