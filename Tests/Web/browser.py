"""Chromium under Xvfb, controlled through the DevTools protocol over a pipe; a web server; images. Only the standard library.

    with Server(folder) as server, Browser() as browser:
        page = browser.open(server.url + "page.html")
        page.wait("document.querySelector('vitrine-viewer').loaded")
        page.screenshot("page.png")
"""
import base64
import ctypes
import functools
import gzip
import http.server
import json
import math
import os
import pathlib
import queue
import shutil
import signal
import struct
import subprocess
import tempfile
import threading
import time
import unittest
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
"""The repository."""
DATA = pathlib.Path(os.environ.get("VITRINE_DATA") or ROOT.parent / "shared/data")
"""Models and environments for tests; may be missing."""
VITRINE = os.environ.get("VITRINE")
"""The command; None: tests that need it are skipped."""
OUT = pathlib.Path(os.environ.get("VITRINE_WEB_OUT") or ROOT / "out/test-web")
"""Images that tests write."""


def unpacked_viewer():
    """A folder with the files of Web/built, uncompressed."""
    folder = OUT / "viewer"
    folder.mkdir(parents=True, exist_ok=True)
    for file in (ROOT / "Web/built").glob("*.gz"):
        (folder / file.stem).write_bytes(gzip.decompress(file.read_bytes()))
    return folder


BUILD = pathlib.Path(os.environ.get("VITRINE_WEB") or unpacked_viewer())
"""The built viewer."""
PATIENCE = 120
"""Seconds to wait for something that a software GPU does beside other work."""

def end_with_parent():
    """In a child before it runs its program: Linux kills it when this program ends, however that happens."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


FLAGS = ["--remote-debugging-pipe", "--no-sandbox", "--no-first-run", "--disable-default-apps", "--disable-background-networking", "--disable-component-update",
         "--disable-sync", "--mute-audio", "--disable-dev-shm-usage", "--force-color-profile=srgb", "--hide-scrollbars", "--disable-background-timer-throttling",
         "--disable-renderer-backgrounding", "--disable-backgrounding-occluded-windows", "--js-flags=--expose-gc"]
WEBGPU = ["--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader", "--enable-features=Vulkan", "--ignore-gpu-blocklist", "--use-vulkan=swiftshader",
          "--use-angle=swiftshader", "--disable-vulkan-surface", "--disable-gpu-watchdog"]


def chromium():
    """The path of Chromium; None if there is none."""
    return next((path for path in map(shutil.which, ["chromium", "chromium-browser", "google-chrome"]) if path), None)


class PageError(Exception):
    """An exception of the page, or of the connection to the browser."""


class Server:
    """Serves a folder, or folders by prefix (`{"/": …, "/data/": …}`), over HTTP on this computer.

    `headers`: for all responses. `types`: media types by path, instead of the right ones. `requests`: the paths that were requested.
    """

    def __init__(self, folders, *, headers=None, types=None):
        self.folders = folders if isinstance(folders, dict) else {"/": folders}
        self.headers, self.types, self.requests = dict(headers or {}), dict(types or {}), []

    def __enter__(self):
        owner = self
        prefixes = sorted(self.folders.items(), key=lambda item: -len(item[0]))

        class Handler(http.server.SimpleHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".wasm": "application/wasm", ".js": "text/javascript", ".glb": "model/gltf-binary",
                              ".html": "text/html; charset=utf-8", ".webp": "image/webp"}

            def translate_path(self, path):
                path = http.server.urllib.parse.unquote(path.split("?", 1)[0].split("#", 1)[0])
                owner.requests.append(path)
                found = [os.path.join(folder, path[len(prefix):].lstrip("/")) for prefix, folder in prefixes if path.startswith(prefix)]
                return next((file for file in found if os.path.exists(file)), os.path.join(owner.folders.get("/", "/nonexistent"), "missing"))

            def guess_type(self, path):
                return owner.types.get(owner.requests[-1]) or super().guess_type(path)

            def end_headers(self):
                for name, value in owner.headers.items():
                    self.send_header(name, value)
                self.send_header("Cache-Control", "no-store")
                super().end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.handle_error = lambda *_: None  # A browser that ends resets its connections.
        self.url = f"http://127.0.0.1:{self.server.server_port}/"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


class Browser:
    """A browser process with a display of its own. With `webgpu` it starts again until the software GPU opens, which fails now and then."""

    def __init__(self, *, webgpu=True, size=(1280, 1000), flags=()):
        self.webgpu, self.size, self.flags = webgpu, size, list(flags)

    def __enter__(self):
        reading, writing = os.pipe()
        self.display = subprocess.Popen(
            ["Xvfb", "-noreset", "-displayfd", str(writing), "-screen", "0", "2600x2000x24", "-nolisten", "tcp"], pass_fds=[writing], stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, preexec_fn=end_with_parent)
        os.close(writing)
        with os.fdopen(reading) as lines:
            self.display_name = ":" + lines.readline().strip()
        self._start()
        return self

    def __exit__(self, *_):
        self._stop()
        self.display.kill()
        self.display.wait()

    def restart(self):
        """Ends the process and starts another one."""
        self._stop()
        self._start()

    def _start(self):
        for attempt in range(5):
            self._launch()
            try:
                # A tab that is asked for before the browser has opened its window never comes.
                for _ in range(150):
                    if any(target["type"] == "page" for target in self.send("Target.getTargets", timeout=30)["targetInfos"]):
                        break
                    time.sleep(0.1)
                if not self.webgpu or self._opens_gpu():
                    return
            except PageError:
                pass
            self._stop()
        raise PageError("the browser cannot be started" + (" with WebGPU" if self.webgpu else ""))

    def _opens_gpu(self):
        page = self.open("chrome://version")
        try:
            return page.run("navigator.gpu?.requestAdapter().then((adapter) => adapter?.requestDevice()).then((device) => { device?.destroy(); return Boolean(device) }, () => false)")
        finally:
            page.close()

    def _launch(self):
        self.profile = tempfile.mkdtemp(prefix="vitrine-browser-")
        to_browser, from_browser = os.pipe(), os.pipe()

        def prepare():
            end_with_parent()
            # Chromium reads commands from descriptor 3 and writes answers to 4. The pipes may cross on the way.
            a, b = os.dup(to_browser[0]), os.dup(from_browser[1])
            a, b = os.dup2(a, 103), os.dup2(b, 104)
            os.dup2(a, 3)
            os.dup2(b, 4)

        command = [chromium(), *FLAGS, f"--user-data-dir={self.profile}", f"--window-size={self.size[0]},{self.size[1]}", *(WEBGPU if self.webgpu else []), *self.flags,
                   "about:blank"]
        self.process = subprocess.Popen(
            command, env={**os.environ, "DISPLAY": self.display_name}, preexec_fn=prepare, close_fds=False, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, start_new_session=True)
        os.close(to_browser[0])
        os.close(from_browser[1])
        self.writer, self.reader = os.fdopen(to_browser[1], "wb", buffering=0), os.fdopen(from_browser[0], "rb", buffering=0)
        self.answers, self.events, self.next, self.lock, self.has_ended = {}, {}, 0, threading.Lock(), False
        threading.Thread(target=self._read, args=[self.reader], daemon=True).start()

    def _stop(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        self.writer.close()
        shutil.rmtree(self.profile, ignore_errors=True)

    def _read(self, reader):
        parts = []
        while True:
            try:
                chunk = reader.read(1 << 20)
            except (OSError, ValueError):
                chunk = b""
            if not chunk:
                break
            *complete, rest = chunk.split(b"\0")
            for message in complete:
                self._receive(json.loads(b"".join(parts) + message))
                parts = []
            parts.append(rest)
        if reader is self.reader:
            self.has_ended = True
            for answer in list(self.answers.values()):
                answer.put(None)

    def _receive(self, message):
        if "id" in message:
            answer = self.answers.get(message["id"])
            if answer:
                answer.put(message)
        else:
            for handler in self.events.get(message.get("sessionId"), []):
                handler(message["method"], message.get("params", {}))

    def send(self, method, session=None, timeout=PATIENCE, **params):
        answer = queue.Queue()
        with self.lock:
            self.next += 1
            number = self.next
            self.answers[number] = answer
            message = {"id": number, "method": method, "params": params}
            if session:
                message["sessionId"] = session
            try:
                if self.has_ended:
                    raise OSError
                self.writer.write(json.dumps(message).encode() + b"\0")
            except (OSError, ValueError):
                raise PageError("the browser has ended") from None
        try:
            result = answer.get(timeout=timeout)
        except queue.Empty:
            raise PageError(f"{method}: no answer in {timeout} s") from None
        finally:
            del self.answers[number]
        if result is None:
            raise PageError("the browser has ended")
        if "error" in result:
            raise PageError(f"{method}: {result['error']['message']}")
        return result["result"]

    def open(self, url, **options):
        return Page(self, url, **options)


class Page:
    """A tab. `width`, `height` in CSS pixels; `scale` device pixels per CSS pixel; `before`: a script that runs before those of the page.

    `console`: lines "level: text". `errors`: uncaught exceptions.
    """

    def __init__(self, browser, url, *, width=1000, height=800, scale=1, mobile=False, dark=False, reduced_motion=False, before=None):
        self.browser = browser
        self.target = browser.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.send("Target.attachToTarget", targetId=self.target, flatten=True)["sessionId"]
        self.console, self.errors = [], []
        browser.events[self.session] = [self._event]
        for domain in ["Page", "Runtime", "Log"]:
            self.send(domain + ".enable")
        self.resize(width, height, scale, mobile)
        self.touches(mobile)
        features = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        if reduced_motion:
            features.append({"name": "prefers-reduced-motion", "value": "reduce"})
        self.send("Emulation.setEmulatedMedia", features=features)
        if before:
            self.send("Page.addScriptToEvaluateOnNewDocument", source=before)
        self.send("Page.navigate", url=url)
        self.wait("document.readyState === 'complete'")

    def _event(self, method, params):
        if method == "Runtime.consoleAPICalled":
            text = " ".join(str(argument.get("value", argument.get("description", ""))) for argument in params["args"])
            self.console.append(f"{params['type']}: {text}")
        elif method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Log.entryAdded":
            self.console.append(f"{params['entry']['level']}: {params['entry']['text']}")

    def send(self, method, **params):
        return self.browser.send(method, self.session, **params)

    def close(self):
        self.browser.events.pop(self.session, None)
        try:
            self.browser.send("Target.closeTarget", targetId=self.target)
        except PageError:
            pass  # The browser has ended or was started again.

    def resize(self, width, height, scale=1, mobile=False):
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=mobile)

    def touches(self, enabled):
        self.send("Emulation.setTouchEmulationEnabled", enabled=enabled, maxTouchPoints=5)

    def run(self, script, timeout=PATIENCE):
        """The value of an expression; promises are awaited."""
        result = self.send("Runtime.evaluate", timeout=timeout, expression=script, awaitPromise=True, returnByValue=True, userGesture=True)
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise PageError(details.get("exception", {}).get("description", details["text"]))
        return result["result"].get("value")

    def wait(self, script, timeout=25):
        """Waits until an expression is true."""
        end = time.time() + timeout
        while True:
            reason = ""
            try:
                if self.run(f"Boolean({script})"):
                    return
            except PageError as error:
                if self.browser.has_ended:
                    raise
                reason = f"\n{error}"
            if time.time() > end:
                raise PageError(f"not true in {timeout} s: {script}{reason}\nconsole: {self.console[-20:]}\nerrors: {self.errors[-5:]}")
            time.sleep(0.05)

    def frames(self, count=2):
        """Waits for frames of the page."""
        self.run(f"new Promise(done => {{ let left = {count}; const step = () => left-- > 0 ? requestAnimationFrame(step) : done(); step() }})")

    # Real input.

    def mouse(self, kind, x, y, *, button="left", buttons=None, modifiers=0, clicks=1):
        held = {"left": 1, "right": 2, "middle": 4}.get(button, 0) if buttons is None else buttons
        self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button=button, buttons=held, modifiers=modifiers, clickCount=0 if kind == "mouseMoved" else clicks)

    def click(self, x, y, **options):
        self.mouse("mouseMoved", x, y, button="none")
        self.mouse("mousePressed", x, y, **options)
        self.mouse("mouseReleased", x, y, **options)

    def drag(self, start, end, *, steps=8, button="left", modifiers=0):
        self.mouse("mouseMoved", *start, button="none", modifiers=modifiers)
        self.mouse("mousePressed", *start, button=button, modifiers=modifiers)
        for step in range(1, steps + 1):
            x, y = (start[axis] + (end[axis] - start[axis]) * step / steps for axis in (0, 1))
            self.mouse("mouseMoved", x, y, button=button, modifiers=modifiers)
            time.sleep(0.016)
        self.mouse("mouseReleased", *end, button=button, modifiers=modifiers)

    def wheel(self, x, y, dy, *, modifiers=0):
        self.send("Input.dispatchMouseEvent", type="mouseWheel", x=x, y=y, deltaX=0, deltaY=dy, modifiers=modifiers)

    def touch(self, kind, *points):
        """`points`: (x, y, id). `kind`: touchStart, touchMove, touchEnd, touchCancel."""
        self.send("Input.dispatchTouchEvent", type=kind, touchPoints=[{"x": x, "y": y, "id": number} for x, y, number in points])

    def tap(self, x, y):
        self.touch("touchStart", (x, y, 1))
        self.touch("touchEnd")

    def pinch(self, center, start, end, *, steps=8):
        """Two fingers on a horizontal line: from `start` to `end` pixels from the center."""
        x, y = center
        self.touch("touchStart", (x - start, y, 1))
        self.touch("touchStart", (x - start, y, 1), (x + start, y, 2))
        for step in range(1, steps + 1):
            reach = start + (end - start) * step / steps
            self.touch("touchMove", (x - reach, y, 1), (x + reach, y, 2))
            time.sleep(0.02)
        self.touch("touchEnd")

    def key(self, key, *, code=None, text=None, modifiers=0):
        codes = {"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Home": 36, "Tab": 9, "Enter": 13}
        virtual = codes.get(key, ord(key.upper()) if len(key) == 1 else 0)
        common = dict(key=key, code=code or key, windowsVirtualKeyCode=virtual, modifiers=modifiers)
        text = text or (key if len(key) == 1 else None)
        self.send("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", **({"text": text} if text else {}), **common)
        self.send("Input.dispatchKeyEvent", type="keyUp", **common)

    def screenshot(self, path=None):
        data = base64.b64decode(self.send("Page.captureScreenshot", format="png")["data"])
        if path:
            pathlib.Path(path).write_bytes(data)
        return Image(data)


class Image:
    """The pixels of a PNG of 8 bits a channel: `rows` of `width` times `channels` bytes (3 or 4)."""

    def __init__(self, data):
        self.data = data
        assert data[:8] == b"\x89PNG\r\n\x1a\n"
        position, packed = 8, b""
        while position < len(data):
            length, kind = struct.unpack(">I4s", data[position:position + 8])
            body = data[position + 8:position + 8 + length]
            if kind == b"IHDR":
                self.width, self.height, depth, color, _, _, interlace = struct.unpack(">IIBBBBB", body)
                assert depth == 8 and color in (2, 6) and interlace == 0
                self.channels = 3 if color == 2 else 4
            elif kind == b"IDAT":
                packed += body
            position += 12 + length
        raw, stride = zlib.decompress(packed), self.width * self.channels
        self.rows, previous = [], bytearray(stride)
        for row in range(self.height):
            start = row * (stride + 1)
            previous = self._unfilter(raw[start], bytearray(raw[start + 1:start + 1 + stride]), previous)
            self.rows.append(previous)

    def _unfilter(self, kind, line, above):
        width, count = self.channels, len(line)
        if kind == 1:
            for index in range(width, count):
                line[index] = (line[index] + line[index - width]) & 255
        elif kind == 2:
            for index in range(count):
                line[index] = (line[index] + above[index]) & 255
        elif kind == 3:
            for index in range(count):
                line[index] = (line[index] + ((line[index - width] if index >= width else 0) + above[index]) // 2) & 255
        elif kind == 4:
            for index in range(count):
                left, up, corner = (line[index - width], above[index], above[index - width]) if index >= width else (0, above[index], 0)
                p = left + up - corner
                a, b, c = abs(p - left), abs(p - up), abs(p - corner)
                line[index] = (line[index] + (left if a <= b and a <= c else up if b <= c else corner)) & 255
        return line

    def pixel(self, x, y):
        """Red, green and blue."""
        start = int(x) * self.channels
        return tuple(self.rows[int(y)][start:start + 3])

    def save(self, path):
        path = pathlib.Path(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(self.data)

    def psnr(self, other):
        """The likeness of the premultiplied colors, in dB; 99 for equal images."""
        assert (self.width, self.height) == (other.width, other.height), f"sizes differ: {self.width} × {self.height} and {other.width} × {other.height}"
        total = 0
        for mine, theirs in zip(self._premultiplied(), other._premultiplied()):
            if mine != theirs:
                total += sum((a - b) ** 2 for a, b in zip(mine, theirs))
        return 99.0 if total == 0 else 10 * math.log10(255 ** 2 * self.width * self.height * 3 / total)

    def _premultiplied(self):
        for row in self.rows:
            if self.channels == 3:
                yield list(row)
            else:
                yield [row[index + channel] * row[index + 3] / 255 for index in range(0, len(row), 4) for channel in range(3)]


# What a page says when the software GPU cannot be opened or has ended: no failure of the page.
GPU_FAILURES = ["no-adapter", "found no GPU", "external Instance", "no answer", "has ended", "no-webgpu: The canvas"]


def retried(test):
    """Runs a test again in a new browser if the GPU failed."""

    @functools.wraps(test)
    def run(self):
        for attempt in range(4):
            try:
                return test(self)
            except (AssertionError, PageError) as error:
                if attempt == 3 or not self.webgpu or not any(part in str(error) for part in GPU_FAILURES):
                    raise
            self.browser.restart()
            self.setUp()

    return run


class PageTests(unittest.TestCase):
    """Tests of pages in one browser. Each class has a folder of its own, which `server` serves; `fill` writes files into it."""

    webgpu = True
    head = ""

    def __init_subclass__(cls):
        for name, value in list(vars(cls).items()):
            if name.startswith("test_"):
                setattr(cls, name, retried(value))

    @classmethod
    def folders(cls):
        """The folders of the server, by prefix."""
        return {"/": cls.folder}

    @classmethod
    def fill(cls):
        """Writes files into the folder of the class."""

    @classmethod
    def setUpClass(cls):
        if not chromium() or not shutil.which("Xvfb"):
            raise unittest.SkipTest("chromium or Xvfb is missing")
        cls.folder = tempfile.mkdtemp(prefix="vitrine-pages-")
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.fill()
        cls.server = Server(cls.folders()).__enter__()
        cls.addClassCleanup(cls.server.__exit__)
        cls.browser = Browser(webgpu=cls.webgpu).__enter__()
        cls.addClassCleanup(cls.browser.__exit__)

    def setUp(self):
        self.pages = []
        self.server.headers.clear()
        self.server.types.clear()
        self.server.requests.clear()

    @classmethod
    def write(cls, name, contents):
        """Writes text or bytes into the folder of the class."""
        pathlib.Path(cls.folder, name).write_bytes(contents.encode() if isinstance(contents, str) else contents)

    def page(self, body, **options):
        """Opens a page with `head` and this body."""
        name = f"page-{time.time_ns()}.html"
        self.write(name, f"<!doctype html><meta charset='utf-8'><meta name='viewport' content='width=device-width'>{self.head}<body>{body}")
        return self.visit(self.server.url + name, **options)

    def visit(self, url, **options):
        """Opens a page. The test fails if a script of it does."""
        page = self.browser.open(url, **options)
        self.pages.append(page)
        return page

    def tearDown(self):
        for page in self.pages:
            page.close()
        self.assertEqual([error for page in self.pages for error in page.errors], [])
