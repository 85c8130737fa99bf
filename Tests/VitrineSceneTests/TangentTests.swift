import Testing
import VitrineMath

@testable import VitrineScene

@Suite struct TangentTests {
    /// A quad facing +Z; `coordinates` for its corners (−1,−1), (1,−1), (1,1), (−1,1).
    private func quad(_ coordinates: [Float], indices: [UInt32] = [0, 1, 2, 0, 2, 3]) throws -> Geometry {
        try Geometry(
            attributes: [
                VertexAttribute(.position, componentCount: 3, values: [-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0]),
                VertexAttribute(.normal, componentCount: 3, values: [0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1]),
                VertexAttribute(.textureCoordinate(set: 0), componentCount: 2, values: coordinates),
            ], indices: indices)
    }

    @Test func anUprightTextureHasItsTangentToTheRight() throws {
        let tangents = try quad([0, 1, 1, 1, 1, 0, 0, 0]).withTangents().attribute(.tangent)!
        for vertex in 0..<4 { #expect(Array(tangents.values[vertex * 4..<vertex * 4 + 4]) == [1, 0, 0, 1]) }
    }

    @Test func aMirroredTextureHasNegativeHandedness() throws {
        let tangents = try quad([1, 1, 0, 1, 0, 0, 1, 0]).withTangents().attribute(.tangent)!
        for vertex in 0..<4 { #expect(Array(tangents.values[vertex * 4..<vertex * 4 + 4]) == [-1, 0, 0, -1]) }
    }

    @Test func aTurnedTextureTurnsTheTangent() throws {
        // u grows upwards.
        let tangents = try quad([0, 0, 0, 1, 1, 1, 1, 0]).withTangents().attribute(.tangent)!
        for vertex in 0..<4 { #expect(Array(tangents.values[vertex * 4..<vertex * 4 + 4]) == [0, 1, 0, 1]) }
    }

    @Test func verticesSplitWhereATextureIsMirrored() throws {
        // Two triangles over the diagonal: the second has the same coordinates at the diagonal, and mirrors the first.
        let geometry = try quad([0, 0, 1, 0, 1, 1, 1, 0])
        let made = try geometry.withTangents()
        #expect(made.vertexCount == 6)
        #expect(made.triangleCount == 2)
        let (tangents, positions) = (made.attribute(.tangent)!, made.attribute(.position)!)
        let signs = made.indices!.map { tangents.values[Int($0) * 4 + 3] }
        #expect(Set(signs[0..<3]).count == 1 && Set(signs[3..<6]).count == 1 && signs[0] == -signs[3])
        // The triangles are where they were.
        let before = geometry.triangleIndices.map { geometry.attribute(.position)!.vector3(at: Int($0)) }
        #expect(made.indices!.map { positions.vector3(at: Int($0)) } == before)
    }

    @Test func degenerateTrianglesTakeTheirNeighboursTangent() throws {
        var indices: [UInt32] = [0, 1, 2, 0, 2, 3]
        let expected = try quad([0, 1, 1, 1, 1, 0, 0, 0], indices: indices).withTangents().attribute(.tangent)!.values
        indices += [0, 0, 1, 2, 2, 2]
        let made = try quad([0, 1, 1, 1, 1, 0, 0, 0], indices: indices).withTangents()
        #expect(made.attribute(.tangent)!.values == expected)
        #expect(made.triangleCount == 4)
    }

    @Test func aTextureWithoutAreaStillGivesUnitTangents() throws {
        let tangents = try quad([0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5]).withTangents().attribute(.tangent)!
        for vertex in 0..<4 {
            let t = tangents.vector3(at: vertex)
            #expect(abs(length(t) - 1) < 1e-6 && t.z == 0)
        }
    }

    @Test func cornersAreWeightedByTheirAngle() throws {
        // Around the origin: a corner of 90° whose u grows along x, and one of 45° whose u grows along y.
        let geometry = try Geometry(
            attributes: [
                VertexAttribute(.position, componentCount: 3, values: [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, -1, 1, 0]),
                VertexAttribute(.normal, componentCount: 3, values: Array(repeating: [0, 0, 1], count: 6).flatMap { $0 }),
                VertexAttribute(
                    .textureCoordinate(set: 0), componentCount: 2, values: [0, 0, 1, 0, 0, -1, 0, 0, 1, 0, 1, -1].map { Float($0) }),
            ])
        let tangent = try geometry.withTangents().attribute(.tangent)!.vector3(at: 0)
        #expect(distance(tangent, normalize(Vector3(.pi / 2, .pi / 4, 0))) < 1e-5)
    }

    @Test func stripsAndFansGiveTheSameAsLists() throws {
        let list = try quad([0, 1, 1, 1, 1, 0, 0, 0])
        let strip = try Geometry(topology: .triangleStrip, attributes: list.attributes, indices: [0, 1, 3, 2])
        let fan = try Geometry(topology: .triangleFan, attributes: list.attributes)
        #expect(strip.triangleIndices == [0, 1, 3, 1, 2, 3])
        #expect(fan.triangleIndices == [1, 2, 0, 2, 3, 0])
        let expected = try list.withTangents().attribute(.tangent)!.values
        #expect(try strip.withTangents().attribute(.tangent)!.values == expected)
        #expect(try fan.withTangents().attribute(.tangent)!.values == expected)
    }

    @Test func morphTargetsAndColoursFollowSplitVertices() throws {
        let base = try quad([0, 0, 1, 0, 1, 1, 1, 0])
        let target = MorphTarget(name: "m", positionOffsets: (0..<12).map { Float($0) })
        let color = VertexAttribute(.color(set: 0), componentCount: 3, values: (0..<12).map { Float($0) / 12 })
        let geometry = try Geometry(attributes: base.attributes + [color], indices: base.indices, morphTargets: [target])
        let made = try geometry.withTangents()
        let originals = geometry.triangleIndices
        for (corner, vertex) in made.indices!.enumerated() {
            let original = Int(originals[corner])
            let offsets = made.morphTargets[0].positionOffsets[Int(vertex) * 3..<Int(vertex) * 3 + 3]
            #expect(Array(offsets) == Array(target.positionOffsets[original * 3..<original * 3 + 3]))
            #expect(made.attribute(.color(set: 0))!.vector3(at: Int(vertex)) == color.vector3(at: original))
        }
        #expect(made.morphTargets[0].name == "m")
    }

    @Test func missingStreamsAreNamed() throws {
        let bare = TestMeshes.geometry([[0, 0, 0], [1, 0, 0], [0, 1, 0]])
        #expect(throws: GeometryError.missing(.normal)) { try bare.withTangents() }
        #expect(throws: GeometryError.missing(.textureCoordinate(set: 1))) {
            try quad([0, 1, 1, 1, 1, 0, 0, 0]).withTangents(textureCoordinateSet: 1)
        }
        #expect(throws: GeometryError.notTriangles) { try TestMeshes.geometry([[0, 0, 0], [1, 0, 0]], topology: .lines).withTangents() }
        #expect(throws: GeometryError.notTriangles) { try TestMeshes.geometry([[0, 0, 0]], topology: .points).withFlatNormals() }
    }
}

@Suite struct NormalTests {
    @Test func flatNormalsAreThoseOfTheTriangles() throws {
        let box = Geometry.box(size: [1, 2, 3])
        let bare = try Geometry(attributes: [box.attribute(.position)!], indices: box.indices)
        let flat = try bare.withFlatNormals()
        #expect(flat.vertexCount == 36 && flat.triangleCount == 12)
        let expected = box.triangleIndices.map { box.attribute(.normal)!.vector3(at: Int($0)) }
        #expect((0..<36).map { flat.attribute(.normal)!.vector3(at: $0) } == expected)
    }

    @Test func smoothNormalsOfASphereAreItsRadii() throws {
        let sphere = Geometry.sphere(radius: 2, segments: 32)
        let bare = try Geometry(attributes: [sphere.attribute(.position)!, sphere.attribute(.tangent)!], indices: sphere.indices)
        let smooth = try bare.withSmoothNormals()
        #expect(smooth.vertexCount == sphere.vertexCount && smooth.attribute(.tangent) == nil)
        for vertex in 0..<smooth.vertexCount {
            let radius = smooth.attribute(.position)!.vector3(at: vertex) / 2
            let normal = smooth.attribute(.normal)!.vector3(at: vertex)
            #expect(dot(radius, normal) > 0.999)
        }
    }

    @Test func smoothNormalsOfACubeLeanEquallyToItsFaces() throws {
        let box = Geometry.box()
        let bare = try Geometry(attributes: [box.attribute(.position)!], indices: box.indices)
        let smooth = try bare.withSmoothNormals()
        for vertex in 0..<smooth.vertexCount {
            let corner = normalize(smooth.attribute(.position)!.vector3(at: vertex))
            #expect(distance(corner, smooth.attribute(.normal)!.vector3(at: vertex)) < 1e-5)
        }
    }
}
