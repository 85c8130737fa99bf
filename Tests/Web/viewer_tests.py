#!/usr/bin/env python3
"""Tests of <vitrine-viewer> with the built renderer, by real input events; with $VITRINE, the command, also of the pages of `vitrine web`.

    VITRINE=.build/release/vitrine python3 Tests/Web/viewer_tests.py [ViewerTests.NAME]
"""
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
