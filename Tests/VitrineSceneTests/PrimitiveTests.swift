import Testing
import VitrineMath

@testable import VitrineScene

@Suite struct PrimitiveTests {
    static let solids: [(name: String, geometry: Geometry, volume: Float, tolerance: Float)] = [
        ("box", .box(size: [1, 2, 3]), 6, 1e-4),
        ("rounded box", .box(size: [1, 2, 3], chamferRadius: 0.2, chamferSegments: 8), roundedVolume([1, 2, 3], 0.2), 0.01),
        ("ball of a box", .box(size: [1, 1, 1], chamferRadius: 0.5, chamferSegments: 12), .pi / 6, 0.01),
        ("sphere", .sphere(radius: 2, segments: 96), 4 / 3 * .pi * 8, 0.1), ("coarse sphere", .sphere(radius: 1, segments: 3), 1, 0.9),
        ("divided box", .box(size: [1, 2, 3], chamferRadius: 0.1, segments: (2, 3, 4)), roundedVolume([1, 2, 3], 0.1), 0.01),
        ("geodesic sphere", .geodesicSphere(radius: 1, divisions: 24), 4 / 3 * .pi, 0.02),
        ("octahedron", .geodesicSphere(radius: 1, divisions: 1), 4.0 / 3, 1e-5),
        ("pyramid", .pyramid(size: [1, 2, 3], segments: (3, 4)), 2, 1e-4),
        ("cone", .cone(bottomRadius: 1, height: 2, segments: 96, heightSegments: 3), 2 / 3 * .pi, 0.01),
        ("funnel", .cone(topRadius: 1, bottomRadius: 0.5, height: 1, segments: 96), .pi / 3 * 1.75, 0.01),
        ("cone on its tip", .cone(topRadius: 1, bottomRadius: 0, height: 1, segments: 96), .pi / 3, 0.01),
        ("cylinder", .cylinder(radius: 1, height: 2, segments: 96), 2 * .pi, 0.01),
        ("capsule", .capsule(radius: 0.5, height: 2, segments: 96, heightSegments: 4), .pi * 0.25 + .pi / 6, 0.01),
        ("ball of a capsule", .capsule(radius: 0.5, height: 0, segments: 96), .pi / 6, 0.01),
        ("tube", .tube(innerRadius: 0.5, outerRadius: 1, height: 2, segments: 96), 1.5 * .pi, 0.01),
        ("torus", .torus(ringRadius: 1, pipeRadius: 0.25, ringSegments: 96, pipeSegments: 48), 2 * .pi * .pi / 16, 0.01),
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
        func rounded(_ vertex: Int) -> Vector3 { (positions.vector3(at: vertex) * 4096).rounded(.toNearestOrEven) + Vector3(repeating: 0) }
        var edges: [[Vector3]: Int] = [:]
        var measured: Float = 0
        geometry.forEachTriangle { _, a, b, c in
            for (from, to) in [(a, b), (b, c), (c, a)] { edges[[rounded(from), rounded(to)], default: 0] += 1 }
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

    /// The tangents of the shapes match those computed from their triangles. (On the ball of a box two faces happen to have the
    /// same texture coordinates in a few points where they meet, the coarse sphere is no sphere, and the triangles at a geodesic sphere's
    /// pole go a quarter around it.)
    @Test(
        arguments: solids.indices.filter {
            !["ball of a box", "coarse sphere", "octahedron", "geodesic sphere"].contains(solids[$0].name)
        })
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

    /// Coordinates stay within the texture, no triangle is degenerate in it, and none is mirrored.
    @Test(arguments: solids.indices)
    func everyTriangleShowsSomeOfTheTexture(_ index: Int) {
        let (name, geometry, _, _) = PrimitiveTests.solids[index]
        let coordinates = geometry.attribute(.textureCoordinate(set: 0))!
        for value in coordinates.values { #expect(value >= 0 && value <= 1, "\(name)") }
        geometry.forEachTriangle { _, a, b, c in
            let (p, q, r) = (coordinates.vector2(at: a), coordinates.vector2(at: b), coordinates.vector2(at: c))
            #expect((q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x) < -1e-7, "\(name)")
        }
    }

    static func area(_ geometry: Geometry) -> Float {
        let positions = geometry.attribute(.position)!
        var area: Float = 0
        geometry.forEachTriangle { _, a, b, c in
            let p = positions.vector3(at: a)
            area += length(cross(positions.vector3(at: b) - p, positions.vector3(at: c) - p)) / 2
        }
        return area
    }

    @Test func areasAreThoseOfTheFormulas() {
        let cases: [(Geometry, Float)] = [
            (.pyramid(size: [2, 1, 2]), 4 + 4 * Float(2).squareRoot()), (.cylinder(radius: 1, height: 2, segments: 192), 6 * .pi),
            (.cone(bottomRadius: 1, height: 1, segments: 192), .pi * (1 + Float(2).squareRoot())),
            (.capsule(radius: 0.5, height: 2, segments: 192, capSegments: 48), 2 * .pi),
            (.tube(innerRadius: 0.5, outerRadius: 1, height: 2, segments: 192), 2 * .pi * 2 + .pi * 2 + 1.5 * .pi),
            (.torus(ringRadius: 1, pipeRadius: 0.25, ringSegments: 192, pipeSegments: 96), .pi * .pi),
            (.geodesicSphere(radius: 1, divisions: 48), 4 * .pi), (.disc(radius: 1, innerRadius: 0.5, segments: 192, rings: 2), 0.75 * .pi),
            (.plane(width: 2, height: 1, cornerRadius: 0.5, cornerSegments: 64), 1 + .pi / 4),
            (.plane(width: 2, height: 1, cornerRadius: 0.2, segments: (3, 2), cornerSegments: 64), 2 - 0.04 * (4 - .pi)),
            (.floor(width: 3, length: 2), 6),
        ]
        for (geometry, expected) in cases { #expect(abs(PrimitiveTests.area(geometry) / expected - 1) < 2e-3) }
    }

    @Test func boundsAreTheRequestedSizes() {
        let cases: [(Geometry, Vector3, Vector3)] = [
            (.pyramid(size: [1, 2, 3]), [-0.5, 0, -1.5], [0.5, 2, 1.5]), (.cylinder(radius: 2, height: 3), [-2, -1.5, -2], [2, 1.5, 2]),
            (.cone(bottomRadius: 1, height: 3), [-1, -1.5, -1], [1, 1.5, 1]),
            (.capsule(radius: 1, height: 5), [-1, -2.5, -1], [1, 2.5, 1]),
            (.tube(innerRadius: 1, outerRadius: 2, height: 1), [-2, -0.5, -2], [2, 0.5, 2]),
            (.torus(ringRadius: 2, pipeRadius: 0.5), [-2.5, -0.5, -2.5], [2.5, 0.5, 2.5]),
            (.geodesicSphere(radius: 2), [-2, -2, -2], [2, 2, 2]), (.disc(radius: 2), [-2, -2, 0], [2, 2, 0]),
            (.plane(width: 3, height: 2, cornerRadius: 0.5), [-1.5, -1, 0], [1.5, 1, 0]), (.floor(), [-50, 0, -50], [50, 0, 50]),
        ]
        for (geometry, least, most) in cases {
            #expect(distance(geometry.bounds.minimum, least) < 1e-6 && distance(geometry.bounds.maximum, most) < 1e-6)
        }
    }

    /// Sizes that make no sense count as 0: shapes without area are empty, nothing is NaN.
    @Test(arguments: [0, -1, .nan, .infinity] as [Float])
    func invalidSizesCountAsZero(_ size: Float) {
        let empty: [Geometry] = [
            .sphere(radius: size), .geodesicSphere(radius: size), .torus(ringRadius: size), .capsule(radius: size, height: size),
            .cylinder(radius: size), .cone(bottomRadius: size), .tube(outerRadius: size), .disc(radius: size),
            .box(size: Vector3(repeating: size)), .pyramid(size: Vector3(repeating: size)),
        ]
        for geometry in empty { #expect(geometry.triangleCount == 0) }
        let flat: [Geometry] = [
            .cylinder(height: size), .cone(height: size), .tube(height: size), .box(size: [1, size, 1]), .pyramid(size: [1, size, 1]),
            .plane(width: size, height: 1), .floor(width: 1, length: size), .box(chamferRadius: size), .plane(cornerRadius: size),
            .torus(pipeRadius: size), .floor(textureSize: size), .tube(innerRadius: size),
        ]
        for geometry in flat {
            for attribute in geometry.attributes { #expect(attribute.values.allSatisfy { $0.isFinite }) }
            let normals = geometry.attribute(.normal)!
            for vertex in 0..<geometry.vertexCount { #expect(abs(length(normals.vector3(at: vertex)) - 1) < 1e-5) }
        }
        #expect(Geometry.cylinder(segments: .min, heightSegments: .min).triangleCount == 3 * 2 + 3 + 3)
    }

    @Test func shapePiecesAddUpToTheGeometry() {
        let shapes: [(Shape, Geometry, [Shape.Side])] = [
            (.box(chamferRadius: 0.1), .box(chamferRadius: 0.1), [.right, .left, .top, .bottom, .front, .back]),
            (.pyramid(), .pyramid(), [.front, .right, .back, .left, .bottom]), (.cone(), .cone(), [.side, .bottom]),
            (.cylinder(), .cylinder(), [.side, .top, .bottom]), (.tube(), .tube(), [.side, .inside, .top, .bottom]),
        ]
        for (shape, whole, sides) in shapes {
            #expect(shape.sides == sides)
            #expect(shape.parts.reduce(0) { $0 + $1.geometry.triangleCount } == whole.triangleCount)
            #expect(shape.bounds == whole.bounds)
        }
        let (red, blue) = (Material(name: "red"), Material(name: "blue"))
        let drum = Mesh(shape: .cylinder(), materials: [red, blue])
        #expect(drum.parts.map(\.material.name) == ["red", "blue", "red"])
        #expect(
            Mesh(shape: .box()) { $0 == .front ? red : blue }.parts.map(\.material.name) == ["blue", "blue", "blue", "blue", "red", "blue"])
        #expect(Shape.cylinder(isCapped: false).sides == [.side] && Shape.cylinder()[.front] == nil)
    }

    @Test func floorsRepeatTheirTexture() {
        let coordinates = Geometry.floor(width: 4, length: 2, textureSize: 0.5).attribute(.textureCoordinate(set: 0))!
        #expect(coordinates.values == [-4, -2, 4, -2, -4, 2, 4, 2])
        #expect(Geometry.floor(textureSize: nil).attribute(.textureCoordinate(set: 0))!.values == [0, 0, 1, 0, 0, 1, 1, 1])
    }
}
