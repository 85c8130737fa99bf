#!/usr/bin/env python3
"""Tests of layers in pages: the examples' scenes with real input, and mistakes in shaders. The program is built by

    scripts/web.sh --scenes scenes out/test-web/scenes Tests/Web/scenes/*.swift Examples/Button/Button.swift Examples/Logo/Logo.swift
    python3 Tests/Web/layers_tests.py [LayerTests.NAME]

$VITRINE_SCENES: its folder, default out/test-web/scenes. $VITRINE_LOGO: Examples/Logo as a native program, for comparison.
"""
import os
import pathlib
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.dirname(__file__))
from browser import OUT, ROOT, Image, PageTests  # noqa: E402

SCENES = pathlib.Path(os.environ.get("VITRINE_SCENES") or ROOT / "out/test-web/scenes")
LOGO = pathlib.Path(os.environ.get("VITRINE_LOGO") or ROOT / ".build/release/Logo")
PAGE = """<!DOCTYPE html><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'unsafe-inline'; connect-src 'self'">
<style>body { margin: 0 } vitrine-layers { display: block; width: %dpx; height: %dpx }</style>
<script type="module" src="vitrine-layers.js"></script>
%s
"""


def difference(a, b, rows=None):
    """The share of pixels that differ by more than 6 of 255 in a channel."""
    count = total = 0
    for upper, lower in zip(a.rows[:rows], b.rows[:rows]):
        for x in range(min(a.width, b.width)):
            total += 1
            count += any(abs(upper[x * a.channels + c] - lower[x * b.channels + c]) > 6 for c in range(3))
    return count / total


@unittest.skipUnless((SCENES / "scenes.wasm").exists(), f"{SCENES} has no program")
class LayerTests(PageTests):
    @classmethod
    def folders(cls):
        return {"/": SCENES}

    def show(self, *scenes, width=400, height=240, **options):
        page = PAGE % (width, height, "\n".join(f'<vitrine-layers src="scenes.wasm" scene="{scene}"></vitrine-layers>' for scene in scenes))
        (SCENES / "test.html").write_text(page)
        return self.visit(self.server.url + "test.html", width=width, height=height * len(scenes), **options)

    def settled(self, page, name):
        """The image once nothing moves."""
        OUT.mkdir(parents=True, exist_ok=True)
        last, end = None, time.time() + 60
        while time.time() < end:
            time.sleep(0.5)
            image = page.screenshot(OUT / f"layers-{name}.png")
            if last and image.data == last.data and difference(image, Image(last.data)) == 0 and len({bytes(row) for row in image.rows}) > 10:
                return image
            last = image
        self.fail(f"{name} does not come to rest: {page.console}")

    def test_button_glows_and_goes_dark_again(self):
        page = self.show("Button", scale=2)
        rest = self.settled(page, "button-rest")
        page.mouse("mouseMoved", 150, 110, button="none")
        page.mouse("mousePressed", 150, 110)
        time.sleep(1)
        pressed = page.screenshot(OUT / "layers-button-pressed.png")
        self.assertGreater(difference(rest, pressed), 0.02)
        page.mouse("mouseMoved", 250, 130)
        time.sleep(0.6)
        moved = page.screenshot(OUT / "layers-button-moved.png")
        self.assertGreater(difference(pressed, moved), 0.005)
        page.mouse("mouseReleased", 250, 130)
        time.sleep(1.5)
        self.assertEqual(difference(rest, self.settled(page, "button-after")), 0)
        self.assertEqual([line for line in page.console if line.startswith("error")], [])

    def test_button_takes_touches(self):
        page = self.show("Button", mobile=True)
        rest = self.settled(page, "touch-rest")
        page.touch("touchStart", (150, 110, 1))
        time.sleep(1)
        self.assertGreater(difference(rest, page.screenshot(OUT / "layers-touch-pressed.png")), 0.02)
        page.touch("touchEnd")
        time.sleep(1.5)
        self.assertEqual(difference(rest, self.settled(page, "touch-after")), 0)

    def test_logo_tilts_and_springs_back(self):
        page = self.show("Logo", width=840, height=320)
        rest = self.settled(page, "logo-rest")
        for x, name in [(140, "flat"), (420, "depth"), (700, "model")]:
            page.mouse("mouseMoved", x, 140, button="none")
            page.mouse("mousePressed", x, 140)
            for step in range(8):
                page.mouse("mouseMoved", x + 7 * step, 140 - 3 * step)
                time.sleep(0.03)
            time.sleep(0.4)
            self.assertGreater(difference(rest, page.screenshot(OUT / f"layers-logo-{name}.png")), 0.01, name)
            page.mouse("mouseReleased", x + 49, 119)
        time.sleep(3)
        self.assertLess(difference(rest, self.settled(page, "logo-after")), 0.001)

    def test_logo_looks_as_in_an_app(self):
        if not LOGO.exists():
            self.skipTest("needs $VITRINE_LOGO")
        page = self.show("Logo", width=840, height=320)
        shown = self.settled(page, "logo-rest")
        subprocess.run([LOGO, "--frames", "1", "-o", OUT / "logo-native"], check=True, capture_output=True)
        native = Image(sorted((OUT / "logo-native").glob("*.png"))[0].read_bytes())
        # The captions below have another font.
        squared = total = 0
        for upper, lower in zip(shown.rows[:268], native.rows[:268]):
            for x in range(840):
                for c in range(3):
                    squared += (upper[x * shown.channels + c] - lower[x * native.channels + c]) ** 2
                    total += 1
        from math import log10
        decibels = 10 * log10(255**2 / max(squared / total, 1e-9))
        print(f"Logo against the app: {decibels:.1f} dB")
        self.assertGreater(decibels, 40)

    def message(self, scene, mark):
        """The console's error of a scene, and the line of its source that contains `mark`."""
        source = (ROOT / "Tests/Web/scenes/Mistakes.swift").read_text().split("\n")
        line = next(number for number, text in enumerate(source, 1) if mark in text)
        page = self.show(scene)
        page.wait("true")
        end = time.time() + 30
        while time.time() < end:
            errors = [text for text in page.console if text.startswith("error")]
            if errors:
                time.sleep(0.5)
                return [text for text in page.console if text.startswith("error")], line
            time.sleep(0.2)
        self.fail(f"{scene}: no error in the console: {page.console}")

    def assert_message(self, scene, mark, reason):
        errors, line = self.message(scene, mark)
        print(scene, errors)
        self.assertEqual(len(errors), 1, errors)
        self.assertIn(f"Mistakes.swift:{line}", errors[0])
        self.assertIn(reason, errors[0])

    def test_mistake_in_an_effect(self):
        self.assert_message("effect", "return missingColor", "missingColor")

    def test_mistake_in_a_surface_function(self):
        self.assert_message("surface", "in.\\(input)", "missingInput")

    def test_mistake_in_a_particle_function(self):
        self.assert_message("particles", "missingSpeed;", "missingSpeed")

    def test_mistake_in_a_declaration(self):
        self.assert_message("signature", "@group(0)", "binding")

    def test_surface_functions_draw(self):
        page = self.show("stripes")
        image = self.settled(page, "stripes")
        row = image.rows[120]
        reds = sum(1 for x in range(40, 360) if row[x * image.channels] > row[x * image.channels + 2] + 60)
        self.assertGreater(reds, 40)
        self.assertEqual([line for line in page.console if line.startswith("error")], [])

    def test_other_views_go_on_beside_a_mistake(self):
        page = self.show("effect", "stripes")
        time.sleep(4)
        image = page.screenshot(OUT / "layers-beside.png")
        row = image.rows[240 + 120]
        self.assertGreater(sum(1 for x in range(40, 360) if row[x * image.channels] > row[x * image.channels + 2] + 60), 40)

    def test_unknown_scene(self):
        page = self.show("Other")
        page.wait("true")
        end = time.time() + 30
        while time.time() < end and not any("there is no scene 'Other'" in line for line in page.console):
            time.sleep(0.2)
        self.assertTrue(any("'Button'" in line for line in page.console), page.console)


if __name__ == "__main__":
    unittest.main(verbosity=2)
