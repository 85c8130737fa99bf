import Foundation
import VitrineGLTF
import VitrineScene

/// Makes small glTF files in code: one buffer, filled as accessors are added.
struct ModelBuilder {
    /// The document, without the members for accessors.
    var json: [String: Any]
    private(set) var binary: [UInt8] = []
    private(set) var accessors: [[String: Any]] = []
    private(set) var bufferViews: [[String: Any]] = []

    init(_ json: [String: Any] = [:]) {
        self.json = json
        if json["asset"] == nil { self.json["asset"] = ["version": "2.0"] }
    }

    /// One triangle on a node in a scene, with the other properties of the primitive.
    static func triangle(_ primitive: [String: Any] = [:]) -> ModelBuilder {
        var builder = ModelBuilder(["scenes": [["nodes": [0]]], "nodes": [["mesh": 0]]])
        let position = builder.add(floats: [0, 0, 0, 1, 0, 0, 0, 1, 0], "VEC3", bounds: true)
        builder.setPrimitive(["attributes": ["POSITION": position]].merging(primitive) { $1 })
        return builder
    }

    mutating func setPrimitive(_ primitive: [String: Any]) { json["meshes"] = [["primitives": [primitive]]] }

    /// Appends bytes as a view, at a multiple of 4.
    mutating func view(_ bytes: [UInt8], stride: Int? = nil) -> Int {
        while binary.count % 4 != 0 { binary.append(0) }
        var view: [String: Any] = ["buffer": 0, "byteOffset": binary.count, "byteLength": bytes.count]
        if let stride { view["byteStride"] = stride }
        binary += bytes
        bufferViews.append(view)
        return bufferViews.count - 1
    }

    mutating func add(floats: [Float], _ type: String, bounds: Bool = false, extra: [String: Any] = [:]) -> Int {
        var extra = extra
        if bounds { (extra["min"], extra["max"]) = ([0, 0, 0], [1, 1, 0]) }
        return add(bytes: floats.flatMap { Self.bytes($0.bitPattern) }, 5126, type, count: floats.count / Self.width(type), extra: extra)
    }

    /// Adds an accessor over a view of its own.
    mutating func add(
        bytes: [UInt8], _ componentType: Int, _ type: String, count: Int, stride: Int? = nil, extra: [String: Any] = [:]
    ) -> Int {
        add(
            ["bufferView": view(bytes, stride: stride), "componentType": componentType, "type": type, "count": count].merging(extra) { $1 })
    }

    mutating func add(_ accessor: [String: Any]) -> Int {
        accessors.append(accessor)
        return accessors.count - 1
    }

    static func bytes<T: FixedWidthInteger>(_ value: T) -> [UInt8] { withUnsafeBytes(of: value.littleEndian) { Array($0) } }

    static func width(_ type: String) -> Int {
        ["SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT2": 4, "MAT3": 9, "MAT4": 16][type] ?? 1
    }

    // MARK: Files

    private func document(_ buffer: [String: Any]) throws -> [UInt8] {
        var json = json
        if !accessors.isEmpty { json["accessors"] = accessors }
        if !bufferViews.isEmpty { json["bufferViews"] = bufferViews }
        if !binary.isEmpty { json["buffers"] = [buffer] }
        return Array(try JSONSerialization.data(withJSONObject: json, options: [.sortedKeys]))
    }

    /// Returns the model as text, with the buffer as a data URI.
    func text() throws -> [UInt8] {
        let uri = "data:application/octet-stream;base64," + Data(binary).base64EncodedString()
        return try document(["byteLength": binary.count, "uri": uri])
    }

    func glb() throws -> [UInt8] {
        var text = try document(["byteLength": binary.count])
        while text.count % 4 != 0 { text.append(0x20) }
        var binary = binary
        while binary.count % 4 != 0 { binary.append(0) }
        return Self.container([(0x4E4F_534A, text)] + (binary.isEmpty ? [] : [(UInt32(0x004E_4942), binary)]))
    }

    static func container(_ chunks: [(type: UInt32, bytes: [UInt8])]) -> [UInt8] {
        let body = chunks.flatMap { bytes(UInt32($0.bytes.count)) + bytes($0.type) + $0.bytes }
        return Array("glTF".utf8) + bytes(UInt32(2)) + bytes(UInt32(body.count + 12)) + body
    }

    // MARK: Reading

    func read(limits: GLTFLimits = GLTFLimits()) throws -> GLTFAsset { try GLTFReader.read(try glb(), name: "test.glb", limits: limits) }

    /// The geometry of the first primitive.
    func geometry() throws -> Geometry {
        guard let geometry = try read().scene.rootNode.childNodes.first?.mesh?.parts.first?.geometry else { throw NothingThere() }
        return geometry
    }

    /// Why the file is refused.
    func refusal(limits: GLTFLimits = GLTFLimits()) throws -> GLTFError {
        do {
            _ = try read(limits: limits)
        } catch let error as GLTFError { return error }
        throw NothingThere()
    }

    struct NothingThere: Error {}
}

extension GLTFAsset {
    func warns(_ location: String, _ text: String) -> Bool { warnings.contains { $0.location == location && $0.message.contains(text) } }
}
