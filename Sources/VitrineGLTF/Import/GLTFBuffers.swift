/// The buffers and buffer views of a file, and the files that its URIs refer to.
///
/// Invariant: every view is inside its buffer, or its buffer has no bytes.
final class GLTFBuffers {
    typealias Resolver = (_ path: String) throws(GLTFError) -> [UInt8]

    /// A range of an array, so that the binary chunk of a GLB is not copied.
    private struct Buffer {
        let bytes: [UInt8]
        /// The range of `byteLength` bytes; nil if the file has none (the fallback buffer of another extension).
        let range: Range<Int>?
    }

    struct View {
        let buffer: Int
        /// The offset in bytes from the start of the buffer.
        let offset: Int
        let length: Int
        let stride: Int?
        let json: JSONValue
    }

    private let context: GLTFContext
    private let root: GLTFRoot
    /// The file's buffers, then one for each compressed view.
    private var buffers: [Buffer] = []
    private var decodedBuffers: [Buffer] = []
    private var views: [View] = []
    private var resourceBytes = 0
    /// The buffers without bytes that a warning has reported.
    private var reportedEmptyBuffers: Set<Int> = []

    /// Loads the buffers of a document.
    ///
    /// - Parameter binary: The binary chunk of a GLB, a range of the document's bytes.
    init(
        _ root: GLTFRoot, _ context: GLTFContext, container: GLTFInfo.Container, binary: Range<Int>?, resolve: Resolver
    ) throws(GLTFError) {
        (self.root, self.context) = (root, context)
        try readBuffers(container, binary, resolve)
        try readViews()
    }

    var viewCount: Int { views.count }
    subscript(view index: Int) -> View { views[index] }

    /// The total size of the file's buffers in bytes.
    var byteCount: Int { buffers.prefix(root.buffers.count).reduce(0) { $0 + ($1.range?.count ?? 0) } }

    /// Returns the bytes of a view.
    ///
    /// - Throws: `.invalid` if its buffer has no bytes.
    func bytes(of view: View) throws(GLTFError) -> ArraySlice<UInt8> { buffers[view.buffer].bytes[try range(of: view)] }

    /// Calls `body` with the array that contains a buffer, from `offset` to its end.
    func withBytes<Result>(_ buffer: Int, from offset: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        buffers[buffer].bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[offset...])) }
    }

    // MARK: Reading

    private func readBuffers(_ container: GLTFInfo.Container, _ binary: Range<Int>?, _ resolve: Resolver) throws(GLTFError) {
        for (index, json) in root.buffers.enumerated() {
            let length = try json.requireInteger("byteLength", in: 1...Int.max)
            let isBinaryChunk = index == 0 && json["uri"] == nil
            let buffer =
                if isBinaryChunk, let binary {
                    Buffer(bytes: context.document.bytes, range: binary)
                } else {
                    try resource(json, resolve, isBuffer: true).map { Buffer(bytes: $0, range: 0..<$0.count) }
                }
            guard let buffer, let range = buffer.range else {
                if isBinaryChunk, container == .glb { context.warn(json, "refers to the GLB's binary chunk, which is missing") }
                buffers.append(Buffer(bytes: [], range: nil))
                continue
            }
            guard range.count >= length else {
                throw json.failure("byteLength", "is \(length), but the buffer has only \(range.count) bytes")
            }
            if isBinaryChunk, range.count - length > 3 {
                context.warn(json, "the binary chunk is \(range.count - length) bytes longer than byteLength")
            }
            buffers.append(Buffer(bytes: buffer.bytes, range: range.lowerBound..<range.lowerBound + length))
            context.addBufferBytes(length)
        }
        if binary != nil, root.buffers.count == 0 || root.buffers[0]?["uri"] != nil {
            context.warn(root.json, "no buffer refers to the GLB's binary chunk")
        }
    }

    /// Returns the bytes that a `uri` refers to; nil if there is no `uri`.
    func resource(_ json: JSONValue, _ resolve: Resolver, isBuffer: Bool = false) throws(GLTFError) -> [UInt8]? {
        guard let uri = json["uri"] else { return nil }
        switch ResourceURI.parse(try uri.utf8(), allowsOutsidePaths: context.limits.resolvesOutsidePaths) {
        case .parsed(.data(let bytes, let mediaType)):
            if isBuffer, !Self.isBufferType(mediaType) {
                context.warn(uri, "the media type of a buffer must be application/octet-stream or application/gltf-buffer")
            }
            return bytes
        case .parsed(.relative(let path)): return try bytes(of: path, at: uri, resolve)
        case .refused(let reason):
            throw GLTFError(
                file: context.document.name, location: .property(uri.pointer),
                reason: .resource(uri: MessageText.name(String(decoding: try uri.utf8().prefix(400), as: UTF8.self)), reason: reason))
        }
    }

    private func bytes(of path: String, at uri: JSONValue, _ resolve: Resolver) throws(GLTFError) -> [UInt8] {
        let bytes: [UInt8]
        do throws(GLTFError) {
            bytes = try resolve(path)
        } catch {
            throw GLTFError(file: context.document.name, location: .property(uri.pointer), reason: error.reason)
        }
        guard bytes.count <= context.limits.resourceBytes - resourceBytes else {
            throw context.limitFailure(uri, "the files that the model refers to have more than \(context.limits.resourceBytes) bytes")
        }
        resourceBytes += bytes.count
        return bytes
    }

    private func readViews() throws(GLTFError) {
        for json in root.bufferViews {
            if let view = try decodedView(json) {
                views.append(view)
                continue
            }
            let buffer = try json.requireIndex("buffer", below: buffers.count)
            let length = try json.requireInteger("byteLength", in: 1...Int.max)
            let offset = try json.integer("byteOffset") ?? 0
            let available = buffers[buffer].range?.count ?? Int.max
            guard offset <= available, length <= available - offset else {
                throw json.failure("\(length) bytes at offset \(offset) exceed the buffer's \(available)")
            }
            let stride = try stride(json, length: length)
            views.append(View(buffer: buffer, offset: offset, length: length, stride: stride, json: json))
        }
        buffers += decodedBuffers
    }

    private func stride(_ json: JSONValue, length: Int) throws(GLTFError) -> Int? {
        let target = try json.integer("target")
        guard let stride = try json.integer("byteStride", in: 4...252) else { return nil }
        if stride % 4 != 0 { context.warn(json, "byteStride \(stride) is not a multiple of 4") }
        if stride > length { context.warn(json, "byteStride \(stride) is greater than byteLength \(length)") }
        if let target, target != 34962 { context.warn(json, "byteStride is only for vertex attributes, but target is another") }
        return stride
    }

    /// Returns whether the view's buffer has bytes. Values in a buffer without bytes are read as 0, with one warning per buffer.
    func hasBytes(_ view: View) -> Bool {
        guard buffers[view.buffer].range == nil else { return true }
        if reportedEmptyBuffers.insert(view.buffer).inserted {
            context.warn(root.buffers[view.buffer] ?? root.json, "has no bytes; its values are read as 0")
        }
        return false
    }

    /// Returns whether the specification allows a media type, ignoring case, with or without parameters.
    private static func isBufferType(_ type: String) -> Bool {
        let lower = type.utf8.map { $0 >= 0x41 && $0 <= 0x5A ? $0 + 32 : $0 }
        let parts = lower.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
        guard parts.dropFirst().allSatisfy({ !$0.isEmpty }) else { return false }
        let name = String(decoding: parts[0], as: UTF8.self)
        return name == "application/octet-stream" || name == "application/gltf-buffer"
    }

    /// Returns the range of a view in its buffer's array.
    func range(of view: View) throws(GLTFError) -> Range<Int> {
        guard let range = buffers[view.buffer].range else { throw view.json.failure("buffer", "has no bytes") }
        return range.lowerBound + view.offset..<range.lowerBound + view.offset + view.length
    }

    // MARK: EXT_meshopt_compression

    /// Returns a view of the decoded bytes; nil if the view is not compressed, or if there is no decoder and the file has fallback data.
    private func decodedView(_ json: JSONValue) throws(GLTFError) -> View? {
        guard let decode = context.decoders.meshopt, let packed = try json.extension("EXT_meshopt_compression") else { return nil }
        let layout = try meshoptLayout(packed)
        let (length, overflow) = layout.count.multipliedReportingOverflow(by: layout.stride)
        guard !overflow, try json.requireInteger("byteLength", in: 1...Int.max) == length else {
            throw json.failure("byteLength", "is not \(layout.count) elements of \(layout.stride) bytes")
        }
        let buffer = try packed.requireIndex("buffer", below: buffers.count)
        let offset = try packed.integer("byteOffset") ?? 0
        let count = try packed.requireInteger("byteLength", in: 1...Int.max)
        guard let range = buffers[buffer].range, offset <= range.count, count <= range.count - offset else {
            throw packed.failure("\(count) bytes at offset \(offset) exceed the buffer")
        }
        try context.reserve(bytes: length, for: json)
        let start = range.lowerBound + offset
        let bytes: [UInt8]
        do throws(GLTFDecoderError) {
            bytes = try decode(buffers[buffer].bytes[start..<start + count], layout)
        } catch {
            throw packed.failure(error.text)
        }
        guard bytes.count == length else { throw packed.failure("decodes to \(bytes.count) bytes instead of \(length)") }
        decodedBuffers.append(Buffer(bytes: bytes, range: 0..<length))
        let stride = try json.integer("byteStride", in: 4...252)
        return View(
            buffer: root.buffers.count + decodedBuffers.count - 1, offset: 0, length: length, stride: stride, json: json)
    }

    private func meshoptLayout(_ json: JSONValue) throws(GLTFError) -> MeshoptLayout {
        let mode: MeshoptLayout.Mode
        switch try json.string("mode") {
        case "ATTRIBUTES": mode = .attributes
        case "TRIANGLES": mode = .triangles
        case "INDICES": mode = .indices
        default: throw json.failure("mode", "must be ATTRIBUTES, TRIANGLES or INDICES")
        }
        let filter: MeshoptLayout.Filter
        switch try json.string("filter") {
        case nil, "NONE": filter = .none
        case "OCTAHEDRAL": filter = .octahedral
        case "QUATERNION": filter = .quaternion
        case "EXPONENTIAL": filter = .exponential
        default: throw json.failure("filter", "must be NONE, OCTAHEDRAL, QUATERNION or EXPONENTIAL")
        }
        let layout = MeshoptLayout(
            count: try json.requireInteger("count", in: 1...Int.max), stride: try json.requireInteger("byteStride", in: 1...256),
            mode: mode, filter: filter)
        guard layout.isValid else {
            throw json.failure("a stride of \(layout.stride) bytes and a count of \(layout.count) are not valid for this mode and filter")
        }
        return layout
    }

}

extension MeshoptLayout {
    /// Whether count, stride, mode and filter are consistent, by the rules of EXT_meshopt_compression.
    var isValid: Bool {
        switch mode {
        case .attributes:
            switch filter {
            case .none, .exponential: stride % 4 == 0
            case .octahedral: stride == 4 || stride == 8
            case .quaternion: stride == 8
            }
        case .triangles: (stride == 2 || stride == 4) && count % 3 == 0 && filter == .none
        case .indices: (stride == 2 || stride == 4) && filter == .none
        }
    }
}
