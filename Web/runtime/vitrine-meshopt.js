// Decodes glTF files with EXT_meshopt_compression. The runtime loads this module when a model needs it.
//
// The format: https://github.com/KhronosGroup/glTF/tree/main/extensions/2.0/Vendor/EXT_meshopt_compression

const NAME = "EXT_meshopt_compression";
const DECODED = "EXT_meshopt_compression.bin";

class Damage extends Error {}

const fail = (reason) => {
  throw new Damage(reason);
};

/// Returns the file without the extension, `bytes`, and a file that it refers to, `files`: path → bytes. JSON that cannot be read stays as it is.
///
/// `read(path)` returns the bytes of a file beside the model. Throws an error with the offset of damaged data.
export async function decodeModel(bytes, read) {
  const { json, binary, start, end } = parts(bytes);
  let model;
  try {
    model = JSON.parse(new TextDecoder().decode(json));
  } catch {
    return { bytes, files: new Map() };
  }
  const buffers = new Map();
  const bufferBytes = async (index) => {
    if (!buffers.has(index)) {
      const { uri } = model.buffers?.[index] ?? fail(`there is no buffer ${index}`);
      buffers.set(index, uri === undefined ? (index === 0 && binary) || fail(`buffer ${index} has no bytes`) : await fetched(uri, read));
    }
    return buffers.get(index);
  };
  const pieces = [];
  let total = 0;
  const views = Array.isArray(model.bufferViews) ? model.bufferViews : [];
  for (const [index, view] of views.entries()) {
    const packed = view?.extensions?.[NAME];
    if (!packed) continue;
    try {
      const { buffer, byteOffset = 0, byteLength, byteStride: stride, count, mode, filter = "NONE" } = packed;
      const source = await bufferBytes(buffer);
      if (!whole(byteOffset) || !whole(byteLength) || byteOffset + byteLength > source.length) fail(`${byteLength} bytes at offset ${byteOffset} exceed the buffer`);
      const decoded = decode(source.subarray(byteOffset, byteOffset + byteLength), count, stride, mode, filter);
      if (view.byteLength !== decoded.length) fail(`byteLength is not ${count} elements of ${stride} bytes`);
      delete view.extensions[NAME];
      Object.assign(view, { buffer: model.buffers.length, byteOffset: total });
      pieces.push(decoded);
      total += (decoded.length + 3) & ~3;
    } catch (error) {
      throw error instanceof Damage ? new Error(`/bufferViews/${index}/extensions/${NAME}: ${error.message}`) : error;
    }
  }
  const decoded = new Uint8Array(total);
  let offset = 0;
  for (const piece of pieces) {
    decoded.set(piece, offset);
    offset += (piece.length + 3) & ~3;
  }
  for (const buffer of Array.isArray(model.buffers) ? model.buffers : []) {
    // The uncompressed copy for programs without a decoder.
    if (buffer?.extensions?.[NAME]) {
      if (buffer.extensions[NAME].fallback) delete buffer.uri;
      delete buffer.extensions[NAME];
    }
  }
  if (total) model.buffers.push({ byteLength: total, uri: DECODED });
  for (const list of ["extensionsUsed", "extensionsRequired"]) {
    if (!Array.isArray(model[list])) continue;
    model[list] = model[list].filter((name) => name !== NAME);
    if (model[list].length === 0) delete model[list];
  }
  return { bytes: replaced(bytes, start, end, new TextEncoder().encode(JSON.stringify(model))), files: new Map([[DECODED, decoded]]) };
}

const whole = (value) => Number.isInteger(value) && value >= 0;

// MARK: The file

/// The JSON text and the binary chunk; `start` and `end` of the JSON chunk with its header.
function parts(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 20 || view.getUint32(0, true) !== 0x46546c67) return { json: bytes, binary: null, start: 0, end: bytes.length };
  const end = 20 + view.getUint32(12, true);
  const hasBinary = end + 8 <= bytes.length && view.getUint32(end + 4, true) === 0x004e4942;
  return { json: bytes.subarray(20, end), binary: hasBinary ? bytes.subarray(end + 8, end + 8 + view.getUint32(end, true)) : null, start: 12, end };
}

/// The file with another JSON text.
function replaced(bytes, start, end, json) {
  if (start === 0) return json;
  const length = (json.length + 3) & ~3;
  const result = new Uint8Array(20 + length + Math.max(bytes.length - end, 0)).fill(0x20, 20, 20 + length);
  const view = new DataView(result.buffer);
  result.set(bytes.subarray(0, 20));
  view.setUint32(8, result.length, true);
  view.setUint32(12, length, true);
  result.set(json, 20);
  result.set(bytes.subarray(end), 20 + length);
  return result;
}

async function fetched(uri, read) {
  const data = /^data:[^,]*;base64,/i.exec(uri);
  try {
    if (data) return Uint8Array.from(atob(uri.slice(data[0].length)), (character) => character.charCodeAt(0));
    const path = decodeURIComponent(uri);
    if (/^[a-z][a-z0-9+.-]*:|^[/\\]|(^|[/\\])\.\.([/\\]|$)/i.test(path)) fail(`the address of a buffer is not allowed: ${path.slice(0, 100)}`);
    return new Uint8Array(await read(path));
  } catch (error) {
    throw error instanceof Damage ? error : new Damage(`the buffer ${uri.slice(0, 100)} cannot be read`);
  }
}

// MARK: The data

/// Decodes a buffer view to `count * stride` bytes.
export function decode(bytes, count, stride, mode, filter = "NONE") {
  if (!whole(count) || !whole(stride) || count < 1) fail("count and byteStride must be whole numbers above 0");
  const isValid =
    mode === "ATTRIBUTES" ? stride % 4 === 0 && stride > 0 && stride <= 256 && { NONE: true, EXPONENTIAL: true, OCTAHEDRAL: stride === 4 || stride === 8, QUATERNION: stride === 8 }[filter]
    : (mode === "INDICES" || (mode === "TRIANGLES" && count % 3 === 0)) && (stride === 2 || stride === 4) && filter === "NONE";
  if (!isValid) fail(`a stride of ${stride} bytes and a count of ${count} are not valid for mode ${mode} and filter ${filter}`);
  // No code of the format gives more than 64 bytes for one.
  if (count * stride > bytes.length * 64) fail(`${bytes.length} bytes cannot contain ${count} elements of ${stride} bytes`);
  const result = new Uint8Array(count * stride);
  if (mode === "ATTRIBUTES") {
    decodeVertices(bytes, count, stride, result);
    filters[filter]?.(result.buffer, stride);
  } else {
    const indices = stride === 2 ? new Uint16Array(result.buffer) : new Uint32Array(result.buffer);
    if (mode === "TRIANGLES") decodeTriangles(bytes, indices);
    else decodeSequence(bytes, indices);
  }
  return result;
}

const early = () => fail("the data end early");

/// Bytes of vertices, as differences from the vertex before; for each byte of the stride, groups of 16 with 0, 2, 4 or 8 bits each.
function decodeVertices(bytes, count, stride, result) {
  if (bytes[0] !== 0xa0) fail("the data are no vertices of version 0");
  const tail = bytes.length - Math.max(stride, 32);
  if (tail < 1) early();
  const last = bytes.slice(bytes.length - stride);
  const largest = Math.min(Math.floor(8192 / stride) & ~15, 256);
  const values = new Uint8Array(256);
  let position = 1;
  for (let first = 0; first < count; first += largest) {
    const size = Math.min(largest, count - first);
    const groups = Math.ceil(size / 16);
    for (let channel = 0; channel < stride; channel++) {
      const header = position;
      position += Math.ceil(groups / 4);
      if (position > tail) early();
      for (let group = 0; group < groups; group++) {
        position = decodeGroup(bytes, position, (bytes[header + (group >> 2)] >> ((group & 3) * 2)) & 3, values, group * 16);
        if (position > tail) early();
      }
      let value = last[channel];
      for (let index = 0, target = first * stride + channel; index < size; index++, target += stride) {
        const delta = values[index];
        value = (value + ((delta >> 1) ^ -(delta & 1))) & 255;
        result[target] = value;
      }
      last[channel] = value;
    }
  }
  if (position !== tail) fail("the data are too long");
}

function decodeGroup(bytes, position, mode, values, first) {
  if (mode === 0) {
    values.fill(0, first, first + 16);
    return position;
  }
  if (mode === 3) {
    for (let index = 0; index < 16; index++) values[first + index] = bytes[position++];
    return position;
  }
  // Small values in the order of the bits from the top; the largest stands for a byte of its own behind them.
  const width = mode * 2;
  const mask = (1 << width) - 1;
  let own = position + 2 * width;
  for (let index = 0; index < 16; index++) {
    const bit = index * width;
    const small = (bytes[position + (bit >> 3)] >> (8 - width - (bit & 7))) & mask;
    values[first + index] = small === mask ? bytes[own++] : small;
  }
  return own;
}

/// A number of 7 bits a byte, and the offset behind it.
function varint(bytes, state) {
  let value = 0;
  for (let shift = 0; shift < 35; shift += 7) {
    const byte = bytes[state.position++];
    value |= (byte & 127) << shift;
    if (byte < 128) return value >>> 0;
  }
  return fail("an index is too long");
}

const unzigzag = (value) => (value >>> 1) ^ -(value & 1);

/// Triangles by their edges: each code refers to one of the last 16 edges, and to a new vertex or one of the last 16.
function decodeTriangles(bytes, result) {
  const version = bytes[0] & 15;
  if (bytes[0] >> 4 !== 0xe || version > 1) fail("the data are no triangles of version 0 or 1");
  const limit = version === 1 ? 13 : 15;
  const triangles = result.length / 3;
  const tail = bytes.length - 16;
  const state = { position: 1 + triangles };
  if (state.position > tail) early();
  const edges = new Uint32Array(32);
  const vertices = new Uint32Array(16);
  let [edgeCount, vertexCount, next, last] = [0, 0, 0, 0];
  const addEdge = (a, b) => {
    edges[(edgeCount & 15) * 2] = a;
    edges[(edgeCount++ & 15) * 2 + 1] = b;
  };
  const addVertex = (vertex) => (vertices[vertexCount++ & 15] = vertex);
  const free = () => (last = (last + unzigzag(varint(bytes, state))) >>> 0);
  for (let triangle = 0; triangle < triangles; triangle++) {
    if (state.position > tail) early();
    const code = bytes[1 + triangle];
    let a, b, c;
    if (code < 0xf0) {
      const edge = (edgeCount - 1 - (code >> 4)) & 15;
      [a, b] = [edges[edge * 2], edges[edge * 2 + 1]];
      const choice = code & 15;
      if (choice === 0) addVertex((c = next++));
      else if (choice < limit) c = vertices[(vertexCount - 1 - choice) & 15];
      else addVertex((c = choice === 15 ? free() : (last = (last + (choice === 13 ? -1 : 1)) >>> 0)));
    } else {
      const isFree = code >= 0xfe;
      const choices = isFree ? bytes[state.position++] : bytes[tail + (code & 15)];
      if (isFree && choices === 0) next = 0;
      const base = vertexCount;
      a = code === 0xff ? null : next++;
      const choose = (choice) => (choice === 0 ? next++ : isFree && choice === 15 ? null : vertices[(base - choice) & 15]);
      b = choose(choices >> 4);
      c = choose(choices & 15);
      a ??= free();
      b ??= free();
      c ??= free();
      addVertex(a);
      if (choices >> 4 === 0 || (isFree && choices >> 4 === 15)) addVertex(b);
      if ((choices & 15) === 0 || (isFree && (choices & 15) === 15)) addVertex(c);
      addEdge(b, a);
    }
    addEdge(c, b);
    addEdge(a, c);
    result.set([a, b, c], triangle * 3);
  }
  if (state.position !== tail) fail("the data have another length");
}

/// Indices as differences from one of two earlier ones.
function decodeSequence(bytes, result) {
  if (bytes[0] >> 4 !== 0xd || (bytes[0] & 15) > 1) fail("the data are no indices of version 0 or 1");
  const tail = bytes.length - 4;
  const state = { position: 1 };
  const last = [0, 0];
  for (let index = 0; index < result.length; index++) {
    if (state.position >= tail) early();
    const value = varint(bytes, state);
    const which = value & 1;
    result[index] = last[which] = (last[which] + unzigzag(value >>> 1)) >>> 0;
  }
  if (state.position !== tail) fail("the data have another length");
}

/// Convert values in place.
const filters = {
  /// Directions on an octahedron, to normalized integers.
  OCTAHEDRAL(buffer, stride) {
    const data = stride === 4 ? new Int8Array(buffer) : new Int16Array(buffer);
    const most = stride === 4 ? 127 : 32767;
    for (let at = 0; at < data.length; at += 4) {
      let [x, y] = [data[at], data[at + 1]];
      const z = data[at + 2] - Math.abs(x) - Math.abs(y);
      const fold = Math.min(z, 0);
      x += x >= 0 ? fold : -fold;
      y += y >= 0 ? fold : -fold;
      const scale = most / (Math.hypot(x, y, z) || 1);
      for (const [axis, value] of [x, y, z].entries()) data[at + axis] = nearest(value * scale);
    }
  },
  /// Unit quaternions without their largest component.
  QUATERNION(buffer) {
    const data = new Int16Array(buffer);
    for (let at = 0; at < data.length; at += 4) {
      const scale = Math.SQRT1_2 / (data[at + 3] | 3);
      const largest = data[at + 3] & 3;
      const values = [data[at] * scale, data[at + 1] * scale, data[at + 2] * scale];
      values.forEach((value, index) => (data[at + ((largest + 1 + index) & 3)] = nearest(value * 32767)));
      data[at + largest] = nearest(Math.sqrt(Math.max(0, 1 - values.reduce((sum, value) => sum + value * value, 0))) * 32767);
    }
  },
  /// Floats with 24 bits of mantissa and 8 of exponent.
  EXPONENTIAL(buffer) {
    const [packed, floats] = [new Int32Array(buffer), new Float32Array(buffer)];
    for (let index = 0; index < packed.length; index++) floats[index] = ((packed[index] << 8) >> 8) * 2 ** (packed[index] >> 24);
  },
};

/// Rounds half away from zero.
const nearest = (value) => Math.trunc(value + (value >= 0 ? 0.5 : -0.5));
