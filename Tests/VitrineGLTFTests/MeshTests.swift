import Testing
import VitrineGLTF
import VitrineMath
import VitrineScene

struct MeshTests {
    @Test(arguments: [
        (0, PrimitiveTopology.points), (1, .lines), (2, .lineLoop), (3, .lineStrip), (4, .triangles), (5, .triangleStrip),
        (6, .triangleFan),
    ])
    func modes(_ mode: Int, _ topology: PrimitiveTopology) throws {
        var builder = ModelBuilder.triangle()
        let normal = builder.add(floats: [0, 0, 1, 0, 0, 1, 0, 0, 1], "VEC3")
        builder.setPrimitive(["mode": mode, "attributes": ["POSITION": 0, "NORMAL": normal]])
        #expect(try builder.geometry().topology == topology)
    }

    @Test func modeOutsideIsRefused() throws {
        #expect(try ModelBuilder.triangle(["mode": 7]).refusal().location == .property("/meshes/0/primitives/0/mode"))
    }

    @Test(
        arguments: [(5121, [2, 1, 0, 0]), (5123, [2, 0, 1, 0, 0, 0, 0, 0]), (5125, [2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0])]
            as [(Int, [UInt8])])
    func indices(_ type: Int, _ bytes: [UInt8]) throws {
        var builder = ModelBuilder.triangle()
        let index = builder.add(bytes: bytes, type, "SCALAR", count: 3)
        let normal = builder.add(floats: [0, 0, 1, 0, 0, 1, 0, 0, 1], "VEC3")
        builder.setPrimitive(["indices": index, "attributes": ["POSITION": 0, "NORMAL": normal]])
        #expect(try builder.geometry().indices == [2, 1, 0])
    }

    @Test func indexOutsideIsRefused() throws {
        var builder = ModelBuilder.triangle()
        let index = builder.add(bytes: [0, 1, 3, 0], 5121, "SCALAR", count: 3)
        builder.setPrimitive(["indices": index, "attributes": ["POSITION": 0]])
        #expect(try builder.refusal().description == "test.glb:/accessors/1: index 3, but there are 3 vertices")
    }

    @Test func allAttributes() throws {
        var builder = ModelBuilder.triangle()
        let names = ["TEXCOORD_0", "TEXCOORD_1", "COLOR_0", "COLOR_1", "JOINTS_0", "WEIGHTS_0", "JOINTS_1", "WEIGHTS_1", "_MINE"]
        var attributes: [String: Any] = ["POSITION": 0, "NORMAL": builder.add(floats: [0, 0, 1, 0, 0, 1, 0, 0, 1], "VEC3")]
        attributes["TANGENT"] = builder.add(floats: [1, 0, 0, 1, 1, 0, 0, -1, 1, 0, 0, 1], "VEC4")
        for name in names {
            let flag: [String: Any] = name.hasPrefix("JOINTS") || name.hasPrefix("_") ? [:] : ["normalized": true]
            let type = name.hasPrefix("TEX") ? "VEC2" : name == "COLOR_0" ? "VEC3" : "VEC4"
            let values: [UInt8] = name.hasPrefix("W") ? [64, 64, 0, 0] : [0, 0, 0, 0]
            let width = ModelBuilder.width(type)
            attributes[name] = builder.add(
                bytes: (0..<3).flatMap { _ in Array(values.prefix(width)) }, 5121, type, count: 3, extra: flag)
        }
        builder.setPrimitive(["attributes": attributes])
        let geometry = try builder.geometry()
        #expect(geometry.attributes.count == names.count + 3)
        #expect(geometry.attribute(.color(set: 0))?.componentCount == 3)
        #expect(geometry.attribute(.color(set: 1))?.componentCount == 4)
        #expect(geometry.attribute(.joints(set: 1)) != nil && geometry.attribute(.weights(set: 1)) != nil)
        #expect(geometry.attribute(.custom("_MINE"))?.componentCount == 4)
        #expect(geometry.attribute(.tangent)?.values[7] == -1)
    }

    @Test func oddAttributesAreReported() throws {
        var builder = ModelBuilder.triangle()
        let vector = builder.add(floats: [0, 0, 2, 0, 0, 2, 0, 0, 2], "VEC3")
        let weights = builder.add(floats: [2, 2, 0, 0, 1, 0, 0, 0, 0.5, 0.5, 0, 0], "VEC4")
        let joints = builder.add(bytes: [UInt8](repeating: 0, count: 12), 5121, "VEC4", count: 3)
        builder.setPrimitive([
            "attributes": ["POSITION": 0, "NORMAL": vector, "FOO": 0, "WEIGHTS_0": weights, "JOINTS_0": joints, "JOINTS_1": joints]
        ])
        let asset = try builder.read()
        #expect(asset.warns("/meshes/0/primitives/0/attributes/FOO", "is not an attribute of glTF"))
        #expect(asset.warns("/meshes/0/primitives/0", "3 of 3 NORMAL vectors are not of unit length"))
        #expect(asset.warns("/meshes/0/primitives/0", "JOINTS and WEIGHTS do not come in pairs"))
        #expect(asset.warns("/meshes/0/primitives/0", "the WEIGHTS of 1 vertices did not sum to 1"))
        let geometry = try builder.geometry()
        #expect(geometry.attribute(.weights(set: 0))?.values == [0.5, 0.5, 0, 0, 1, 0, 0, 0, 0.5, 0.5, 0, 0])
        #expect(geometry.attribute(.joints(set: 1)) == nil)
    }

    @Test func unequalCountsAreRefused() throws {
        var builder = ModelBuilder.triangle()
        let uv = builder.add(floats: [0, 0, 1, 1], "VEC2")
        builder.setPrimitive(["attributes": ["POSITION": 0, "TEXCOORD_0": uv]])
        #expect(try builder.refusal().location == .property("/meshes/0/primitives/0/attributes/TEXCOORD_0"))
    }

    @Test func wrongShapesAreRefused() throws {
        var builder = ModelBuilder.triangle()
        let uv = builder.add(floats: [0, 0, 1, 1, 0, 0], "VEC2")
        builder.setPrimitive(["attributes": ["POSITION": 0, "NORMAL": uv]])
        #expect(try builder.refusal().location == .property("/meshes/0/primitives/0/attributes/NORMAL"))
    }

    @Test func quantization() throws {
        var builder = ModelBuilder(["scenes": [["nodes": [0]]], "nodes": [["mesh": 0]]])
        let position = builder.add(
            bytes: [0, 0, 0, 0, 127, 0, 0, 0, 0, 127, 0, 0], 5120, "VEC3", count: 3, stride: 4, extra: ["normalized": true])
        builder.setPrimitive(["attributes": ["POSITION": position]])
        #expect(try builder.read().warns("/meshes/0/primitives/0/attributes/POSITION", "KHR_mesh_quantization"))
        builder.json["extensionsUsed"] = ["KHR_mesh_quantization"]
        let asset = try builder.read()
        #expect(!asset.warns("/meshes/0/primitives/0/attributes/POSITION", "KHR_mesh_quantization"))
        #expect(asset.scene.bounds.size == Vector3(1, 1, 0))
    }

    // MARK: Flat normals

    @Test func missingNormalsAreFlat() throws {
        var builder = ModelBuilder.triangle()
        let index = builder.add(bytes: [0, 1, 2, 0, 2, 1], 5121, "SCALAR", count: 6)
        builder.setPrimitive(["indices": index, "attributes": ["POSITION": 0]])
        let geometry = try builder.geometry()
        #expect(geometry.vertexCount == 6 && geometry.indices == nil)
        #expect(geometry.attribute(.normal)?.values == [0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, -1, 0, 0, -1, 0, 0, -1])
    }

    /// A strip and a fan over a unit square: all triangles face +Z.
    @Test(arguments: [(5, [0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0]), (6, [0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0])] as [(Int, [Float])])
    func stripsAndFansFaceOneWay(_ mode: Int, _ positions: [Float]) throws {
        var builder = ModelBuilder.triangle()
        let position = builder.add(floats: positions, "VEC3", bounds: true)
        builder.setPrimitive(["mode": mode, "attributes": ["POSITION": position]])
        let geometry = try builder.geometry()
        #expect(geometry.topology == .triangles && geometry.vertexCount == 6)
        let normals = try #require(geometry.attribute(.normal)).values
        #expect(normals == (0..<6).flatMap { _ in [0, 0, 1] as [Float] })
    }

    @Test func pointsAndLinesGetNoNormals() throws {
        #expect(try ModelBuilder.triangle(["mode": 0]).geometry().attribute(.normal) == nil)
        #expect(try ModelBuilder.triangle(["mode": 3]).geometry().attribute(.normal) == nil)
    }

    // MARK: Morph targets

    private func morphing() -> ModelBuilder {
        var builder = ModelBuilder.triangle()
        let move = builder.add(floats: [0, 0, 0, 0, 0, 1, 0, 0, 0], "VEC3", bounds: true)
        builder.json["meshes"] = [
            [
                "primitives": [["attributes": ["POSITION": 0], "targets": [["POSITION": move], ["POSITION": move]]]], "weights": [0.25, 1],
                "extras": ["targetNames": ["a", "b"]],
            ]
        ]
        return builder
    }

    @Test func morphTargets() throws {
        let mesh = try #require(try morphing().read().scene.rootNode.childNodes[0].mesh)
        let targets = mesh.parts[0].geometry.morphTargets
        #expect(targets.map(\.name) == ["a", "b"])
        #expect(targets[0].positionOffsets == [0, 0, 0, 0, 0, 1, 0, 0, 0])
        #expect(mesh.morphWeights == [0.25, 1])
        // At weight 1 the flat normal is that of the moved triangle: (−1, 0, 1) / √2.
        let moved = targets[0].normalOffsets[0] + 0
        #expect(abs(moved + 0.7071) < 1e-3)
    }

    @Test func nodesOverrideWeights() throws {
        var builder = morphing()
        builder.json["nodes"] = [["mesh": 0, "weights": [1, 0]]]
        #expect(try builder.read().scene.rootNode.childNodes[0].morphWeights == [1, 0])
        builder.json["nodes"] = [["mesh": 0, "weights": [1]]]
        #expect(try builder.read().warns("/nodes/0/weights", "1 weights for 2 morph targets"))
    }

    @Test func morphTargetsOfAnotherLengthAreRefused() throws {
        var builder = ModelBuilder.triangle()
        let move = builder.add(floats: [0, 0, 0], "VEC3", bounds: true)
        builder.setPrimitive(["attributes": ["POSITION": 0], "targets": [["POSITION": move]]])
        #expect(try builder.refusal().location == .property("/meshes/0/primitives/0/targets"))
    }

    @Test func primitivesWithoutPositionAreOmitted() throws {
        var builder = ModelBuilder.triangle()
        let uv = builder.add(floats: [0, 0, 1, 1, 0, 0], "VEC2")
        builder.setPrimitive(["attributes": ["TEXCOORD_0": uv]])
        let asset = try builder.read()
        #expect(asset.scene.rootNode.childNodes[0].mesh?.parts.count == 0)
        #expect(asset.warns("/meshes/0/primitives/0", "has no POSITION"))
    }

    /// Primitives that share a vertex buffer share its memory.
    @Test func sharedAccessorsAreDecodedOnce() throws {
        var builder = ModelBuilder.triangle()
        let normal = builder.add(floats: [0, 0, 1, 0, 0, 1, 0, 0, 1], "VEC3")
        let primitive: [String: Any] = ["attributes": ["POSITION": 0, "NORMAL": normal]]
        builder.json["meshes"] = [["primitives": [primitive, primitive]]]
        let mesh = try #require(try builder.read().scene.rootNode.childNodes[0].mesh)
        let addresses = mesh.parts.map { $0.geometry.attributes[0].values.withUnsafeBufferPointer { $0.baseAddress } }
        #expect(addresses[0] == addresses[1])
    }
}
