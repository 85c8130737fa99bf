import Foundation
import Testing
import VitrineMath
import VitrineScene
import VitrineTestSupport

@testable import VitrineFiles

@Suite struct ModelOptimizerTests {
    /// Returns options that perform only these steps.
    private func options(_ steps: OptimizeStep...) -> OptimizeOptions {
        var options = OptimizeOptions()
        options.steps = Set(steps)
        return options
    }

    private typealias Optimized = (model: EncodedModel, report: OptimizeReport)

    private func optimize(_ scene: Scene, _ options: OptimizeOptions = OptimizeOptions()) async throws -> Optimized {
        try await ModelOptimizer.optimize(scene, as: .glb, name: "test.glb", options: options)
    }

    private func read(_ optimized: Optimized) throws -> LoadedScene {
        let files = optimized.model.files
        return try SceneFile.read(files[0].bytes, name: files[0].name) { (path) throws(FileError) in
            throw FileError(path: path, reason: "no such file")
        }
    }

    private func positions(_ geometry: Geometry) -> [Vector3] {
        let values = geometry.attribute(.position)?.values ?? []
        return geometry.triangleIndices.map { Vector3(values[3 * Int($0)], values[3 * Int($0) + 1], values[3 * Int($0) + 2]) }
    }

    // MARK: Deduplicate and join

    /// Three squares with materials of their own that look alike: one turned, one mirrored, one below a group.
    private func squares() throws -> Scene {
        let scene = Scene()
        let group = Node(name: "group")
        group.position.y = 4
        scene.rootNode.addChildNode(group)
        for index in 0..<3 {
            let image = try WriterScenes.image(4, 4) { x, y in [UInt8(60 * x), UInt8(60 * y), 128, 255] }
            let material = Material(name: "paint \(index)", metalness: 0.25)
            material.baseColor.map = TextureMap(Texture(name: "t\(index)", content: .image(image)))
            let node = Node(
                name: "square \(index)", mesh: Mesh(name: "mesh \(index)", geometry: try WriterScenes.squareGeometry(), material: material))
            node.position.x = Float(2 * index)
            if index == 1 { node.scale.x = -1 }
            if index == 2 { node.eulerAngles.z = 1 }
            (index == 2 ? group : scene.rootNode).addChildNode(node)
        }
        return scene
    }

    @Test func equalDataIsMerged() async throws {
        let optimized = try await optimize(try squares(), options(.deduplicate))
        let after = optimized.report.after
        #expect((after.nodes, after.meshes, after.materials, after.textures, after.vertices) == (4, 1, 1, 1, 4))
        #expect(optimized.report.before.materials == 3 && optimized.report.before.meshes == 3)
        #expect(optimized.report.steps[0].savedBytes > 0 && optimized.report.steps[0].summary.contains("2 materials"))
        var named = options(.deduplicate)
        named.keepsNames = true
        #expect(try await optimize(try squares(), named).report.after.materials == 3)
    }

    @Test func fixedMeshesOfOneMaterialAreJoinedWhereTheyStand() async throws {
        let scene = try squares()
        // Shared meshes stay shared: these are three.
        for child in scene.rootNode.childNodes[0].childNodes + scene.rootNode.childNodes.dropFirst() {
            child.mesh?.parts[0].material = scene.rootNode.childNodes[1].mesh!.parts[0].material
        }
        scene.update()
        var expected: [Vector3] = []
        for node in scene.visibleNodes {
            guard let mesh = node.mesh else { continue }
            let isMirrored = node.worldTransform.linear.determinant < 0
            let corners = positions(mesh.parts[0].geometry).map { node.worldTransform.transform(point: $0) }
            for index in stride(from: 0, to: corners.count, by: 3) {
                expected += isMirrored ? [corners[index], corners[index + 2], corners[index + 1]] : Array(corners[index..<(index + 3)])
            }
        }
        let optimized = try await optimize(scene, options(.flatten, .join))
        #expect(optimized.report.after.drawCalls == 1 && optimized.report.after.nodes == 1 && optimized.report.after.triangles == 6)
        let loaded = try read(optimized)
        let node = try #require(loaded.scene.rootNode.childNodes.first)
        let geometry = try #require(node.mesh?.parts.first?.geometry)
        let found = positions(geometry).map { node.parentFromLocal.transform(point: $0) }
        func sorted(_ points: [Vector3]) -> [[Float]] {
            stride(from: 0, to: points.count, by: 3).map { start in
                points[start..<(start + 3)].flatMap { [$0.x, $0.y, $0.z].map { ($0 * 1e4).rounded() / 1e4 + 0 } }
            }.sorted { $0.lexicographicallyPrecedes($1) }
        }
        #expect(sorted(found) == sorted(expected))
    }

    @Test func movingSharedAndTransparentMeshesAreNotMerged() async throws {
        let scene = try squares()
        let material = try #require(scene.rootNode.childNodes[1].mesh?.parts[0].material)
        for node in scene.visibleNodes { node.mesh?.parts[0].material = material }
        let group = scene.rootNode.childNodes[0]
        let track = try #require(
            AnimationTrack(node: group, target: .translation, interpolation: .linear, times: [0, 1], values: [0, 4, 0, 0, 5, 0]))
        scene.animations = [AnimationClip(name: "lift", tracks: [track])]
        let optimized = try await optimize(scene, options(.flatten, .join))
        #expect(optimized.report.after.drawCalls == 2)
        let loaded = try read(optimized)
        let lifted = try #require(loaded.scene["square 2"])
        #expect(lifted.parent?.name == "group" && loaded.scene.animations.first?.tracks.first?.node === lifted.parent)

        let glass = try squares()
        let pane = Material()
        pane.alphaMode = .blend
        for node in glass.visibleNodes { node.mesh?.parts[0].material = pane }
        #expect(try await optimize(glass, options(.flatten, .join)).report.after.drawCalls == 3)
    }

    // MARK: Geometry

    /// A grid in the x-y plane, 1 m wide, not indexed.
    private func grid(_ side: Int, color: ((Vector2) -> Float)? = nil) throws -> Geometry {
        var (points, colors): ([Vector2], [Float]) = ([], [])
        for y in 0..<side {
            for x in 0..<side {
                for (dx, dy) in [(0, 0), (1, 0), (1, 1), (0, 0), (1, 1), (0, 1)] {
                    points.append(Vector2(Float(x + dx), Float(y + dy)) / Float(side))
                }
            }
        }
        var attributes = [
            VertexAttribute(.position, points.map { Vector3($0.x, $0.y, 0) }),
            VertexAttribute(.normal, points.map { _ in Vector3(0, 0, 1) }), VertexAttribute(.textureCoordinate(set: 0), points),
        ]
        if let color {
            for point in points { colors += [color(point), 0.5, 0.5] }
            attributes.append(VertexAttribute(.color(set: 0), componentCount: 3, values: colors))
        }
        return try Geometry(attributes: attributes)
    }

    @Test func equalVerticesAreWelded() throws {
        let geometry = try grid(8)
        let welded = geometry.welded()
        #expect(geometry.vertexCount == 384 && welded.vertexCount == 81 && welded.triangleCount == 128)
        #expect(positions(welded) == positions(geometry))
        // More numbers than are compared at once, the difference in the last ones.
        var targets = (0..<12).map { _ in
            MorphTarget(positionOffsets: [Float](repeating: 1, count: 18), normalOffsets: [Float](repeating: 0, count: 18))
        }
        let square = try grid(1)
        func morphed(_ targets: [MorphTarget]) throws -> Geometry {
            try Geometry(attributes: square.attributes, morphTargets: targets).welded()
        }
        #expect(try morphed(targets).vertexCount == 4)
        targets[11].normalOffsets[14] = 2
        let made = try morphed(targets)
        #expect(made.vertexCount == 5 && made.morphTargets[11].normalOffsets.count(where: { $0 == 2 }) == 1)
    }

    @Test func aFlatGridNeedsTwoTrianglesUnlessItsColoursDiffer() throws {
        let simplification = Simplification(ratio: 0, error: 1e-4, locksBorders: false)
        let flat = try grid(16).welded()
        #expect(simplification.simplified(flat).triangleCount <= 8)
        // A ramp is kept by interpolation, waves are not.
        let ramp = try grid(16) { 0.25 + 0.5 * $0.x }.welded()
        #expect(simplification.simplified(ramp).triangleCount <= 8)
        let waves = try grid(16) { 0.5 + 0.5 * VitrineMath.sin(20 * $0.x) * VitrineMath.sin(17 * $0.y) }.welded()
        #expect(simplification.simplified(waves).triangleCount > 400)
        let locked = Simplification(ratio: 0, error: 1e-4, locksBorders: true).simplified(flat)
        let border = Set(positions(locked).filter { $0.x == 0 }.map { $0.y })
        #expect(border.count == 17 && locked.triangleCount < flat.triangleCount)
    }

    @Test func aRatioIsReachedWithinItsError() throws {
        let ball = Geometry.sphere(radius: 1)
        let sphere = try Geometry(
            attributes: ball.attributes.filter { $0.semantic == .position }, indices: ball.triangleIndices
        ).welded()
        let half = Simplification(ratio: 0.5, error: 0.05, locksBorders: false).simplified(sphere)
        #expect(abs(Float(half.triangleCount) / Float(sphere.triangleCount) - 0.5) < 0.02)
        for point in positions(half) { #expect(abs(length(point) - 1) < 1e-5) }
    }

    @Test func unusedAttributesAndSolidTexturesArePruned() async throws {
        let white = Texture(content: .image(try WriterScenes.image(2, 2) { _, _ in [255, 128, 0, 255] }))
        let material = Material(baseColor: Color(linear: Vector4(0.5, 0.5, 0.5, 1)))
        material.baseColor.map = TextureMap(white)
        let scene = Scene()
        let geometry = try WriterScenes.squareGeometry(sets: 3).withTangents()
        scene.rootNode.addChildNode(Node(name: "a", mesh: Mesh(geometry: geometry, material: material)))
        let empty = Node(name: "empty")
        empty.addChildNode(Node(name: "below"))
        scene.rootNode.addChildNode(empty)
        let optimized = try await optimize(scene, options(.prune))
        let loaded = try read(optimized)
        let part = try #require(loaded.scene.rootNode.childNodes.first?.mesh?.parts.first)
        #expect(part.geometry.attributes.map(\.semantic) == [.position, .normal])
        #expect(part.material.baseColor.map == nil && loaded.scene.rootNode.childNodes.count == 1)
        let factor = part.material.baseColor.factor
        #expect(abs(factor.x - 0.5) < 1e-6 && abs(factor.y - 0.5 * linearFromSRGB(128.0 / 255)) < 1e-6 && factor.z == 0)
    }

    // MARK: Animations

    @Test func keysOnTheWayAreRemoved() throws {
        let node = Node()
        let times = (0...100).map { Float($0) * 0.1 }
        func track(_ target: AnimationTarget, _ values: [Float], _ interpolation: Interpolation = .linear) throws -> AnimationTrack {
            try #require(AnimationTrack(node: node, target: target, interpolation: interpolation, times: times, values: values))
        }
        let line = try track(.translation, times.flatMap { [$0 * 2, 1, -$0] })
        #expect(KeyframeReduction.reduced(line).times == [0, times[100]])
        let still = try track(.scale, times.flatMap { _ in [1, 2, 3] })
        #expect(KeyframeReduction.reduced(still).times == [0])
        let wave = try track(.translation, times.flatMap { [VitrineMath.sin($0 * 3), 0, 0] })
        let reduced = KeyframeReduction.reduced(wave)
        for time in stride(from: Float(0), through: 10, by: 0.013) {
            #expect(abs(reduced.value(at: time)[0] - wave.value(at: time)[0]) < 3e-5)
        }
        let turn = try track(
            .rotation,
            times.flatMap { time -> [Float] in
                let q = Quaternion(angle: .radians(time * 0.2), axis: Vector3(0, 1, 0)).vector
                return [q.x, q.y, q.z, q.w]
            })
        let turned = KeyframeReduction.reduced(turn)
        #expect(turned.times.count <= 4)
        for time in stride(from: Float(0), through: 10, by: 0.07) {
            let (a, b) = (turned.value(at: time), turn.value(at: time))
            #expect(zip(a, b).allSatisfy { abs($0 - $1) < 3e-5 })
        }
        let steps = try track(.scale, times.flatMap { [$0 < 5 ? 1 : 2, 1, 1] }, .step)
        #expect(KeyframeReduction.reduced(steps).times == [0, 5])
    }

    @Test func aClipKeepsItsLength() async throws {
        let scene = try WriterScenes.square(Material())
        let track = try #require(
            AnimationTrack(
                node: scene.rootNode.childNodes[0], target: .scale, interpolation: .linear, times: [0, 1, 2],
                values: [2, 2, 2, 2, 2, 2, 2, 2, 2]))
        scene.animations = [AnimationClip(name: "still", tracks: [track])]
        let loaded = try read(try await optimize(scene))
        #expect(loaded.scene.animations.first?.duration == 2)
    }

    // MARK: Textures

    @Test func texturesAreScaledAndDataStaysLossless() async throws {
        let scene = Scene()
        let noise = try WriterScenes.image(64, 32) { x, y in [UInt8(x * 4), UInt8(y * 8), UInt8((x ^ y) * 2), 255] }
        let png = try ImageFile.encode(noise, as: .png(.fast))
        let jpeg = try ImageFile.encode(noise, as: .jpeg(quality: 80))
        let material = Material()
        material.baseColor.map = TextureMap(Texture(name: "colour", content: .encoded(png)))
        material.normal.map = TextureMap(Texture(name: "normals", content: .encoded(png), sampler: Sampler(wrapS: .clampToEdge)))
        material.emission = ColorSlot(Vector4(1, 1, 1, 1), map: TextureMap(Texture(name: "glow", content: .encoded(jpeg))))
        scene.rootNode.addChildNode(Node(mesh: Mesh(geometry: try WriterScenes.squareGeometry(), material: material)))
        var webp = options(.textures)
        (webp.textureFormat, webp.textureSide, webp.textureQuality) = (.webp, 64, 30)
        let optimized = try await optimize(scene, webp)
        let loaded = try read(optimized)
        #expect(loaded.info?.extensionsRequired == ["EXT_texture_webp"])
        let made = try #require(loaded.scene.rootNode.childNodes.first?.mesh?.parts.first?.material)
        func bytes(_ map: TextureMap?) throws -> [UInt8] {
            guard case .encoded(let bytes)? = map?.texture.content else { return [] }
            return bytes
        }
        for map in [made.baseColor.map, made.normal.map, made.emission.map] { #expect(ImageFile.kind(of: try bytes(map)) == .webp) }
        #expect(try ImageFile.decode(try bytes(made.normal.map)).bytes == noise.bytes)
        #expect(try ImageFile.decode(try bytes(made.baseColor.map)).bytes != noise.bytes)

        // Scaled down in their own formats; nothing else is encoded again where that saves nothing.
        let small = try WriterScenes.square(Material())
        small.rootNode.childNodes[0].mesh?.parts[0].material = material
        material.baseColor.map?.texture.content = .encoded(png)
        material.emission.map?.texture.content = .encoded(jpeg)
        var keep = options(.textures)
        keep.textureSide = 64
        _ = try await optimize(small, keep)
        #expect(try bytes(material.emission.map) == jpeg)
        keep.textureSide = 16
        let scaled = try await optimize(small, keep)
        #expect(scaled.report.steps[0].summary.hasPrefix("scaled down 3"))
        for map in material.textureMaps {
            let header = try ImageFile.header(of: try bytes(map))
            #expect(header.width == 16 && header.height == 8)
        }
        #expect(ImageFile.kind(of: try bytes(material.emission.map)) == .jpeg)
    }

    // MARK: The whole

    @Test func skinsMorphTargetsAndVariantsSurvive() async throws {
        let figure = try GLBMotionTests().figure()
        let part = try #require(figure["body"]?.mesh?.parts[1])
        figure.variantNames = ["red"]
        figure["body"]?.mesh?.parts[1].alternatives = [
            (variant: "red", material: Material(name: "red", baseColor: Color(sRGB: 0xFF0000)))
        ]
        let clips = figure.animations.map { (name: $0.name, duration: $0.duration, tracks: $0.tracks.count) }
        let optimized = try await optimize(figure)
        let loaded = try read(optimized)
        let body = try #require(loaded.scene["body"])
        #expect(body.skin?.joints.compactMap { $0?.name } == ["hip", "knee"])
        #expect(body.mesh?.morphTargetCount == 2 && body.mesh?.parts[0].geometry.morphTargets.map(\.name) == ["smile", "frown"])
        #expect(loaded.scene.variantNames == ["red"] && body.mesh?.parts[1].alternatives.map { $0.material.name } == ["red"])
        #expect(part.geometry.vertexCount == 4 && body.mesh?.parts[1].geometry.vertexCount == 3)
        for (clip, expected) in zip(loaded.scene.animations, clips) {
            #expect(clip.name == expected.name && clip.duration == expected.duration && clip.tracks.count == expected.tracks)
        }
    }

    @Test func theSameSceneGivesTheSameBytes() async throws {
        let first = try await optimize(try WriterScenes.everything())
        let second = try await optimize(try WriterScenes.everything())
        #expect(first.model.files[0].bytes == second.model.files[0].bytes && first.report == second.report)
        #expect(first.report.after.bytes == first.model.files[0].bytes.count)
        let saved = first.report.steps.reduce(0) { $0 + $1.savedBytes }
        #expect(first.report.writtenBytes - saved == first.report.after.bytes)
    }

    @Test func withoutStepsNothingChanges() async throws {
        let plain = try ModelFile.encode(try WriterScenes.everything(), as: .glb, name: "test.glb")
        let optimized = try await optimize(try WriterScenes.everything(), options())
        #expect(optimized.model.files[0].bytes == plain.files[0].bytes && optimized.report.steps.isEmpty)
    }

    @Test(arguments: ModelFile.extensions) func everyFormatIsWritten(_ pathExtension: String) async throws {
        let format = try #require(ModelFile.format(forExtension: pathExtension))
        var options = OptimizeOptions()
        (options.compression, options.textureFormat) = (.meshopt, .webp)
        let optimized = try await ModelOptimizer.optimize(
            try WriterScenes.everything(), as: format, name: "test.\(pathExtension)", options: options)
        let isGLTF = format == .glb || format == .gltf
        #expect(optimized.report.warnings.isEmpty == isGLTF)
        #expect(optimized.report.after.bytes > 0 && optimized.report.after.triangles == optimized.report.before.triangles)
    }

    @Test(arguments: [ModelWriteOptions.Compression.draco, .meshopt]) func compressionComesLast(
        _ compression: ModelWriteOptions.Compression
    ) async throws {
        let scene = try WriterScenes.square(Material())
        scene.rootNode.childNodes[0].mesh = Mesh(geometry: Geometry.sphere(radius: 1), material: Material())
        var options = OptimizeOptions()
        options.compression = compression
        let optimized = try await optimize(scene, options)
        let step = try #require(optimized.report.steps.last)
        #expect(step.step == .compress && step.savedBytes > 0 && step.bytes == optimized.report.after.bytes)
        #expect(try read(optimized).scene.rootNode.childNodes.first?.mesh?.triangleCount == optimized.report.after.triangles)
    }
}
