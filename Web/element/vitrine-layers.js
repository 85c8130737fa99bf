// <vitrine-layers src scene>: layers, effects and 3D scenes of a Swift program in a canvas. docs/guide/web-layers.md describes it.
//
//   <vitrine-layers src="button.wasm" scene="Button" style="width: 400px; height: 240px"></vitrine-layers>

import { loadRuntime } from "./vitrine-runtime.js";

/// Functions that programs with layers import: text, drawn by the browser.
function textFunctions({ memory }) {
  const density = 4;
  let canvas = null;
  let pixels = new Uint8Array();
  return {
    drawText(text, count, font, fontCount, size, alignment, maximumWidth, numbers) {
      canvas ??= new OffscreenCanvas(1, 1);
      const context = canvas.getContext("2d", { willReadFrequently: true });
      const style = `${size}px ${memory.text(font, fontCount)}`;
      context.font = style;
      const measure = (line) => context.measureText(line).width;
      const lines = memory.text(text, count).split("\n").flatMap((line) => broken(line, maximumWidth, measure));
      const { fontBoundingBoxAscent: ascent, fontBoundingBoxDescent: descent } = context.measureText("x");
      const lineHeight = ascent + descent;
      const width = Number.isFinite(maximumWidth) ? maximumWidth : Math.max(...lines.map(measure));
      const height = lineHeight * lines.length;
      const [columns, rows] = [Math.ceil(width * density), Math.ceil(height * density)];
      const fits = columns > 0 && rows > 0 && Math.max(columns, rows) <= 8192;
      if (fits) {
        [canvas.width, canvas.height] = [columns, rows];
        context.font = style;
        context.fillStyle = "white";
        context.scale(columns / width, rows / height);
        lines.forEach((line, index) =>
          context.fillText(line, [0, (width - measure(line)) / 2, width - measure(line)][alignment], index * lineHeight + ascent));
        pixels = context.getImageData(0, 0, columns, rows).data;
      }
      [width, height, fits ? columns : 0, fits ? rows : 0].forEach((value, index) =>
        memory.current.view.setFloat64((numbers >>> 0) + 8 * index, value, true));
    },
    takeText: (pointer, count) => memory.slice(pointer, count).set(pixels.subarray(0, count)),
  };
}

/// A line in pieces that are no wider than this, as far as spaces allow.
function broken(line, width, measure) {
  const pieces = [];
  for (const word of line.split(" ")) {
    const longer = pieces.length ? `${pieces[pieces.length - 1]} ${word}` : word;
    if (pieces.length && measure(longer) <= width) pieces[pieces.length - 1] = longer;
    else pieces.push(word);
  }
  return pieces;
}

/// Shows a scene of a program in a canvas that has a size. Forward events with `handle`, sizes with `resize`, and call `frame` as `onNeedsFrame` asks.
export async function showLayers(canvas, { wasm, scene, ...options }) {
  const runtime = await loadRuntime({ wasm, imports: textFunctions });
  return runtime.createViewer(canvas, { ...options, scene });
}

const pointerEvents = ["pointerdown", "pointermove", "pointerup", "pointercancel", "wheel"];

class VitrineLayers extends HTMLElement {
  static observedAttributes = ["src", "scene"];
  #canvas = null;
  #view = null;
  #opening = 0;
  #isScheduled = false;
  #isVisible = true;
  #sizes = new ResizeObserver(() => this.#resize());
  #visibility = new IntersectionObserver(([entry]) => {
    this.#isVisible = entry.isIntersecting;
    this.#schedule();
  });

  constructor() {
    super();
    const root = this.attachShadow({ mode: "open" });
    const style = new CSSStyleSheet();
    style.replaceSync(":host { display: inline-block; width: 300px; height: 150px; touch-action: none } canvas { display: block; width: 100%; height: 100% }");
    root.adoptedStyleSheets = [style];
    for (const type of ["keydown", "blur"]) this.addEventListener(type, this);
  }

  connectedCallback() {
    this.tabIndex = this.getAttribute("tabindex") ?? 0;
    this.#sizes.observe(this);
    this.#visibility.observe(this);
    this.#open();
  }

  disconnectedCallback() {
    this.#sizes.disconnect();
    this.#visibility.disconnect();
    this.#close();
  }

  attributeChangedCallback() {
    if (this.isConnected) this.#open();
  }

  /// The statistics of the last frame, and its time in milliseconds.
  get statistics() {
    return this.#view?.statistics;
  }

  #close() {
    this.#opening++;
    this.#view?.destroy();
    this.#view = null;
    this.#canvas?.remove();
  }

  async #open() {
    this.#close();
    const [opening, src] = [this.#opening, this.getAttribute("src")];
    if (!src) return;
    const canvas = (this.#canvas = document.createElement("canvas"));
    this.shadowRoot.append(canvas);
    for (const type of pointerEvents) canvas.addEventListener(type, this, { passive: type !== "wheel" });
    try {
      const view = await showLayers(canvas, {
        wasm: new URL(src, document.baseURI),
        scene: this.getAttribute("scene") ?? "",
        onNeedsFrame: () => this.#schedule(),
        onLost: (message) => this.#fail(new Error(message)),
        onWarning: (text) => console.error(`Vitrine: ${text}`),
      });
      if (opening !== this.#opening) return view.destroy();
      this.#view = view;
      this.#resize();
      this.dispatchEvent(new CustomEvent("load"));
    } catch (error) {
      if (opening === this.#opening) this.#fail(error);
    }
  }

  #fail(error) {
    this.#view = null;
    console.error(`Vitrine: ${error.message}`);
    this.dispatchEvent(new CustomEvent("error", { detail: { type: error.code ?? "lost", message: error.message, sourceError: error } }));
  }

  #resize() {
    const { width, height } = this.getBoundingClientRect();
    this.#view?.resize(width, height, devicePixelRatio);
  }

  #schedule() {
    if (this.#isScheduled || !this.#isVisible || !this.#view) return;
    this.#isScheduled = true;
    requestAnimationFrame((time) => {
      this.#isScheduled = false;
      if (this.#isVisible && this.#view?.frame(time)) this.#schedule();
    });
  }

  handleEvent(event) {
    if (!this.#view) return;
    if (event.type === "pointerdown") event.target.setPointerCapture(event.pointerId);
    if (this.#view.handle(event)) event.preventDefault();
  }
}

customElements.define("vitrine-layers", VitrineLayers);
