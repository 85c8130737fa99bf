// Stands in for vitrine-runtime.js in the tests of the element: records calls in `fake.log`, draws a coloured circle, and fails on request.

export class VitrineError extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

const fake = (globalThis.fake = { log: [], viewers: [], loads: 0, devices: 0, frames: 0, ...globalThis.fake });
let current = null;

export function loadRuntime({ wasm }) {
  fake.wasm = String(wasm?.href ?? wasm);
  fake.loads += 1;
  if (fake.failure) return Promise.reject(new VitrineError(fake.failure, `fails with ${fake.failure}`));
  return (current ??= (fake.devices += 1, Promise.resolve(new Runtime())));
}

class Runtime {
  viewers = new Set();
  async createViewer(canvas, options) {
    await new Promise((done) => setTimeout(done, fake.openDelay ?? 0));
    if (this.isLost) throw new VitrineError("lost", "lost");
    const viewer = new Viewer(this, canvas, options);
    this.viewers.add(viewer);
    fake.viewers.push(viewer);
    return viewer;
  }
}

/** What a lost GPU does. */
fake.lose = (source = "device") => {
  const lost = current;
  current = null;
  return lost.then((runtime) => (runtime.isLost = true, runtime.viewers).forEach((viewer) => {
    viewer.isLost = true;
    viewer.options.onLost("reset", { source });
  }));
};

const defaults = {
  environmentIntensity: 1, rotation: 0, background: "transparent", backgroundBlur: 0, exposure: 0, toneMapping: "neutral", shadow: 0, cameraControls: true, cameraLimits: null,
  autoRotate: false, autoRotateSpeed: 12, autoRotateDelay: 3, allowsZoom: true, allowsPan: true, animationFade: 0.3, animationSpeed: 1, reducesMotion: false, animationName: null, paused: false, animationTime: 0, variantName: null,
};

class Viewer {
  #model = null;
  #camera = { azimuth: 30, elevation: 15, distance: 4, target: [0, 1, 0], fieldOfView: 45 };
  #dirty = true;

  constructor(runtime, canvas, options) {
    Object.assign(this, { runtime, canvas, options, values: { ...defaults }, calls: [], isDestroyed: false, frameCount: 0 });
    if (options.state) this.#camera = options.state.camera;
    for (const name of Object.keys(defaults)) {
      Object.defineProperty(this, name, {
        get: () => this.values[name],
        set: (value) => {
          if (name === "exposure" && Math.abs(value) > 32) throw new RangeError("exposure");
          this.values[name] = value;
          this.#changed();
        },
      });
    }
  }

  #changed() {
    this.#dirty = true;
    this.options.onNeedsFrame?.();
  }

  #call(name, ...values) {
    if (this.isLost) throw new VitrineError("lost", "lost");
    if (this.isDestroyed) throw new VitrineError("destroyed", "destroyed");
    this.calls.push([name, ...values]);
    fake.log.push([name, ...values]);
  }

  get model() { return this.#model; }
  get fittingDistance() { return 4; }
  get camera() { return { ...this.#camera, target: [...this.#camera.target] }; }

  async load(bytes, { name, onProgress, signal, uploadAfter }) {
    this.#call("load", name, bytes.byteLength);
    onProgress?.(0.5);
    await uploadAfter;
    await new Promise((done) => setTimeout(done, fake.delay ?? 5));
    if (this.isLost) throw new VitrineError("lost", "lost");
    if (signal?.aborted || this.isDestroyed) throw new VitrineError("aborted", "aborted");
    if (bytes.byteLength === 6) throw Object.assign(new VitrineError("unsupported", `${name}: requires the extension ACME_cubes`), { extension: "ACME_cubes" });
    if (new TextDecoder().decode(bytes.slice(0, 7)) === "damaged") throw new VitrineError("model", `${name}: meshes[0]: is damaged`);
    onProgress?.(1);
    this.#model = {
      name, animations: [{ name: "Walk", duration: 2 }, { name: "Run", duration: 1 }], variants: ["red", "blue"], cameras: [], warnings: [], bounds: { min: [-1, 0, -1], max: [1, 2, 1] },
    };
    this.#changed();
    return this.#model;
  }

  async finished() {
    this.#call("finished");
    await new Promise((done) => setTimeout(done, fake.frameDelay ?? 0));
  }

  async setEnvironment(bytes) {
    this.#call("setEnvironment", bytes?.byteLength ?? null);
    await new Promise((done) => setTimeout(done, fake.environmentDelay ?? 0));
    if (fake.environmentFailure) throw new VitrineError(fake.environmentFailure, `fails with ${fake.environmentFailure}`);
  }
  setCamera(part, options) {
    this.#call("setCamera", part, options);
    const { distance, target, ...rest } = part;
    Object.assign(this.#camera, rest);
    if (distance !== undefined) this.#camera.distance = distance === "auto" ? 4 : typeof distance === "string" ? (parseFloat(distance) / 100) * 4 : distance;
    if (target !== undefined) this.#camera.target = target === "auto" ? [0, 1, 0] : target;
    this.#changed();
  }
  resetCamera() { this.#call("resetCamera"); }

  pointer(type, id, kind, x, y, button, modifiers, time) {
    this.#call("pointer", type, kind, Math.round(x), Math.round(y), button, modifiers);
    if (type === "down") this.held = [x, y];
    if (type === "move" && this.held) {
      this.#camera.azimuth -= x - this.held[0];
      this.held = [x, y];
      this.moved = true;
      this.#changed();
    }
    if (type === "up" || type === "cancel") this.held = null;
    this.times = [...(this.times ?? []), time];
    return true;
  }
  wheel(dx, dy, mode, x, y, modifiers) {
    this.#call("wheel", dy, mode, modifiers);
    this.#camera.distance *= 1.1 ** Math.sign(dy);
    this.moved = true;
    this.#changed();
    return true;
  }
  key(type, key) {
    this.#call("key", type, key);
    if (!key.startsWith("Arrow") && key !== "+" && key !== "-") return false;
    if (type === "down") this.#camera.azimuth += 15;
    this.moved = type === "down";
    this.#changed();
    return true;
  }
  blur() { if (!this.isLost) this.#call("blur"); }

  resize(width, height, scale) {
    this.#call("resize", width, height, scale);
    this.canvas.width = width * scale;
    this.canvas.height = height * scale;
    this.#dirty = true;
  }

  frame(time) {
    if (this.isLost) throw new VitrineError("lost", "lost");
    if (!this.#dirty && this.values.paused) return false;
    this.#dirty = false;
    this.frameCount += 1;
    fake.frames += 1;
    this.lastTime = time;
    const { width, height } = this.canvas;
    const context = this.canvas.getContext("2d");
    context.clearRect(0, 0, width, height);
    context.fillStyle = `hsl(${this.#camera.azimuth * 3} 80% 45%)`;
    context.beginPath();
    context.arc(width / 2, height / 2, (Math.min(width, height) * 1.5) / this.#camera.distance, 0, 7);
    context.fill();
    if (this.moved) this.options.onCameraChange?.({ source: "user" });
    this.moved = false;
    return this.#model !== null && !this.values.paused;
  }

  async snapshot(options) {
    this.#call("snapshot", options);
    return new Blob(["image"], { type: options.type });
  }
  project([x, y, z]) { return [this.canvas.width / 2 + 10 * x, this.canvas.height / 2 - 10 * y, 5 + z]; }
  pick(x, y) { return { position: [x, y, 0], normal: [0, 0, 1] }; }
  state() { return { camera: this.camera }; }
  destroy() {
    this.isDestroyed = true;
    this.runtime.viewers.delete(this);
  }
}
