import VitrineFiles
import VitrineGLTF
import VitrineScene

/// A GLB around compressed bytes, so that mutations reach the decoder and not the JSON.
enum PackedModel {
    /// The writer's output for a sphere: the first view of the file, which is compressed.
    static func seeds(_ compression: ModelWriteOptions.Compression) throws -> [[UInt8]] {
        try [4, 9].map { segments in
            let scene = Scene()
            scene.rootNode.addChildNode(Node(mesh: Mesh(geometry: .sphere(radius: 1, segments: segments), material: Material())))
            var options = ModelWriteOptions()
            options.compression = compression
            let bytes = try ModelFile.encode(scene, as: .glb, name: "seed.glb", options: options).files[0].bytes
            let json = (0..<4).reduce(0) { $0 | Int(bytes[12 + $1]) << (8 * $1) }
            return Array(bytes[(28 + json)...])
        }
    }

    static func draco(_ payload: [UInt8]) -> [UInt8] {
        glb(
            payload, buffers: "", views: #"{"buffer":0,"byteLength":\#(payload.count)}"#,
            accessors: #"{"componentType":5126,"count":3,"type":"VEC3"},{"componentType":5125,"count":3,"type":"SCALAR"}"#,
            primitive: #","indices":1,"extensions":{"KHR_draco_mesh_compression":{"bufferView":0,"attributes":{"POSITION":0}}}"#)
    }

    /// The first byte chooses mode and filter.
    static func meshopt(_ input: [UInt8]) -> [UInt8] {
        guard let choice = input.first, input.count > 1 else { return [] }
        let payload = Array(input.dropFirst())
        let mode = ["ATTRIBUTES", "ATTRIBUTES", "TRIANGLES", "INDICES"][Int(choice & 3)]
        let filter = choice & 1 == 0 ? #","filter":"EXPONENTIAL""# : ""
        let isIndices = choice & 2 != 0
        let (stride, count) = isIndices ? (4, 48) : (12, 40)
        let packed =
            #"{"buffer":0,"byteLength":\#(payload.count),"byteStride":\#(stride),"count":\#(count),"mode":"\#(mode)"\#(isIndices ? "" : filter)}"#
        let view = #"{"buffer":1,"byteLength":\#(stride * count),"extensions":{"EXT_meshopt_compression":\#(packed)}}"#
        let accessors =
            isIndices
            ? #"{"componentType":5126,"count":99,"type":"VEC3"},{"bufferView":0,"componentType":5125,"count":48,"type":"SCALAR"}"#
            : #"{"bufferView":0,"componentType":5126,"count":40,"type":"VEC3"}"#
        return glb(
            payload, buffers: #",{"byteLength":\#(stride * count)}"#, views: view, accessors: accessors,
            primitive: isIndices ? #","indices":1"# : "")
    }

    private static func glb(_ payload: [UInt8], buffers: String, views: String, accessors: String, primitive: String) -> [UInt8] {
        func word(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
        var json = Array(
            """
            {"asset":{"version":"2.0"},"extensionsUsed":["KHR_draco_mesh_compression","EXT_meshopt_compression"],
            "scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],"buffers":[{"byteLength":\(payload.count)}\(buffers)],"bufferViews":[\(views)],
            "accessors":[\(accessors)],"meshes":[{"primitives":[{"attributes":{"POSITION":0}\(primitive)}]}]}
            """.utf8)
        while json.count % 4 != 0 { json.append(0x20) }
        let binary = payload + Array(repeating: 0, count: -payload.count & 3)
        let chunks = word(json.count) + Array("JSON".utf8) + json + word(binary.count) + Array("BIN\0".utf8) + binary
        return Array("glTF".utf8) + word(2) + word(12 + chunks.count) + chunks
    }

    /// Reads it with the decoders of the host, under small limits.
    static func read(_ bytes: [UInt8]) {
        var options = ModelLoadOptions()
        (options.gltf.decodedBytes, options.gltf.decodedBytesPerBufferByte) = (1 << 22, 4)
        let none = { (path: String) throws(FileError) -> [UInt8] in throw FileError(path: path, reason: "none") }
        guard let loaded = try? SceneFile.read(bytes, name: "fuzz.glb", options: options, files: none) else { return }
        _ = loaded.scene.bounds
        loaded.scene.rootNode.forSubtree { node in
            for part in node.mesh?.parts ?? [] {
                precondition(part.geometry.indices?.allSatisfy { Int($0) < part.geometry.vertexCount } ?? true)
                for attribute in part.geometry.attributes { precondition(attribute.values.allSatisfy { $0.isFinite }) }
            }
        }
    }
}
