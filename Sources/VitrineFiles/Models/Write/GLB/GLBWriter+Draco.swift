import CCodecs
import VitrineGLTF
import VitrineMath
import VitrineScene

extension GLBWriter {
    /// A stream on its way into Draco data.
    private struct PackedStream {
        let name: String
        let stream: DracoCodec.Stream
        let shape: String
        /// Whether integers stand for fractions of 1.
        var isNormalized = false
        var type: Int { stream.isInteger ? 5123 : 5126 }
    }

    /// A geometry's streams as Draco data; nil if they are not triangles. Geometries that Draco refuses are written uncompressed, with a warning.
    mutating func dracoPrimitive(_ geometry: Geometry, isSkinned: Bool, place: String) -> Primitive? {
        guard geometry.triangleCount > 0 else { return nil }
        let streams = packedStreams(of: geometry, isSkinned: isSkinned, place: place)
        let keepsOrder = !geometry.morphTargets.isEmpty
        do throws(GLTFDecoderError) {
            let bytes = try DracoCodec.encode(
                indices: geometry.triangleIndices, vertexCount: geometry.vertexCount, streams: streams.map(\.stream), keepsOrder: keepsOrder
            )
            // What comes out counts: vertices may be split or merged, and positions are rounded.
            let mesh = try DracoCodec.decode(bytes[...], limit: Int(UInt32.max))
            guard !keepsOrder || mesh.vertexCount == geometry.vertexCount else { throw GLTFDecoderError("the vertices lose their order") }
            return primitive(geometry, streams, bytes: bytes, mesh: mesh)
        } catch {
            warnings.append(ModelWarning(place: place, message: "not compressed: \(error.text)"))
            return nil
        }
    }

    private mutating func primitive(_ geometry: Geometry, _ streams: [PackedStream], bytes: [UInt8], mesh: DracoMesh) -> Primitive {
        require("KHR_draco_mesh_compression")
        var result = Primitive(vertexCount: mesh.vertexCount)
        for (id, stream) in streams.enumerated() {
            let values = mesh.streams.first { $0.id == id }?.values ?? []
            let bounds = stream.name == "POSITION" ? GLBBuffer.bounds(values, width: 3) : nil
            let accessor = binary.accessor(
                view: nil, type: stream.type, count: mesh.vertexCount, shape: stream.shape, bounds: bounds,
                isNormalized: stream.isNormalized)
            result.attributes.append((stream.name, .integer(accessor)))
        }
        result.indices = binary.accessor(
            view: nil, type: mesh.vertexCount <= 0xFFFF ? 5123 : 5125, count: mesh.indices.count, shape: "SCALAR")
        result.targets = geometry.morphTargets.map { target($0, of: geometry) }
        let ids = streams.indices.map { (streams[$0].name, JSONText.integer($0)) }
        result.draco = .object([("bufferView", .integer(binary.view(bytes))), ("attributes", .object(ids))])
        return result
    }

    private mutating func packedStreams(of geometry: Geometry, isSkinned: Bool, place: String) -> [PackedStream] {
        var (streams, sets): ([PackedStream], Int) = ([], 0)
        func add(
            _ name: String, _ kind: vitrine_draco_kind, _ width: Int, bits: Int, _ values: [Float], isInteger: Bool = false,
            isNormalized: Bool = false
        ) {
            let stream = DracoCodec.Stream(kind: kind, componentCount: width, bits: bits, isInteger: isInteger, values: values)
            let shape = ["SCALAR", "VEC2", "VEC3", "VEC4"][width - 1]
            streams.append(PackedStream(name: name, stream: stream, shape: shape, isNormalized: isNormalized))
        }
        for attribute in geometry.attributes {
            let (values, width) = (attribute.values, attribute.componentCount)
            switch attribute.semantic {
            case .position: add("POSITION", vitrine_draco_position, 3, bits: 14, values)
            case .normal: add("NORMAL", vitrine_draco_normal, 3, bits: 10, UnitVectors.normals(values))
            // Rounded, the sign in the fourth number would be neither 1 nor −1.
            case .tangent where geometry.attribute(.normal) != nil:
                add("TANGENT", vitrine_draco_generic, 4, bits: 0, UnitVectors.tangents(values))
            case .textureCoordinate(let set) where set == sets:
                add("TEXCOORD_\(set)", vitrine_draco_coordinate, 2, bits: 12, values)
                sets += 1
            case .color(set: 0): add("COLOR_0", vitrine_draco_color, width, bits: 10, values.map { clamp($0, 0, 1) })
            case .custom(let name) where name.hasPrefix("_") && width <= 4: add(name, vitrine_draco_generic, width, bits: 0, values)
            case .joints, .weights, .occlusionHarmonics: break
            default: warnings.append(ModelWarning(place: place, message: "\(attribute.semantic): not written"))
            }
        }
        guard isSkinned else { return streams }
        let (joints, weights) = geometry.skinSets()
        // Integers are kept exactly, so that the weights still sum to 1.
        for (number, values) in SkinWeights.quantized(weights).enumerated() {
            add("JOINTS_\(number)", vitrine_draco_generic, 4, bits: 0, joints[number], isInteger: true)
            add("WEIGHTS_\(number)", vitrine_draco_generic, 4, bits: 0, values.map { Float($0) }, isInteger: true, isNormalized: true)
        }
        return streams
    }
}
