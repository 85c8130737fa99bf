// Vitrine's renderer for web pages. Web/runtime/README.md documents the interface.

import { WasmMemory, makeWebGPU, mathematics } from "./webgpu.js";

/// An error with a `code` for programs and a message for people; `extension` is that of glTF which is not supported, for `code` "unsupported".
export class VitrineError extends Error {
  constructor(code, message, options) {
    super(message, options);
    this.name = "VitrineError";
    this.code = code;
  }
}

/// The address of vitrine-meshopt.js; null: beside this file.
let meshopt = null;

/// Runtimes by the address of their program; one for a program without an address.
const runtimes = new Map();

/// Returns the page's runtime of a program. `imports(session)` returns more functions that the program imports from the page.
export function loadRuntime({ wasm, meshopt: address = null, imports } = {}) {
  meshopt ??= address;
  const key = wasm instanceof URL || typeof wasm === "string" ? String(wasm) : "inline";
  if (!runtimes.has(key)) {
    runtimes.set(key, Runtime.make(wasm, imports, () => runtimes.delete(key)).catch((error) => {
      runtimes.delete(key);
      throw error;
    }));
  }
  return runtimes.get(key);
}

async function compile(source) {
  source = await source;
  try {
    if (source instanceof WebAssembly.Module) return source;
    if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return await WebAssembly.compile(source);
    const response = source instanceof Response ? source : await fetch(source);
    if (!response.ok) throw new Error(`the server answered ${response.status} for ${response.url}`);
    // Servers that do not know the type of .wasm files still work.
    return response.headers.get("Content-Type") === "application/wasm"
      ? await WebAssembly.compileStreaming(response)
      : await WebAssembly.compile(await response.arrayBuffer());
  } catch (error) {
    throw new VitrineError("wasm", `The viewer's program could not be loaded: ${error.message}`, { cause: error });
  }
}

async function requestAdapter() {
  if (!globalThis.navigator?.gpu) {
    throw new VitrineError("no-webgpu", globalThis.isSecureContext === false
      ? "WebGPU needs a page that was loaded over https or from this computer." : "This browser has no WebGPU.");
  }
  const adapter = await navigator.gpu.requestAdapter({ powerPreference: "high-performance" }).catch(() => null);
  if (!adapter) throw new VitrineError("no-adapter", "This browser has WebGPU, but found no GPU that it can use.");
  return adapter;
}

/// The page's GPU device and wasm instance, shared by all viewers. `loadRuntime` makes it.
class Runtime {
  #module;
  #adapter;
  #imports;
  #onLost;
  #session = null;
  isLost = false;

  static async make(wasm, imports, onLost) {
    const [module, adapter] = await Promise.all([compile(wasm), requestAdapter()]);
    const runtime = new Runtime();
    runtime.#module = module;
    runtime.#adapter = adapter;
    runtime.#imports = imports;
    runtime.#onLost = onLost;
    return runtime;
  }

  async createViewer(canvas, options = {}) {
    if (this.isLost) throw new VitrineError("lost", "The GPU device was lost.");
    // Viewers that are created together share one device.
    this.#session ??= this.#open();
    const opening = this.#session;
    let session;
    try {
      session = await opening;
    } catch (error) {
      if (this.#session === opening) this.#session = null;
      throw error;
    }
    return new Viewer(session, canvas, options);
  }

  async #open() {
    // A device uses up its adapter.
    const adapter = this.#adapter ?? (await requestAdapter());
    this.#adapter = null;
    const session = await Session.open(adapter, this.#module, {
      onLost: () => {
        this.isLost = true;
        this.#session = null;
        this.#onLost();
      },
      onUnused: () => (this.#session = null),
      imports: this.#imports,
    });
    this.#info = session;
    return session;
  }

  #info = null;

  get info() {
    const session = this.#info;
    const info = session?.adapter.info;
    return {
      adapter: info ? [info.vendor, info.architecture, info.device, info.description].filter(Boolean).join(" ") : "",
      limits: session?.device.limits,
      wasmBytes: session?.memory.memory.buffer.byteLength ?? 0,
      usedBytes: session?.exports?.vitrine_used_bytes() ?? 0,
      gpuObjects: session?.gpu.count ?? 0,
      viewers: session?.viewers.size ?? 0,
    };
  }

  /// The bit set of modifier keys of an event.
  modifiers(event) {
    return modifiersOf(event);
  }
}

const modifiersOf = (event) => (event.shiftKey ? 1 : 0) | (event.ctrlKey ? 2 : 0) | (event.altKey ? 4 : 0) | (event.metaKey ? 8 : 0);

/// Raised above the defaults where the GPU allows it.
const raisedLimits = ["maxTextureDimension2D", "maxBufferSize", "maxStorageBufferBindingSize", "maxSampledTexturesPerShaderStage", "maxSamplersPerShaderStage"];

/// One device with one wasm instance.
class Session {
  viewers = new Map();
  values = [];
  offers = new Map();
  isClosed = false;
  /// Whether the GPU is a program on the processor.
  isSoftware = false;
  #lastOffer = 0;
  #lastImage = 0;

  static async open(adapter, module, { onLost, onUnused, imports }) {
    const session = new Session();
    Object.assign(session, { adapter, onLost, onUnused, isSoftware: adapter.info?.isFallbackAdapter === true });
    const requiredLimits = {};
    for (const name of raisedLimits) requiredLimits[name] = adapter.limits[name];
    const requiredFeatures = adapter.features.has("float32-filterable") ? ["float32-filterable"] : [];
    try {
      session.device = await adapter.requestDevice({ label: "vitrine", requiredFeatures, requiredLimits });
    } catch (error) {
      throw new VitrineError("no-adapter", `The GPU could not be opened: ${error.message}`, { cause: error });
    }
    await session.#instantiate(module, imports);
    session.device.lost.then((info) => session.lose(info.message || "The GPU device was lost."));
    return session;
  }

  async #instantiate(module, imports) {
    const memory = new WasmMemory(null);
    this.memory = memory;
    // The next frame throws the error.
    this.gpu = makeWebGPU(memory, this.adapter, this.device, () => {
      if (!this.isClosed) for (const number of this.viewers.keys()) this.exports.vitrine_invalidate(number);
    });
    const page = {
      copyBytes: (source, pointer, count) => memory.slice(pointer, count).set(this.offers.get(source).subarray(0, count)),
      putNumber: (value) => void this.values.push(value),
      putText: (pointer, count) => void this.values.push(memory.text(pointer, count)),
      putBytes: (pointer, count) => void this.values.push(memory.slice(pointer, count).slice()),
      needsFrame: (viewer) => this.viewers.get(viewer)?.needsFrame(),
      canvasTexture: (viewer) => this.viewers.get(viewer)?.canvasTexture() ?? 0,
      releaseImage: (image) => {
        this.gpu.images.get(image)?.close();
        this.gpu.images.delete(image);
      },
      warn: (viewer, pointer, count) => (this.viewers.get(viewer) ?? console).warn(memory.text(pointer, count)),
      now: () => performance.now(),
      ...imports?.(this),
    };
    const instance = await WebAssembly.instantiate(module, { env: { ...mathematics(), ...this.gpu.env }, page });
    this.exports = memory.exports = instance.exports;
    memory.memory = instance.exports.memory;
    const [status, reason] = this.call("open");
    if (status < 0) throw new VitrineError("no-adapter", reason);
    // A program with scenes registers them.
    this.exports.__main_argc_argv?.(0, 0);
  }

  /// Calls an exported function; returns its result, then the values that it put.
  call(name, ...parameters) {
    if (this.isClosed) throw new VitrineError("lost", "The GPU device was lost.");
    this.values = [];
    let result;
    try {
      result = this.exports[`vitrine_${name}`](...parameters);
    } catch (error) {
      if (error instanceof VitrineError) throw error;
      // The instance's state is undefined after a trap.
      this.lose(`The viewer has ended: ${error.message}`, "program");
      throw new VitrineError(error instanceof RangeError ? "memory" : "lost", `The viewer has ended: ${error.message}`, { cause: error });
    }
    return [result, ...this.values];
  }

  /// Offers bytes to the program for the time of a call.
  offering(bytes, use) {
    const number = ++this.#lastOffer;
    this.offers.set(number, bytes);
    try {
      return use(number, bytes.length);
    } finally {
      this.offers.delete(number);
    }
  }

  addImage(bitmap) {
    this.gpu.images.set(++this.#lastImage, bitmap);
    return this.#lastImage;
  }

  lose(message, source = "device") {
    if (this.isClosed) return;
    this.isClosed = true;
    this.gpu.close();
    this.onLost();
    for (const bitmap of this.gpu.images.values()) bitmap.close();
    for (const viewer of [...this.viewers.values()]) viewer.lose(message, source);
  }

  /// Ends the device after its last viewer.
  closeIfUnused() {
    if (this.viewers.size || this.isClosed) return;
    this.exports.vitrine_close();
    this.isClosed = true;
    this.gpu.close();
    this.device.destroy();
    this.onUnused();
  }
}

/// A pause in which the page can handle events.
const pause = () => (globalThis.scheduler?.yield ? scheduler.yield() : new Promise((resolve) => setTimeout(resolve)));

const bytesOf = (source) =>
  source instanceof Uint8Array ? source : ArrayBuffer.isView(source) ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength) : new Uint8Array(source);

const radians = (degrees) => (degrees * Math.PI) / 180;
const degrees = (radians) => (radians * 180) / Math.PI;

function inRange(name, value, low, high) {
  value = +value;
  if (!(value >= low && value <= high)) throw new RangeError(`${name} must lie in ${low}…${high}, it is ${value}`);
  return value;
}

/// Numbers of `Property` in Exports.swift, defaults, and how a value is checked and converted.
const properties = {
  environmentIntensity: [0, 1, (value) => inRange("environmentIntensity", value, 0, 1e6)],
  rotation: [1, 0, (value) => radians(inRange("rotation", value, -1e6, 1e6))],
  backgroundBlur: [2, 0, (value) => inRange("backgroundBlur", value, 0, 1)],
  exposure: [3, 0, (value) => inRange("exposure", value, -32, 32)],
  toneMapping: [4, "neutral", (value) => oneOf("toneMapping", value, ["none", "neutral", "agx", "aces"])],
  shadow: [5, 0, (value) => inRange("shadow", value, 0, 1)],
  antialiasing: [6, true, Number],
  cameraControls: [7, true, Number],
  autoRotate: [8, false, Number],
  autoRotateSpeed: [9, 12, (value) => radians(inRange("autoRotateSpeed", value, -3600, 3600))],
  autoRotateDelay: [10, 3, (value) => inRange("autoRotateDelay", value, 0, 1e6)],
  reducesMotion: [11, false, Number],
  paused: [12, false, Number],
  animationSpeed: [17, 1, (value) => inRange("animationSpeed", value, -100, 100)],
  allowsZoom: [18, true, Number],
  allowsPan: [19, true, Number],
  animationFade: [20, 0.3, (value) => inRange("animationFade", value, 0, 60)],
};

function oneOf(name, value, known) {
  const index = known.indexOf(value);
  if (index < 0) throw new RangeError(`${name} must be one of ${known.join(", ")}, it is ${value}`);
  return index;
}

/// One canvas with a model. `runtime.createViewer` makes it.
class Viewer {
  #session;
  #number;
  #canvas;
  #context;
  #options;
  #values = {};
  #background = "transparent";
  #animationName = null;
  #variantName = null;
  #camera = { azimuth: 30, elevation: 15, distance: "auto", target: "auto", fieldOfView: 45 };
  #limits = {};
  #model = null;
  #load = 0;
  #environmentLoad = 0;
  #frameRequested = false;
  #isDestroyed = false;
  #isLost = false;
  #lastTime = 0;
  #lastClick = null;
  #frames = 0;
  #milliseconds = 0;
  #inputTime = -Infinity;
  #scale = 1;
  #warned = new Set();

  constructor(session, canvas, options) {
    this.#session = session;
    this.#canvas = canvas;
    this.#options = options;
    const format = navigator.gpu.getPreferredCanvasFormat();
    this.#context = canvas.getContext("webgpu");
    if (!this.#context) throw new VitrineError("no-webgpu", "The canvas has a context of another kind, or this browser has no WebGPU.");
    this.#context.configure({ device: session.device, format, alphaMode: "premultiplied" });
    this.#number = this.#make(format === "bgra8unorm" ? 1 : 0);
    session.viewers.set(this.#number, this);
    const { state } = options;
    for (const name in properties) this.#values[name] = properties[name][1];
    // Layers leave wheel and keys to the page.
    if (options.scene !== undefined) this.#values.cameraControls = false;
    if (state) {
      for (const name in properties) if (name in state) this[name] = state[name];
      this.background = state.background;
      this.#limits = state.cameraLimits;
      this.#animationName = state.animationName;
      this.#variantName = state.variantName;
      this.setCamera(state.camera);
      this.cameraLimits = state.cameraLimits;
    }
  }

  // MARK: Calls

  /// Makes the program's part: a viewer of models, or a scene of layers.
  #make(format) {
    const session = this.#session;
    const { scene } = this.#options;
    if (scene === undefined) return this.#call("make_viewer", format)[0];
    if (!session.exports.vitrine_make_layers) throw new VitrineError("wasm", "This program has no layers.");
    const { clientWidth, clientHeight, width, height } = this.#canvas;
    const [number, reason] = session.memory.withText(scene, (text, count) =>
      session.call("make_layers", format, text, count, clientWidth || width, clientHeight || height));
    if (number < 0) throw new VitrineError("scene", reason);
    return number;
  }

  /// Calls a function of this viewer; throws its error.
  #call(name, ...parameters) {
    if (this.#isDestroyed) throw new VitrineError("destroyed", "The viewer was destroyed.");
    if (this.#isLost) throw new VitrineError("lost", "The GPU device was lost.");
    const values = name === "make_viewer" ? this.#session.call(name, ...parameters) : this.#session.call(name, this.#number, ...parameters);
    if (values[0] < 0) throw values[2] ? unsupported(values[2], values[1]) : new VitrineError("model", values[1]);
    return values;
  }

  needsFrame() {
    if (this.#frameRequested) return;
    this.#frameRequested = true;
    this.#options.onNeedsFrame?.();
  }

  canvasTexture() {
    try {
      return this.#session.gpu.addCanvasTexture(this.#context.getCurrentTexture());
    } catch {
      return 0;
    }
  }

  warn(text) {
    if (this.#options.onWarning) this.#options.onWarning(text);
    else console.warn(`Vitrine: ${text}`);
  }

  lose(message, source) {
    if (this.#isLost || this.#isDestroyed) return;
    this.#isLost = true;
    this.#session.viewers.delete(this.#number);
    this.#options.onLost?.(message, { source });
  }

  // MARK: Model

  async load(source, { name = "model", onProgress, resolve, signal, uploadAfter } = {}) {
    const load = ++this.#load;
    const session = this.#session;
    let isDecoded = false;
    let failure = null;
    const check = () => {
      if (failure) throw failure;
      if (signal?.aborted || load !== this.#load || this.#isDestroyed) {
        if (load === this.#load && !this.#isDestroyed && !this.#isLost) this.#call("cancel_load");
        throw new VitrineError("aborted", "Another model was loaded, or the load was cancelled.");
      }
      if (this.#isLost) throw new VitrineError("lost", "The GPU device was lost.");
    };
    let done = 0;
    const progress = (fraction) => {
      if (fraction > done) onProgress?.((done = Math.min(fraction, 1)));
    };
    check();
    let images = await this.#parse(bytesOf(source), name, resolve, check);
    progress(0.1);
    let decoded = 0;
    const queue = images.slice();
    images = null;
    const total = Math.max(queue.length, 1);
    const work = async () => {
      for (let image; (image = queue.shift()); ) {
        const result = await decodeImage(image, session.device.limits.maxTextureDimension2D);
        if (result.bitmap && session.isSoftware) result.bitmap = await pixelsOf(result.bitmap);
        if (load !== this.#load || this.#isDestroyed || this.#isLost) {
          result.bitmap?.close();
          return;
        }
        if (result.bitmap) {
          const { width, height } = result.bitmap;
          this.#call("take_image", image.index, session.addImage(result.bitmap), width, height);
        } else if (result.extension) {
          // The other images are closed when they are decoded.
          this.#load++;
          this.#call("cancel_load");
          throw (failure = unsupported(result.extension, `${name}: ${result.reason}`));
        } else {
          session.memory.withText(result.reason, (text, count) => this.#call("drop_image", image.index, text, count));
        }
        if (result.warning) this.warn(result.warning);
        progress(0.1 + (0.4 * ++decoded) / total);
      }
    };
    const advance = async () => {
      const fraction = this.#call("advance_load", 6)[1];
      // The GPU takes its first commands while the browser decodes.
      if (isDecoded) await this.finished();
      await pause();
      check();
      return fraction;
    };
    const decoding = Promise.all(Array.from({ length: 4 }, work)).finally(() => (isDecoded = true));
    // Its failure is reported where it is awaited, or by `check`.
    decoding.catch(() => {});
    try {
      await uploadAfter;
      check();
      // Meshes are uploaded and pipelines compiled while the browser decodes.
      while (!isDecoded && (await advance()) < 1);
      await decoding;
      check();
      this.#call("complete_images");
      for (let fraction = 0; fraction < 1; ) {
        fraction = await advance();
        progress(0.5 + 0.5 * fraction * 0.99);
      }
    } catch (error) {
      // Images that are decoded later are closed.
      if (load === this.#load) this.#load++;
      throw error;
    }
    this.#call("finish_load");
    this.needsFrame();
    this.#model = this.#readModel(name);
    this.#choose();
    progress(1);
    return this.#model;
  }

  async #parse(bytes, name, resolve, check) {
    const session = this.#session;
    // By path; null: it cannot be read. A file may name others only after the first ones are there.
    let files = new Map();
    if (mentions(bytes, MESHOPT)) ({ bytes, files } = await unpack(bytes, name, resolve));
    check();
    let takesMissing = !resolve;
    try {
      while (true) {
        // Again before each parse: other models may be loaded at the same time.
        session.call("clear_files");
        for (const [path, file] of files) {
          if (!file) continue;
          session.memory.withText(path, (text, count) => session.offering(file, (offer, length) => session.call("add_file", text, count, offer, length)));
        }
        const [status, ...values] = session.memory.withText(name, (text, count) =>
          session.offering(bytes, (offer, length) => this.#call("parse", offer, length, text, count, takesMissing ? 1 : 0)));
        if (status === 0) return takeImages(values);
        const paths = [...new Set(values.slice(1))].filter((path) => !files.has(path));
        takesMissing = paths.length === 0;
        await Promise.all(paths.map(async (path) => files.set(path, await (async () => bytesOf(await resolve(path)))().catch(() => null))));
        check();
      }
    } finally {
      if (!session.isClosed) session.call("clear_files");
    }
  }

  #readModel(name) {
    const values = this.#call("model").slice(1);
    if (!values.length) return null;
    let position = 0;
    const next = () => values[position++];
    const list = (read) => Array.from({ length: next() }, read);
    const [title, generator, copyright] = [next(), next(), next()];
    const [extensionsUsed, variants, warnings, cameras] = [list(next), list(next), list(next), list(next)];
    const animations = list(() => ({ name: next(), duration: next() }));
    const corner = () => [next(), next(), next()];
    const bounds = { min: corner(), max: corner() };
    for (const text of warnings) this.warn(`${name}: ${text}`);
    return { name: title || name, generator, copyright, extensionsUsed, animations, variants, cameras, warnings, bounds, triangles: next(), textures: next() };
  }

  /// Applies names that were set before the model was loaded.
  #choose() {
    if (this.#animationName !== null) {
      const index = this.#model.animations.findIndex(({ name }) => name === this.#animationName);
      if (index < 0) this.warn(`the model has no animation "${this.#animationName}"`);
      else this.#call("set", 14, index);
    }
    if (this.#variantName !== null) {
      const index = this.#model.variants.indexOf(this.#variantName);
      if (index < 0) this.warn(`the model has no variant "${this.#variantName}"`);
      else this.#call("set", 15, index);
    }
    this.#call("set", 12, this.#values.paused ? 1 : 0);
    this.#call("set", 17, this.#values.animationSpeed);
  }

  get model() {
    return this.#model;
  }

  unload() {
    this.#load++;
    this.#model = null;
    this.#call("cancel_load");
    this.#call("unload");
  }

  async setEnvironment(source) {
    const load = ++this.#environmentLoad;
    const session = this.#session;
    let bytes = source ? bytesOf(await source) : new Uint8Array();
    let [width, height] = [0, 0];
    const fail = (message) => {
      throw new VitrineError("environment", message);
    };
    if (bytes.length && !(bytes[0] === 0x23 && bytes[1] === 0x3f)) {
      const bitmap = await createImageBitmap(new Blob([bytes])).catch(() => fail("The environment is neither a Radiance file (.hdr) nor an image that this browser knows."));
      [width, height] = [bitmap.width, bitmap.height];
      const context = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
      context.drawImage(bitmap, 0, 0);
      bitmap.close();
      bytes = new Uint8Array(context.getImageData(0, 0, width, height).data.buffer);
    }
    const check = () => {
      if (load !== this.#environmentLoad || this.#isDestroyed) throw new VitrineError("aborted", "Another environment was set.");
    };
    try {
      check();
      session.offering(bytes, (offer, length) => this.#call("begin_environment", offer, length, width, height));
      while (this.#call("advance_environment", 6)[1] < 1) {
        await session.device.queue.onSubmittedWorkDone();
        await pause();
        check();
      }
    } catch (error) {
      if (error.code === "model") fail(error.message);
      throw error;
    }
  }

  // MARK: Look

  get background() {
    return this.#background;
  }

  set background(value) {
    let color = [0, 0, 0, 0];
    let kind = ["transparent", "environment"].indexOf(value);
    if (kind < 0) {
      const match = /^#([0-9a-f]{6})([0-9a-f]{2})?$/i.exec(value);
      if (!match) throw new RangeError(`background must be transparent, environment, #rrggbb or #rrggbbaa, it is ${value}`);
      kind = 2;
      const number = parseInt(match[1], 16);
      color = [number >> 16, (number >> 8) & 255, number & 255, match[2] ? parseInt(match[2], 16) : 255].map((part) => part / 255);
    }
    this.#background = value;
    this.#call("set_background", kind, ...color);
  }

  // MARK: Camera

  get camera() {
    const [, azimuth, elevation, distance, x, y, z, fieldOfView] = this.#call("get_camera");
    return { azimuth: degrees(azimuth), elevation: degrees(elevation), distance, target: [x, y, z], fieldOfView: degrees(fieldOfView) };
  }

  set camera(part) {
    this.setCamera(part);
  }

  get fittingDistance() {
    return this.#call("get_camera")[8];
  }

  setCamera(part, { glide = false } = {}) {
    const next = { ...this.#camera, ...part };
    const fieldOfView = inRange("fieldOfView", next.fieldOfView, 0.1, 179);
    const azimuth = inRange("azimuth", next.azimuth, -1e6, 1e6);
    const elevation = inRange("elevation", next.elevation, -90, 90);
    const share = /^([\d.]+)%$/.exec(next.distance ?? "auto");
    const distance = next.distance === "auto" || next.distance == null ? -1
      : share ? -inRange("distance", share[1] / 100, 1e-3, 1e3) : inRange("distance", next.distance, 1e-9, 1e12);
    const target = next.target === "auto" || next.target == null ? [NaN, NaN, NaN] : next.target.map((value) => inRange("target", value, -1e12, 1e12));
    if (fieldOfView !== this.#camera.fieldOfView) this.#call("set", 16, radians(fieldOfView));
    this.#camera = next;
    this.#call("set_camera", radians(azimuth), radians(elevation), distance, ...target, glide ? this.#now() : NaN);
  }

  resetCamera() {
    this.#call("reset_camera", this.#now());
  }

  get cameraLimits() {
    return this.#limits;
  }

  set cameraLimits(limits) {
    this.#limits = limits ?? {};
    const { azimuth = [NaN, NaN], elevation = [NaN, NaN], distance = [NaN, NaN] } = this.#limits;
    this.#call("set_camera_limits", ...azimuth.map(radians), ...elevation.map(radians), ...distance);
  }

  project([x, y, z]) {
    return this.#call("project", x, y, z).slice(1);
  }

  pick(x, y) {
    const values = this.#call("pick", x, y).slice(1);
    if (!values.length) return null;
    const [node, material] = values.slice(8);
    return { position: values.slice(0, 3), normal: values.slice(3, 6), uv: values.slice(6, 8), node, material };
  }

  // MARK: Animation and variants

  get animationName() {
    return this.#animationName ?? this.#model?.animations[this.#call("get_animation")[3]]?.name ?? null;
  }

  set animationName(name) {
    if (this.#model) {
      const index = name === null ? 0 : this.#model.animations.findIndex((animation) => animation.name === name);
      if (index < 0) throw new RangeError(`the model has no animation "${name}"`);
      if (this.#model.animations.length) this.#call("set", 14, index);
    }
    this.#animationName = name;
  }

  get animationTime() {
    return this.#call("get_animation")[2];
  }

  set animationTime(seconds) {
    this.#call("set", 13, inRange("animationTime", seconds, 0, 1e9));
  }

  get variantName() {
    return this.#variantName;
  }

  set variantName(name) {
    if (this.#model) {
      const index = name === null ? -1 : this.#model.variants.indexOf(name);
      if (name !== null && index < 0) throw new RangeError(`the model has no variant "${name}"`);
      this.#call("set", 15, index);
    }
    this.#variantName = name;
  }

  // MARK: Input

  /// Seconds on the clock of frames and events.
  #now() {
    return Math.max(performance.now() / 1000, this.#lastTime);
  }

  pointer(type, id, kind, x, y, button, modifiers, time) {
    const touch = kind === "touch";
    let clicks = 1;
    if (type === "down" && !touch) {
      const last = this.#lastClick;
      if (last && last.button === button && time - last.time < 500 && Math.hypot(x - last.x, y - last.y) < 5) clicks = last.clicks + 1;
      this.#lastClick = { button, time, x, y, clicks };
    }
    const input = touch ? { down: 3, move: 4, up: 5, cancel: 6 }[type] : { down: 0, move: 1, up: 2, cancel: 7 }[type];
    this.#inputTime = time;
    this.#call("pointer", input, id | 0, button, clicks, x, y, modifiers, time / 1000);
    return this.#values.cameraControls;
  }

  wheel(dx, dy, mode, x, y, modifiers, time) {
    // Notches: 100 pixels, 3 lines or a page. With control it is a pinch: e^(-dy / 100) times as near.
    const notches = modifiers & 2 ? 0.0715 : [0.01, 1 / 3, 1][mode] ?? 0.01;
    this.#inputTime = time;
    this.#call("wheel", dx * notches, -dy * notches, x, y, modifiers, time / 1000);
    return this.#values.cameraControls;
  }

  key(type, key, isRepeat, modifiers, time) {
    if (type !== "down") return false;
    const codes = { ArrowLeft: -1, ArrowRight: -2, ArrowUp: -3, ArrowDown: -4, Home: -5, End: -6 };
    const code = codes[key] ?? ([...key].length === 1 ? key.toLowerCase().codePointAt(0) : 0);
    if (!code) return false;
    const isUsed = this.#call("key", code, isRepeat ? 1 : 0, modifiers, time / 1000)[0] === 1;
    if (isUsed) this.#inputTime = time;
    return isUsed;
  }

  blur(time) {
    this.#call("pointer", 7, 0, 0, 1, 0, 0, 0, time / 1000);
  }

  /// Forwards an event of the canvas, or of an element around it.
  handle(event) {
    const time = event.timeStamp;
    const modifiers = modifiersOf(event);
    switch (event.type) {
      case "keydown": return this.key("down", event.key, event.repeat, modifiers, time);
      case "keyup": return false;
      case "blur": return void this.blur(time);
    }
    const box = this.#canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const types = { pointerdown: "down", pointermove: "move", pointerup: "up", pointercancel: "cancel" };
    if (event.type === "wheel") return this.wheel(event.deltaX, event.deltaY, event.deltaMode, x, y, modifiers, time);
    const type = types[event.type];
    return type ? this.pointer(type, event.pointerId, event.pointerType, x, y, event.button, modifiers, time) : false;
  }

  // MARK: Frames

  resize(width, height, scale) {
    const limit = this.#session.device.limits.maxTextureDimension2D;
    scale = Math.min(scale, limit / Math.max(width, height, 1));
    this.#scale = scale;
    const [pixels, rows] = [Math.round(width * scale), Math.round(height * scale)];
    if (this.#canvas.width !== pixels) this.#canvas.width = pixels;
    if (this.#canvas.height !== rows) this.#canvas.height = rows;
    this.#call("resize", pixels, rows, width, height);
    this.needsFrame();
  }

  frame(time) {
    this.#frameRequested = false;
    this.#lastTime = time / 1000;
    const start = performance.now();
    let result;
    try {
      [result] = this.#call("frame", time / 1000);
    } catch (error) {
      if (error.code !== "model") throw error;
      // An error of the GPU: the next frame may be right. It is reported once.
      if (!this.#warned.has(error.message)) {
        this.#warned.add(error.message);
        this.warn(error.message);
      }
      return false;
    }
    if (result & 4) {
      this.#frames++;
      this.#milliseconds = performance.now() - start;
    }
    if (result & 2) this.#options.onCameraChange?.({ source: time - this.#inputTime < 2000 ? "user" : "none" });
    return (result & 1) !== 0;
  }

  /// Fulfilled when the GPU has drawn the frames so far.
  finished() {
    return this.#session?.device.queue.onSubmittedWorkDone() ?? Promise.resolve();
  }

  get statistics() {
    const [, drawCalls, triangles, gpuMemory] = this.#call("statistics");
    return { frames: this.#frames, drawCalls, triangles, gpuMemory, cpuMilliseconds: this.#milliseconds };
  }

  async pixels({ width = this.#canvas.width, height = this.#canvas.height, samples = 1 } = {}) {
    const { device, gpu } = this.#session;
    const [handle] = this.#call("snapshot", width, height, samples);
    const stride = Math.ceil((width * 4) / 256) * 256;
    const buffer = device.createBuffer({ size: stride * height, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ });
    try {
      const commands = device.createCommandEncoder();
      commands.copyTextureToBuffer({ texture: gpu.object(handle) }, { buffer, bytesPerRow: stride }, [width, height]);
      device.queue.submit([commands.finish()]);
      this.#call("end_snapshot");
      await buffer.mapAsync(GPUMapMode.READ);
      const source = new Uint8Array(buffer.getMappedRange());
      const image = new ImageData(width, height);
      for (let row = 0; row < height; row++) image.data.set(source.subarray(row * stride, row * stride + width * 4), row * width * 4);
      // From premultiplied to straight alpha.
      const { data } = image;
      for (let index = 0; index < data.length; index += 4) {
        const alpha = data[index + 3];
        if (alpha === 255 || alpha === 0) continue;
        for (let channel = 0; channel < 3; channel++) data[index + channel] = Math.min((data[index + channel] * 255 + (alpha >> 1)) / alpha, 255);
      }
      return image;
    } finally {
      buffer.destroy();
    }
  }

  async snapshot({ type = "image/png", quality, ...options } = {}) {
    const image = await this.pixels(options);
    const canvas = new OffscreenCanvas(image.width, image.height);
    canvas.getContext("2d").putImageData(image, 0, 0);
    return canvas.convertToBlob({ type, quality });
  }

  state() {
    const camera = this.#isLost || this.#isDestroyed ? this.#camera : { ...this.#camera, ...this.camera };
    return {
      ...this.#values, background: this.#background, camera, cameraLimits: this.#limits, animationName: this.#animationName,
      variantName: this.#variantName,
    };
  }

  destroy() {
    if (this.#isDestroyed) return;
    if (!this.#isLost) {
      this.#call("remove_viewer");
      this.#context.unconfigure();
      this.#session.viewers.delete(this.#number);
    }
    this.#isDestroyed = true;
    this.#session.closeIfUnused();
    this.#session = null;
  }

  /// Properties of `properties`, set by the accessors below.
  property(name, value) {
    if (value === undefined) return this.#values[name];
    const [number, , convert] = properties[name];
    const converted = convert(value);
    this.#values[name] = value;
    this.#call("set", number, converted);
  }
}

for (const name in properties) {
  Object.defineProperty(Viewer.prototype, name, {
    enumerable: true,
    get() {
      return this.property(name);
    },
    set(value) {
      this.property(name, value);
    },
  });
}

/// The images that `parse` has put: { index, type, bytes, fallback }.
function takeImages([count, ...values]) {
  return Array.from({ length: count }, (_, position) => {
    const [index, type, bytes, fallback] = values.slice(position * 4, position * 4 + 4);
    return { index, type, bytes, fallback };
  });
}

/// Decodes an image without premultiplication and color conversion.
async function decodeImage({ type, bytes, fallback }, limit) {
  const options = { premultiplyAlpha: "none", colorSpaceConversion: "none" };
  const isKTX = (data) => data[0] === 0xab && data[1] === 0x4b && data[2] === 0x54;
  const attempts = fallback.length ? [bytes, fallback] : [bytes];
  let [reason, extension] = ["", null];
  for (const data of attempts) {
    if (isKTX(data)) {
      [reason, extension] = ["its textures are KTX2 images (KHR_texture_basisu), which are not supported in pages", "KHR_texture_basisu"];
      continue;
    }
    try {
      const blob = new Blob([data], { type: data === bytes ? type : "" });
      let bitmap = await createImageBitmap(blob, options);
      const side = Math.max(bitmap.width, bitmap.height);
      if (side <= limit) return { bitmap };
      const size = { resizeWidth: Math.max(1, Math.round((bitmap.width * limit) / side)), resizeHeight: Math.max(1, Math.round((bitmap.height * limit) / side)) };
      const warning = `an image of ${bitmap.width} × ${bitmap.height} pixels was scaled down to ${size.resizeWidth} × ${size.resizeHeight}`;
      bitmap.close();
      bitmap = await createImageBitmap(blob, { ...options, ...size, resizeQuality: "high" });
      return { bitmap, warning };
    } catch (error) {
      reason ||= data.length ? `the browser cannot decode it: ${error.message}` : "it is empty";
    }
  }
  return { reason, extension };
}

/// The pixels of an opaque image as `{ width, height, pixels, close }`; the image itself if it has alpha, which would be premultiplied, or if the browser
/// cannot copy them. A software GPU copies images through its own rasterizer, which takes 30 times as long.
async function pixelsOf(bitmap) {
  if (!globalThis.VideoFrame) return bitmap;
  const { width, height } = bitmap;
  let frame;
  try {
    frame = new VideoFrame(bitmap, { timestamp: 0 });
    if (!["RGBX", "BGRX"].includes(frame.format)) return bitmap;
    const pixels = new Uint8Array(4 * width * height);
    await frame.copyTo(pixels, { format: "RGBA", layout: [{ offset: 0, stride: 4 * width }] });
    bitmap.close();
    return { width, height, pixels, close() {} };
  } catch {
    return bitmap;
  } finally {
    frame?.close();
  }
}

// MARK: Extensions

const MESHOPT = "EXT_meshopt_compression";

/// The error of a model that needs an extension. Those that the command can read have a way out.
function unsupported(extension, message) {
  const hint = ["KHR_draco_mesh_compression", "KHR_texture_basisu"].includes(extension) ? "; the command 'vitrine web' writes the model without it" : "";
  return Object.assign(new VitrineError("unsupported", message + hint), { extension });
}

/// Whether the JSON text of a model contains a word.
function mentions(bytes, word) {
  const isBinary = bytes[0] === 0x67 && bytes.length >= 20;
  const end = isBinary ? 20 + new DataView(bytes.buffer, bytes.byteOffset).getUint32(12, true) : bytes.length;
  return new TextDecoder().decode(bytes.subarray(isBinary ? 20 : 0, end)).includes(`"${word}"`);
}

/// The model without meshopt compression.
async function unpack(bytes, name, resolve = () => Promise.reject()) {
  let decoder;
  try {
    decoder = await import(meshopt ?? new URL("vitrine-meshopt.js", import.meta.url));
  } catch (error) {
    throw unsupported(MESHOPT, `${name}: requires the extension ${MESHOPT}, and its decoder, vitrine-meshopt.js, could not be loaded: ${error.message}`);
  }
  try {
    return await decoder.decodeModel(bytes, resolve);
  } catch (error) {
    throw new VitrineError(error instanceof RangeError ? "memory" : "model", `${name}: ${error.message}`);
  }
}
