"""Measures three web viewers in the same browser: `scripts/quality/web-comparison.sh`."""

import argparse
import base64
import gzip
import http.server
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/Web"))
from browser import BUILD, Browser, Image, PageError  # noqa: E402
from documents import write_section  # noqa: E402

STYLE = "<!doctype html><meta charset='utf-8'><style>body { margin: 0; background: #fff } .viewer { display: block; width: 640px; height: 480px }</style>"
# Each page shows model.glb with orbit controls, sets `loaded`, and turns the camera after `turn()`.
PAGES = {
    "vitrine-viewer": STYLE + """<script type="module" src="/vitrine/vitrine-viewer.js"></script>
        <vitrine-viewer class="viewer" src="/model.glb" camera-controls auto-rotate-delay="0"></vitrine-viewer>
        <script>const viewer = document.querySelector("vitrine-viewer"); viewer.addEventListener("load", () => (window.loaded = true)); const turn = () => (viewer.autoRotate = true)</script>""",
    # Its resolution stays the same when frames take long, as that of the others.
    "model-viewer 4.3.1": STYLE + """<script defer src="/others/model-viewer-umd.min.js"></script>
        <script defer src="data:text/javascript,ModelViewerElement.ModelViewerElement.minimumRenderScale=1"></script>
        <model-viewer class="viewer" src="/model.glb" camera-controls auto-rotate-delay="0" interaction-prompt="none"></model-viewer>
        <script>const viewer = document.querySelector("model-viewer"); viewer.addEventListener("load", () => (window.loaded = true)); const turn = () => (viewer.autoRotate = true)</script>""",
    "three.js 0.180": STYLE + """<canvas class="viewer" width="640" height="480"></canvas><script type="module" src="/three-page.js"></script>""",
}
THREE_PAGE = """
import { THREE, GLTFLoader, OrbitControls } from "/others/three.js";
const canvas = document.querySelector("canvas");
const renderer = new THREE.WebGLRenderer({ canvas, antialias: true, alpha: true });
renderer.toneMapping = THREE.NeutralToneMapping;
const scene = new THREE.Scene(), room = new THREE.Scene(), box = new THREE.BoxGeometry();
const part = (light, size, position, side) => {
  const mesh = new THREE.Mesh(box, new THREE.MeshBasicMaterial({ color: new THREE.Color(light, light, light), side }));
  mesh.scale.set(...size);
  mesh.position.set(...position);
  room.add(mesh);
};
part(0.5, [20, 12, 20], [0, 3, 0], THREE.BackSide);
part(12, [8, 0.1, 8], [0, 8.9, 0]);
part(8, [0.1, 4, 6], [-9.9, 4, 0]);
part(6, [0.1, 4, 6], [9.9, 4, 2]);
const filter = new THREE.PMREMGenerator(renderer);
scene.environment = filter.fromScene(room, 0.04).texture;
filter.dispose();
const camera = new THREE.PerspectiveCamera(45, 640 / 480, 0.01, 1000);
const controls = new OrbitControls(camera, canvas);
controls.enableDamping = true;
new GLTFLoader().load("/model.glb", ({ scene: model }) => {
  const sphere = new THREE.Box3().setFromObject(model).getBoundingSphere(new THREE.Sphere());
  camera.position.setFromSphericalCoords(sphere.radius / Math.sin(Math.PI / 8), 1.3, 0.5).add(sphere.center);
  camera.near = sphere.radius / 50;
  camera.far = sphere.radius * 50;
  camera.updateProjectionMatrix();
  controls.target.copy(sphere.center);
  scene.add(model);
  renderer.setAnimationLoop(() => {
    controls.update();
    renderer.render(scene, camera);
    window.loaded = true;
  });
});
window.turn = () => (controls.autoRotate = true);
"""


class Site:
    """Serves files compressed with gzip, except models and images, and counts the bytes that it sends."""

    def __init__(self, folders):
        self.folders, self.files, self.sent = folders, {}, {}

    def answer(self, path):
        if path not in self.files:
            prefix = max((prefix for prefix in self.folders if path.startswith(prefix)), key=len)
            file = self.folders[prefix] / path[len(prefix):]
            data = file.read_bytes() if file.is_file() else None
            self.files[path] = data if data is None or file.suffix == ".glb" else gzip.compress(data, 9, mtime=0)
        return self.files[path]

    def __enter__(self):
        site = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                data = site.answer(self.path)
                self.send_response(404 if data is None else 200)
                types = {".html": "text/html; charset=utf-8", ".js": "text/javascript", ".wasm": "application/wasm"}
                self.send_header("Content-Type", types.get(Path(self.path).suffix, "application/octet-stream"))
                if data is not None and not self.path.endswith(".glb"):
                    self.send_header("Content-Encoding", "gzip")
                self.send_header("Content-Length", str(len(data or b"")))
                self.end_headers()
                self.wfile.write(data or b"")
                site.sent[self.path] = len(data or b"")

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.handle_error = lambda *_: None
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}/"
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


class Processes:
    """The processes of a browser that a page uses."""

    def __init__(self, browser):
        self.browser = browser

    def each(self):
        for process in self.browser.send("SystemInfo.getProcessInfo")["processInfo"]:
            if process["type"] in ("renderer", "GPU"):
                yield process

    def memory(self, kind):
        """Proportional set size in MB, of the largest process of a kind."""
        sizes = []
        for process in self.each():
            if process["type"] == kind:
                try:
                    text = Path(f"/proc/{process['id']}/smaps_rollup").read_text()
                    sizes.append(next(int(line.split()[1]) for line in text.splitlines() if line.startswith("Pss:")) / 1024)
                except OSError:
                    continue
        return max(sizes, default=0)

    def seconds(self, kind):
        return sum(process["cpuTime"] for process in self.each() if process["type"] == kind)


def shows_model(data):
    """Whether the middle of the viewer is not white."""
    image = Image(data)
    x, y = image.width * 320 // 640, image.height * 240 // 480
    return any(image.pixel(x + dx, y + dy) != (255, 255, 255) for dx, dy in ((0, 0), (-8, 0), (8, 0), (0, 8)))


# Counts the memory of wasm instances.
BEFORE = """
    window.memories = [];
    const instantiate = WebAssembly.instantiate;
    WebAssembly.instantiate = async (...parameters) => {
      const result = await instantiate(...parameters);
      const memory = (result.instance ?? result).exports.memory;
      if (memory) memories.push(memory);
      return result;
    };
"""


def visit(browser, site, page_name, *, slow):
    """Opens a page with an empty cache; returns it, and milliseconds and CPU seconds from navigation to the first image of the model."""
    page = browser.open("about:blank", width=640, height=480, before=BEFORE)
    frames = []

    def screencast(method, params):
        if method == "Page.screencastFrame":
            # The frame's own time is that of its commands; a software GPU draws them later.
            frames.append((time.time(), params["metadata"]["timestamp"], params["data"]))
            threading.Thread(target=lambda: page.send("Page.screencastFrameAck", sessionId=params["sessionId"]), daemon=True).start()

    browser.events[page.session].append(screencast)
    page.send("Performance.enable")
    if slow:
        page.send("Network.enable")
        page.send("Network.emulateNetworkConditions", offline=False, latency=40, downloadThroughput=20e6 / 8, uploadThroughput=5e6 / 8)
    page.send("Page.startScreencast", format="png", maxWidth=160, maxHeight=120)
    site.sent.clear()
    processes = Processes(browser)
    before = processes.seconds("renderer") + processes.seconds("GPU")
    page.send("Page.navigate", url=site.url + page_name)
    page.wait("window.loaded", timeout=120)
    origin = page.run("performance.timeOrigin") / 1000
    end, seen = time.time() + 60, 0
    while True:
        if time.time() > end:
            raise PageError("no image in 60 s")
        if seen == len(frames):
            time.sleep(0.02)
            continue
        arrival, stamp, data = frames[seen]
        seen += 1
        if stamp >= origin and shows_model(base64.b64decode(data)):
            page.send("Page.stopScreencast")
            return page, (arrival - origin) * 1000, processes.seconds("renderer") + processes.seconds("GPU") - before


def measure(site, page_name):
    with Browser(size=(700, 600)) as browser:
        page, slow, _ = visit(browser, site, page_name, slow=True)
    with Browser(size=(700, 600)) as browser:
        page, first, seconds = visit(browser, site, page_name, slow=False)
        result = {"first": first, "slow": slow, "seconds": seconds, "bytes": sum(size for path, size in site.sent.items() if path.endswith((".js", ".wasm")))}
        time.sleep(1)
        page.send("HeapProfiler.collectGarbage")
        heap, wasm = page.send("Runtime.getHeapUsage"), page.run("memories.reduce((sum, memory) => sum + memory.buffer.byteLength, 0)")
        processes = Processes(browser)
        result |= {"heap": (heap["usedSize"] + heap.get("backingStorageSize", 0) + wasm) / 1e6, "renderer": processes.memory("renderer"), "gpu": processes.memory("GPU")}

        metrics = lambda: {entry["name"]: entry["value"] for entry in page.send("Performance.getMetrics")["metrics"]}
        page.run("turn(); window.drawn = 0; (function count() { window.drawn++; requestAnimationFrame(count) })(); 0")
        time.sleep(1)
        start = page.run("drawn"), metrics()["TaskDuration"], processes.seconds("GPU")
        time.sleep(4)
        end = page.run("drawn"), metrics()["TaskDuration"], processes.seconds("GPU")
        count = max(end[0] - start[0], 1)
        result |= {"main": (end[1] - start[1]) * 1000 / count, "software": (end[2] - start[2]) * 1000 / count, "frames": count / 4}
        if page.errors:
            raise PageError(page.errors[0])
        return result


COLUMNS = [("viewer, KB gzipped", "bytes", 1e-3, "{:,.0f}"), ("first image, ms", "first", 1, "{:,.0f}"), ("at 20 Mbit/s and 40 ms", "slow", 1, "{:,.0f}"), ("its CPU time, s", "seconds", 1, "{:.1f}"),
           ("JS and wasm heap, MB", "heap", 1, "{:.1f}"),
           ("page process, MB", "renderer", 1, "{:.0f}"), ("GPU process, MB", "gpu", 1, "{:.0f}"), ("main thread per frame, ms", "main", 1, "{:.1f}"),
           ("software GPU per frame, ms", "software", 1, "{:.0f}")]


def markdown(results):
    lines = ["| model | viewer | " + " | ".join(title for title, *_ in COLUMNS) + " |", "| --- | --- |" + " ---: |" * len(COLUMNS)]
    for (model, viewer), runs in results.items():
        cells = [form.format(statistics.median(run[key] for run in runs) * factor) for _, key, factor, form in COLUMNS]
        lines.append(f"| {model} | {viewer} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(prog="scripts/quality/web-comparison.sh", description="Compares <vitrine-viewer> with model-viewer and three.js.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--runs", type=int, default=5, help="visits per model and viewer; the table has medians (default: 5)")
    parser.add_argument("--only", help="only viewers with this in their name")
    parser.add_argument("--models", default="Duck,DamagedHelmet")
    parser.add_argument("--write", action="store_true", help="put the table into docs/measurements/web.md")
    options = parser.parse_args()
    vitrine = Path(os.environ.get("VITRINE") or ROOT / ".build/release/vitrine")
    data = Path(os.environ.get("VITRINE_DATA") or ROOT.parent / "shared/data")
    sources = {"Duck": data / "gltf/Duck/glTF-Binary/Duck.glb", "DamagedHelmet": data / "gltf/DamagedHelmet/glTF/DamagedHelmet.gltf"}
    results = {}
    with tempfile.TemporaryDirectory() as temporary:
        temporary = Path(temporary)
        for name, text in PAGES.items():
            (temporary / (name.split()[0] + ".html")).write_text(text)
        (temporary / "three-page.js").write_text(THREE_PAGE)
        folders = {"/": temporary, "/vitrine/": BUILD, "/others/": options.folder}
        for model in options.models.split(","):
            if not sources[model].exists():
                sys.exit(f"error: {sources[model]}: not there. Set VITRINE_DATA")
            subprocess.run([vitrine, "convert", sources[model], temporary / "model.glb"], check=True, stdout=subprocess.DEVNULL)
            with Site(folders) as site:
                # Turn by turn, so that other work on the machine meets all alike.
                for _ in range(options.runs):
                    for viewer in PAGES:
                        if options.only and options.only not in viewer:
                            continue
                        for attempt in range(3):
                            try:
                                result = measure(site, viewer.split()[0] + ".html")
                                break
                            except PageError as error:
                                print(f"{model}, {viewer}: {error}".split("\n")[0], file=sys.stderr)
                        else:
                            sys.exit(f"error: {viewer} does not run")
                        results.setdefault((model, viewer), []).append(result)
                        print(model, viewer, json.dumps({key: round(value, 1) for key, value in result.items()}), flush=True)
    print("\n" + markdown(results))
    if options.write:
        write_section(ROOT / "docs/measurements/web.md", "comparison", markdown(results))


main()
