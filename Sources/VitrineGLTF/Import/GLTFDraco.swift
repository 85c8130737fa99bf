/// Decodes primitives that use KHR_draco_mesh_compression. Primitives that share a buffer view share its mesh.
final class GLTFDraco {
    /// A primitive with its Draco data.
    struct Primitive {
        let mesh: DracoMesh
        /// The `attributes` of the extension: identifiers by name.
        let ids: JSONValue
        let json: JSONValue

        func id(of name: String) throws(GLTFError) -> Int? {
            for index in 0..<ids.count {
                let (key, value) = ids.member(index)
                if key == name { return try value.index(below: Int(Int32.max)) }
            }
            return nil
        }
    }

    private let context: GLTFContext
    private let buffers: GLTFBuffers
    private let accessors: GLTFAccessors
    /// The decoded meshes by buffer view.
    private var meshes: [Int: DracoMesh] = [:]

    init(_ buffers: GLTFBuffers, _ accessors: GLTFAccessors, _ context: GLTFContext) {
        (self.buffers, self.accessors, self.context) = (buffers, accessors, context)
    }

    /// Decodes the mesh of a primitive; returns nil if it is not compressed.
    func primitive(_ primitive: JSONValue) throws(GLTFError) -> Primitive? {
        guard let decode = context.decoders.draco, let packed = try primitive.extension("KHR_draco_mesh_compression") else { return nil }
        let view = try packed.requireIndex("bufferView", below: buffers.viewCount)
        guard let ids = try packed.object("attributes") else { throw packed.failure("attributes", "is missing") }
        if let known = meshes[view] { return Primitive(mesh: known, ids: ids, json: packed) }
        let bytes = try buffers.bytes(of: buffers[view: view])
        let mesh: DracoMesh
        do throws(GLTFDecoderError) {
            mesh = try decode(bytes, context.triangleLimit)
        } catch {
            throw packed.failure(error.text)
        }
        let floats = mesh.streams.reduce(0) { $0 + $1.values.count }
        try context.reserve(bytes: (floats + mesh.indices.count) * 4, for: packed)
        meshes[view] = mesh
        return Primitive(mesh: mesh, ids: ids, json: packed)
    }

    /// Returns the values of an attribute in Draco data; nil if the attribute is in its accessor.
    func values(
        _ primitive: Primitive?, attribute name: String, accessor: GLTFAccessor, at location: JSONValue
    ) throws(GLTFError) -> [Float]? {
        guard let primitive, let id = try primitive.id(of: name) else { return nil }
        guard let stream = primitive.mesh.streams.first(where: { $0.id == id }) else {
            throw primitive.json.failure("attributes", "the Draco data have no attribute \(id)")
        }
        guard stream.componentCount == accessor.componentCount else {
            throw location.failure("the Draco data have \(stream.componentCount) components, the accessor has \(accessor.componentCount)")
        }
        // Encoders split and merge vertices, and some write the original count.
        if primitive.mesh.vertexCount != accessor.count {
            context.warn(
                location,
                "the accessor has \(accessor.count) elements, but the Draco data have \(primitive.mesh.vertexCount), which were used"
            )
        }
        var values = stream.values
        if accessor.isNormalized { accessor.type.normalize(&values) }
        accessors.replaceNotFinite(&values, of: accessor)
        return values
    }
}
