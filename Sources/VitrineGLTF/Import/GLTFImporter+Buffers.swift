/// The bytes of a buffer: a range of an array, so that a GLB's binary chunk isn't copied.
struct GLTFBuffer {
    let bytes: [UInt8]
    /// `byteLength` bytes; nil where the file gives none (another extension's fallback).
    let range: Range<Int>?
}

/// A checked part of a buffer.
struct GLTFBufferView {
    let buffer: Int
    /// From the buffer's start.
    let offset: Int
    let length: Int
    let stride: Int?
    let json: JSONValue
}

extension GLTFImporter {
    typealias Resolver = (_ path: String) throws(GLTFError) -> [UInt8]

    /// Of the file's own.
    var bufferBytes: Int { buffers.prefix(bufferList.count).reduce(0) { $0 + ($1.range?.count ?? 0) } }

    func readBuffers(_ container: GLTFInfo.Container, _ resolve: Resolver) throws(GLTFError) {
        for (index, json) in bufferList.enumerated() {
            let length = try json.requireInteger("byteLength", in: 1...Int.max)
            let isBinaryChunk = index == 0 && json["uri"] == nil
            let buffer =
                if isBinaryChunk, let binary {
                    GLTFBuffer(bytes: document.bytes, range: binary)
                } else {
                    try resource(json, resolve, isBuffer: true).map { GLTFBuffer(bytes: $0, range: 0..<$0.count) }
                }
            guard let buffer, let range = buffer.range else {
                if isBinaryChunk, container == .glb { warn(json, "refers to the GLB's binary chunk, which is missing") }
                buffers.append(GLTFBuffer(bytes: [], range: nil))
                continue
            }
            guard range.count >= length else { throw json.failure("byteLength", "is \(length), but there are only \(range.count) bytes") }
            if isBinaryChunk, range.count - length > 3 { warn(json, "the binary chunk is \(range.count - length) bytes longer") }
            buffers.append(GLTFBuffer(bytes: buffer.bytes, range: range.lowerBound..<range.lowerBound + length))
        }
        if binary != nil, bufferList.count == 0 || bufferList[0]?["uri"] != nil {
            warn(root, "no buffer refers to the GLB's binary chunk")
        }
    }

    /// The bytes that a `uri` refers to; nil where there is no `uri`.
    func resource(_ json: JSONValue, _ resolve: Resolver, isBuffer: Bool = false) throws(GLTFError) -> [UInt8]? {
        guard let uri = json["uri"] else { return nil }
        switch ResourceURI.parse(try uri.utf8()) {
        case .parsed(.data(let bytes, let mediaType)):
            if isBuffer, !GLTFImporter.isBufferType(mediaType) {
                warn(uri, "the media type of a buffer must be application/octet-stream or application/gltf-buffer")
            }
            return bytes
        case .parsed(.relative(let path)): return try bytes(of: path, at: uri, resolve)
        case .refused(let reason):
            throw GLTFError(
                file: document.name, place: .property(uri.pointer),
                reason: .resource(uri: MessageText.name(String(decoding: try uri.utf8().prefix(400), as: UTF8.self)), reason: reason))
        }
    }

    private func bytes(of path: String, at uri: JSONValue, _ resolve: Resolver) throws(GLTFError) -> [UInt8] {
        let bytes: [UInt8]
        do throws(GLTFError) {
            bytes = try resolve(path)
        } catch {
            throw GLTFError(file: document.name, place: .property(uri.pointer), reason: error.reason)
        }
        guard bytes.count <= limits.resourceBytes - resourceBytes else {
            throw limitFailure(uri, "the files beside the model have more than \(limits.resourceBytes) bytes")
        }
        resourceBytes += bytes.count
        return bytes
    }

    func readBufferViews() throws(GLTFError) {
        for json in bufferViewList {
            if let view = try unpackedView(json) {
                bufferViews.append(view)
                continue
            }
            let buffer = try json.requireIndex("buffer", below: buffers.count)
            let length = try json.requireInteger("byteLength", in: 1...Int.max)
            let offset = try json.integer("byteOffset") ?? 0
            let available = buffers[buffer].range?.count ?? Int.max
            guard offset <= available, length <= available - offset else {
                throw json.failure("\(length) bytes at \(offset) reach beyond the buffer's \(available)")
            }
            let stride = try stride(json, length: length)
            bufferViews.append(GLTFBufferView(buffer: buffer, offset: offset, length: length, stride: stride, json: json))
        }
        buffers += unpackedBuffers
    }

    private func stride(_ json: JSONValue, length: Int) throws(GLTFError) -> Int? {
        let target = try json.integer("target")
        guard let stride = try json.integer("byteStride", in: 4...252) else { return nil }
        if stride % 4 != 0 { warn(json, "byteStride \(stride) is no multiple of 4") }
        if stride > length { warn(json, "byteStride \(stride) is greater than byteLength \(length)") }
        if let target, target != 34962 { warn(json, "byteStride is for vertex attributes only, but target says otherwise") }
        return stride
    }

    /// Whether the buffer has bytes. Values in a buffer without bytes are read as 0, with one warning a buffer.
    func hasBytes(_ view: GLTFBufferView) -> Bool {
        guard buffers[view.buffer].range == nil else { return true }
        if namedEmptyBuffers.insert(view.buffer).inserted {
            warn(bufferList[view.buffer] ?? root, "has no bytes; its values were read as 0")
        }
        return false
    }

    /// The media types that the specification allows, in any case, with or without parameters.
    private static func isBufferType(_ type: String) -> Bool {
        let lower = type.utf8.map { $0 >= 0x41 && $0 <= 0x5A ? $0 + 32 : $0 }
        let parts = lower.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
        guard parts.dropFirst().allSatisfy({ !$0.isEmpty }) else { return false }
        let name = String(decoding: parts[0], as: UTF8.self)
        return name == "application/octet-stream" || name == "application/gltf-buffer"
    }

    /// The view's bytes.
    func range(of view: GLTFBufferView) throws(GLTFError) -> Range<Int> {
        guard let range = buffers[view.buffer].range else { throw view.json.failure("buffer", "has no bytes") }
        return range.lowerBound + view.offset..<range.lowerBound + view.offset + view.length
    }
}
