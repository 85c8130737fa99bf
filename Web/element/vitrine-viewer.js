// <vitrine-viewer>: shows a 3D model on a web page. An ES module without dependencies; docs/guide/web.md describes it.
//
// The module defines the element. The runtime (vitrine-runtime.js and vitrine.wasm, beside this file) is loaded when the first viewer comes into view.

const OWN_ADDRESS = import.meta.url;

/** Where the runtime's files are: addresses, or "#id" of inline data (see `openFile`). Set it before the first viewer loads. */
export const files = {
  runtime: null,
  wasm: null,
  meshopt: null,
};

// MARK: Files

/** The inline data that "#id" names; null if the page has none. */
function inlineData(address) {
  return typeof address === "string" && address.startsWith("#") ? document.getElementById(address.slice(1)) : null;
}

/** The bytes of inline data: base64, compressed where `data-encoding` is "gzip". */
async function inlineBytes(element) {
  const text = element.textContent.trim();
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  if (element.dataset.encoding !== "gzip") return bytes.buffer;
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

/** The bytes of an address, or of inline data. `progress` receives 0…1. */
async function openFile(address, { signal, progress = () => {} } = {}) {
  if (typeof address === "string" && address.startsWith("#")) {
    const element = inlineData(address);
    if (!element) throw new ViewerError("network", `the page has no inline data "${address}"`);
    const bytes = await inlineBytes(element);
    progress(1);
    return bytes;
  }
  let response;
  try {
    response = await fetch(address, { signal });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ViewerError("network", `${address}: cannot be loaded (${error.message})`);
  }
  if (!response.ok) throw new ViewerError("network", `${address}: the server answers ${response.status} ${response.statusText}`.trimEnd());
  // A compressed transfer has more bytes than its length says.
  const length = response.headers.get("content-encoding") ? 0 : Number(response.headers.get("content-length"));
  if (!response.body || !length) {
    const bytes = await response.arrayBuffer();
    progress(1);
    return bytes;
  }
  const reader = response.body.getReader();
  const chunks = [];
  let count = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    count += value.length;
    progress(Math.min(count / length, 1));
  }
  return new Blob(chunks).arrayBuffer();
}

/** An error with a kind: "network", "model", "environment", "webgpu", "lost". */
class ViewerError extends Error {
  constructor(code, message) {
    super(message);
    this.name = "ViewerError";
    this.code = code;
  }
}

// MARK: The runtime, shared by all viewers

/** The module vitrine-runtime.js. Loaded once. */
let runtimeModule = null;

async function importRuntime() {
  if (files.runtime && typeof files.runtime === "object") return files.runtime;
  const address = files.runtime ?? (inlineData("#vitrine-runtime.js") ? "#vitrine-runtime.js" : new URL("vitrine-runtime.js", OWN_ADDRESS).href);
  const element = inlineData(address);
  if (!element) return import(address);
  const source = new Blob([await inlineBytes(element)], { type: "text/javascript" });
  const url = URL.createObjectURL(source);
  try {
    return await import(url);
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** The runtime: one GPU device and one wasm instance for the page. A lost one is replaced. */
async function openRuntime() {
  if (!window.isSecureContext) throw new ViewerError("webgpu", "3D needs a secure page (https)");
  const address = files.wasm ?? (inlineData("#vitrine.wasm") ? "#vitrine.wasm" : new URL("vitrine.wasm", OWN_ADDRESS));
  const element = inlineData(address);
  const openProgram = () => (element ? inlineBytes(element) : fetch(address));
  let program = null;
  let adapter = null;
  if (!runtimeModule) {
    runtimeModule = importRuntime();
    // The next viewer tries again.
    runtimeModule.catch(() => (runtimeModule = null));
    // The browser fetches both files and starts its GPU process at the same time.
    program = openProgram();
    program.catch(() => {});
    adapter = navigator.gpu?.requestAdapter({ powerPreference: "high-performance" }).catch(() => null);
  }
  const module = await runtimeModule;
  return module.loadRuntime({ wasm: program ?? (element ? openProgram() : address), meshopt: files.meshopt, adapter });
}

// MARK: Frames

/** One animation frame callback for all viewers. A hidden tab has none. */
const frames = {
  viewers: new Set(),
  handle: 0,
  request(viewer) {
    this.viewers.add(viewer);
    if (!this.handle) this.handle = requestAnimationFrame((time) => this.run(time));
  },
  cancel(viewer) {
    this.viewers.delete(viewer);
    if (this.viewers.size || !this.handle) return;
    cancelAnimationFrame(this.handle);
    this.handle = 0;
  },
  run(time) {
    this.handle = 0;
    const due = [...this.viewers];
    this.viewers.clear();
    for (const viewer of due) viewer.drawFrame(time);
  },
};

/** `drawFrame` of an element without making it a public method. */
class FrameClient {
  constructor(drawFrame) {
    this.drawFrame = drawFrame;
  }
}

/** The media query of reduced motion, shared. */
const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");

// MARK: Values of attributes

const DEGREES = { deg: 1, rad: 180 / Math.PI, grad: 0.9, turn: 360 };
const METRES = { m: 1, cm: 0.01, mm: 0.001 };

/** A number with a unit: `{ value, unit }`; null if the text is something else. */
function parseQuantity(text) {
  const match = /^([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)(deg|rad|grad|turn|mm|cm|m|%)?$/i.exec(text);
  return match && { value: Number(match[1]), unit: (match[2] ?? "").toLowerCase() };
}

/** Degrees; null for "auto" and for text that is no angle. A number without a unit is in degrees. */
function parseAngle(text) {
  const quantity = parseQuantity(text);
  if (!quantity || !(quantity.unit in DEGREES || quantity.unit === "")) return null;
  return quantity.value * (DEGREES[quantity.unit] ?? 1);
}

/** Metres, or `{ share }` of the automatic value for a percentage; null for "auto" and for text that is no length. */
function parseLength(text) {
  const quantity = parseQuantity(text);
  if (!quantity) return null;
  if (quantity.unit === "%") return { share: quantity.value / 100 };
  return quantity.unit in METRES || quantity.unit === "" ? quantity.value * (METRES[quantity.unit] ?? 1) : null;
}

const words = (text) => text.trim().split(/\s+/).filter(Boolean);

/** `theta phi radius` as model-viewer writes it: azimuth and the angle from the vertical. Parts that are missing or "auto" are null. */
function parseOrbit(text) {
  const [theta, phi, radius] = words(text ?? "");
  return { azimuth: theta ? parseAngle(theta) : null, polar: phi ? parseAngle(phi) : null, radius: radius ? parseLength(radius) : null };
}

/** `x y z` in metres; null for other text. */
function parsePoint(text) {
  const parts = words(text ?? "").map(parseLength);
  return parts.length === 3 && parts.every((value) => typeof value === "number") ? parts : null;
}

/** `{ x, y, z }` with a text as attributes have it. */
const vector = ([x, y, z], unit = "m") => ({ x, y, z, toString: () => [x, y, z].map((value) => short(value) + unit).join(" ") });

/** `#rgb`, `#rrggbb`, `#rrggbbaa`, and all other colours of CSS, as `#rrggbbaa`; null for other text. */
function parseColor(text) {
  if (!CSS.supports("color", text)) return null;
  const context = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  context.fillStyle = text;
  context.fillRect(0, 0, 1, 1);
  return "#" + [...context.getImageData(0, 0, 1, 1).data].map((level) => level.toString(16).padStart(2, "0")).join("");
}

/** A number without needless digits. */
const short = (value) => String(Math.round(value * 1e5) / 1e5);

// MARK: Styles

const styles = new CSSStyleSheet();
styles.replaceSync(`
  :host { display: block; position: relative; width: 300px; height: 300px; contain: strict; overflow: hidden; --vitrine-accent: #2f6fde }
  :host([hidden]) { display: none }
  .stage { position: absolute; inset: 0; outline: none; border-radius: inherit; user-select: none; -webkit-user-select: none; -webkit-tap-highlight-color: transparent }
  .stage.controls { cursor: grab }
  .stage.controls.held { cursor: grabbing }
  .stage:focus-visible { outline: 3px solid var(--vitrine-accent); outline-offset: -3px }
  canvas, .poster, .above { position: absolute; inset: 0; width: 100%; height: 100%; border-radius: inherit }
  canvas { display: block; visibility: hidden }
  canvas.shown { visibility: visible }
  .poster { pointer-events: none; opacity: 0; visibility: hidden; transition: opacity 0.3s, visibility 0s 0.3s }
  .poster.shown { opacity: 1; visibility: visible; transition: none }
  .poster img, .poster ::slotted(img) { width: 100%; height: 100%; object-fit: contain; display: block }
  .poster img[hidden] { display: none }
  .above { pointer-events: none }
  .above ::slotted(*) { pointer-events: auto }
  .hotspots { position: absolute; inset: 0; overflow: hidden; pointer-events: none; visibility: hidden; border-radius: inherit }
  .hotspots.shown { visibility: visible }
  .hotspots div { position: absolute; left: 0; top: 0; display: grid; width: max-content; will-change: transform }
  .hotspots ::slotted(*) { pointer-events: auto; opacity: var(--max-hotspot-opacity, 1); transition: opacity 0.3s }
  .hotspots .turned ::slotted(*) { opacity: var(--min-hotspot-opacity, 0.25) }
  .hotspots .behind { visibility: hidden }
  .prompt { position: absolute; inset: 0; display: none; place-items: end center; padding-bottom: 12%; pointer-events: none; opacity: 0; transition: opacity 0.4s }
  .prompt.shown { display: grid; animation: appear 0.4s forwards }
  .prompt svg { width: 52px; height: 52px; filter: drop-shadow(0 1px 3px rgb(0 0 0 / 0.5)); animation: swing 4s ease-in-out infinite }
  @keyframes appear { to { opacity: 1 } }
  @keyframes swing { 0%, 60%, 100% { transform: none } 15% { transform: translateX(-40px) } 45% { transform: translateX(40px) } }
  .progress { position: absolute; inset: 0 0 auto; height: 4px; opacity: 0; transition: opacity 0.3s 0.2s; pointer-events: none }
  .progress.shown { opacity: 1 }
  .progress div { height: 100%; background: var(--vitrine-accent); transform-origin: 0 0; transform: scaleX(0); transition: transform 0.15s }
  .message { position: absolute; inset: auto 0 0; margin: 0 auto 10px; width: fit-content; max-width: calc(100% - 20px); box-sizing: border-box; padding: 6px 12px;
    border-radius: 8px; background: rgb(32 33 36 / 0.86); color: #fff; font: 13px/1.35 system-ui, sans-serif; text-align: center; overflow-wrap: anywhere; pointer-events: none }
  .message:empty { display: none }
  .start { position: absolute; inset: auto 16px 16px auto; width: 52px; height: 52px; padding: 0; border: 0; border-radius: 50%; background: rgb(32 33 36 / 0.72);
    color: #fff; cursor: pointer; display: none }
  .start.shown { display: block }
  .start:hover { background: rgb(32 33 36 / 0.9) }
  .start:focus-visible { outline: 3px solid var(--vitrine-accent); outline-offset: 3px }
  .start svg { display: block; width: 26px; height: 26px; margin: auto }
  @media (prefers-reduced-motion: reduce) {
    .poster, .progress, .progress div, .hotspots ::slotted(*) { transition: none }
    .prompt svg { animation: none }
  }
`);

function make(name, properties = {}, ...children) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}

/** An icon of lines on a square of 24 units. */
function icon(path, attributes) {
  const [svg, line] = ["svg", "path"].map((name) => document.createElementNS("http://www.w3.org/2000/svg", name));
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  for (const [name, value] of Object.entries({ d: path, "stroke-linejoin": "round", "stroke-linecap": "round", ...attributes })) line.setAttribute(name, value);
  svg.append(line);
  return svg;
}

/** A cube: "show in 3D". */
const cubeIcon = () => icon("M12 3 4.5 7.2v8.6L12 20l7.5-4.2V7.2zM4.5 7.2 12 11.5l7.5-4.3M12 11.5V20", { fill: "none", stroke: "currentColor", "stroke-width": "1.6" });

/** A hand with a stretched finger: "drag". */
const handIcon = () =>
  icon("M9 12.2V4.6a1.6 1.6 0 0 1 3.2 0v5.6l5.2 1.2a2.4 2.4 0 0 1 1.9 2.6l-.5 4.4a2.6 2.6 0 0 1-2.6 2.3h-4.4a2.6 2.6 0 0 1-2-1l-4-5a1.5 1.5 0 0 1 2.2-2z", {
    fill: "#fff", stroke: "#3c4043", "stroke-width": "1.1",
  });

const KEYS_HELP = "Arrow keys rotate, plus and minus zoom.";

const MESSAGES = {
  webgpu: "This browser cannot show the model in 3D: it has no WebGPU.",
  adapter: "The model cannot be shown in 3D: this device has no usable graphics processor.",
  lost: "The 3D view was interrupted and could not be restored. Reload the page to see it.",
  runtime: "The 3D viewer could not be loaded.",
  network: "The model could not be loaded.",
  model: "The model cannot be shown: its file is damaged or not supported.",
  memory: "The model is too large for this browser.",
};

/** What people call extensions of glTF. */
const EXTENSIONS = { KHR_draco_mesh_compression: "Draco compression", KHR_texture_basisu: "KTX2 textures", EXT_meshopt_compression: "meshopt compression" };

const unsupportedMessage = (extension) =>
  `The model cannot be shown: it needs ${EXTENSIONS[extension] ? `${EXTENSIONS[extension]} (${extension})` : extension}, which this viewer does not support.`;

// MARK: The element

/**
 * Shows a 3D model. Attributes are properties in camel case; setting a property sets the attribute.
 *
 * Events: `load`, `progress`, `error`, `camera-change`, `play`, `pause`, `poster-dismissed`, `model-visibility`.
 * Parts for CSS: `poster`, `progress`, `message`, `start`, `prompt`. Slots: `poster`, `interaction-prompt`, the default slot, which lies above the model, and those
 * whose names begin with "hotspot", which follow points of the model.
 * Content in a slot called `fallback` is visible only until the element is defined: for pages without scripts.
 */
export class VitrineViewer extends HTMLElement {
  static observedAttributes = [
    "src", "poster", "alt", "loading", "reveal", "environment", "environment-image", "environment-intensity", "rotation", "background", "background-blur",
    "exposure", "tone-mapping", "shadow", "shadow-intensity", "camera-controls", "camera-orbit", "camera-target", "field-of-view", "min-camera-orbit",
    "max-camera-orbit", "disable-zoom", "disable-pan", "auto-rotate", "auto-rotate-delay", "rotation-per-second", "animation-name", "autoplay", "variant-name",
    "touch-action", "skybox-image", "interaction-prompt", "interaction-prompt-threshold", "animation-crossfade-duration",
  ];

  #root;
  #stage = make("div", { className: "stage", tabIndex: -1 });
  #canvas = null;
  #poster = make("div", { className: "poster" });
  #posterImage = make("img", { alt: "", decoding: "async", draggable: false });
  #bar = make("div");
  #progressBar = make("div", { className: "progress" }, this.#bar);
  #message = make("p", { className: "message" });
  #start = make("button", { type: "button", className: "start" }, cubeIcon());
  #prompt = make("div", { className: "prompt" });
  #promptTimer = 0;
  /** Whether the user has moved the camera, or tried to. */
  #hasInteracted = false;
  #hotspotLayer = make("div", { className: "hotspots" });
  /** By slot name: `{ element, holder, position, normal, isVisible }`. */
  #hotspots = new Map();
  #hotspotObserver = null;

  /** The viewer of the runtime; null while nothing is loaded. */
  #viewer = null;
  /** The pending creation of `#viewer`. */
  #opening = null;
  #client = new FrameClient((time) => this.#draw(time));
  #loading = null;
  /** The address of the shown model. */
  #shownAddress = null;
  #environmentAddress = null;
  #isNear = false;
  #isVisible = false;
  #isRevealed = false;
  #posterIsDismissed = false;
  #wantsReveal = false;
  /** Milliseconds during which the viewer was not visible. */
  #timeAway = 0;
  /** When the viewer became invisible; null while it is visible. */
  #awaySince = 0;
  #canvasSize = null;
  #heldPointers = new Map();
  #hasAutoplayed = false;
  #lossCount = 0;
  #lossTime = 0;
  #savedState = null;
  #connection = null;
  #nearObserver = null;
  #visibleObserver = null;
  #sizeObserver = null;
  #resolutionQuery = null;
  #timeScale = 1;

  constructor() {
    super();
    this.#root = this.attachShadow({ mode: "open" });
    this.#root.adoptedStyleSheets = [styles];
    for (const [element, part] of [[this.#poster, "poster"], [this.#progressBar, "progress"], [this.#message, "message"], [this.#start, "start"],
      [this.#prompt, "prompt"]]) element.part = part;
    this.#message.role = "status";
    this.#start.setAttribute("aria-label", "Show in 3D");
    const slot = make("slot", { name: "poster" });
    slot.append(this.#posterImage);
    this.#poster.append(slot);
    this.#stage.append(this.#poster);
    this.#prompt.append(make("slot", { name: "interaction-prompt" }, handIcon()));
    this.#root.append(
      this.#stage, this.#prompt, this.#hotspotLayer, make("div", { className: "above" }, make("slot")), this.#progressBar, this.#message, this.#start);
  }

  // MARK: Connection

  connectedCallback() {
    // A move within the page: everything stays.
    if (this.#connection) return;
    this.#adoptEarlyProperties();
    this.#connection = new AbortController();
    const { signal } = this.#connection;
    // Models load half a screen before they come into view, and are drawn while they are in view.
    this.#nearObserver = new IntersectionObserver((entries) => this.#nearChanged(entries.at(-1).isIntersecting), { rootMargin: "50%" });
    this.#visibleObserver = new IntersectionObserver((entries) => this.#visibleChanged(entries.at(-1).isIntersecting));
    for (const observer of [this.#nearObserver, this.#visibleObserver]) observer.observe(this);
    this.#sizeObserver = new ResizeObserver(() => this.#sizeChanged());
    this.#sizeObserver.observe(this.#stage);
    this.#watchResolution();
    reducedMotion.addEventListener("change", () => this.#applyMotion(), { signal });
    window.addEventListener("resize", () => this.#sizeChanged(), { signal });
    document.addEventListener("visibilitychange", () => this.#visibilityChanged(), { signal });
    this.#listenToInput(signal);
    this.#start.addEventListener("click", () => this.#startByUser(), { signal });
    this.#hotspotObserver = new MutationObserver(() => this.#collectHotspots());
    this.#hotspotObserver.observe(this, { childList: true, subtree: true, attributes: true, attributeFilter: ["slot", "data-position", "data-normal"] });
    this.#collectHotspots();
    this.#applyAttributes();
    this.#showPosterIfNeeded();
    this.#update();
  }

  /** Properties that were set before the module was loaded hide those of the class: sets them again. */
  #adoptEarlyProperties() {
    for (const name of Object.keys(this)) {
      if (!(name in VitrineViewer.prototype)) continue;
      const value = this[name];
      delete this[name];
      this[name] = value;
    }
  }

  disconnectedCallback() {
    // A move within the page disconnects and connects in one task: everything stays.
    queueMicrotask(() => {
      if (!this.isConnected) this.#free();
    });
  }

  #free() {
    this.#connection?.abort();
    this.#connection = null;
    this.#nearObserver?.disconnect();
    this.#visibleObserver?.disconnect();
    this.#sizeObserver?.disconnect();
    this.#hotspotObserver?.disconnect();
    this.#unwatchResolution();
    this.#hasInteracted = false;
    this.#isNear = this.#isVisible = this.#posterIsDismissed = this.#wantsReveal = this.#hasAutoplayed = false;
    this.#awaySince ??= performance.now();
    this.#savedState = null;
    this.#heldPointers.clear();
    this.#close();
  }

  /** Frees the runtime's viewer and its canvas. */
  #close() {
    frames.cancel(this.#client);
    this.#loading?.abort();
    this.#loading = null;
    this.#opening = null;
    this.#viewer?.destroy();
    this.#viewer = null;
    this.#canvas?.remove();
    this.#canvas = null;
    this.#canvasSize = null;
    this.#shownAddress = this.#environmentAddress = null;
    this.#setRevealed(false);
    this.#progressBar.classList.remove("shown");
  }

  attributeChangedCallback(name, before, now) {
    // The same camera again moves back what the user has moved.
    if (!this.#connection || (before === now && !["camera-orbit", "camera-target", "field-of-view"].includes(name))) return;
    if (name === "src" || name === "reveal" || name === "loading") {
      if (name === "src") {
        this.#say("");
        this.#hasAutoplayed = false;
        this.#posterIsDismissed = false;
      }
      this.#showPosterIfNeeded();
      this.#update();
    } else {
      this.#applyAttributes(name);
    }
  }

  // MARK: When to load

  #nearChanged(isNear) {
    this.#isNear = isNear;
    this.#update();
  }

  #visibleChanged(isVisible) {
    this.#isVisible = isVisible;
    this.#pauseClock();
    if (isVisible) this.#needsFrame();
    else frames.cancel(this.#client);
  }

  /** Whether the model may be loaded now. */
  get #mayLoad() {
    if (!this.src) return false;
    if (this.reveal === "interaction" && !this.#wantsReveal && !this.#posterIsDismissed) return false;
    return this.#isNear || this.loading === "eager" || this.#wantsReveal;
  }

  #update() {
    if (!this.#connection) return;
    this.#start.classList.toggle("shown", this.reveal === "interaction" && Boolean(this.src) && !this.#wantsReveal && !this.#isRevealed);
    if (!this.src) {
      if (this.#viewer || this.#opening) this.#close();
      return;
    }
    if (!this.#mayLoad || this.#shownAddress === this.src) return;
    this.#load(this.src);
  }

  #startByUser() {
    this.#startByPointer();
    this.#stage.focus({ preventScroll: true });
  }

  /** The default action of the event gives the focus, without the ring that a script's focus would show. */
  #startByPointer() {
    this.#wantsReveal = true;
    this.#update();
  }

  // MARK: Loading

  async #load(address) {
    this.#loading?.abort();
    const loading = (this.#loading = new AbortController());
    const { signal } = loading;
    const isCurrent = () => this.#loading === loading && !signal.aborted;
    const continues = this.#savedState !== null;
    this.#shownAddress = address;
    this.#stage.ariaBusy = "true";
    this.#say("");
    this.#reportProgress(0);
    try {
      const download = openFile(address, { signal, progress: (fraction) => isCurrent() && this.#reportProgress(0.7 * fraction) });
      const environment = this.#downloadEnvironment(signal);
      // Failures are reported where they are awaited.
      download.catch(() => {});
      environment?.catch(() => {});
      const viewer = await this.#open();
      if (!isCurrent()) return;
      // Without an image: the studio. It is filtered while the model is on its way, and its images are decoded.
      const light = environment || !viewer.model ? this.#setEnvironment(viewer, environment ?? Promise.resolve(null)) : Promise.resolve();
      // An environment that was replaced meanwhile is no failure.
      const uploadAfter = light.catch((error) => {
        if (error.code === "lost") throw error;
      });
      uploadAfter.catch(() => {});
      const bytes = await download;
      if (!isCurrent()) return;
      await viewer.load(bytes, {
        name: this.#nameOf(address),
        signal,
        uploadAfter,
        resolve: (path) => openFile(new URL(path.split("/").map(encodeURIComponent).join("/"), new URL(address, document.baseURI)).href, { signal }),
        onProgress: (fraction) => isCurrent() && this.#reportProgress(0.7 + 0.29 * fraction),
      });
      if (!isCurrent()) return;
      this.#applyAttributes(null, { movesCamera: !continues });
      if (!this.#hasAutoplayed) viewer.paused = !this.autoplay || reducedMotion.matches;
      this.#hasAutoplayed = true;
      // The first frame is drawn before anything is shown: the poster covers the time that the GPU takes.
      this.#sizeChanged();
      this.#draw(performance.now());
      await viewer.finished();
      if (!isCurrent()) return;
      this.#reportProgress(1);
      this.#loading = null;
      this.#stage.ariaBusy = "false";
      if (this.reveal !== "manual" || this.#posterIsDismissed || this.#wantsReveal) this.#setRevealed(true);
      this.#fire("load", { url: address });
    } catch (error) {
      if (this.#loading !== loading) return;
      this.#loading = null;
      if (signal.aborted) return;
      if (error.code === "lost") this.#lost(null, error.message);
      else this.#fail(error);
    }
  }

  #nameOf(address) {
    if (address.startsWith("data:") || address.startsWith("blob:")) return "model";
    const path = address.startsWith("#") ? address.slice(1) : new URL(address, document.baseURI).pathname;
    const name = path.split("/").pop();
    try {
      return decodeURIComponent(name) || "model";
    } catch {
      return name;
    }
  }

  /** The runtime's viewer of this element. */
  #open() {
    if (this.#viewer) return Promise.resolve(this.#viewer);
    if (this.#opening) return this.#opening;
    const opening = (async () => {
      const runtime = await openRuntime();
      if (this.#opening !== opening) throw new DOMException("The element was removed", "AbortError");
      const canvas = make("canvas", { part: "canvas" });
      canvas.ariaHidden = "true";
      this.#canvas?.remove();
      this.#canvas = canvas;
      this.#canvasSize = null;
      this.#stage.prepend(canvas);
      const viewer = await runtime.createViewer(canvas, {
        state: this.#savedState ?? undefined,
        onNeedsFrame: () => this.#needsFrame(),
        onLost: (message, { source }) => this.#lost(viewer, message, source),
        onCameraChange: ({ source }) => this.#fire("camera-change", { source: source === "user" ? "user-interaction" : "none" }),
        onWarning: (text) => console.warn(`vitrine-viewer: ${text}`),
      });
      if (this.#opening !== opening) {
        viewer.destroy();
        canvas.remove();
        throw new DOMException("The element was removed", "AbortError");
      }
      this.#savedState = null;
      this.#viewer = viewer;
      this.#opening = null;
      this.#applyAttributes();
      this.#applyMotion();
      this.#sizeChanged();
      return viewer;
    })();
    this.#opening = opening;
    opening.catch(() => {
      if (this.#opening === opening) this.#opening = null;
    });
    return opening;
  }

  /** The GPU was reset or its driver ended: loads everything again on a new device, with the same camera. `viewer`: null before there is one. */
  #lost(viewer, message, source = "device") {
    if (viewer && viewer !== this.#viewer) return;
    // A model that ends the program would end it again.
    const isDamage = source === "program" && this.#loading !== null;
    console.warn(`vitrine-viewer: the 3D view was interrupted: ${message}`);
    const now = performance.now();
    this.#lossCount = now - this.#lossTime < 60_000 ? this.#lossCount + 1 : 1;
    this.#lossTime = now;
    let state = this.#savedState;
    try {
      state = viewer?.state() ?? state;
    } catch {
      // Nothing to continue from.
    }
    this.#close();
    this.#savedState = state;
    this.#showPosterIfNeeded();
    if (isDamage || this.#lossCount > 3) {
      this.#shownAddress = this.src;
      return this.#fail(new ViewerError(isDamage ? "model" : "lost", message));
    }
    // A hidden page waits until it is shown.
    if (!document.hidden) this.#update();
  }

  #fail(error) {
    const code = error.code ?? "";
    const type =
      code === "no-webgpu" || code === "webgpu" ? "webgpu" : code === "no-adapter" ? "adapter" : code === "wasm" ? "runtime" : code === "lost" ? "lost"
      : code === "network" || code === "memory" || code === "unsupported" ? code : code === "model" || code === "environment" ? "model" : "runtime";
    this.#stage.ariaBusy = "false";
    this.#progressBar.classList.remove("shown");
    this.#showPosterIfNeeded();
    // A viewer that shows an earlier model keeps it.
    if (!this.#isRevealed || type === "lost") this.#say(type === "unsupported" ? unsupportedMessage(error.extension) : MESSAGES[type]);
    console.error(`vitrine-viewer: ${error.message}`);
    this.#fire("error", { type: ["webgpu", "adapter", "runtime", "lost"].includes(type) ? type : "loadfailure", message: error.message, sourceError: error });
  }

  #say(text) {
    this.#message.textContent = text;
  }

  #reportProgress(fraction) {
    this.#bar.style.transform = `scaleX(${fraction})`;
    this.#progressBar.classList.toggle("shown", fraction < 1);
    this.#fire("progress", { totalProgress: fraction });
  }

  #fire(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }

  // MARK: Poster

  #showPosterIfNeeded() {
    const address = this.poster;
    if (address && this.#posterImage.getAttribute("src") !== address) this.#posterImage.src = address;
    if (!address) this.#posterImage.removeAttribute("src");
    this.#posterImage.hidden = !address;
    this.#poster.classList.toggle("shown", !this.#isRevealed);
  }

  #setRevealed(isRevealed) {
    if (this.#isRevealed === isRevealed) return;
    this.#isRevealed = isRevealed;
    this.#canvas?.classList.toggle("shown", isRevealed);
    this.#poster.classList.toggle("shown", !isRevealed);
    this.#start.classList.remove("shown");
    this.#hotspotLayer.classList.toggle("shown", isRevealed);
    this.#placeHotspots();
    this.#describe();
    this.#invite();
    this.#fire("model-visibility", { visible: isRevealed });
    if (isRevealed) this.#fire("poster-dismissed", {});
  }

  /** Shows the model instead of the poster, as soon as it is loaded. */
  dismissPoster() {
    this.#posterIsDismissed = true;
    if (this.loaded) this.#setRevealed(true);
    else this.#update();
  }

  /** Shows the poster instead of the model. */
  showPoster() {
    this.#posterIsDismissed = this.#wantsReveal = false;
    this.#setRevealed(false);
  }

  // MARK: Attributes

  /** Passes attributes to the viewer: one by name, or all. */
  #applyAttributes(name = null, { movesCamera = true } = {}) {
    const is = (...names) => name === null || names.includes(name);
    if (is("poster")) this.#showPosterIfNeeded();
    if (is("alt", "camera-controls")) this.#describe();
    if (is("camera-controls", "interaction-prompt", "interaction-prompt-threshold")) this.#invite();
    if (is("touch-action", "camera-controls")) this.#stage.style.touchAction = this.cameraControls ? this.touchAction : "auto";
    const viewer = this.#viewer;
    if (!viewer) return;
    const set = (property, value) => {
      try {
        viewer[property] = value;
      } catch (error) {
        console.warn(`vitrine-viewer: ${error.message}`);
      }
    };
    if (is("environment", "environment-image", "skybox-image") && name !== null) this.#environmentChanged();
    if (is("environment-intensity")) set("environmentIntensity", this.environmentIntensity);
    if (is("rotation")) set("rotation", this.rotation);
    if (is("background", "skybox-image")) set("background", this.#backgroundValue());
    if (is("background-blur")) set("backgroundBlur", Math.min(Math.max(this.#number("background-blur", 0), 0), 1));
    if (is("exposure")) set("exposure", Math.min(Math.max(Math.log2(this.exposure), -32), 32));
    if (is("tone-mapping")) set("toneMapping", this.#toneMappingValue());
    if (is("shadow", "shadow-intensity")) set("shadow", this.shadow);
    if (is("camera-controls")) set("cameraControls", this.cameraControls);
    if (is("auto-rotate")) set("autoRotate", this.autoRotate);
    if (is("auto-rotate-delay")) set("autoRotateDelay", this.autoRotateDelay / 1000);
    if (is("rotation-per-second")) set("autoRotateSpeed", parseAngle(this.getAttribute("rotation-per-second") ?? "") ?? 12);
    if (is("animation-crossfade-duration")) set("animationFade", this.animationCrossfadeDuration / 1000);
    if (is("animation-name")) set("animationName", this.animationName);
    if (is("variant-name")) set("variantName", this.variantName === "default" ? null : this.variantName);
    if (is("min-camera-orbit", "max-camera-orbit")) this.#applyLimits(name !== null);
    if (is("disable-zoom")) set("allowsZoom", !this.disableZoom);
    if (is("disable-pan")) set("allowsPan", !this.disablePan);
    if (name === null) set("animationSpeed", this.#timeScale);
    if (name !== null && is("autoplay") && this.autoplay && !reducedMotion.matches) this.play();
    if (movesCamera && is("camera-orbit", "camera-target", "field-of-view")) this.#applyCamera(name);
    this.#needsFrame();
  }

  #number(name, fallback) {
    const text = this.getAttribute(name);
    const value = text === null || text.trim() === "" ? NaN : Number.parseFloat(text);
    return Number.isFinite(value) ? value : fallback;
  }

  #backgroundValue() {
    const text = this.hasAttribute("background") || !this.skyboxImage ? this.background : "environment";
    if (text === "transparent" || text === "environment") return text;
    const color = parseColor(text);
    if (color) return color;
    console.warn(`vitrine-viewer: background="${text}" is not transparent, environment or a colour`);
    return "transparent";
  }

  #toneMappingValue() {
    const name = this.toneMapping;
    if (["neutral", "agx", "aces", "none"].includes(name)) return name;
    if (name === "auto" || name === "commerce") return "neutral";
    if (name === "linear") return "none";
    console.warn(`vitrine-viewer: tone-mapping="${name}" is not neutral, agx, aces or none`);
    return "neutral";
  }

  /** Sets the camera of the attributes: all parts that have a value, or with `name` the parts of one attribute, gliding. */
  #applyCamera(name = null) {
    const viewer = this.#viewer;
    if (!viewer?.model) return;
    const part = {};
    if (name === null || name === "camera-orbit") {
      const { azimuth, polar, radius } = parseOrbit(this.getAttribute("camera-orbit"));
      if (azimuth !== null) part.azimuth = azimuth;
      if (polar !== null) part.elevation = 90 - polar;
      if (radius !== null) part.distance = typeof radius === "number" ? radius : `${radius.share * 100}%`;
      else if (name !== null) part.distance = "auto";
    }
    if (name === null || name === "camera-target") {
      const target = parsePoint(this.getAttribute("camera-target"));
      if (target) part.target = target;
      else if (name !== null) part.target = "auto";
    }
    if (name === null || name === "field-of-view") {
      const angle = parseAngle(this.getAttribute("field-of-view") ?? "");
      if (angle !== null) part.fieldOfView = angle;
      else if (name !== null) part.fieldOfView = 45;
    }
    if (Object.keys(part).length === 0) return;
    try {
      viewer.setCamera(part, { glide: name !== null });
    } catch (error) {
      console.warn(`vitrine-viewer: ${error.message}`);
    }
  }

  #applyLimits(isChange) {
    const viewer = this.#viewer;
    if (!viewer || !(isChange || this.hasAttribute("min-camera-orbit") || this.hasAttribute("max-camera-orbit"))) return;
    const [least, most] = ["min-camera-orbit", "max-camera-orbit"].map((name) => parseOrbit(this.getAttribute(name)));
    const limits = {};
    if (least.azimuth !== null || most.azimuth !== null) limits.azimuth = [least.azimuth ?? -Infinity, most.azimuth ?? Infinity];
    if (least.polar !== null || most.polar !== null) limits.elevation = [most.polar === null ? -90 : 90 - most.polar, least.polar === null ? 90 : 90 - least.polar];
    const metres = (radius) => (radius === null || !viewer.model ? null : typeof radius === "number" ? radius : radius.share * viewer.fittingDistance);
    const [near, far] = [metres(least.radius), metres(most.radius)];
    if (near !== null || far !== null) limits.distance = [near ?? 0, far ?? Number.MAX_VALUE];
    try {
      viewer.cameraLimits = limits;
    } catch (error) {
      console.warn(`vitrine-viewer: ${error.message}`);
    }
  }

  #describe() {
    const stage = this.#stage;
    const isInteractive = this.cameraControls && this.#isRevealed;
    stage.role = "img";
    stage.ariaLabel = this.alt || "3D model";
    stage.tabIndex = isInteractive ? 0 : -1;
    if (isInteractive) stage.setAttribute("aria-description", KEYS_HELP);
    else stage.removeAttribute("aria-description");
    stage.classList.toggle("controls", isInteractive);
  }

  #applyMotion() {
    if (this.#viewer) this.#viewer.reducesMotion = reducedMotion.matches;
  }

  // MARK: Interaction prompt

  /** Shows the hand after some seconds without input. */
  #invite() {
    clearTimeout(this.#promptTimer);
    this.#prompt.classList.remove("shown");
    if (this.interactionPrompt !== "auto" || !this.cameraControls || !this.#isRevealed || this.#hasInteracted) return;
    this.#promptTimer = setTimeout(() => this.#prompt.classList.add("shown"), this.interactionPromptThreshold);
  }

  #endInvitation() {
    if (this.#hasInteracted) return;
    this.#hasInteracted = true;
    this.#invite();
  }

  // MARK: Hotspots

  /** Gives each child whose slot begins with "hotspot" a slot that follows its point. */
  #collectHotspots() {
    const found = new Map();
    for (const element of this.children) {
      if (!element.slot.startsWith("hotspot")) continue;
      const known = this.#hotspots.get(element.slot);
      const holder = known?.holder ?? make("div", {}, make("slot", { name: element.slot }));
      const [position, normal] = [parsePoint(element.dataset.position) ?? [0, 0, 0], parsePoint(element.dataset.normal)];
      found.set(element.slot, { element, holder, position, normal, isVisible: known?.isVisible ?? null });
      if (!known) this.#hotspotLayer.append(holder);
    }
    for (const [name, { holder }] of this.#hotspots) if (!found.has(name)) holder.remove();
    this.#hotspots = found;
    this.#placeHotspots();
  }

  /** Whether a surface with this normal is turned to the camera; true without one. */
  #facesCamera(position, normal, { azimuth, elevation, distance, target }) {
    if (!normal) return true;
    const [theta, phi] = [(azimuth * Math.PI) / 180, (elevation * Math.PI) / 180];
    const direction = [Math.sin(theta) * Math.cos(phi), Math.sin(phi), Math.cos(theta) * Math.cos(phi)];
    return normal.reduce((sum, part, axis) => sum + part * (target[axis] + distance * direction[axis] - position[axis]), 0) > 0;
  }

  #placeHotspots() {
    const viewer = this.#viewer;
    if (!this.#hotspots.size || !this.#isRevealed || !viewer?.model) return;
    const { camera } = viewer;
    for (const hotspot of this.#hotspots.values()) {
      const { element, holder, position, normal } = hotspot;
      const [x, y, depth] = viewer.project(position);
      const isVisible = depth > 0 && this.#facesCamera(position, normal, camera);
      holder.style.transform = `translate(${x.toFixed(2)}px, ${y.toFixed(2)}px) translate(-50%, -50%)`;
      holder.classList.toggle("behind", !(depth > 0));
      if (isVisible === hotspot.isVisible) continue;
      hotspot.isVisible = isVisible;
      holder.classList.toggle("turned", !isVisible);
      const { visibilityAttribute } = element.dataset;
      if (visibilityAttribute !== undefined) element.toggleAttribute(`data-${visibilityAttribute}`, isVisible);
      element.dispatchEvent(new CustomEvent("hotspot-visibility", { detail: { visible: isVisible } }));
    }
  }

  /** Moves a hotspot. `name`: of its slot; `position` and `normal`: `x y z` in metres, or objects of `positionAndNormalFromPoint`. */
  updateHotspot({ name, position, normal }) {
    const { element } = this.#hotspots.get(name) ?? {};
    if (!element) return;
    for (const [key, value] of Object.entries({ position, normal })) if (value !== undefined) element.dataset[key] = String(value);
    this.#collectHotspots();
  }

  /** The point of a hotspot, where it is in the element in CSS pixels, and whether it is turned to the camera; null if there is none of this name. */
  queryHotspot(name) {
    const hotspot = this.#hotspots.get(name);
    const viewer = this.#viewer;
    if (!hotspot || !viewer?.model) return null;
    const { position, normal } = hotspot;
    const [x, y, z] = viewer.project(position);
    return {
      position: vector(position), normal: vector(normal ?? [0, 1, 0]), canvasPosition: { x, y, z },
      facingCamera: z > 0 && this.#facesCamera(position, normal, viewer.camera),
    };
  }

  // MARK: Environment

  /** The pending download of the environment; null if it is loaded already. */
  #downloadEnvironment(signal) {
    const address = this.environment;
    if (address === this.#environmentAddress) return null;
    this.#environmentAddress = address;
    return address ? openFile(address, { signal }) : Promise.resolve(null);
  }

  async #setEnvironment(viewer, download) {
    try {
      await viewer.setEnvironment(await download);
    } catch (error) {
      if (error.name === "AbortError" || error.code === "aborted" || error.code === "lost") throw error;
      // The model is still worth showing.
      console.error(`vitrine-viewer: ${error.message}`);
      this.#fire("error", { type: "loadfailure", message: error.message, sourceError: error });
    }
  }

  async #environmentChanged() {
    const viewer = this.#viewer;
    const download = this.#downloadEnvironment(this.#connection.signal);
    if (!viewer || !download) return;
    const address = this.#environmentAddress;
    try {
      const bytes = await download;
      // A later change wins.
      if (this.#viewer === viewer && this.#environmentAddress === address) await this.#setEnvironment(viewer, Promise.resolve(bytes));
    } catch (error) {
      if (!this.#connection?.signal.aborted && this.#viewer === viewer) await this.#setEnvironment(viewer, Promise.reject(error)).catch(() => {});
    }
  }

  // MARK: Size

  #sizeChanged() {
    const viewer = this.#viewer;
    if (!viewer) return;
    const { clientWidth: width, clientHeight: height } = this.#stage;
    // More than two pixels a point cost memory and show nothing.
    const scale = Math.min(window.devicePixelRatio || 1, 2);
    const size = `${width}x${height}@${scale}`;
    if (size === this.#canvasSize) return;
    this.#canvasSize = size;
    viewer.resize(width, height, scale);
    this.#applyLimits();
    // A resized canvas is empty until the next frame: draw it in this task.
    if (this.#isRevealed && width > 0 && height > 0) this.#draw(performance.now());
    else this.#needsFrame();
  }

  #watchResolution() {
    this.#unwatchResolution();
    this.#resolutionQuery = matchMedia(`(resolution: ${window.devicePixelRatio}dppx)`);
    this.#resolutionQuery.addEventListener("change", this.#resolutionChanged);
  }

  #unwatchResolution() {
    this.#resolutionQuery?.removeEventListener("change", this.#resolutionChanged);
    this.#resolutionQuery = null;
  }

  #resolutionChanged = () => {
    this.#watchResolution();
    this.#sizeChanged();
  };

  // MARK: Frames

  #needsFrame() {
    if (!this.#viewer || !this.#isVisible || document.hidden || !this.isConnected) return;
    frames.request(this.#client);
  }

  #visibilityChanged() {
    this.#pauseClock();
    if (document.hidden) {
      frames.cancel(this.#client);
      return;
    }
    this.#update();
    this.#needsFrame();
  }

  /** Time stands still while nothing is visible, so that an animation continues where it was. */
  #pauseClock() {
    const isAway = document.hidden || !this.#isVisible;
    const now = performance.now();
    if (isAway && this.#awaySince === null) this.#awaySince = now;
    if (isAway || this.#awaySince === null) return;
    this.#timeAway += now - this.#awaySince;
    this.#awaySince = null;
  }

  /** A time of the page on the clock of the viewer. */
  #clock(time) {
    return (this.#awaySince === null ? time : this.#awaySince) - this.#timeAway;
  }

  #draw(time) {
    const viewer = this.#viewer;
    if (!viewer) return;
    try {
      if (viewer.frame(this.#clock(time))) this.#needsFrame();
      this.#placeHotspots();
    } catch (error) {
      if (error.code !== "lost") throw error;
    }
  }

  // MARK: Input

  #listenToInput(signal) {
    const stage = this.#stage;
    const on = (name, handler, options = {}) => stage.addEventListener(name, handler, { signal, ...options });
    on("pointerdown", (event) => this.#pointer("down", event));
    on("pointermove", (event) => this.#pointer("move", event));
    on("pointerup", (event) => this.#pointer("up", event));
    on("pointercancel", (event) => this.#pointer("cancel", event));
    on("lostpointercapture", (event) => this.#heldPointers.has(event.pointerId) && this.#pointer("cancel", event));
    on("wheel", (event) => this.#wheel(event), { passive: false });
    on("keydown", (event) => this.#key("down", event));
    on("keyup", (event) => this.#key("up", event));
    on("contextmenu", (event) => this.#isRevealed && this.cameraControls && event.preventDefault());
    on("blur", () => this.#blur());
    // Safari reports pinches on a touchpad as gestures.
    on("gesturestart", (event) => this.cameraControls && event.preventDefault(), { passive: false });
    window.addEventListener("blur", () => this.#blur(), { signal });
  }

  get #takesInput() {
    return this.#viewer !== null && this.#isRevealed && this.cameraControls && !this.hasAttribute("interaction-disabled");
  }

  #position(event) {
    const bounds = this.#stage.getBoundingClientRect();
    // A page may scale the element by CSS.
    const { clientWidth, clientHeight } = this.#stage;
    return [(event.clientX - bounds.left) * (clientWidth / (bounds.width || 1)), (event.clientY - bounds.top) * (clientHeight / (bounds.height || 1))];
  }

  #modifiers(event) {
    return (event.shiftKey ? 1 : 0) | (event.ctrlKey ? 2 : 0) | (event.altKey ? 4 : 0) | (event.metaKey ? 8 : 0);
  }

  #pointer(phase, event) {
    if (phase === "down" && this.reveal === "interaction" && !this.#wantsReveal && !this.#isRevealed) return this.#startByPointer();
    if (!this.#takesInput && phase === "down") return;
    if (!this.#viewer) return;
    const isHeld = this.#heldPointers.has(event.pointerId);
    // Only the pointer's movements over the model count while nothing is held.
    if (phase !== "down" && phase !== "move" && !isHeld) return;
    const [x, y] = this.#position(event);
    if (phase === "down") {
      this.#endInvitation();
      this.#heldPointers.set(event.pointerId, event.button);
      stageCapture(this.#stage, event.pointerId);
      this.#stage.classList.add("held");
    }
    if (phase === "up" || phase === "cancel") {
      this.#heldPointers.delete(event.pointerId);
      if (this.#heldPointers.size === 0) this.#stage.classList.remove("held");
    }
    const used = this.#viewer.pointer(phase, event.pointerId, event.pointerType || "mouse", x, y, event.button, this.#modifiers(event), this.#clock(event.timeStamp));
    // The default action of "down" gives the focus.
    if (used && phase !== "down") event.preventDefault();
  }

  #wheel(event) {
    if (!this.#takesInput || this.disableZoom) return;
    this.#endInvitation();
    const [x, y] = this.#position(event);
    if (this.#viewer.wheel(event.deltaX, event.deltaY, event.deltaMode, x, y, this.#modifiers(event), this.#clock(event.timeStamp))) event.preventDefault();
  }

  #key(type, event) {
    if (!this.#takesInput) return;
    if (this.disableZoom && ["+", "-", "="].includes(event.key)) return;
    if (this.#viewer.key(type, event.key, event.repeat, this.#modifiers(event), this.#clock(event.timeStamp))) {
      event.preventDefault();
      this.#endInvitation();
    }
  }

  #blur() {
    this.#heldPointers.clear();
    this.#stage.classList.remove("held");
    this.#viewer?.blur(this.#clock(performance.now()));
  }

  // MARK: Properties

  /** Whether the model is loaded. */
  get loaded() {
    return Boolean(this.#viewer?.model) && this.#loading === null;
  }

  /** Whether the model is visible instead of the poster. */
  get modelIsVisible() {
    return this.#isRevealed;
  }

  /** The names of the animations. */
  get availableAnimations() {
    return this.#viewer?.model?.animations.map((animation) => animation.name) ?? [];
  }

  /** The names of the material variants. */
  get availableVariants() {
    return this.#viewer?.model?.variants.slice() ?? [];
  }

  /** What the file says: generator, extensions, warnings, bounds. null while nothing is loaded. */
  get modelInfo() {
    return this.#viewer?.model ?? null;
  }

  // MARK: Camera

  /** The current position of the camera: theta and phi in radians, radius in metres. */
  getCameraOrbit() {
    const { azimuth, elevation, distance } = this.#viewer?.camera ?? { azimuth: 30, elevation: 15, distance: 0 };
    const [theta, phi, radius] = [(azimuth * Math.PI) / 180, ((90 - elevation) * Math.PI) / 180, distance];
    return { theta, phi, radius, toString: () => `${short(theta)}rad ${short(phi)}rad ${short(radius)}m` };
  }

  /** The point that the camera orbits, in metres. */
  getCameraTarget() {
    return vector(this.#viewer?.camera.target ?? [0, 0, 0]);
  }

  /** The vertical field of view in degrees. */
  getFieldOfView() {
    return this.#viewer?.camera.fieldOfView ?? 45;
  }

  /** Ends all motion of the camera: it is where the attributes put it. */
  jumpCameraToGoal() {
    this.#applyCamera(null);
    this.#needsFrame();
  }

  /** Returns to the first view. */
  resetView() {
    this.#viewer?.resetCamera();
  }

  /** Zooms as `count` presses of the plus key do; negative: minus. */
  zoom(count) {
    const camera = this.#viewer?.camera;
    if (camera) this.#viewer.setCamera({ distance: camera.distance / 1.25 ** count }, { glide: true });
  }

  /** Fits the model into the element. */
  updateFraming() {
    this.#viewer?.setCamera({ distance: "auto", target: "auto" }, { glide: false });
    return Promise.resolve();
  }

  /** The size of the model in metres. */
  getDimensions() {
    const { min, max } = this.#viewer?.model?.bounds ?? { min: [0, 0, 0], max: [0, 0, 0] };
    return vector(max.map((value, axis) => value - min[axis]));
  }

  /** The centre of the model in metres. */
  getBoundingBoxCenter() {
    const { min, max } = this.#viewer?.model?.bounds ?? { min: [0, 0, 0], max: [0, 0, 0] };
    return vector(max.map((value, axis) => (value + min[axis]) / 2));
  }

  /** The nearest surface at a point of the page (`clientX`, `clientY`): position and normal in the model's frame; null if there is none. */
  positionAndNormalFromPoint(clientX, clientY) {
    const hit = this.#viewer?.pick(...this.#position({ clientX, clientY }));
    if (!hit) return null;
    return { position: vector(hit.position), normal: vector(hit.normal), uv: hit.uv ? { u: hit.uv[0], v: hit.uv[1] } : null };
  }

  // MARK: Animation

  /** Plays the animation of `animation-name`. */
  play() {
    if (!this.#viewer || !this.availableAnimations.length) return;
    this.#viewer.paused = false;
    this.#needsFrame();
    this.#fire("play", {});
  }

  /** Pauses the animation. */
  pause() {
    if (!this.#viewer) return;
    this.#viewer.paused = true;
    this.#fire("pause", {});
  }

  /** Whether the animation is paused. */
  get paused() {
    return this.#viewer?.paused ?? true;
  }

  /** The time in the animation in seconds. */
  get currentTime() {
    return this.#viewer?.animationTime ?? 0;
  }

  set currentTime(seconds) {
    if (!this.#viewer) return;
    this.#viewer.animationTime = Number(seconds);
    this.#needsFrame();
  }

  /** The speed of the animation: 1 as in the file, 0 stands still, negative backwards. */
  get timeScale() {
    return this.#viewer?.animationSpeed ?? this.#timeScale;
  }

  set timeScale(factor) {
    this.#timeScale = Number(factor);
    if (this.#viewer) this.#viewer.animationSpeed = this.#timeScale;
  }

  /** The length of the animation in seconds. */
  get duration() {
    const animations = this.#viewer?.model?.animations ?? [];
    return (animations.find((animation) => animation.name === this.animationName) ?? animations[0])?.duration ?? 0;
  }

  // MARK: Images

  /** The current view as a data address. */
  toDataURL(type = "image/png", quality = undefined) {
    if (!this.#canvas) return "data:,";
    // A canvas keeps its pixels only during the task in which they were drawn.
    this.#viewer.resize(this.#stage.clientWidth, this.#stage.clientHeight, Math.min(window.devicePixelRatio || 1, 2));
    this.#draw(performance.now());
    return this.#canvas.toDataURL(type, quality);
  }

  /**
   * The current view as an image file.
   *
   * Options: `mimeType` ("image/png"), `qualityArgument` (0…1), `width` and `height` in pixels (those of the view), `samples` (16 frames averaged).
   */
  async toBlob({ mimeType = "image/png", qualityArgument, width, height, samples = 16 } = {}) {
    if (!this.loaded) throw new ViewerError("model", "no model is loaded");
    return this.#viewer.snapshot({ type: mimeType, quality: qualityArgument, width, height, samples });
  }
}

/** Capturing fails for a pointer that was released already. */
function stageCapture(stage, id) {
  try {
    stage.setPointerCapture(id);
  } catch {
    // The pointer is gone.
  }
}

// Properties of attributes: text, numbers and switches.
const reflected = {
  text: {
    src: "", poster: "", alt: "", loading: "auto", reveal: "auto", background: "transparent", cameraOrbit: "auto auto auto", cameraTarget: "auto auto auto",
    fieldOfView: "auto", minCameraOrbit: "auto auto auto", maxCameraOrbit: "auto auto auto", toneMapping: "neutral", touchAction: "pan-y", rotationPerSecond: "12deg",
    interactionPrompt: "none",
  },
  optional: ["animationName", "variantName", "skyboxImage"],
  number: { exposure: 1, environmentIntensity: 1, backgroundBlur: 0, autoRotateDelay: 3000, interactionPromptThreshold: 3000, animationCrossfadeDuration: 300 },
  flag: ["cameraControls", "autoRotate", "autoplay", "disableZoom", "disablePan", "interactionDisabled"],
};

const attributeOf = (property) => property.replace(/[A-Z]/g, (letter) => "-" + letter.toLowerCase());

function define(property, get, set) {
  Object.defineProperty(VitrineViewer.prototype, property, { get, set, enumerable: true, configurable: true });
}

function write(element, name, value) {
  if (value === null || value === undefined) element.removeAttribute(name);
  else element.setAttribute(name, String(value));
}

for (const [property, fallback] of Object.entries(reflected.text)) {
  const name = attributeOf(property);
  define(property, function () { return this.getAttribute(name) ?? fallback; }, function (value) { write(this, name, value); });
}
for (const property of reflected.optional) {
  const name = attributeOf(property);
  define(property, function () { return this.getAttribute(name) || null; }, function (value) { write(this, name, value); });
}
for (const [property, fallback] of Object.entries(reflected.number)) {
  const name = attributeOf(property);
  define(
    property,
    function () {
      const value = Number.parseFloat(this.getAttribute(name) ?? "");
      return Number.isFinite(value) && value >= 0 ? value : fallback;
    },
    function (value) { write(this, name, value); },
  );
}
for (const property of reflected.flag) {
  const name = attributeOf(property);
  define(property, function () { return this.hasAttribute(name); }, function (value) { this.toggleAttribute(name, Boolean(value)); });
}
// Degrees; the attribute may have another unit.
define("rotation", function () { return parseAngle(this.getAttribute("rotation") ?? "") ?? 0; }, function (value) { write(this, "rotation", value); });
// `environment` is the name here, `environment-image` and `skybox-image` are those of model-viewer.
define(
  "environment",
  function () {
    const address = this.getAttribute("environment") ?? this.getAttribute("environment-image") ?? this.skyboxImage;
    return address && address !== "neutral" && address !== "legacy" ? address : null;
  },
  function (value) { write(this, "environment", value); },
);
define("environmentImage", function () { return this.environment; }, function (value) { write(this, "environment-image", value); });
// `shadow` without a value is 1; `shadow-intensity` is model-viewer's name.
define(
  "shadow",
  function () {
    const text = this.getAttribute("shadow") ?? this.getAttribute("shadow-intensity");
    if (text === null) return 0;
    const value = text.trim() === "" ? 1 : Number.parseFloat(text);
    return Number.isFinite(value) ? Math.min(Math.max(value, 0), 1) : 0;
  },
  function (value) { write(this, "shadow", value); },
);
define("shadowIntensity", function () { return this.shadow; }, function (value) { write(this, "shadow-intensity", value); });

if (!customElements.get("vitrine-viewer")) customElements.define("vitrine-viewer", VitrineViewer);
