// The functions of webgpu.h for the wasm instance, on the browser's WebGPU.
//
// Handles are indices into a table of objects with counts. A buffer or texture whose count reaches zero is destroyed as soon as no commands are
// being recorded; views and bind groups count as references to their textures and buffers, as in wgpu-native. Structures are read by the layouts that
// scripts/web-bindings.py writes.

import { layouts, enumerations } from "./webgpu-layouts.js";

/// Parsed layouts: { size, fields: [[name, offset, kind, argument]] }.
const structures = {};
for (const [name, text] of Object.entries(layouts)) {
  const [size, fields] = text.split(";");
  structures[name] = {
    size: +size,
    fields: fields.split(",").map((field) => {
      const [key, offset, kind] = field.split(" ");
      const mark = /^(\[\]|[=?.*])(.*)/.exec(kind);
      return mark ? [key, +offset, mark[1], mark[2]] : [key, +offset, kind];
    }),
  };
}
const names = {};
for (const [name, text] of Object.entries(enumerations)) names[name] = text.split(",");

const decoder = new TextDecoder();
const encoder = new TextEncoder();

/// The memory of a wasm instance.
export class WasmMemory {
  constructor(memory) {
    this.memory = memory;
  }

  /// The functions that the instance exports; set once it exists.
  exports = null;
  #buffer = null;

  #refresh() {
    this.#buffer = this.memory.buffer;
    this.bytes = new Uint8Array(this.#buffer);
    this.view = new DataView(this.#buffer);
  }

  /// Views of the whole memory; new ones after it has grown.
  get current() {
    if (this.#buffer !== this.memory.buffer) this.#refresh();
    return this;
  }

  slice(pointer, count) {
    return this.current.bytes.subarray(pointer >>> 0, (pointer >>> 0) + count);
  }

  text(pointer, count) {
    if (count === -1) {
      const { bytes } = this.current;
      count = bytes.indexOf(0, pointer >>> 0) - (pointer >>> 0);
    }
    return decoder.decode(this.slice(pointer, count));
  }

  allocate(count) {
    const pointer = this.exports.vitrine_allocate(count) >>> 0;
    if (!pointer) throw new RangeError("out of memory");
    return pointer;
  }

  /// Copies a text into the memory for the time of a call.
  withText(text, call) {
    const bytes = encoder.encode(text);
    const pointer = this.allocate(bytes.length + 1);
    this.slice(pointer, bytes.length).set(bytes);
    try {
      return call(pointer, bytes.length);
    } finally {
      this.exports.vitrine_free(pointer);
    }
  }
}

/// The imports for one instance and one device. `report(text)` receives errors that the program does not see.
export function makeWebGPU(memory, adapter, device, report) {
  const objects = [null];
  const unused = [];
  const images = new Map();
  let doomed = [];
  let recordings = 0;
  let shaderFailed = false;
  /// The checks of shaders that are not finished.
  let checks = Promise.resolve();
  let lossCallback = null;
  let errorCallback = null;

  // MARK: Objects

  function add(object, kind, dependencies) {
    const entry = { object, kind, count: 1, dependencies };
    if (dependencies) for (const handle of dependencies) objects[handle].count++;
    if (kind === "recording") recordings++;
    const handle = unused.length ? unused.pop() : objects.length;
    objects[handle] = entry;
    return handle;
  }

  function release(handle) {
    const entry = objects[handle];
    if (--entry.count > 0) return;
    objects[handle] = null;
    unused.push(handle);
    if (entry.kind === "memory") doomed.push(entry.object);
    if (entry.kind === "recording") recordings--;
    if (entry.dependencies) entry.dependencies.forEach(release);
    if (recordings === 0 && doomed.length) {
      for (const object of doomed) object.destroy();
      doomed = [];
    }
  }

  const of = (handle) => objects[handle].object;

  // MARK: Structures

  /// Reads a structure as the browser's descriptor; collects the handles in it. undefined: it is absent.
  function read(name, pointer, handles) {
    pointer >>>= 0;
    const { view } = memory.current;
    const result = {};
    for (const [key, offset, kind, argument] of structures[name].fields) {
      const at = pointer + offset;
      let value;
      switch (kind) {
        case "?":
          value = view.getUint32(at, true);
          if (value === 0) return undefined;
          value = names[argument][value] || undefined;
          break;
        case "=":
          value = names[argument][view.getUint32(at, true)] || undefined;
          break;
        case ".":
          value = read(argument, at, handles);
          break;
        case "*": {
          const target = view.getUint32(at, true);
          if (target) value = read(argument, target, handles);
          break;
        }
        case "[]":
          value = readArray(argument, view.getUint32(at, true), view.getUint32(at + 4, true), handles);
          break;
        default:
          value = readValue(kind, at, handles);
      }
      if (value !== undefined) result[key] = value;
    }
    return result;
  }

  function readValue(kind, at, handles) {
    const { view } = memory.current;
    switch (kind) {
      case "u32": {
        const value = view.getUint32(at, true);
        return value === 0xffffffff ? undefined : value;
      }
      case "i32": return view.getInt32(at, true);
      case "u16": return view.getUint16(at, true);
      case "f32": {
        const value = view.getFloat32(at, true);
        return Number.isNaN(value) ? undefined : value;
      }
      case "f64": return view.getFloat64(at, true);
      case "u64": {
        const high = view.getUint32(at + 4, true);
        return high === 0xffffffff ? undefined : high * 4294967296 + view.getUint32(at, true);
      }
      case "bool": return view.getUint32(at, true) !== 0;
      case "maybe": {
        const value = view.getUint32(at, true);
        return value === 2 ? undefined : value !== 0;
      }
      case "text": {
        const start = view.getUint32(at, true);
        return start ? memory.text(start, view.getInt32(at + 4, true)) : undefined;
      }
      case "@": {
        const handle = view.getUint32(at, true);
        if (!handle) return undefined;
        handles?.push(handle);
        return of(handle);
      }
    }
  }

  function readArray(kind, count, start, handles) {
    const result = [];
    const structure = kind[0] === "." && structures[kind.slice(1)];
    for (let index = 0; index < count; index++) {
      if (structure) result.push(read(kind.slice(1), start + index * structure.size, handles) ?? null);
      else if (kind[0] === "=") result.push(names[kind.slice(1)][memory.current.view.getUint32(start + index * 4, true)]);
      else result.push(readValue(kind, start + index * 4, handles));
    }
    return result;
  }

  function write(name, pointer, values) {
    pointer >>>= 0;
    for (const [key, offset, kind] of structures[name].fields) {
      const value = values[key];
      if (value === undefined) continue;
      const { view } = memory.current;
      if (kind === "u64") view.setBigUint64(pointer + offset, BigInt(value), true);
      else if (kind === "text") {
        const bytes = encoder.encode(value);
        const start = memory.allocate(bytes.length + 1);
        memory.slice(start, bytes.length).set(bytes);
        memory.current.view.setUint32(pointer + offset, start, true);
        memory.current.view.setUint32(pointer + offset + 4, bytes.length, true);
      } else view.setUint32(pointer + offset, value, true);
    }
  }

  const label = (pointer) => ({ label: memory.text(memory.current.view.getUint32(pointer + 4, true), memory.current.view.getInt32(pointer + 8, true)) });
  const whole = (value) => (value === -1n ? undefined : Number(value));
  const buffered = (pointer) => {
    const { layout, buffer } = read("TexelCopyBufferInfo", pointer);
    return { buffer, ...layout };
  };

  // MARK: Errors

  function call(callback, type, text) {
    if (!callback) return;
    memory.withText(text, (start, count) => {
      const structure = memory.allocate(12);
      const { view } = memory.current;
      view.setUint32(structure, start, true);
      view.setUint32(structure + 4, count, true);
      memory.exports.__indirect_function_table.get(callback.callback)(0, type, structure, callback.userdata1, callback.userdata2);
      memory.exports.vitrine_free(structure);
    });
  }

  /// Hands an error to the program, in the form of wgpu-native's messages.
  function error(type, text) {
    report(text);
    try {
      call(errorCallback, type, text);
    } catch {
      // The instance has ended.
    }
  }

  const errorType = (error) => (error instanceof GPUOutOfMemoryError ? 3 : error instanceof GPUValidationError ? 2 : 4);

  async function onError(event) {
    event.preventDefault();
    const text = event.error.message;
    // Of a shader that does not compile, only the first report says why.
    if (/\[Invalid /.test(text)) {
      await checks;
      if (shaderFailed) return;
    }
    error(errorType(event.error), text);
  }
  device.addEventListener("uncapturederror", onError);

  async function checkShader(module, name, scope) {
    if (!(await scope)) return;
    shaderFailed = true;
    const { messages } = await module.getCompilationInfo();
    let text = `In wgpuDeviceCreateShaderModule, label = '${name}'\n`;
    for (const message of messages) {
      if (message.type === "error") text += `error: ${message.message}\n┌─ wgsl:${message.lineNum}:${message.linePos}\n`;
    }
    error(2, text);
  }

  // MARK: Functions

  const env = {
    wgpuCreateInstance: () => add({}, "other"),
    wgpuInstanceAddRef: (handle) => void objects[handle].count++,
    wgpuInstanceEnumerateAdapters(instance, options, result) {
      if (result) memory.current.view.setUint32(result, add(adapter, "other"), true);
      return 1;
    },
    wgpuInstanceProcessEvents() {},
    wgpuAdapterGetInfo(handle, pointer) {
      const info = adapter.info ?? {};
      write("AdapterInfo", pointer, {
        vendor: info.vendor || "", architecture: info.architecture || "", device: info.device || info.description || info.architecture || "GPU",
        description: info.description || "", backendType: 2, adapterType: info.isFallbackAdapter ? 3 : 4, vendorID: 0, deviceID: 0,
      });
      return 1;
    },
    wgpuAdapterInfoFreeMembers(pointer) {
      for (const [, offset, kind] of structures.AdapterInfo.fields) {
        if (kind === "text") memory.exports.vitrine_free(memory.current.view.getUint32(pointer + offset, true));
      }
    },
    wgpuAdapterGetLimits(handle, pointer) {
      write("Limits", pointer, device.limits);
      return 1;
    },
    // Of the device, which exists already.
    wgpuAdapterGetFeatures(handle, pointer) {
      const known = names.FeatureName.map((name, index) => (name && device.features.has(name) ? index : 0)).filter((index) => index);
      const list = memory.allocate(known.length * 4 + 4);
      const { view } = memory.current;
      known.forEach((value, index) => view.setUint32(list + index * 4, value, true));
      view.setUint32(pointer, known.length, true);
      view.setUint32(pointer + 4, list, true);
    },
    wgpuSupportedFeaturesFreeMembers: (pointer) => memory.exports.vitrine_free(memory.current.view.getUint32(pointer + 4, true)),
    wgpuAdapterRequestDevice(handle, pointer, callbackPointer) {
      const descriptor = read("DeviceDescriptor", pointer);
      lossCallback = descriptor.deviceLostCallbackInfo;
      errorCallback = descriptor.uncapturedErrorCallbackInfo;
      const info = read("RequestDeviceCallbackInfo", callbackPointer);
      const message = memory.allocate(8);
      memory.slice(message, 8).fill(0);
      memory.exports.__indirect_function_table.get(info.callback)(1, add(device, "other"), message, info.userdata1, info.userdata2);
      memory.exports.vitrine_free(message);
      return 0n;
    },
    wgpuDeviceGetQueue: () => add(device.queue, "other"),
    wgpuDevicePoll: () => 1,
    wgpuDeviceDestroy() {},
    wgpuQueueGetTimestampPeriod: () => 1,

    wgpuDeviceCreateBuffer: (handle, pointer) => add(device.createBuffer(read("BufferDescriptor", pointer)), "memory"),
    vitrineBufferFill(handle, pointer, count) {
      const buffer = of(handle);
      new Uint8Array(buffer.getMappedRange()).set(memory.slice(pointer, count));
      buffer.unmap();
    },
    wgpuDeviceCreateTexture: (handle, pointer) => add(device.createTexture(read("TextureDescriptor", pointer)), "memory"),
    wgpuTextureCreateView: (handle, pointer) => add(of(handle).createView(read("TextureViewDescriptor", pointer)), "other", [handle]),
    vitrineTextureCopyImage(handle, image) {
      const source = images.get(image);
      if (!source) return;
      const { width, height, pixels } = source;
      if (pixels) device.queue.writeTexture({ texture: of(handle) }, pixels, { bytesPerRow: 4 * width }, [width, height]);
      else device.queue.copyExternalImageToTexture({ source }, { texture: of(handle) }, [width, height]);
    },
    wgpuTextureAddRef: (handle) => void objects[handle].count++,
    wgpuDeviceCreateSampler: (handle, pointer) => add(device.createSampler(read("SamplerDescriptor", pointer)), "other"),
    wgpuDeviceCreateQuerySet: (handle, pointer) => add(device.createQuerySet(read("QuerySetDescriptor", pointer)), "memory"),
    wgpuDeviceCreateBindGroupLayout: (handle, pointer) => add(device.createBindGroupLayout(read("BindGroupLayoutDescriptor", pointer)), "other"),
    wgpuDeviceCreatePipelineLayout: (handle, pointer) => add(device.createPipelineLayout(read("PipelineLayoutDescriptor", pointer)), "other"),
    wgpuDeviceCreateBindGroup(handle, pointer) {
      const handles = [];
      const descriptor = read("BindGroupDescriptor", pointer, handles);
      descriptor.entries = descriptor.entries.map(({ binding, buffer, offset, size, sampler, textureView }) => ({
        binding, resource: buffer ? { buffer, offset, size } : sampler ?? textureView,
      }));
      return add(device.createBindGroup(descriptor), "other", handles);
    },
    wgpuDeviceCreateShaderModule(handle, pointer) {
      const { code } = read("ShaderSourceWGSL", memory.current.view.getUint32(pointer, true));
      const { label } = read("ShaderModuleDescriptor", pointer);
      device.pushErrorScope("validation");
      const module = device.createShaderModule({ label, code });
      checks = Promise.allSettled([checks, checkShader(module, label, device.popErrorScope())]);
      return add(module, "other");
    },
    wgpuDeviceCreateComputePipeline(handle, pointer) {
      const descriptor = read("ComputePipelineDescriptor", pointer);
      return add(device.createComputePipeline({ layout: "auto", ...descriptor, compute: withConstants(descriptor.compute) }), "other");
    },
    wgpuDeviceCreateRenderPipeline(handle, pointer) {
      const descriptor = read("RenderPipelineDescriptor", pointer);
      descriptor.vertex = withConstants(descriptor.vertex);
      if (descriptor.fragment) descriptor.fragment = withConstants(descriptor.fragment);
      return add(device.createRenderPipeline({ layout: "auto", ...descriptor }), "other");
    },
    wgpuRenderPipelineGetBindGroupLayout: (handle, group) => add(of(handle).getBindGroupLayout(group), "other"),
    wgpuComputePipelineGetBindGroupLayout: (handle, group) => add(of(handle).getBindGroupLayout(group), "other"),

    wgpuDeviceCreateCommandEncoder: (handle, pointer) => add(device.createCommandEncoder(label(pointer)), "recording"),
    wgpuCommandEncoderFinish: (handle) => add(of(handle).finish(), "recording"),
    wgpuCommandEncoderBeginRenderPass: (handle, pointer) => add(of(handle).beginRenderPass(read("RenderPassDescriptor", pointer)), "other"),
    wgpuCommandEncoderBeginComputePass: (handle, pointer) => add(of(handle).beginComputePass(pointer ? read("ComputePassDescriptor", pointer) : {}), "other"),
    wgpuCommandEncoderCopyBufferToBuffer: (handle, source, from, target, to, size) =>
      of(handle).copyBufferToBuffer(of(source), Number(from), of(target), Number(to), Number(size)),
    wgpuCommandEncoderCopyBufferToTexture: (handle, source, target, size) =>
      of(handle).copyBufferToTexture(buffered(source), read("TexelCopyTextureInfo", target), read("Extent3D", size)),
    wgpuCommandEncoderCopyTextureToBuffer: (handle, source, target, size) =>
      of(handle).copyTextureToBuffer(read("TexelCopyTextureInfo", source), buffered(target), read("Extent3D", size)),
    wgpuCommandEncoderCopyTextureToTexture: (handle, source, target, size) =>
      of(handle).copyTextureToTexture(read("TexelCopyTextureInfo", source), read("TexelCopyTextureInfo", target), read("Extent3D", size)),
    wgpuCommandEncoderClearBuffer: (handle, buffer, offset, size) => of(handle).clearBuffer(of(buffer), Number(offset), whole(size)),
    wgpuCommandEncoderResolveQuerySet: (handle, set, first, count, target, offset) =>
      of(handle).resolveQuerySet(of(set), first, count, of(target), Number(offset)),

    wgpuQueueSubmit(handle, count, list) {
      const { view } = memory.current;
      const commands = [];
      for (let index = 0; index < count; index++) commands.push(of(view.getUint32((list >>> 0) + index * 4, true)));
      of(handle).submit(commands);
    },
    wgpuQueueWriteBuffer: (handle, buffer, offset, pointer, size) =>
      of(handle).writeBuffer(of(buffer), Number(offset), memory.memory.buffer, pointer >>> 0, size),
    wgpuQueueWriteTexture: (handle, target, pointer, count, layout, size) =>
      of(handle).writeTexture(
        read("TexelCopyTextureInfo", target), memory.slice(pointer, count), read("TexelCopyBufferLayout", layout), read("Extent3D", size)),

    wgpuRenderPassEncoderSetPipeline: (handle, pipeline) => of(handle).setPipeline(of(pipeline)),
    wgpuRenderPassEncoderSetBindGroup: setBindGroup,
    wgpuRenderPassEncoderSetVertexBuffer: (handle, slot, buffer, offset, size) =>
      of(handle).setVertexBuffer(slot, buffer ? of(buffer) : null, Number(offset), whole(size)),
    wgpuRenderPassEncoderSetIndexBuffer: (handle, buffer, format, offset, size) =>
      of(handle).setIndexBuffer(of(buffer), names.IndexFormat[format], Number(offset), whole(size)),
    wgpuRenderPassEncoderSetViewport: (handle, ...values) => of(handle).setViewport(...values),
    wgpuRenderPassEncoderSetScissorRect: (handle, ...values) => of(handle).setScissorRect(...values),
    wgpuRenderPassEncoderSetBlendConstant: (handle, color) => of(handle).setBlendConstant(read("Color", color)),
    wgpuRenderPassEncoderSetStencilReference: (handle, value) => of(handle).setStencilReference(value),
    wgpuRenderPassEncoderDraw: (handle, ...counts) => of(handle).draw(...counts),
    wgpuRenderPassEncoderDrawIndexed: (handle, ...counts) => of(handle).drawIndexed(...counts),
    wgpuRenderPassEncoderDrawIndirect: (handle, buffer, offset) => of(handle).drawIndirect(of(buffer), Number(offset)),
    wgpuRenderPassEncoderDrawIndexedIndirect: (handle, buffer, offset) => of(handle).drawIndexedIndirect(of(buffer), Number(offset)),
    wgpuRenderPassEncoderEnd: (handle) => of(handle).end(),
    wgpuComputePassEncoderSetPipeline: (handle, pipeline) => of(handle).setPipeline(of(pipeline)),
    wgpuComputePassEncoderSetBindGroup: setBindGroup,
    wgpuComputePassEncoderDispatchWorkgroups: (handle, ...counts) => of(handle).dispatchWorkgroups(...counts),
    wgpuComputePassEncoderDispatchWorkgroupsIndirect: (handle, buffer, offset) => of(handle).dispatchWorkgroupsIndirect(of(buffer), Number(offset)),
    wgpuComputePassEncoderEnd: (handle) => of(handle).end(),

    wgpuBufferUnmap: (handle) => of(handle).unmap(),
  };

  for (const kind of ["Instance", "Adapter", "Device", "Queue", "Buffer", "Texture", "TextureView", "Sampler", "QuerySet", "BindGroupLayout",
    "PipelineLayout", "BindGroup", "ShaderModule", "ComputePipeline", "RenderPipeline", "CommandEncoder", "CommandBuffer", "RenderPassEncoder",
    "ComputePassEncoder"]) env[`wgpu${kind}Release`] = release;
  for (const kind of ["CommandEncoder", "RenderPassEncoder", "ComputePassEncoder"]) {
    env[`wgpu${kind}PushDebugGroup`] = (handle, text) =>
      of(handle).pushDebugGroup(memory.text(memory.current.view.getUint32(text, true), memory.current.view.getInt32(text + 4, true)));
    env[`wgpu${kind}PopDebugGroup`] = (handle) => of(handle).popDebugGroup();
    env[`wgpu${kind}InsertDebugMarker`] = () => {};
  }

  function setBindGroup(handle, index, group, count, offsets) {
    if (!group) return of(handle).setBindGroup(index, null);
    if (!count) return of(handle).setBindGroup(index, of(group));
    of(handle).setBindGroup(index, of(group), new Uint32Array(memory.memory.buffer, offsets >>> 0, count), 0, count);
  }

  function withConstants(stage) {
    return { ...stage, constants: Object.fromEntries(stage.constants.map(({ key, value }) => [key, value])) };
  }

  return {
    env,
    /// Adds a texture of a canvas for a frame; returns its handle.
    addCanvasTexture: (texture) => add(texture, "other"),
    object: (handle) => of(handle),
    /// Decoded images by number.
    images,
    /// Reports the loss of the device to the program.
    lose(message) {
      try {
        call(lossCallback, 1, message);
      } catch {
        // The instance has ended.
      }
    },
    /// Objects that exist now, for tests that look for leaks.
    get count() {
      return objects.length - 1 - unused.length;
    },
    close: () => device.removeEventListener("uncapturederror", onError),
  };
}

/// The functions of mathematics that the program calls, in double and single precision.
export function mathematics() {
  const imports = { fmod: (x, y) => x % y, exp2: (x) => 2 ** x, ldexp: (x, n) => x * 2 ** n };
  for (const name of ["sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "exp", "log", "log2", "log10", "pow", "cbrt", "hypot", "expm1", "log1p"]) {
    imports[name] = Math[name];
  }
  for (const name of Object.keys(imports)) imports[`${name}f`] = imports[name];
  return imports;
}
