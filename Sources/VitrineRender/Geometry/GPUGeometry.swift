import VitrineGPU
import VitrineMath
import VitrineScene

/// A geometry's vertices and indices on the GPU.
///
/// The streams that skins and morph targets change (position, normal, tangent) are interleaved in one buffer, `VertexLayout.movingStride` bytes per
/// vertex, so that a compute pass can write a buffer of the same layout; texture coordinates and colours have one buffer each.
final class GPUGeometry {
    /// The scene's geometry; retained, because it is identified by its address.
    private var owner: Geometry
    /// The owner with computed tangents; nil if it has its own or needs none.
    private let rebuilt: Geometry?
    let moving: GPUBuffer
    /// The texture coordinates of each set.
    let textureCoordinates: [Int: GPUBuffer]
    let colors: GPUBuffer?
    /// The occlusion by direction, 9 floats per vertex.
    let occlusion: GPUBuffer?
    /// Triangles, lines or points as lists; nil: vertices in their order.
    let indices: GPUBuffer?
    let elementCount: Int
    /// Coarser ones, finest first.
    let levels: [Level]
    /// Those of opaque casters of shadows, finest first.
    let casterLevels: [Level]
    let primitive: Primitive
    let hasNormals: Bool
    let hasTangents: Bool
    /// The uploaded geometry.
    var geometry: Geometry { rebuilt ?? owner }

    /// Whether the scene's geometry has no other reference than this one.
    func isOnlyReference() -> Bool { isKnownUniquelyReferenced(&owner) }
    private var edges: GPUBuffer?
    private(set) var memory = 0

    /// What levels of detail are drawn for: surfaces, or opaque casters of shadows, of which only positions count.
    enum LevelKind { case surfaces, casters }

    enum Primitive: Hashable { case points, lines, triangles }

    /// Coarser triangles over the same vertices.
    struct Level {
        let indices: GPUBuffer
        let elementCount: Int
        /// The error of the level, as a share of the geometry's radius.
        let error: Float
    }

    init(_ result: GeometryWork.Result, on device: GPUDevice) throws(GPUError) {
        let geometry = result.geometry
        owner = result.work.geometry
        rebuilt = geometry === owner ? nil : geometry
        hasNormals = geometry.attribute(.normal) != nil
        hasTangents = hasNormals && geometry.attribute(.tangent) != nil
        moving = try device.makeBuffer("vertices", contents: result.moving, usage: [.vertex, .storage])
        memory += moving.size
        var coordinates: [Int: GPUBuffer] = [:]
        var (colors, occlusion): (GPUBuffer?, GPUBuffer?)
        for attribute in geometry.attributes {
            if case .textureCoordinate(let set) = attribute.semantic {
                let buffer = try device.makeBuffer("texture coordinates \(set)", contents: attribute.values, usage: .vertex)
                coordinates[set] = buffer
                memory += buffer.size
            } else if attribute.semantic == .color(set: 0) {
                colors = try device.makeBuffer("vertex colours", contents: VertexLayout.fourComponents(of: attribute), usage: .vertex)
                memory += colors?.size ?? 0
            } else if attribute.semantic == .occlusionHarmonics {
                occlusion = try device.makeBuffer("occlusion", contents: attribute.values, usage: .vertex)
                memory += occlusion?.size ?? 0
            }
        }
        textureCoordinates = coordinates
        self.colors = colors
        self.occlusion = occlusion
        let list = result.indices
        elementCount = list?.count ?? geometry.vertexCount
        indices = try list.map { list throws(GPUError) in try device.makeBuffer("indices", contents: list, usage: .index) }
        memory += indices?.size ?? 0
        let radius = geometry.bounds.radius
        func uploaded(_ levels: [GeometryLevel]) throws(GPUError) -> [Level] {
            try levels.filter { !$0.indices.isEmpty && radius > 0 }.map { level throws(GPUError) in
                let buffer = try device.makeBuffer("coarser indices", contents: level.indices, usage: .index)
                return Level(indices: buffer, elementCount: level.indices.count, error: level.error / radius)
            }
        }
        levels = try uploaded(geometry.levels)
        casterLevels = try uploaded(result.casterLevels)
        for level in levels + casterLevels { memory += level.indices.size }
        primitive =
            switch geometry.topology {
            case .points: .points
            case .lines, .lineLoop, .lineStrip: .lines
            case .triangles, .triangleStrip, .triangleFan: .triangles
            }
    }

    var triangleCount: Int { primitive == .triangles ? elementCount / 3 : 0 }

    /// The levels of a kind, finest first.
    func levels(_ kind: LevelKind) -> [Level] { kind == .casters && !casterLevels.isEmpty ? casterLevels : levels }

    /// Returns the three edges of each triangle as lines, for wireframes; created on first use.
    func edgeIndices() throws(GPUError) -> GPUBuffer {
        if let edges { return edges }
        let triangles = geometry.listIndices ?? (0..<UInt32(geometry.vertexCount)).map { $0 }
        var lines: [UInt32] = []
        lines.reserveCapacity(triangles.count * 2)
        for first in stride(from: 0, to: triangles.count - 2, by: 3) {
            let (a, b, c) = (triangles[first], triangles[first + 1], triangles[first + 2])
            lines.append(contentsOf: [a, b, b, c, c, a])
        }
        // An empty buffer cannot be bound.
        let buffer = try moving.device.makeBuffer("edges", contents: lines.isEmpty ? [0, 0] : lines, usage: .index)
        edges = buffer
        memory += buffer.size
        return buffer
    }
}

/// The layout of vertices in their buffers.
enum VertexLayout {
    /// Position (3 floats), normal (3), tangent (4).
    static let movingFloats = 10
    static let movingStride = 40

    static func moving(of geometry: Geometry) -> [Float] {
        let count = geometry.vertexCount
        let positions = geometry.attribute(.position)?.values ?? []
        let normals = geometry.attribute(.normal)?.values
        let tangents = geometry.attribute(.tangent)?.values
        return [Float](unsafeUninitializedCapacity: count * movingFloats) { out, initialized in
            out.initialize(repeating: 0)
            for vertex in 0..<count {
                let base = vertex * movingFloats
                for c in 0..<3 { out[base + c] = positions[3 * vertex + c] }
                if let normals { for c in 0..<3 { out[base + 3 + c] = normals[3 * vertex + c] } }
                if let tangents { for c in 0..<4 { out[base + 6 + c] = tangents[4 * vertex + c] } }
            }
            initialized = count * movingFloats
        }
    }

    static func fourComponents(of attribute: VertexAttribute) -> [Float] {
        guard attribute.componentCount == 3 else { return attribute.values }
        var values: [Float] = []
        values.reserveCapacity(attribute.vertexCount * 4)
        for vertex in 0..<attribute.vertexCount {
            values.append(contentsOf: attribute.values[3 * vertex..<3 * vertex + 3])
            values.append(1)
        }
        return values
    }

    /// Buffers in slots 0…4; all but the first are one element for all vertices where the geometry has none.
    static func buffers(_ streams: VertexStreams) -> [GPUVertexBufferLayout] {
        func stream(_ bit: VertexStreams, _ format: GPUVertexFormat, _ location: Int) -> GPUVertexBufferLayout {
            GPUVertexBufferLayout(stride: streams.contains(bit) ? format.byteCount : 0, [GPUVertexAttribute(format, location: location)])
        }
        return [
            GPUVertexBufferLayout(
                stride: movingStride,
                [
                    GPUVertexAttribute(.float32x3, location: 0), GPUVertexAttribute(.float32x3, offset: 12, location: 1),
                    GPUVertexAttribute(.float32x4, offset: 24, location: 2),
                ]),
            stream(.firstUV, .float32x2, 3), stream(.secondUV, .float32x2, 4), stream(.color, .float32x4, 5),
            GPUVertexBufferLayout(
                stride: streams.contains(.occlusion) ? 36 : 0,
                [
                    GPUVertexAttribute(.float32x4, location: 6), GPUVertexAttribute(.float32x4, offset: 16, location: 7),
                    GPUVertexAttribute(.float32, offset: 32, location: 8),
                ]),
        ]
    }
}

/// The optional streams that the geometry has.
struct VertexStreams: OptionSet, Hashable {
    var rawValue: UInt8
    static let firstUV = VertexStreams(rawValue: 1)
    static let secondUV = VertexStreams(rawValue: 2)
    static let color = VertexStreams(rawValue: 4)
    static let occlusion = VertexStreams(rawValue: 8)
}

extension Geometry {
    /// Indices of a list of points, lines or triangles; nil when the vertices in their order are one.
    var listIndices: [UInt32]? {
        switch topology {
        case .points: return indices
        case .lines: return indices.map { Array($0.prefix($0.count / 2 * 2)) }
        case .triangles: return indices.map { Array($0.prefix($0.count / 3 * 3)) }
        case .lineStrip, .lineLoop, .triangleStrip, .triangleFan: break
        }
        let count = elementCount
        func element(_ index: Int) -> UInt32 { indices.map { $0[index] } ?? UInt32(index) }
        var list: [UInt32] = []
        switch topology {
        case .lineStrip, .lineLoop:
            for i in 0..<max(0, count - 1) { list += [element(i), element(i + 1)] }
            if topology == .lineLoop, count > 2 { list += [element(count - 1), element(0)] }
        case .triangleStrip:
            // Every second triangle is reversed, so that all have the same winding.
            for i in 0..<max(0, count - 2) {
                list += i % 2 == 0 ? [element(i), element(i + 1), element(i + 2)] : [element(i + 1), element(i), element(i + 2)]
            }
        default:
            for i in 0..<max(0, count - 2) { list += [element(i + 1), element(i + 2), element(0)] }
        }
        return list
    }
}
