"""Chromium under Xvfb, controlled through the DevTools protocol over a pipe. Only the standard library.

    with Server(folder) as server, Browser() as browser:
        page = browser.open(server.url + "page.html")
        page.wait("document.querySelector('vitrine-viewer').loaded")
"""
import base64
import http.server
import json
import os
import queue
import shutil
import signal
import struct
import subprocess
import tempfile
import threading
import time
import zlib

WEBGPU = ["--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader", "--enable-features=Vulkan", "--ignore-gpu-blocklist", "--use-vulkan=swiftshader",
          "--use-angle=swiftshader", "--disable-vulkan-surface", "--disable-gpu-watchdog"]


class Server:
    """Serves folders over HTTP, the first one that has a file, with headers for all responses."""

    def __init__(self, *folders, headers=None):
        self.folders, self.headers, self.requests = folders, dict(headers or {}), []

    def __enter__(self):
        owner = self

        class Handler(http.server.SimpleHTTPRequestHandler):
            extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".wasm": "application/wasm", ".js": "text/javascript", ".glb": "model/gltf-binary"}

            def translate_path(self, path):
                path = path.split("?", 1)[0].split("#", 1)[0].lstrip("/")
                owner.requests.append(path)
                found = [os.path.join(folder, path) for folder in owner.folders]
                return next((file for file in found if os.path.exists(file)), found[0])

            def end_headers(self):
                for name, value in owner.headers.items():
                    self.send_header(name, value)
                self.send_header("Cache-Control", "no-store")
                super().end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


class Browser:
    def __init__(self, *, webgpu=True, size=(1280, 900), flags=()):
        self.webgpu, self.size, self.flags = webgpu, size, list(flags)

    def __enter__(self):
        self.profile = tempfile.mkdtemp(prefix="vitrine-web-")
        read, write = os.pipe()
        self.display = subprocess.Popen(
            ["Xvfb", "-displayfd", str(write), "-screen", "0", "2600x1900x24", "-nolisten", "tcp"], pass_fds=[write], stderr=subprocess.DEVNULL)
        os.close(write)
        with os.fdopen(read) as lines:
            number = lines.readline().strip()
        # Chromium reads commands from descriptor 3 and writes answers to 4.
        to_browser, from_browser = os.pipe(), os.pipe()

        def descriptors():
            a, b = os.dup(to_browser[0]), os.dup(from_browser[1])
            a, b = os.dup2(a, 103), os.dup2(b, 104)
            os.dup2(a, 3)
            os.dup2(b, 4)

        command = ["chromium", "--remote-debugging-pipe", "--no-sandbox", "--no-first-run", "--disable-background-networking", "--disable-component-update",
                   "--mute-audio", "--disable-dev-shm-usage", "--force-color-profile=srgb", "--hide-scrollbars", f"--user-data-dir={self.profile}",
                   f"--window-size={self.size[0]},{self.size[1]}", *(WEBGPU if self.webgpu else []), *self.flags, "about:blank"]
        self.process = subprocess.Popen(
            command, env={**os.environ, "DISPLAY": ":" + number}, preexec_fn=descriptors, close_fds=False, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, start_new_session=True)
        os.close(to_browser[0])
        os.close(from_browser[1])
        self.writer, self.reader = os.fdopen(to_browser[1], "wb", buffering=0), os.fdopen(from_browser[0], "rb", buffering=0)
        self.answers, self.events, self.next, self.lock = {}, {}, 0, threading.Lock()
        threading.Thread(target=self._read, daemon=True).start()
        return self

    def __exit__(self, *_):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        self.display.kill()
        self.display.wait()
        shutil.rmtree(self.profile, ignore_errors=True)

    def _read(self):
        data = b""
        while True:
            try:
                chunk = self.reader.read(1 << 20)
            except (OSError, ValueError):
                return
            if not chunk:
                return
            data += chunk
            *messages, data = data.split(b"\0")
            for message in map(json.loads, messages):
                if "id" in message:
                    self.answers.setdefault(message["id"], queue.Queue()).put(message)
                else:
                    for handler in self.events.get(message.get("sessionId"), []):
                        handler(message["method"], message.get("params", {}))

    def send(self, method, session=None, timeout=60, **params):
        with self.lock:
            self.next += 1
            number = self.next
            answer = self.answers.setdefault(number, queue.Queue())
            message = {"id": number, "method": method, "params": params}
            if session:
                message["sessionId"] = session
            self.writer.write(json.dumps(message).encode() + b"\0")
        result = answer.get(timeout=timeout)
        del self.answers[number]
        if "error" in result:
            raise RuntimeError(f"{method}: {result['error']['message']}")
        return result["result"]

    def open(self, url, **options):
        return Page(self, url, **options)


class Page:
    """A tab. `width`, `height` in CSS pixels; `scale` device pixels per CSS pixel."""

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
        self.browser.send("Target.closeTarget", targetId=self.target)
        self.browser.events.pop(self.session, None)

    def resize(self, width, height, scale=1, mobile=False):
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=mobile)

    def touches(self, enabled):
        self.send("Emulation.setTouchEmulationEnabled", enabled=enabled, maxTouchPoints=5)

    def run(self, script):
        """The value of an expression; promises are awaited."""
        result = self.send("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True, userGesture=True)
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description", details["text"]))
        return result["result"].get("value")

    def wait(self, script, timeout=25):
        """Waits until an expression is true."""
        end = time.time() + timeout
        while True:
            try:
                if self.run(f"Boolean({script})"):
                    return
            except RuntimeError:
                if time.time() > end:
                    raise
            if time.time() > end:
                raise TimeoutError(f"{script}\nconsole: {self.console[-20:]}\nerrors: {self.errors[-5:]}")
            time.sleep(0.05)

    def frames(self, count=2):
        """Waits for frames of the page."""
        self.run(f"new Promise(done => {{ let left = {count}; const step = () => left-- > 0 ? requestAnimationFrame(step) : done(); step() }})")

    # Real input.

    def mouse(self, kind, x, y, *, button="left", buttons=None, modifiers=0, clicks=1):
        held = {"left": 1, "right": 2, "middle": 4}.get(button, 0) if buttons is None else buttons
        self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button=button, buttons=held, modifiers=modifiers, clickCount=clicks)

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
            with open(path, "wb") as file:
                file.write(data)
        return Image(data)


class Image:
    """The pixels of a PNG of 8 bits a channel."""

    def __init__(self, data):
        assert data[:8] == b"\x89PNG\r\n\x1a\n"
        position, packed = 8, b""
        while position < len(data):
            length, kind = struct.unpack(">I4s", data[position:position + 8])
            body = data[position + 8:position + 8 + length]
            if kind == b"IHDR":
                self.width, self.height, depth, color = struct.unpack(">IIBB", body[:10])
                assert depth == 8 and color in (2, 6)
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
        width = self.channels
        for index in range(len(line)):
            left = line[index - width] if index >= width else 0
            corner = above[index - width] if index >= width else 0
            up = above[index]
            if kind == 1:
                guess = left
            elif kind == 2:
                guess = up
            elif kind == 3:
                guess = (left + up) // 2
            elif kind == 4:
                p = left + up - corner
                a, b, c = abs(p - left), abs(p - up), abs(p - corner)
                guess = left if a <= b and a <= c else up if b <= c else corner
            else:
                return line
            line[index] = (line[index] + guess) & 255
        return line

    def pixel(self, x, y):
        start = int(x) * self.channels
        return tuple(self.rows[int(y)][start:start + 3])
