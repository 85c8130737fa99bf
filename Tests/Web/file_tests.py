#!/usr/bin/env python3
"""Tests of files by URL with the built renderer: glTF of other programs, refusals, damaged files, memory.

    python3 Tests/Web/file_tests.py [FileTests.NAME]
"""
import json
import os
import random
import re
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(__file__))
from browser import BUILD, PATIENCE, VITRINE, PageTests  # noqa: E402
from models import Model, data_address, hdr, png  # noqa: E402

STRICT = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self'; connect-src 'self'"
RED, GREEN = (0.8, 0.05, 0.05), (20, 200, 40)


class FilePages(PageTests):
    head = ("<link rel='stylesheet' href='page.css'><script src='events.js'></script>"
            "<script type='module' src='vitrine-viewer.js'></script>")

    @classmethod
    def fill(cls):
        for file in BUILD.iterdir():
            shutil.copy(file, cls.folder)
        cls.write("page.css", "body { margin: 0; background: #fff } vitrine-viewer { width: 120px; height: 90px }")
        cls.write("events.js", "window.seen = []; for (const name of ['load', 'error']) document.addEventListener(name, (event) =>"
                " event.target.localName === 'vitrine-viewer' && seen.push([name, event.detail.message ?? event.detail.url]), true);"
                " window.v = () => document.querySelector('vitrine-viewer');")

    def visit(self, url, **options):
        return super().visit(url, **{"width": 200, "height": 150, **options})

    def shown(self, source, attributes="", **options):
        """A page that shows a model; fails if the model is refused."""
        page = self.page(f"<vitrine-viewer src=\"{source}\" {attributes}></vitrine-viewer>", **options)
        page.wait("seen.length", timeout=PATIENCE)
        self.assertEqual(page.run("seen[0][0]"), "load", page.run("seen[0][1]"))
        page.wait("v().modelIsVisible")
        page.frames(4)
        return page

    def refused(self, source):
        """A page whose model is refused: the page, and the message of the event."""
        page = self.page(f"<vitrine-viewer src=\"{source}\"></vitrine-viewer>")
        page.wait("seen.length", timeout=PATIENCE)
        name, message = page.run("seen[0]")
        self.assertEqual(name, "error", "the model was not refused")
        self.assertIn(message, "\n".join(page.console), "the console does not have the message")
        return page, message

    def sentence(self, page):
        return page.run("v().shadowRoot.querySelector('.message').textContent")

    def assertShows(self, page, channel):
        """The middle of the viewer has a color in which a channel is the greatest."""
        color = page.screenshot().pixel(60, 45)
        others = [color[index] for index in range(3) if index != channel]
        self.assertGreater(color[channel], max(others) + 30, f"{color}: {page.console[-3:]}")


class FileTests(FilePages):
    def test_a_binary_file(self):
        self.write("box.glb", Model(RED).glb())
        self.assertShows(self.shown("box.glb"), 0)

    def test_a_text_file_with_a_buffer_and_an_image_beside_it(self):
        os.makedirs(self.folder + "/parts", exist_ok=True)
        model = Model((1, 1, 1), {"uri": "parts/a%20%23%25.png"})
        self.write("parts/b c.bin", model.binary)
        self.write("parts/a #%.png", png(GREEN))
        self.write("box.gltf", model.gltf("parts/b%20c.bin"))
        self.assertShows(self.shown("box.gltf?version=2"), 1)
        self.assertIn("/parts/a #%.png", self.server.requests)

    def test_data_addresses(self):
        model = Model((1, 1, 1), {"uri": data_address(png(GREEN), "image/png")})
        self.write("data.gltf", model.gltf(data_address(model.binary)))
        self.server.headers["Content-Security-Policy"] = STRICT
        page = self.shown("data.gltf")
        self.assertShows(page, 1)
        self.assertEqual([line for line in page.console if "Security Policy" in line], [])

    def test_a_sparse_accessor(self):
        self.write("sparse.glb", Model(RED).sparse().glb())
        self.assertShows(self.shown("sparse.glb"), 0)

    def test_wrong_media_types(self):
        self.write("typed.glb", Model((0.7, 0.7, 0.7)).glb())
        self.write("typed.hdr", hdr((0.1, 0.1, 2)))
        self.server.types.update({"/typed.glb": "text/html", "/typed.hdr": "text/plain", "/vitrine.wasm": "application/octet-stream"})
        self.assertShows(self.shown("typed.glb", "environment='typed.hdr'"), 2)

    def test_an_environment_that_does_not_exist(self):
        self.write("box.glb", Model(RED).glb())
        page = self.page("<vitrine-viewer src='box.glb' environment='none.hdr'></vitrine-viewer>")
        page.wait("v().modelIsVisible", timeout=PATIENCE)
        self.assertIn("none.hdr", page.run("seen.find(entry => entry[0] === 'error')[1]"))
        self.assertShows(page, 0)

    def test_meshopt(self):
        self.write("meshopt.glb", Model(RED).meshopt().glb())
        self.server.headers["Content-Security-Policy"] = STRICT
        page = self.shown("meshopt.glb")
        self.assertShows(page, 0)
        self.assertEqual([line for line in page.console if "Security Policy" in line or line.startswith("warn")], [])
        self.assertIn("/vitrine-meshopt.js", self.server.requests)
        self.write("plain.glb", Model(RED).glb())
        self.server.requests.clear()
        plain = self.shown("plain.glb")
        self.assertNotIn("/vitrine-meshopt.js", self.server.requests)
        self.assertEqual(page.run("v().toDataURL()"), plain.run("v().toDataURL()"))

    def test_meshopt_in_a_text_file(self):
        model = Model(RED).meshopt()
        self.write("packed.bin", model.binary)
        self.write("packed.gltf", model.gltf("packed.bin"))
        self.assertShows(self.shown("packed.gltf"), 0)

    @unittest.skipUnless(VITRINE, "needs $VITRINE")
    def test_meshopt_of_the_command(self):
        self.write("plain.glb", Model(RED).glb())
        subprocess.run([VITRINE, "optimize", self.folder + "/plain.glb", "-o", self.folder + "/small.glb", "--compress", "meshopt"], check=True, stdout=subprocess.DEVNULL)
        self.assertShows(self.shown("small.glb"), 0)

    def test_meshopt_without_its_decoder(self):
        self.write("meshopt.glb", Model(RED).meshopt().glb())
        os.rename(self.folder + "/vitrine-meshopt.js", self.folder + "/away.js")
        try:
            page, message = self.refused("meshopt.glb")
        finally:
            os.rename(self.folder + "/away.js", self.folder + "/vitrine-meshopt.js")
        self.assertIn("vitrine-meshopt.js, could not be loaded", message)
        self.assertIn("meshopt compression (EXT_meshopt_compression)", self.sentence(page))

    def test_damaged_meshopt(self):
        model = Model(RED).meshopt()
        model.binary = model.binary[:40] + bytes(30) + model.binary[70:]
        for name, change in {"header": lambda m: m.__setattr__("binary", b"\0" + m.binary[1:]), "count": lambda m: self.packed(m).update(count=10 ** 9),
                             "range": lambda m: self.packed(m).update(byteOffset=10 ** 6), "buffer": lambda m: self.packed(m).update(buffer=9),
                             "mode": lambda m: self.packed(m).update(mode="NONE")}.items():
            with self.subTest(name):
                model = Model(RED).meshopt()
                change(model)
                self.write("broken.glb", model.glb())
                _, message = self.refused("broken.glb")
                self.assertIn("broken.glb: /bufferViews/0/extensions/EXT_meshopt_compression: ", message)

    def packed(self, model):
        return model.json["bufferViews"][0]["extensions"]["EXT_meshopt_compression"]

    def test_draco_is_refused_by_name(self):
        self.write("draco.glb", Model().requiring("KHR_draco_mesh_compression").glb())
        page, message = self.refused("draco.glb")
        self.assertIn("KHR_draco_mesh_compression", message)
        self.assertIn("vitrine web", message)
        self.assertIn("Draco compression (KHR_draco_mesh_compression)", self.sentence(page))

    def test_other_required_extensions_are_refused_by_name(self):
        self.write("cubes.glb", Model().requiring("ACME_cubes").glb())
        page, message = self.refused("cubes.glb")
        self.assertIn("ACME_cubes", message)
        self.assertIn("it needs ACME_cubes", self.sentence(page))

    def test_used_extensions_without_a_reader_are_a_warning(self):
        model = Model(RED)
        model.json["extensionsUsed"] = ["ACME_paint"]
        self.write("paint.glb", model.glb())
        self.assertIn("ACME_paint", "\n".join(self.shown("paint.glb").console))

    def test_maps_beyond_the_limit_of_textures_are_named(self):
        # A fragment shader reads 16 textures, a frame takes 6 of them.
        model = Model(RED)
        material = model.json["materials"][0]
        images = model.json["images"] = [{"uri": data_address(png((200, 10 * index, 60)), "image/png")} for index in range(15)]
        model.json["textures"] = [{"source": index} for index in range(15)]
        maps = ({"index": index} for index in range(15))
        material["pbrMetallicRoughness"].update(baseColorTexture=next(maps), metallicRoughnessTexture=next(maps))
        material.update(normalTexture=next(maps), occlusionTexture=next(maps), emissiveTexture=next(maps), emissiveFactor=[0.1, 0.1, 0.1], extensions={
            "KHR_materials_clearcoat": {"clearcoatFactor": 1, "clearcoatTexture": next(maps), "clearcoatRoughnessTexture": next(maps), "clearcoatNormalTexture": next(maps)},
            "KHR_materials_sheen": {"sheenColorFactor": [1, 1, 1], "sheenColorTexture": next(maps), "sheenRoughnessFactor": 1, "sheenRoughnessTexture": next(maps)},
            "KHR_materials_specular": {"specularTexture": next(maps), "specularColorTexture": next(maps)},
            "KHR_materials_iridescence": {"iridescenceFactor": 1, "iridescenceTexture": next(maps), "iridescenceThicknessTexture": next(maps)},
            "KHR_materials_anisotropy": {"anisotropyStrength": 0.5, "anisotropyTexture": next(maps)},
        })
        self.assertEqual(len(images), 15)
        model.json["extensionsUsed"] = list(material["extensions"])
        self.write("maps.glb", model.glb())
        page = self.shown("maps.glb")
        limit = page.run("navigator.gpu.requestAdapter().then((adapter) => adapter.limits.maxSampledTexturesPerShaderStage)")
        warnings = [line for line in page.console if line.startswith("warning") and "textures" in line]
        if limit >= 21:
            self.skipTest(f"the GPU reads {limit} textures")
        self.assertEqual(len(warnings), 1, page.console)
        self.assertIn("coatNormal", warnings[0])
        self.assertNotIn("baseColor", warnings[0])

    def test_ktx2_textures_are_refused_by_name(self):
        ktx2 = b"\xabKTX 20\xbb\r\n\x1a\n" + bytes(100)
        model = Model(RED, {"uri": data_address(ktx2, "image/ktx2")}).requiring("KHR_texture_basisu")
        model.json["textures"] = [{"extensions": {"KHR_texture_basisu": {"source": 0}}}]
        self.write("ktx2.glb", model.glb())
        page, message = self.refused("ktx2.glb")
        self.assertIn("KHR_texture_basisu", message)
        self.assertIn("KTX2 textures (KHR_texture_basisu)", self.sentence(page))

    def test_ktx2_textures_with_a_plain_image(self):
        ktx2 = b"\xabKTX 20\xbb\r\n\x1a\n" + bytes(100)
        model = Model((1, 1, 1), {"uri": data_address(png(GREEN), "image/png")})
        model.json["images"].append({"uri": data_address(ktx2, "image/ktx2")})
        model.json["textures"] = [{"source": 0, "extensions": {"KHR_texture_basisu": {"source": 1}}}]
        model.json["extensionsUsed"] = ["KHR_texture_basisu"]
        self.write("both.glb", model.glb())
        self.assertShows(self.shown("both.glb"), 1)

    def test_a_missing_buffer_is_refused_and_a_missing_image_is_left_out(self):
        model = Model(RED)
        self.write("lost.gltf", model.gltf("nowhere.bin"))
        self.assertIn("nowhere.bin", self.refused("lost.gltf")[1])
        model = Model(RED, {"uri": "nowhere.png"})
        self.write("bare.glb", model.glb())
        page = self.shown("bare.glb")
        self.assertShows(page, 0)
        self.assertIn("nowhere.png", "\n".join(page.console))

    def test_files_outside_of_the_folder_are_refused(self):
        for address in ["../secret.bin", "https://example.com/a.bin", "/etc.bin"]:
            with self.subTest(address):
                self.write("outside.gltf", Model().gltf(address))
                self.refused("outside.gltf")


class DamageTests(FilePages):
    """Damaged files give an error or an image: the page never hangs."""

    def fresh(self, files):
        """Loads files one after the other in one viewer; the results, "load" or the message."""
        for name, data in files.items():
            self.write(name, data)
        page = self.page("<vitrine-viewer src='good.glb'></vitrine-viewer>")
        page.wait("seen.length", timeout=PATIENCE)
        results = {}
        for name in files:
            page.run(f"seen.length = 0; v().src = '{name}'; 0")
            page.wait("seen.length", timeout=PATIENCE)
            results[name] = page.run("seen[0]")
        page.run("seen.length = 0; v().src = 'good.glb'; 0")
        page.wait("seen.length && v().modelIsVisible", timeout=PATIENCE)
        page.frames(4)
        self.assertShows(page, 0)
        return results

    def setUp(self):
        super().setUp()
        self.write("good.glb", Model(RED).glb())

    def test_damaged_models(self):
        whole = Model(RED).glb()

        def changed(change):
            model = Model(RED)
            change(model.json)
            return model.glb()

        files = {
            "empty.glb": b"", "header.glb": whole[:12], "cut.glb": whole[:1000], "length.glb": whole[:8] + b"\xff\xff\xff\x7f" + whole[12:],
            "chunk.glb": whole[:12] + b"\xff\xff\xff\xff" + whole[16:], "text.glb": b"<!doctype html><p>404", "list.gltf": b"[]", "open.gltf": b'{"asset":',
            "deep.gltf": b"[" * 100_000, "nobuffer.glb": changed(lambda json: json.pop("buffers")),
            "cycle.glb": changed(lambda json: json.update(nodes=[{"mesh": 0, "children": [1]}, {"children": [0]}])),
            "self.glb": changed(lambda json: json["nodes"][0].update(children=[0])),
            "count.glb": changed(lambda json: json["accessors"][0].update(count=2 ** 31)),
            "far.glb": changed(lambda json: json["bufferViews"][0].update(byteOffset=2 ** 40)),
            "huge.glb": changed(lambda json: json["accessors"].append({"componentType": 5126, "type": "MAT4", "count": 2 ** 40}) or json["nodes"][0].update(skin=0)
                                or json.update(skins=[{"joints": [0], "inverseBindMatrices": 4}])),
            "index.glb": changed(lambda json: json["meshes"][0]["primitives"][0].update(indices=99)),
            "type.glb": changed(lambda json: json["accessors"][0].update(type="VEC9")),
            "negative.glb": changed(lambda json: json["bufferViews"][0].update(byteLength=-1)),
        }
        results = self.fresh(files)
        self.assertEqual([name for name, (kind, _) in results.items() if kind == "load"], [])
        for name, (_, message) in results.items():
            self.assertIn(name, message)

    def test_two_hundred_mutations(self):
        random.seed(18)
        sources = [lambda: Model(RED), lambda: Model((1, 1, 1), {"uri": data_address(png(GREEN), "image/png")}), lambda: Model(RED).meshopt(), lambda: Model(RED).sparse()]
        files = {}
        for number in range(200):
            model = random.choice(sources)()
            if number % 4 == 0:
                # Bytes anywhere.
                data = bytearray(model.glb())
                for _ in range(random.choice([1, 2, 8])):
                    data[random.randrange(len(data))] = random.randrange(256)
            elif number % 4 == 1:
                # Bytes of buffers.
                binary = bytearray(model.binary)
                for _ in range(random.choice([1, 4, 32])):
                    binary[random.randrange(len(binary))] = random.randrange(256)
                model.binary = bytes(binary)
                data = model.glb()
            else:
                # Numbers and words of the JSON text.
                words = re.split(r"(-?\d+(?:\.\d+)?|\w+)", json.dumps(model.json))
                for _ in range(random.choice([1, 1, 2, 4])):
                    words[random.randrange(1, len(words), 2)] = random.choice(
                        ["0", "1", "2", "3", "4", "7", "-1", "0.5", "5126", "5121", "5123", "65536", "4294967296", "1e999", "null", "{}", "[]", "[0]", "VEC4", "MAT4"])
                data = model.glb("".join(words).encode())
            files[f"m{number}.glb"] = bytes(data)
        results = self.fresh(files)
        loaded = sum(kind == "load" for kind, _ in results.values())
        ended = {name: message for name, (_, message) in results.items() if "has ended" in message}
        self.assertEqual(ended, {}, "the program ended")
        print(f"{loaded} of 200 shown", end=" ")
        self.assertTrue(20 < loaded < 180, f"{loaded} mutations were shown")


if __name__ == "__main__":
    unittest.main(verbosity=2)
