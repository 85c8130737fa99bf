import Testing
import VitrineMath

@testable import VitrineScene

@Suite struct PrimitiveTests {
    static let solids: [(name: String, geometry: Geometry, volume: Float, tolerance: Float)] = [
        ("box", .box(size: [1, 2, 3]), 6, 1e-4),
        ("rounded box", .box(size: [1, 2, 3], chamferRadius: 0.2, chamferSegments: 8), roundedVolume([1, 2, 3], 0.2), 0.01),
        ("ball of a box", .box(size: [1, 1, 1], chamferRadius: 0.5, chamferSegments: 12), .pi / 6, 0.01),
        ("sphere", .sphere(radius: 2, segments: 96), 4 / 3 * .pi * 8, 0.1), ("coarse sphere", .sphere(radius: 1, segments: 3), 1, 0.9),
    ]

    /// Steiner's formula for a box grown by a ball.
    static func roundedVolume(_ size: Vector3, _ r: Float) -> Float {
        let a = size - 2 * r
        let surface = 2 * (a.x * a.y + a.y * a.z + a.z * a.x)
        return a.x * a.y * a.z + surface * r + .pi * (a.x + a.y + a.z) * r * r + 4 / 3 * .pi * r * r * r
    }

    @Test(arguments: solids.indices)
    func solidsAreClosedAndFaceOutwards(_ index: Int) {
        let (name, geometry, volume, tolerance) = PrimitiveTests.solids[index]
        let positions = geometry.attribute(.position)!
        let normals = geometry.attribute(.normal)!
        // Positions on seams agree up to rounding.
        func place(_ vertex: Int) -> Vector3 { (positions.vector3(at: vertex) * 4096).rounded(.toNearestOrEven) + Vector3(repeating: 0) }
        var edges: [[Vector3]: Int] = [:]
        var measured: Float = 0
        geometry.forEachTriangle { _, a, b, c in
            for (from, to) in [(a, b), (b, c), (c, a)] { edges[[place(from), place(to)], default: 0] += 1 }
            let (p, q, r) = (positions.vector3(at: a), positions.vector3(at: b), positions.vector3(at: c))
            measured += dot(p, cross(q, r)) / 6
            let face = cross(q - p, r - p)
            for vertex in [a, b, c] { #expect(dot(face, normals.vector3(at: vertex)) > 0, "\(name)") }
        }
        for (edge, count) in edges { #expect(count == 1 && edges[[edge[1], edge[0]]] == 1, "\(name): open edge") }
        #expect(abs(measured - volume) < tolerance, "\(name)")
    }

    @Test(arguments: solids.indices)
    func normalsAndTangentsAreUnitAndPerpendicular(_ index: Int) {
        let geometry = PrimitiveTests.solids[index].geometry
        let (normals, tangents) = (geometry.attribute(.normal)!, geometry.attribute(.tangent)!)
        for vertex in 0..<geometry.vertexCount {
            let (n, t) = (normals.vector3(at: vertex), tangents.vector3(at: vertex))
            #expect(abs(length(n) - 1) < 1e-5 && abs(length(t) - 1) < 1e-5 && abs(dot(n, t)) < 1e-5)
        }
    }

    /// What the shapes say of their tangents is what is found from their triangles. (On the ball of a box two faces happen to have the
    /// same texture coordinates in a few points where they meet, and the coarse sphere is no sphere.)
    @Test(arguments: [0, 1, 3])
    func tangentsAreThoseThatAreGenerated(_ index: Int) throws {
        let (name, geometry, _, _) = PrimitiveTests.solids[index]
        let (given, made) = (geometry.attribute(.tangent)!, try geometry.withTangents().attribute(.tangent)!)
        #expect(made.vertexCount == given.vertexCount)
        for vertex in 0..<geometry.vertexCount {
            #expect(dot(given.vector3(at: vertex), made.vector3(at: vertex)) > 0.97, "\(name) \(vertex)")
            #expect(made.values[vertex * 4 + 3] == 1)
        }
    }

    @Test func roundedBoxesKeepTheirSize() {
        let bounds = Geometry.box(size: [1, 2, 3], chamferRadius: 0.3).bounds
        #expect(distance(bounds.maximum, [0.5, 1, 1.5]) < 1e-6 && distance(bounds.minimum, [-0.5, -1, -1.5]) < 1e-6)
        #expect(Geometry.box(size: [1, 2, 3], chamferRadius: 99).bounds.size.y > 1.99)
    }

    @Test func thePlaneShowsItsTextureUpright() {
        let plane = Geometry.plane(width: 4, height: 2, segments: (2, 3))
        let (positions, coordinates) = (plane.attribute(.position)!, plane.attribute(.textureCoordinate(set: 0))!)
        #expect(plane.triangleCount == 12)
        for vertex in 0..<plane.vertexCount {
            let (p, uv) = (positions.vector3(at: vertex), coordinates.vector2(at: vertex))
            #expect(distance(p, Vector3(uv.x * 4 - 2, 1 - uv.y * 2, 0)) < 1e-6)
        }
    }

    @Test func theFrontOfEveryBoxFaceReadsFromLeftToRight() {
        let box = Geometry.box()
        let (positions, coordinates) = (box.attribute(.position)!, box.attribute(.textureCoordinate(set: 0))!)
        let (normals, tangents) = (box.attribute(.normal)!, box.attribute(.tangent)!)
        for vertex in 0..<box.vertexCount {
            let (n, t) = (normals.vector3(at: vertex), tangents.vector3(at: vertex))
            let p = positions.vector3(at: vertex)
            let expected = Vector2(dot(p, t) + 0.5, 0.5 - dot(p, cross(n, t)))
            #expect(distance(expected, coordinates.vector2(at: vertex)) < 1e-6)
        }
    }
}
