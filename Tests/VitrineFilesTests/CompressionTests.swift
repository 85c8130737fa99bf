import Testing
import VitrineGLTF
import VitrineMath
import VitrineScene
import VitrineTestSupport

@testable import VitrineFiles

/// Draco, meshopt and instancing, out and in.
@Suite struct CompressionTests {
    /// A wavy sheet of `side`² vertices with every attribute.
    private func sheet(_ side: Int = 24, targets: Bool = false) throws -> Geometry {
        var (positions, normals, tangents, coordinates, colours): ([Float], [Float], [Float], [Float], [Float]) = ([], [], [], [], [])
        for y in 0..<side {
            for x in 0..<side {
                let (u, v) = (Float(x) / Float(side - 1), Float(y) / Float(side - 1))
                positions += [u * 2 - 1, v * 3, 0.25 * sin(7 * u) * cos(5 * v)]
                let normal = normalize(Vector3(0.2 * sin(u * 3), 0.1, 1))
                normals += [normal.x, normal.y, normal.z]
                let tangent = normalize(cross(Vector3(0, 1, 0), normal))
                tangents += [tangent.x, tangent.y, tangent.z, x % 2 == 0 ? 1 : -1]
                coordinates += [u, v * 2 - 0.5]
                colours += [u, v, 0.5, 1]
            }
        }
        var indices: [UInt32] = []
        for y in 0..<side - 1 {
            for x in 0..<side - 1 {
                let corner = UInt32(y * side + x)
                indices += [corner, corner + 1, corner + UInt32(side), corner + 1, corner + UInt32(side) + 1, corner + UInt32(side)]
            }
        }
        let moves = MorphTarget(name: "up", positionOffsets: positions.indices.map { Float($0 % 7) * 0.125 })
        return try Geometry(
            attributes: [
                VertexAttribute(.position, componentCount: 3, values: positions),
                VertexAttribute(.normal, componentCount: 3, values: normals),
                VertexAttribute(.tangent, componentCount: 4, values: tangents),
                VertexAttribute(.textureCoordinate(set: 0), componentCount: 2, values: coordinates),
                VertexAttribute(.color(set: 0), componentCount: 4, values: colours),
            ], indices: indices, morphTargets: targets ? [moves] : [])
    }

    private func written(_ scene: Scene, _ compression: ModelWriteOptions.Compression) throws -> EncodedModel {
        var options = ModelWriteOptions()
        options.compression = compression
        return try ModelFile.encode(scene, as: .glb, name: "test.glb", options: options)
    }

    private func scene(_ geometry: Geometry) -> Scene {
        let scene = Scene()
        scene.rootNode.addChildNode(Node(name: "sheet", mesh: Mesh(name: "sheet", geometry: geometry, material: Material())))
        return scene
    }

    /// Triangles as sets of corner positions, rounded, so that any order of vertices and corners compares equal.
    private func triangles(_ geometry: Geometry, step: Float) throws -> [[[Int]]] {
        let positions = try #require(geometry.attribute(.position)).values
        let corners = geometry.triangleIndices
        return stride(from: 0, to: corners.count, by: 3).map { first in
            (0..<3).map { corner in (0..<3).map { Int((positions[Int(corners[first + corner]) * 3 + $0] / step).rounded()) } }
                .sorted { $0.lexicographicallyPrecedes($1) }
        }.sorted { $0.flatMap { $0 }.lexicographicallyPrecedes($1.flatMap { $0 }) }
    }

    @Test(arguments: [ModelWriteOptions.Compression.draco, .meshopt]) func meshesRoundTripSmaller(
        _ compression: ModelWriteOptions.Compression
    ) throws {
        let geometry = try sheet()
        let packed = try written(scene(geometry), compression)
        let plain = try written(scene(geometry), .none)
        #expect(packed.files[0].bytes.count * 2 < plain.files[0].bytes.count, "\(packed.files[0].bytes.count)")
        #expect(packed.warnings.isEmpty)
        #expect(try written(scene(geometry), compression).files[0].bytes == packed.files[0].bytes)
        let asset = try GLTFReader.read(packed.files[0].bytes, name: "test.glb", decoders: .host)
        #expect(asset.warnings.isEmpty, "\(asset.warnings)")
        let back = try #require(asset.scene["sheet"]?.mesh?.parts[0].geometry)
        #expect(back.vertexCount == geometry.vertexCount && back.triangleCount == geometry.triangleCount)
        #expect(length(back.bounds.maximum - geometry.bounds.maximum) < 1e-3)
        // A step far above the rounding: equal except for values on the border between two steps.
        let (before, after) = (try triangles(geometry, step: 0.05), try triangles(back, step: 0.05))
        #expect(zip(before, after).count { $0 != $1 } < before.count / 5)
        for semantic in [VertexSemantic.normal, .tangent, .textureCoordinate(set: 0), .color(set: 0)] {
            let (a, b) = (try #require(geometry.attribute(semantic)), try #require(back.attribute(semantic)))
            let sums = (a.values.reduce(0, +), b.values.reduce(0, +))
            #expect(abs(sums.0 - sums.1) < 0.002 * Float(a.values.count), "\(semantic)")
        }
    }

    /// meshopt keeps the order: every number is near its own.
    @Test func meshoptRoundsByLittle() throws {
        let geometry = try sheet(targets: true)
        let asset = try GLTFReader.read(try written(scene(geometry), .meshopt).files[0].bytes, decoders: .host)
        let back = try #require(asset.scene["sheet"]?.mesh?.parts[0].geometry)
        #expect(back.triangleIndices.count == geometry.triangleIndices.count)
        for (a, b) in zip(geometry.attributes, back.attributes) {
            #expect(a.semantic == b.semantic)
            let tolerance: Float = [.position, .textureCoordinate(set: 0)].contains(a.semantic) ? 1e-4 : 1e-3
            #expect(zip(a.values, b.values).allSatisfy { abs($0 - $1) < tolerance }, "\(a.semantic)")
        }
        #expect(back.morphTargets.count == 1)
    }

    /// Morph targets refer to vertices by number.
    @Test func dracoKeepsTheOrderThatTargetsNeed() throws {
        let geometry = try sheet(targets: true)
        let asset = try GLTFReader.read(try written(scene(geometry), .draco).files[0].bytes, decoders: .host)
        let back = try #require(asset.scene["sheet"]?.mesh?.parts[0].geometry)
        let (a, b) = (try #require(geometry.attribute(.position)).values, try #require(back.attribute(.position)).values)
        #expect(zip(a, b).allSatisfy { abs($0 - $1) < 1e-3 })
        #expect(back.morphTargets == geometry.morphTargets)
    }

    @Test func withoutADecoderTheFileIsRefusedByName() throws {
        for (compression, name) in [
            (ModelWriteOptions.Compression.draco, "KHR_draco_mesh_compression"), (.meshopt, "EXT_meshopt_compression"),
        ] {
            let bytes = try written(scene(sheet()), compression).files[0].bytes
            #expect { try GLTFReader.read(bytes) } throws: { ($0 as? GLTFError)?.reason == .unsupportedExtension(name) }
        }
    }

    /// Damaged bytes end in an error with its place, or in other numbers: never in a crash.
    @Test func damagedDataAreRefused() throws {
        var refused = 0
        for compression in [ModelWriteOptions.Compression.draco, .meshopt] {
            let bytes = try written(scene(sheet(9)), compression).files[0].bytes
            let json = 20 + Int(bytes[12]) | Int(bytes[13]) << 8
            for position in stride(from: json + 8, to: bytes.count, by: 11) {
                var broken = bytes
                broken[position] ^= 0x5A
                do throws(GLTFError) {
                    _ = try GLTFReader.read(broken, decoders: .host)
                } catch {
                    refused += 1
                }
            }
        }
        #expect(refused > 10)
    }

    @Test func instancesBecomeNodesAndInstancesAgain() throws {
        let scene = Scene()
        let mesh = Mesh(name: "post", geometry: try WriterScenes.squareGeometry(), material: Material())
        for index in 0..<5 {
            let node = Node(name: "post", mesh: mesh)
            node.position = Vector3(Float(index), 0, 0)
            node.scale = Vector3(repeating: Float(index + 1))
            scene.rootNode.addChildNode(node)
        }
        let other = Node(name: "other", mesh: mesh)
        other.addChildNode(Node(name: "child"))
        scene.rootNode.addChildNode(other)
        var options = ModelWriteOptions()
        options.writesInstances = true
        let model = try ModelFile.encode(scene, as: .glb, name: "a.glb", options: options)
        #expect(model.warnings.isEmpty)
        let asset = try GLTFReader.read(model.files[0].bytes)
        #expect(asset.warnings.isEmpty && asset.info.counts.nodes == 3)
        let posts = try #require(asset.scene["post"])
        #expect(posts.mesh == nil && posts.childNodes.map(\.position.x) == [0, 1, 2, 3, 4])
        #expect(posts.childNodes.map(\.scale.y) == [1, 2, 3, 4, 5] && posts.childNodes.allSatisfy { $0.mesh === posts.childNodes[0].mesh })
        #expect(asset.scene["other"]?.mesh != nil && asset.scene["child"] != nil)
    }

    @Test(.enabled(if: SharedData.has("gltf"), SharedData.missing))
    func realInstancesAreRead() throws {
        // The file names its buffer by "..", which is refused: here it lies below.
        let folder = try SharedData.url("gltf/DamagedHelmet")
        let bytes = try FileBytes.read(folder.appendingPathComponent("glTF-instancing/DamagedHelmetGpuInstancing.gltf"))
        let text = String(decoding: bytes, as: UTF8.self).replacing("../glTF/", with: "below/")
        let loaded = try SceneFile.read(Array(text.utf8), name: "helmets.gltf") { path throws(FileError) in
            let isBelow = path.hasPrefix("below/")
            let name = isBelow ? "glTF/" + path.dropFirst(6) : "glTF-instancing/" + path
            return try FileBytes.read(folder.appendingPathComponent(name))
        }
        let helmets = try #require(loaded.scene["node_damagedHelmet_-6514"]).childNodes
        #expect(helmets.count == 64 && helmets.allSatisfy { $0.mesh === helmets[0].mesh })
        let farthest = helmets.map(\.position.x).max() ?? 0
        #expect(abs(farthest - 0.375) < 1e-4 && loaded.warnings.isEmpty, "\(farthest) \(loaded.warnings)")
    }
}
