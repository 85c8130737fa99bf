import VitrineGeometry
import VitrineMath

/// The surface of a block of a `DepthVolume` as triangles, by naive surface nets (Gibson 1998): one vertex in each cell with a change of sign, one
/// quad around each edge with one.
///
/// Neighbouring blocks place the vertices of the cells that they share equally: their meshes meet without cracks. Cells with a sample that was never
/// observed have no surface.
struct SurfaceNet {
    private(set) var vertices: [Vector3] = []
    private(set) var normals: [Vector3] = []
    private(set) var faces: [SIMD3<UInt32>] = []

    private static let side = DepthVolume.side
    /// The samples along each axis, with those of the neighbours.
    private static let wide = side + 2
    /// The cells along each axis, with those of the neighbours.
    private static let cells = side + 1
    private static let missing = UInt32.max
    /// The steps from a sample to the next along x, y and z.
    private static let steps = [1, wide, wide * wide]

    private let samples: [Float]
    /// The vertex of each cell.
    private var numbers: [UInt32]

    /// Extracts the surface of a block.
    ///
    /// - Parameter samples: The samples that `DepthVolume.surroundings(of:)` returns.
    init(_ samples: [Float]) {
        self.samples = samples
        numbers = Array(repeating: Self.missing, count: Self.cells * Self.cells * Self.cells)
        for z in 0..<Self.cells {
            for y in 0..<Self.cells { for x in 0..<Self.cells { addVertex(x, y, z) } }
        }
        guard !vertices.isEmpty else { return }
        for z in 1...Self.side {
            for y in 1...Self.side { for x in 1...Self.side { addFaces(x, y, z) } }
        }
        removeUnused()
    }

    private static func index(_ x: Int, _ y: Int, _ z: Int) -> Int { (z * wide + y) * wide + x }

    /// Adds the vertex of a cell: the mean of the crossings of its edges.
    private mutating func addVertex(_ x: Int, _ y: Int, _ z: Int) {
        let first = Self.index(x, y, z)
        var values = SIMD8<Float>()
        for corner in 0..<8 {
            values[corner] = samples[first + (corner & 1) + (corner >> 1 & 1) * Self.steps[1] + (corner >> 2) * Self.steps[2]]
        }
        let isInside = values .< 0
        guard !values.sum().isNaN, isInside != SIMDMask(repeating: false), isInside != SIMDMask(repeating: true) else { return }
        var (sum, count) = (Vector3.zero, Float(0))
        for axis in 0..<3 {
            for corner in 0..<8 where corner >> axis & 1 == 0 {
                let (a, b) = (values[corner], values[corner | 1 << axis])
                guard (a < 0) != (b < 0) else { continue }
                var crossing = Vector3(Float(corner & 1), Float(corner >> 1 & 1), Float(corner >> 2))
                crossing[axis] += a / (a - b)
                (sum, count) = (sum + crossing, count + 1)
            }
        }
        var slope = Vector3.zero
        for axis in 0..<3 {
            for corner in 0..<8 where corner >> axis & 1 == 0 { slope[axis] += values[corner | 1 << axis] - values[corner] }
        }
        numbers[(z * Self.cells + y) * Self.cells + x] = UInt32(vertices.count)
        // Sample 0 belongs to the previous neighbour.
        vertices.append((sum / count + Vector3(Float(x), Float(y), Float(z)) - 1) * DepthVolume.spacing)
        normals.append(normalize(slope))
    }

    /// Adds the quads around the three edges that start at a sample.
    private mutating func addFaces(_ x: Int, _ y: Int, _ z: Int) {
        let sample = Self.index(x, y, z)
        let a = samples[sample]
        guard !a.isNaN else { return }
        let cell = (z * Self.cells + y) * Self.cells + x
        let strides = [1, Self.cells, Self.cells * Self.cells]
        for axis in 0..<3 {
            let b = samples[sample + Self.steps[axis]]
            guard !b.isNaN, (a < 0) != (b < 0) else { continue }
            // The cells around the edge, counterclockwise as seen from its end.
            let (u, v) = (strides[(axis + 1) % 3], strides[(axis + 2) % 3])
            let ring = [cell - u - v, cell - v, cell, cell - u].map { numbers[$0] }
            guard !ring.contains(Self.missing) else { continue }
            let quad = a < 0 ? ring : [ring[0], ring[3], ring[2], ring[1]]
            // Along the shorter diagonal.
            let (p, q) = (vertices[Int(quad[0])] - vertices[Int(quad[2])], vertices[Int(quad[1])] - vertices[Int(quad[3])])
            if dot(p, p) <= dot(q, q) {
                faces += [SIMD3(quad[0], quad[1], quad[2]), SIMD3(quad[0], quad[2], quad[3])]
            } else {
                faces += [SIMD3(quad[0], quad[1], quad[3]), SIMD3(quad[1], quad[2], quad[3])]
            }
        }
    }

    /// Removes the vertices of neighbouring cells that no face uses.
    private mutating func removeUnused() {
        var renamed = [UInt32](repeating: Self.missing, count: vertices.count)
        var (keptVertices, keptNormals): ([Vector3], [Vector3]) = ([], [])
        for face in faces {
            for corner in 0..<3 where renamed[Int(face[corner])] == Self.missing {
                renamed[Int(face[corner])] = UInt32(keptVertices.count)
                keptVertices.append(vertices[Int(face[corner])])
                keptNormals.append(normals[Int(face[corner])])
            }
        }
        for index in faces.indices { for corner in 0..<3 { faces[index][corner] = renamed[Int(faces[index][corner])] } }
        (vertices, normals) = (keptVertices, keptNormals)
    }
}
