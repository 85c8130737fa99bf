// A page around the runtime alone, for runtime_tests.py.
import { loadRuntime, VitrineError } from "/build/vitrine-runtime.js";

window.tests = {
  warnings: [],
  frames: 0,
  /// Frames that were asked for and not drawn yet.
  pending: 0,
  async open(canvas = document.getElementById("canvas"), options = {}) {
    this.runtime = await loadRuntime({ wasm: new URL("/build/vitrine.wasm", location) });
    let scheduled = false;
    const schedule = () => {
      if (scheduled) return;
      scheduled = true;
      this.pending++;
      requestAnimationFrame((time) => {
        scheduled = false;
        this.pending--;
        this.frames++;
        try {
          if (viewer.frame(time)) schedule();
        } catch (error) {
          if (!["destroyed", "lost"].includes(error.code)) throw error;
        }
      });
    };
    const viewer = await this.runtime.createViewer(canvas, {
      onNeedsFrame: schedule,
      onWarning: (text) => this.warnings.push(text),
      onLost: (text) => (this.lost = text),
      onCameraChange: ({ source }) => (this.cameraSource = source),
      ...options,
    });
    viewer.resize(canvas.clientWidth, canvas.clientHeight, devicePixelRatio);
    for (const type of ["pointerdown", "pointermove", "pointerup", "pointercancel", "wheel", "keydown", "blur"]) {
      canvas.addEventListener(type, (event) => viewer.handle(event), { passive: true });
    }
    this.viewer ??= viewer;
    return viewer;
  },
  async load(url, viewer = this.viewer, options = {}) {
    const response = await fetch(url);
    if (!response.ok) throw new Error(`${url}: ${response.status}`);
    return viewer.load(await response.arrayBuffer(), { name: url.split("/").pop(), ...options });
  },
  async environment(url, viewer = this.viewer) {
    return viewer.setEnvironment(url && (await (await fetch(url)).arrayBuffer()));
  },
  /// The pixels of a view as PNG in base64.
  async png(options, viewer = this.viewer) {
    const bytes = new Uint8Array(await (await viewer.snapshot(options)).arrayBuffer());
    let text = "";
    for (let index = 0; index < bytes.length; index += 32768) text += String.fromCharCode(...bytes.subarray(index, index + 32768));
    return btoa(text);
  },
  /// Waits until nothing was drawn for a while, and no frame is pending: on a busy computer a frame can take longer than that.
  async settle(milliseconds = 300) {
    for (let last = -1; last !== this.frames || this.pending > 0; ) {
      last = this.frames;
      await new Promise((done) => setTimeout(done, milliseconds));
    }
  },
  error: (error) => (error instanceof VitrineError ? `${error.code}: ${error.message}` : String(error)),
};
