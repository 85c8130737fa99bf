"""Chromium under Xvfb for tests of pages: a small client of the DevTools protocol, and a web server for folders.

    with Server({"/": folder}) as server, Browser() as browser:
        page = browser.open(server.url + "page.html")
        page.evaluate("document.title")
"""
import base64
import http.server
import json
import os
import shutil
import subprocess
import tempfile
import threading
import time

FLAGS = ["--no-sandbox", "--no-first-run", "--disable-default-apps", "--disable-component-update", "--disable-background-networking", "--disable-sync",
         "--disable-dev-shm-usage", "--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader", "--enable-features=Vulkan", "--ignore-gpu-blocklist",
         "--use-vulkan=swiftshader", "--use-angle=swiftshader", "--disable-vulkan-surface", "--remote-debugging-pipe", "--window-size=1100,900",
         "--disable-background-timer-throttling", "--disable-renderer-backgrounding", "--disable-backgrounding-occluded-windows", "--js-flags=--expose-gc"]


def chromium():
    """The path of Chromium; None if there is none."""
    return next((path for path in map(shutil.which, ["chromium", "chromium-browser", "google-chrome"]) if path), None)


class PageError(Exception):
    """An exception of the page."""


class Server:
    """Serves folders by prefix on this computer, with optional headers for each path."""

    def __init__(self, folders, headers=None):
        self.folders, self.headers, self.requests = folders, headers or {}, []

    def __enter__(self):
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                path = self.path.split("?")[0]
                outer.requests.append(path)
                for prefix, folder in sorted(outer.folders.items(), key=lambda item: -len(item[0])):
                    name = os.path.join(folder, path[len(prefix):].lstrip("/"))
                    if path.startswith(prefix) and os.path.isfile(name):
                        with open(name, "rb") as file:
                            data = file.read()
                        types = {".html": "text/html; charset=utf-8", ".js": "text/javascript", ".wasm": "application/wasm", ".png": "image/png"}
                        self.send_response(200)
                        self.send_header("Content-Type", types.get(os.path.splitext(name)[1], "application/octet-stream"))
                        self.send_header("Content-Length", str(len(data)))
                        self.send_header("Cache-Control", "no-store")
                        for key, value in outer.headers.get(path, {}).items():
                            self.send_header(key, value)
                        self.end_headers()
                        self.wfile.write(data)
                        return
                self.send_response(404)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *error):
        self.server.shutdown()


class Browser:
    """A browser process. Starting it is repeated: the software GPU fails now and then."""

    def __init__(self, flags=(), gpu=True):
        self.flags, self.gpu = list(flags), gpu

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="vitrine-browser-")
        reading, writing = os.pipe()
        self.xvfb = subprocess.Popen(["Xvfb", "-displayfd", str(writing), "-screen", "0", "1280x1024x24", "-nolisten", "tcp"], pass_fds=[writing],
                                     stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        os.close(writing)
        with os.fdopen(reading) as file:
            self.display = ":" + file.readline().strip()
        self.start()
        # A tab that is asked for before the browser has opened its window never comes. The first tab stays: without tabs there is no window.
        for _ in range(100):
            pages = [target for target in self.call("Target.getTargets")["targetInfos"] if target["type"] == "page"]
            if pages:
                break
            time.sleep(0.2)
        return self

    def start(self):
        to_child, from_parent = os.pipe()
        to_parent, from_child = os.pipe()
        os.set_inheritable(to_child, True)
        os.set_inheritable(from_child, True)

        def wire():
            # The pipes must be 3 and 4 in the browser; they may cross on the way.
            first, second = os.dup(to_child), os.dup(from_child)
            first, second = os.dup2(first, 63), os.dup2(second, 64)
            os.dup2(63, 3)
            os.dup2(64, 4)
            os.set_inheritable(3, True)
            os.set_inheritable(4, True)

        flags = [flag for flag in FLAGS if self.gpu or "gpu" not in flag]
        command = [chromium(), *flags, *self.flags, f"--user-data-dir={self.folder}", "about:blank"]
        self.log = open(os.path.join(self.folder, "chromium.log"), "wb")
        self.process = subprocess.Popen(command, preexec_fn=wire, close_fds=False, stderr=self.log, stdout=self.log,
                                        env={**os.environ, "DISPLAY": self.display})
        os.close(to_child)
        os.close(from_child)
        self.out = os.fdopen(from_parent, "wb", buffering=0)
        self.input = os.fdopen(to_parent, "rb", buffering=0)
        self.sequence, self.answers, self.pages, self.lock = 0, {}, {}, threading.Condition()
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        rest = b""
        while True:
            try:
                data = os.read(self.input.fileno(), 1 << 20)
            except (OSError, ValueError):
                data = b""
            if not data:
                with self.lock:
                    self.answers[None] = True
                    self.lock.notify_all()
                return
            *messages, rest = (rest + data).split(b"\0")
            for message in messages:
                self.receive(json.loads(message))

    def receive(self, message):
        with self.lock:
            if "id" in message:
                self.answers[message["id"]] = message
                self.lock.notify_all()
            page = self.pages.get(message.get("sessionId"))
        if page and "method" in message:
            page.event(message["method"], message["params"])

    def call(self, method, session=None, timeout=60, **parameters):
        with self.lock:
            self.sequence += 1
            number = self.sequence
        message = {"id": number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        self.out.write(json.dumps(message).encode() + b"\0")
        with self.lock:
            if not self.lock.wait_for(lambda: number in self.answers or None in self.answers, timeout):
                raise PageError(f"{method}: no answer in {timeout} s")
            if number not in self.answers:
                raise PageError("the browser has ended")
            answer = self.answers.pop(number)
        if "error" in answer:
            raise PageError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def open(self, url, width=800, height=600, scale=1):
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = Page(self, session, target)
        with self.lock:
            self.pages[session] = page
        for domain in ["Page", "Runtime", "Log"]:
            page.call(domain + ".enable")
        page.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=False)
        page.call("Page.navigate", url=url)
        page.evaluate("document.readyState === 'complete' || new Promise(done => addEventListener('load', done))")
        return page

    def __exit__(self, *error):
        try:
            self.call("Browser.close", timeout=5)
        except (PageError, OSError):
            pass
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.xvfb.terminate()
        self.xvfb.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


class Page:
    """A tab."""

    def __init__(self, browser, session, target):
        self.browser, self.session, self.target, self.messages = browser, session, target, []

    def call(self, method, timeout=60, **parameters):
        return self.browser.call(method, self.session, timeout, **parameters)

    def event(self, method, parameters):
        if method == "Runtime.consoleAPICalled":
            texts = [str(item.get("value", item.get("description", ""))) for item in parameters["args"]]
            self.messages.append((parameters["type"], " ".join(texts)))
        elif method == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            self.messages.append(("exception", details.get("exception", {}).get("description", details["text"])))
        elif method == "Log.entryAdded":
            self.messages.append((parameters["entry"]["level"], parameters["entry"]["text"]))

    def evaluate(self, expression, timeout=120):
        result = self.call("Runtime.evaluate", timeout=timeout, expression=expression, awaitPromise=True, returnByValue=True, userGesture=True)
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise PageError(details.get("exception", {}).get("description", details["text"]))
        return result["result"].get("value")

    def wait(self, expression, timeout=60):
        """Waits until an expression is true."""
        end = time.time() + timeout
        while not self.evaluate(expression):
            if time.time() > end:
                raise PageError(f"not true in {timeout} s: {expression}\n" + "\n".join(map(str, self.messages[-10:])))
            time.sleep(0.05)

    def mouse(self, kind, x, y, button="left", buttons=1, modifiers=0, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button=button, buttons=buttons, modifiers=modifiers,
                  clickCount=0 if kind == "mouseMoved" else 1, **more)

    def drag(self, start, end, steps=8, button="left", modifiers=0):
        buttons = {"left": 1, "right": 2, "middle": 4}[button]
        self.mouse("mouseMoved", *start, button="none", buttons=0)
        self.mouse("mousePressed", *start, button=button, buttons=buttons, modifiers=modifiers)
        for step in range(1, steps + 1):
            share = step / steps
            self.mouse("mouseMoved", start[0] + (end[0] - start[0]) * share, start[1] + (end[1] - start[1]) * share, button=button, buttons=buttons,
                       modifiers=modifiers)
            time.sleep(0.016)
        self.mouse("mouseReleased", *end, button=button, buttons=0, modifiers=modifiers)

    def touch(self, kind, points):
        self.call("Input.dispatchTouchEvent", type=kind, touchPoints=[{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(points)])

    def key(self, key, code=None, modifiers=0):
        for kind in ["keyDown", "keyUp"]:
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=code or key, modifiers=modifiers, **({"text": key} if len(key) == 1 and kind == "keyDown" else {}))

    def screenshot(self):
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])

    def close(self):
        self.browser.call("Target.closeTarget", targetId=self.target)
