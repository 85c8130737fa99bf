#!/usr/bin/env python3
"""Tests of <vitrine-viewer> against a runtime that only records calls: events, attributes, input, lifetimes.

    python3 Tests/Web/element_tests.py [ElementTests.NAME]
"""
import os
import pathlib
import re
import shutil
import sys
import time
import unittest

sys.path.insert(0, os.path.dirname(__file__))
from browser import ROOT, PageTests  # noqa: E402

POSTER = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 10 10'%3E%3Crect width='10' height='10' fill='%23c33'/%3E%3C/svg%3E"
STRICT = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; connect-src 'self'; require-trusted-types-for 'script'"


class ElementTests(PageTests):
    webgpu = False
    head = ("<link rel='stylesheet' href='page.css'><script src='events.js'></script>"
            "<script type='module' src='vitrine-viewer.js'></script>")

    @classmethod
    def fill(cls):
        shutil.copy(ROOT / "Web/element/vitrine-viewer.js", cls.folder)
        shutil.copy(ROOT / "Tests/Web/fake-runtime.js", cls.folder + "/vitrine-runtime.js")
        for name, text in {"a.glb": "a" * 4000, "b.glb": "b" * 10, "bad.glb": "damaged", "cubes.glb": "cubes!", "sky.hdr": "#?RADIANCE"}.items():
            pathlib.Path(cls.folder, name).write_text(text)
        pathlib.Path(cls.folder, "page.css").write_text("body { margin: 0 } vitrine-viewer { width: 600px; height: 400px }")
        pathlib.Path(cls.folder, "events.js").write_text(
            "window.seen = []; for (const name of ['load', 'error', 'progress', 'camera-change', 'play', 'pause', 'model-visibility', 'poster-dismissed'])"
            " document.addEventListener(name, (event) => event.target.localName === 'vitrine-viewer' && seen.push([name, event.detail]), true);"
            " window.names = () => seen.map((entry) => entry[0]); window.v = () => document.querySelector('vitrine-viewer');")

    def loaded(self, attributes="", **options):
        page = self.page(f"<vitrine-viewer src='a.glb' {attributes}></vitrine-viewer>", **options)
        page.wait("names().includes('load')")
        return page

    def calls(self, page, name):
        return [call[1:] for call in page.run("fake.log") if call[0] == name]

    def test_load_reports_progress_once_and_shows_the_model(self):
        page = self.loaded("alt='An owl'")
        progress = [detail["totalProgress"] for name, detail in page.run("seen") if name == "progress"]
        self.assertEqual(progress, sorted(progress))
        self.assertEqual((progress[0], progress[-1]), (0, 1))
        self.assertEqual(page.run("names().filter(name => name === 'load').length"), 1)
        self.assertTrue(page.run("v().loaded && v().modelIsVisible"))
        self.assertEqual(page.run("v().availableAnimations"), ["Walk", "Run"])
        self.assertEqual(page.run("v().availableVariants"), ["red", "blue"])
        self.assertEqual(page.run("v().shadowRoot.querySelector('.stage').ariaLabel"), "An owl")
        self.assertEqual(self.calls(page, "load"), [["a.glb", 4000]])
        self.assertEqual(self.server.requests.count("/vitrine.wasm"), 1)

    def test_the_poster_comes_first_and_the_model_replaces_it(self):
        page = self.page(f"<vitrine-viewer src='a.glb' reveal='interaction' camera-controls poster=\"{POSTER}\"></vitrine-viewer>")
        page.frames()
        page.run("v().shadowRoot.querySelector('.poster img').decode()")
        self.assertNotIn("/a.glb", self.server.requests)
        self.assertNotIn("/vitrine-runtime.js", self.server.requests)
        self.assertEqual(page.screenshot().pixel(300, 100), (204, 51, 51))
        page.mouse("mousePressed", 300, 200)
        page.mouse("mouseReleased", 300, 200)
        page.wait("v().loaded")
        time.sleep(0.5)
        self.assertNotEqual(page.screenshot().pixel(300, 200), (204, 51, 51))

    def test_the_start_button_works_by_keyboard(self):
        page = self.page(f"<vitrine-viewer src='a.glb' reveal='interaction' camera-controls poster=\"{POSTER}\"></vitrine-viewer>")
        page.frames()
        page.key("Tab")
        page.key("Enter", text="\r")
        page.wait("v().loaded")
        page.key("ArrowLeft")
        self.assertIn(["down", "ArrowLeft"], self.calls(page, "key"))

    def test_models_below_the_page_load_when_they_come_near(self):
        page = self.page("<div style='height: 3000px'></div><vitrine-viewer src='a.glb'></vitrine-viewer>")
        time.sleep(0.3)
        self.assertNotIn("/a.glb", self.server.requests)
        page.run("scrollTo(0, 2300)")
        page.wait("v().loaded")

    def test_eager_models_load_at_once(self):
        page = self.page("<div style='height: 3000px'></div><vitrine-viewer src='a.glb' loading='eager'></vitrine-viewer>")
        page.wait("v().loaded")

    def test_attributes_become_properties_of_the_viewer(self):
        page = self.loaded(
            "environment='sky.hdr' rotation='90' background='#ff8000' background-blur='0.5' exposure='2' tone-mapping='agx' shadow='0.4' camera-controls "
            "auto-rotate auto-rotate-delay='1000' rotation-per-second='-30deg' animation-name='Run' variant-name='red' environment-intensity='0.5'")
        values = page.run("fake.viewers[0].values")
        expected = dict(rotation=90, background="#ff8000ff", backgroundBlur=0.5, exposure=1, toneMapping="agx", shadow=0.4, cameraControls=True, autoRotate=True,
                        autoRotateDelay=1, autoRotateSpeed=-30, animationName="Run", variantName="red", environmentIntensity=0.5, paused=True)
        self.assertEqual({name: values[name] for name in expected}, expected)
        self.assertEqual(self.calls(page, "setEnvironment"), [[10]])
        page.run("v().variantName = null; v().shadow = true; v().exposure = 0.25; v().removeAttribute('environment')")
        page.wait("fake.log.filter(call => call[0] === 'setEnvironment').length === 2")
        values = page.run("fake.viewers[0].values")
        self.assertEqual((values["variantName"], values["exposure"]), (None, -2))
        self.assertEqual(self.calls(page, "setEnvironment")[-1], [None])

    def test_the_model_is_read_while_the_environment_is_prepared(self):
        page = self.page("<vitrine-viewer src='a.glb' environment='sky.hdr'></vitrine-viewer>", before="window.fake = { environmentDelay: 400 }")
        page.wait("window.fake?.log?.some(call => call[0] === 'load')")
        self.assertEqual(page.run("[names().includes('load'), v().modelIsVisible]"), [False, False])
        page.wait("names().includes('load')")
        self.assertEqual(self.calls(page, "setEnvironment"), [[10]])

    def test_the_poster_stays_until_the_first_frame_is_finished(self):
        page = self.page(f"<vitrine-viewer src='a.glb' poster=\"{POSTER}\"></vitrine-viewer>", before="window.fake = { frameDelay: 400 }")
        page.wait("window.fake?.log?.some(call => call[0] === 'finished')")
        self.assertEqual(page.run("[fake.frames > 0, v().modelIsVisible, names().includes('load')]"), [True, False, False])
        page.wait("names().includes('load') && v().modelIsVisible")

    def test_a_replaced_environment_does_not_refuse_the_model(self):
        page = self.page("<vitrine-viewer src='a.glb' environment='sky.hdr'></vitrine-viewer>", before="window.fake = { environmentFailure: 'aborted' }")
        page.wait("names().includes('load')")
        self.assertNotIn("error", page.run("names()"))

    def test_attributes_of_model_viewer_are_known(self):
        page = self.loaded("environment-image='sky.hdr' shadow-intensity='1' camera-orbit='45deg 60deg 150%' camera-target='0m 50cm 100mm' field-of-view='30deg' "
                           "min-camera-orbit='-45deg 10deg 1m' max-camera-orbit='90deg 90deg 8m' tone-mapping='commerce' autoplay")
        viewer = page.run("({ ...fake.viewers[0].values, camera: fake.viewers[0].camera })")
        self.assertEqual(viewer["camera"], {"azimuth": 45, "elevation": 30, "distance": 6, "target": [0, 0.5, 0.1], "fieldOfView": 30})
        self.assertEqual(viewer["cameraLimits"], {"azimuth": [-45, 90], "elevation": [0, 80], "distance": [1, 8]})
        self.assertEqual((viewer["shadow"], viewer["toneMapping"], viewer["paused"]), (1, "neutral", False))
        self.assertEqual(page.run("v().getCameraOrbit().toString()"), "0.7854rad 1.0472rad 6m")
        self.assertEqual(page.run("v().getCameraTarget().toString()"), "0m 0.5m 0.1m")
        self.assertEqual(page.run("v().getFieldOfView()"), 30)
        self.assertEqual(page.run("v().getDimensions().toString()"), "2m 2m 2m")

    def test_limits_of_the_camera_come_and_go(self):
        page = self.loaded("min-camera-orbit='auto auto 50%' disable-zoom disable-pan")
        values = "fake.viewers[0].values"
        self.assertEqual(page.run(f"[{values}.cameraLimits.distance[0], {values}.allowsZoom, {values}.allowsPan]"), [2, False, False])
        page.run("v().removeAttribute('min-camera-orbit'); v().disableZoom = v().disablePan = false; v().maxCameraOrbit = '30deg auto auto'")
        self.assertEqual(page.run(f"[{values}.cameraLimits.azimuth[0] === -Infinity, {values}.cameraLimits.azimuth[1], {values}.cameraLimits.distance, {values}.allowsZoom, {values}.allowsPan]"),
                         [True, 30, None, True, True])
        page.run("v().removeAttribute('max-camera-orbit')")
        self.assertEqual(page.run(f"{values}.cameraLimits"), {})

    def test_the_reference_lists_all_members(self):
        """docs/guide/viewer-element.md has the attributes, properties, methods, events and parts of the element, and no others."""
        text = (ROOT / "docs/guide/viewer-element.md").read_text()
        source = (ROOT / "Web/element/vitrine-viewer.js").read_text()

        def listed(title):
            section = text.split(f"\n## {title}\n")[1].split("\n## ")[0]
            rows = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `") or line.startswith("| none")]
            return sorted(name for row in rows for name in re.findall(r"`([^`(]+)[^`]*`", row))

        page = self.page("")
        observed, members = page.run(
            "import('./vitrine-viewer.js').then(({ VitrineViewer: type }) => [type.observedAttributes, Object.entries(Object.getOwnPropertyDescriptors(type.prototype))"
            ".map(([name, { value }]) => [name, typeof value === 'function'])])")
        attributes = listed("Attributes")
        self.assertEqual(attributes, sorted([*observed, "interaction-disabled"]))
        camel = {re.sub(r"-(\w)", lambda match: match[1].upper(), name) for name in attributes}
        properties = {name for name, is_method in members if not is_method}
        self.assertLessEqual(camel, properties, "an attribute has no property")
        self.assertEqual(listed("Properties"), sorted(properties - camel))
        methods = {name for name, is_method in members if is_method} - {"constructor", "connectedCallback", "disconnectedCallback", "attributeChangedCallback"}
        self.assertEqual(listed("Methods"), sorted(methods))
        self.assertEqual(listed("Events"), sorted(set(re.findall(r'#fire\("([a-z-]+)"', source))))
        parts = set(re.findall(r'part: "(\w+)"', source)) | set(re.findall(r'\[this\.#\w+, "(\w+)"\]', source))
        self.assertEqual(sorted(re.findall(r"::part\((\w+)\)", text)), sorted(parts))

    def test_properties_set_before_the_module_is_loaded_count(self):
        page = self.page("<vitrine-viewer></vitrine-viewer><script>v().src = 'a.glb'; v().cameraOrbit = '10deg 80deg 3m'</script>")
        page.wait("v().loaded")
        self.assertEqual(page.run("v().getAttribute('camera-orbit')"), "10deg 80deg 3m")
        self.assertEqual(page.run("fake.viewers[0].camera.azimuth"), 10)

    def test_a_changed_orbit_glides_and_jumps(self):
        page = self.loaded()
        page.run("v().cameraOrbit = '0deg 90deg 2m'")
        self.assertEqual(self.calls(page, "setCamera")[-1], [{"azimuth": 0, "elevation": 0, "distance": 2}, {"glide": True}])
        page.run("v().cameraOrbit = '0deg 90deg 2m'")
        self.assertEqual(len([call for call in self.calls(page, "setCamera") if call[1] == {"glide": True}]), 2, "the same orbit again has no effect")
        page.run("v().cameraOrbit = '90deg 90deg 60%'")
        self.assertEqual(self.calls(page, "setCamera")[-1][0], {"azimuth": 90, "elevation": 0, "distance": "60%"})
        page.run("v().jumpCameraToGoal()")
        self.assertEqual(self.calls(page, "setCamera")[-1][1], {"glide": False})

    def test_drag_wheel_and_keys_reach_the_viewer(self):
        page = self.loaded("camera-controls")
        page.drag((300, 200), (420, 220))
        pointer = self.calls(page, "pointer")
        self.assertEqual([entry[0] for entry in pointer if entry[0] != "move"], ["down", "up"])
        self.assertEqual(pointer[-1][1:4], ["mouse", 420, 220])
        page.wait("names().includes('camera-change')")
        self.assertEqual(page.run("seen.find(entry => entry[0] === 'camera-change')[1]"), {"source": "user-interaction"})
        page.wheel(300, 200, 120)
        page.wait("fake.log.some(call => call[0] === 'wheel')")
        self.assertEqual(self.calls(page, "wheel"), [[120, 0, 0]])
        page.key("ArrowLeft")
        page.key("x")
        self.assertEqual([entry[1] for entry in self.calls(page, "key") if entry[0] == "down"], ["ArrowLeft", "x"])

    def test_a_drag_that_leaves_the_element_goes_on(self):
        page = self.loaded("camera-controls")
        page.drag((500, 200), (900, 600))
        page.wait("fake.log.some(call => call[0] === 'pointer' && call[1] === 'up')")
        self.assertEqual(self.calls(page, "pointer")[-1][:4], ["up", "mouse", 900, 600])

    def test_without_camera_controls_the_page_scrolls(self):
        page = self.page("<vitrine-viewer src='a.glb'></vitrine-viewer><div style='height: 3000px'></div>")
        page.wait("v().loaded")
        page.wheel(300, 200, 240)
        page.wait("scrollY > 100")
        self.assertEqual(self.calls(page, "wheel"), [])

    def test_two_fingers_pinch(self):
        page = self.loaded("camera-controls", mobile=True, width=600)
        page.touch("touchStart", (250, 200, 1))
        page.touch("touchStart", (250, 200, 1), (350, 200, 2))
        for step in range(1, 6):
            page.touch("touchMove", (250 - 10 * step, 200, 1), (350 + 10 * step, 200, 2))
        page.touch("touchEnd")
        touches = [entry for entry in self.calls(page, "pointer") if entry[1] == "touch"]
        self.assertEqual([entry[0] for entry in touches].count("down"), 2)
        self.assertEqual([entry[0] for entry in touches].count("up"), 2)

    def test_vertical_swipes_scroll_the_page_on_a_phone(self):
        page = self.page("<vitrine-viewer src='a.glb' camera-controls></vitrine-viewer><div style='height: 3000px'></div>", mobile=True, width=600)
        page.wait("v().loaded")
        self.assertEqual(page.run("getComputedStyle(v().shadowRoot.querySelector('.stage')).touchAction"), "pan-y")
        page.touch("touchStart", (300, 300, 1))
        for step in range(10):
            page.touch("touchMove", (300, 300 - 20 * step, 1))
        page.touch("touchEnd")
        page.wait("scrollY > 100")

    def test_the_focus_ring_is_for_keys_only(self):
        page = self.loaded("camera-controls")
        outline = "getComputedStyle(v().shadowRoot.querySelector('.stage')).outlineStyle"
        page.mouse("mousePressed", 300, 200)
        page.mouse("mouseReleased", 300, 200)
        self.assertEqual(page.run(outline), "none")
        page = self.page(f"<vitrine-viewer src='a.glb' reveal='interaction' camera-controls poster=\"{POSTER}\"></vitrine-viewer>", mobile=True)
        page.wait("v().shadowRoot.querySelector('.start').checkVisibility()")
        page.tap(300, 200)
        page.wait("names().includes('load')")
        self.assertEqual(page.run(outline), "none")
        self.assertEqual(page.run("v().shadowRoot.activeElement?.className"), "stage controls")
        page = self.loaded("camera-controls")
        page.send("Emulation.setFocusEmulationEnabled", enabled=True)
        page.frames()
        page.key("Tab")
        page.wait("v().shadowRoot.activeElement")
        self.assertEqual(page.run("v().shadowRoot.activeElement?.className"), "stage controls")
        self.assertEqual(page.run(outline), "solid")

    def test_reduced_motion(self):
        page = self.loaded("auto-rotate autoplay", reduced_motion=True)
        values = page.run("fake.viewers[0].values")
        self.assertTrue(values["reducesMotion"] and values["paused"])

    def test_resizing_and_zooming_the_page(self):
        page = self.loaded(scale=1)
        self.assertEqual(self.calls(page, "resize")[-1], [600, 400, 1])
        page.run("v().style.width = '500px'")
        page.wait("fake.log.findLast(call => call[0] === 'resize')[1] === 500")
        page.resize(1001, 800, 2)
        page.wait("fake.log.findLast(call => call[0] === 'resize')[3] === 2")
        page.resize(1000, 800, 4)
        time.sleep(0.2)
        self.assertEqual(self.calls(page, "resize")[-1], [500, 400, 2])

    def test_a_resting_page_draws_no_frames(self):
        page = self.loaded()
        page.frames(5)
        before = page.run("fake.frames")
        page.frames(30)
        self.assertEqual(page.run("fake.frames"), before)

    def test_invisible_viewers_draw_nothing_and_their_time_stands_still(self):
        page = self.page("<vitrine-viewer src='a.glb' autoplay></vitrine-viewer><div style='height: 3000px'></div>")
        page.wait("v().loaded")
        page.frames(5)
        page.run("scrollTo(0, 2500)")
        time.sleep(0.4)
        before, clock = page.run("[fake.frames, fake.viewers[0].lastTime]")
        time.sleep(1.2)
        self.assertEqual(page.run("fake.frames"), before)
        page.run("scrollTo(0, 0)")
        page.wait(f"fake.frames > {before} + 2")
        self.assertLess(page.run("fake.viewers[0].lastTime") - clock, 900)

    def test_six_viewers_share_one_runtime(self):
        page = self.page("<vitrine-viewer src='a.glb' loading='eager'></vitrine-viewer>" * 6)
        page.wait("names().filter(name => name === 'load').length === 6")
        self.assertEqual(page.run("[fake.devices, fake.viewers.length]"), [1, 6])
        self.assertEqual(self.server.requests.count("/vitrine-runtime.js"), 1)

    def test_a_removed_element_frees_everything(self):
        page = self.loaded()
        page.run("window.kept = v(); v().remove()")
        page.wait("fake.viewers[0].isDestroyed")
        self.assertEqual(page.run("kept.shadowRoot.querySelectorAll('canvas').length"), 0)
        page.run("document.body.append(kept)")
        page.wait("kept.loaded")
        self.assertEqual(page.run("fake.viewers.map(viewer => viewer.isDestroyed)"), [True, False])

    def test_a_moved_element_keeps_its_viewer(self):
        page = self.page("<vitrine-viewer src='a.glb'></vitrine-viewer><div id='other'></div>")
        page.wait("v().loaded")
        page.run("document.getElementById('other').append(v())")
        page.frames(3)
        self.assertEqual(page.run("[fake.viewers.length, fake.viewers[0].isDestroyed, v().loaded]"), [1, False, True])

    def test_removal_while_loading_leaves_nothing(self):
        page = self.page("<vitrine-viewer src='a.glb'></vitrine-viewer>", before="globalThis.fake = { delay: 2000 }")
        page.wait("globalThis.fake?.log?.some(call => call[0] === 'load')")
        page.run("v().remove()")
        time.sleep(2.5)
        self.assertEqual(page.run("fake.viewers.map(viewer => viewer.isDestroyed)"), [True])
        self.assertNotIn("load", page.run("names()"))
        self.assertNotIn("error", page.run("names()"))

    def test_the_last_src_wins(self):
        page = self.page("<vitrine-viewer src='a.glb'></vitrine-viewer>", before="globalThis.fake = { delay: 2000 }")
        page.wait("globalThis.fake?.log?.some(call => call[0] === 'load')")
        page.run("v().src = 'b.glb'")
        page.wait("v().loaded && names().includes('load')")
        loads = [detail["url"] for name, detail in page.run("seen") if name == "load"]
        self.assertEqual(loads, ["b.glb"])
        self.assertNotIn("error", page.run("names()"))

    def test_a_lost_gpu_is_restored_with_the_same_camera(self):
        page = self.loaded("camera-controls camera-orbit='0deg 75deg 3m'")
        page.drag((300, 200), (350, 200))
        azimuth = page.run("fake.viewers[0].camera.azimuth")
        page.run("fake.lose()")
        page.wait("fake.viewers.length === 2 && v().loaded")
        self.assertEqual(page.run("[fake.devices, fake.viewers[1].camera.azimuth]"), [2, azimuth])
        self.assertEqual(page.run("v().shadowRoot.querySelector('.message').textContent"), "")

    def test_a_gpu_that_is_lost_again_and_again_ends_with_a_sentence(self):
        page = self.loaded()
        for count in range(2, 5):
            page.run("fake.lose()")
            page.wait(f"fake.viewers.length === {count} && v().loaded")
        page.run("fake.lose()")
        page.wait("names().includes('error')")
        self.assertIn("interrupted", page.run("v().shadowRoot.querySelector('.message').textContent"))

    def test_a_gpu_that_is_lost_in_every_state(self):
        for state, before, ready in [("while the device opens", "{ openDelay: 800 }", "fake.devices === 1"), ("while the model loads", "{ delay: 800 }", "fake.log.some(call => call[0] === 'load')"),
                                     ("at rest", "{}", "v().loaded"), ("while the animation plays", "{}", "v().loaded && (v().play(), true)")]:
            with self.subTest(state):
                page = self.page("<vitrine-viewer src='a.glb'></vitrine-viewer>", before=f"globalThis.fake = {before}")
                page.wait(f"globalThis.fake?.log && ({ready})")
                page.run("fake.openDelay = fake.delay = 5; fake.lose()")
                page.wait("fake.devices === 2 && v().loaded && v().modelIsVisible")
                self.assertEqual(page.run("v().shadowRoot.querySelectorAll('canvas').length"), 1)
                self.assertNotIn("error", page.run("names()"))

    def test_a_gpu_that_is_lost_in_a_hidden_tab_returns_with_the_tab(self):
        page = self.loaded()
        other = self.page("")
        other.send("Page.bringToFront")
        page.wait("document.hidden")
        page.run("fake.lose()")
        time.sleep(0.3)
        self.assertEqual(page.run("fake.devices"), 1)
        page.send("Page.bringToFront")
        page.wait("fake.devices === 2 && v().loaded")

    def test_a_model_that_ends_the_program_is_not_loaded_again(self):
        page = self.page("<vitrine-viewer src='a.glb'></vitrine-viewer>", before="globalThis.fake = { delay: 500 }")
        page.wait("globalThis.fake?.log?.some(call => call[0] === 'load')")
        page.run("fake.lose('program')")
        page.wait("names().includes('error')")
        time.sleep(0.8)
        self.assertEqual(page.run("[fake.devices, fake.log.filter(call => call[0] === 'load').length]"), [1, 1])
        self.assertIn("damaged", page.run("v().shadowRoot.querySelector('.message').textContent"))

    def test_a_hidden_tab_draws_nothing(self):
        page = self.loaded("autoplay")
        page.frames(5)
        page.run("window.changes = []; document.addEventListener('visibilitychange', () => changes.push(performance.now())); 0")
        other = self.page("")
        other.send("Page.bringToFront")
        page.wait("document.hidden")
        before, clock, start = page.run("[fake.frames, fake.viewers[0].lastTime, performance.now()]")
        time.sleep(1)
        self.assertEqual(page.run("fake.frames"), before)
        page.send("Page.bringToFront")
        page.wait(f"fake.frames > {before} + 2")
        # The clock of the viewer stood still while the tab was hidden.
        last, end, (hidden, shown) = page.run("[fake.viewers[0].lastTime, performance.now(), changes]")
        self.assertGreater(shown - hidden, 900)
        self.assertLess(last - clock, end - start - (shown - max(hidden, start)) + 100)

    def test_an_unsupported_extension_is_named(self):
        page = self.page("<vitrine-viewer src='cubes.glb'></vitrine-viewer>")
        page.wait("names().includes('error')")
        self.assertEqual(page.run("seen.find(entry => entry[0] === 'error')[1].type"), "loadfailure")
        self.assertIn("it needs ACME_cubes, which", page.run("v().shadowRoot.querySelector('.message').textContent"))

    def test_the_speed_of_the_animation(self):
        page = self.page("<vitrine-viewer src='a.glb'></vitrine-viewer><script>v().timeScale = 2</script>")
        page.wait("v().loaded")
        self.assertEqual(page.run("[v().timeScale, fake.viewers[0].values.animationSpeed]"), [2, 2])
        page.run("v().timeScale = 0.5")
        self.assertEqual(page.run("fake.viewers[0].values.animationSpeed"), 0.5)

    def test_the_description_for_screen_readers(self):
        page = self.loaded("alt='An owl' camera-controls")
        tree = page.send("Accessibility.getFullAXTree")["nodes"]
        image = next(node for node in tree if not node["ignored"] and node["name"].get("value") == "An owl")
        self.assertIn(image["role"]["value"], ["img", "image"])
        self.assertIn("Arrow keys", str(image.get("description") or image["properties"]))
        self.assertTrue(any(item["name"] == "focusable" and item["value"]["value"] for item in image["properties"]))
        page.run("v().alt = 'A brown owl'")
        self.assertEqual(page.run("v().shadowRoot.querySelector('.stage').ariaLabel"), "A brown owl")

    def test_without_webgpu_the_poster_stays_with_a_sentence(self):
        page = self.page(f"<vitrine-viewer src='a.glb' poster=\"{POSTER}\"></vitrine-viewer>", before="globalThis.fake = { failure: 'no-webgpu' }")
        page.wait("names().includes('error')")
        self.assertEqual(page.run("seen.find(entry => entry[0] === 'error')[1].type"), "webgpu")
        self.assertIn("no WebGPU", page.run("v().shadowRoot.querySelector('.message').textContent"))
        self.assertEqual(page.screenshot().pixel(300, 50), (204, 51, 51))

    def test_a_damaged_model_and_a_missing_one(self):
        for source, message in [("bad.glb", "damaged"), ("none.glb", "could not be loaded")]:
            page = self.page(f"<vitrine-viewer src='{source}'></vitrine-viewer>")
            page.wait("names().includes('error')")
            self.assertEqual(page.run("seen.find(entry => entry[0] === 'error')[1].type"), "loadfailure")
            self.assertIn(message, page.run("v().shadowRoot.querySelector('.message').textContent"))
            page.run("v().src = 'a.glb'")
            page.wait("v().loaded")
            self.assertEqual(page.run("v().shadowRoot.querySelector('.message').textContent"), "")

    def test_a_damaged_model_after_a_good_one_keeps_the_good_one(self):
        page = self.loaded()
        page.run("v().src = 'bad.glb'")
        page.wait("names().includes('error')")
        self.assertTrue(page.run("v().modelIsVisible"))

    def test_a_strict_policy(self):
        self.server.headers["Content-Security-Policy"] = STRICT
        page = self.page("<vitrine-viewer src='a.glb' environment='sky.hdr' camera-controls></vitrine-viewer>")
        page.wait("v().loaded")
        self.assertEqual([line for line in page.console if "Security" in line or "violat" in line], [])
        self.assertEqual(page.run("getComputedStyle(v()).position"), "relative")

    def test_inline_data(self):
        import base64, gzip
        model, runtime = (base64.b64encode(gzip.compress(data)).decode() for data in (b"inline model", (ROOT / "Tests/Web/fake-runtime.js").read_bytes()))
        page = self.page(
            f"<vitrine-viewer src='#m.glb'></vitrine-viewer><script type='application/octet-stream' data-encoding='gzip' id='m.glb'>{model}</script>"
            f"<script type='application/octet-stream' data-encoding='gzip' id='vitrine-runtime.js'>{runtime}</script>")
        page.wait("v().loaded")
        self.assertEqual(self.calls(page, "load"), [["m.glb", 12]])
        self.assertNotIn("/vitrine-runtime.js", self.server.requests)

    def test_images_of_the_view(self):
        page = self.loaded()
        self.assertTrue(page.run("v().toDataURL().startsWith('data:image/png;base64,') && v().toDataURL().length > 2000"))
        self.assertEqual(page.run("v().toBlob({ mimeType: 'image/webp', width: 64, height: 64 }).then(blob => blob.type)"), "image/webp")

    def test_play_and_pause(self):
        page = self.loaded()
        page.run("v().play(); v().currentTime = 1.5; v().animationName = 'Run'")
        self.assertEqual(page.run("[v().paused, v().currentTime, v().duration]"), [False, 1.5, 1])
        page.run("v().pause()")
        self.assertEqual(page.run("[v().paused, names().filter(name => name === 'play' || name === 'pause')]"), [True, ["play", "pause"]])

    def test_overlays_lie_above_and_fallbacks_are_hidden(self):
        page = self.page("<vitrine-viewer src='a.glb' camera-controls><button id='own' style='position: absolute; left: 10px; top: 10px'>Buy</button>"
                         "<p slot='fallback'>No scripts</p></vitrine-viewer>")
        page.wait("v().loaded")
        self.assertEqual(page.run("document.elementFromPoint(20, 20).id"), "own")
        self.assertEqual(page.run("document.querySelector('p').getBoundingClientRect().height"), 0)

    def test_hotspots_follow_their_points(self):
        page = self.page(
            "<vitrine-viewer src='a.glb' camera-orbit='0deg 90deg 4m'><button slot='hotspot-front' data-position='1m 2m 0m' data-normal='0 0 1' data-visibility-attribute='visible'>A</button>"
            "<button slot='hotspot-back' data-position='0 0 0' data-normal='0m 0m -1m'>B</button></vitrine-viewer>")
        page.wait("names().includes('load')")
        centre = "(name => { const { x, y, width, height } = document.querySelector(`[slot=hotspot-${name}]`).getBoundingClientRect(); return [x + width / 2, y + height / 2] })"
        self.assertEqual([round(value) for value in page.run(f"{centre}('front')")], [310, 180])
        self.assertEqual([round(value) for value in page.run(f"{centre}('back')")], [300, 200])
        self.assertEqual(page.run("[v().queryHotspot('hotspot-front').facingCamera, v().queryHotspot('hotspot-back').facingCamera, v().queryHotspot('other')]"), [True, False, None])
        self.assertEqual(page.run("v().queryHotspot('hotspot-front').position.toString()"), "1m 2m 0m")
        self.assertTrue(page.run("document.querySelector('button').hasAttribute('data-visible')"))
        opacity = "parseFloat(getComputedStyle(document.querySelector('[slot=hotspot-back]')).opacity)"
        page.wait(f"{opacity} < 0.3")
        page.run("window.turned = []; document.querySelector('button').addEventListener('hotspot-visibility', (event) => turned.push(event.detail.visible));"
                 " v().cameraOrbit = '180deg 90deg 4m'; v().jumpCameraToGoal()")
        page.wait("turned.length === 1")
        self.assertEqual(page.run("[turned[0], document.querySelector('button').hasAttribute('data-visible')]"), [False, False])
        page.wait(f"{opacity} > 0.9")
        page.run("v().updateHotspot({ name: 'hotspot-front', position: v().positionAndNormalFromPoint(20, 30).position, normal: '0 0 -1' })")
        self.assertEqual([round(value) for value in page.run(f"{centre}('front')")], [500, -100])
        page.run("document.querySelector('button').remove()")
        page.wait("v().queryHotspot('hotspot-front') === null")
        # A hotspot that comes later, and the click that it takes.
        page.run("const button = document.createElement('button'); button.slot = 'hotspot-new'; button.dataset.position = '0 -3 0'; button.onclick = () => (window.clicked = true); v().append(button)")
        page.wait("v().queryHotspot('hotspot-new')")
        page.frames()
        page.click(300, 230)
        self.assertTrue(page.run("window.clicked === true"))

    def test_hotspots_are_hidden_behind_the_poster(self):
        page = self.page("<vitrine-viewer src='a.glb' reveal='manual'><button slot='hotspot-1'>A</button></vitrine-viewer>")
        page.wait("names().includes('load')")
        visibility = "getComputedStyle(document.querySelector('button')).visibility"
        self.assertEqual(page.run(visibility), "hidden")
        page.run("v().dismissPoster()")
        self.assertEqual(page.run(visibility), "visible")
        page.run("v().showPoster()")
        self.assertEqual(page.run(visibility), "hidden")

    def test_the_interaction_prompt_comes_once(self):
        page = self.loaded("camera-controls interaction-prompt='auto' interaction-prompt-threshold='100'")
        shown = "v().shadowRoot.querySelector('.prompt').classList.contains('shown')"
        page.wait(shown)
        page.drag((300, 200), (320, 200))
        self.assertFalse(page.run(shown))
        time.sleep(0.3)
        self.assertFalse(page.run(shown))
        page = self.loaded("camera-controls interaction-prompt-threshold='0'")
        time.sleep(0.3)
        self.assertFalse(page.run(shown))

    def test_a_skybox_is_light_and_background(self):
        page = self.loaded("skybox-image='sky.hdr' animation-crossfade-duration='500'")
        self.assertEqual(self.calls(page, "setEnvironment"), [[10]])
        self.assertEqual(page.run("[fake.viewers[0].values.background, fake.viewers[0].values.animationFade]"), ["environment", 0.5])
        page.run("v().background = '#ffffff'")
        self.assertEqual(page.run("fake.viewers[0].values.background"), "#ffffffff")
        page.run("v().background = null; v().skyboxImage = null")
        page.wait("fake.viewers[0].values.background === 'transparent' && fake.log.filter(call => call[0] === 'setEnvironment').length === 2")

    def test_two_hundred_elements_come_and_go(self):
        page = self.page("")
        page.run("(async () => { for (let i = 0; i < 200; i++) { const e = document.createElement('vitrine-viewer'); e.src = 'b.glb'; e.loading = 'eager'; document.body.append(e);"
                 " await new Promise(done => e.addEventListener('load', done)); e.remove(); } })()")
        self.assertEqual(page.run("[fake.viewers.length, fake.viewers.every(viewer => viewer.isDestroyed), fake.devices]"), [200, True, 1])


if __name__ == "__main__":
    unittest.main(verbosity=2)
