import Foundation
import Testing
import VitrineFiles
import VitrineMath
import VitrineScene
import VitrineTestSupport

@Suite struct COLLADAWriterTests {
    /// Out and in again, with the files beside it.
    private func roundTrip(_ scene: Scene, name: String = "a.dae") throws -> (scene: Scene, written: [String], read: [String]) {
        let model = try ModelFile.encode(scene, as: .collada, name: name)
        var files: [String: [UInt8]] = [:]
        for file in model.files.dropFirst() { files[file.name] = file.bytes }
        let loaded = try COLLADAText.load(model.files[0].bytes, files: files)
        #expect(loaded.format == .collada)
        return (loaded.scene, model.warnings.map(\.description), loaded.warnings.map(\.description))
    }

    private func classicScene() throws -> Scene {
        let scene = Scene(name: "classic")
        let texture = Texture(
            name: "p", content: .image(try WriterScenes.image(2, 2) { x, y in [UInt8(80 * x), UInt8(90 * y), 7, 255] }))
        texture.sampler = Sampler(wrapS: .mirroredRepeat, wrapT: .clampToEdge, magnification: .nearest)
        let paint = Material(name: "paint & <varnish>", baseColor: Color(linearRed: 0.2, green: 0.4, blue: 0.6, alpha: 0.5))
        paint.lightingModel = .phong
        paint.highlight = Highlight(color: ColorSlot(Vector4(0.5, 0.25, 0.125, 1)), shininess: 17.5)
        paint.emission = ColorSlot(Vector4(0.1, 0, 0.3, 1))
        paint.alphaMode = .blend
        paint.isDoubleSided = true
        let printed = Material(name: "printed", baseColor: .white)
        printed.lightingModel = .lambert
        printed.baseColor.map = TextureMap(texture, set: 1, transform: TextureTransform(offset: Vector2(0.25, 0.5), scale: Vector2(2, 3)))
        printed.normal = NormalSlot(map: TextureMap(texture))
        let mesh = Mesh(
            name: "panel",
            parts: [
                MeshPart(geometry: try WriterScenes.squareGeometry(sets: 2), material: paint),
                MeshPart(geometry: try WriterScenes.squareGeometry(sets: 2), material: printed),
            ])
        let base = Node(name: "base é", mesh: mesh)
        base.position = Vector3(1, 2, 3)
        base.eulerAngles = Vector3(0.1, 0.5, -0.7)
        let child = Node(name: "child", mesh: mesh)
        child.scale = Vector3(2, -2, 0.5)
        base.addChildNode(child)
        let sheared = Node(name: "sheared")
        sheared.transform = Matrix4(Vector4(1, 0, 0, 0), Vector4(0.5, 1, 0, 0), Vector4(0, 0, 1, 0), Vector4(0, 0, 4, 1))
        sheared.camera = Camera(projection: .perspective(fieldOfView: .degrees(40)), near: 0.25, far: 50, aspectRatio: 1.5)
        sheared.light = Light(
            .spot(inner: .degrees(29.8), outer: .degrees(30)), color: Color(linearRed: 1, green: 0.5, blue: 0.25), intensity: 8)
        scene.rootNode.addChildNode(base)
        scene.rootNode.addChildNode(sheared)
        let flat = Node(name: "flat")
        flat.camera = Camera(projection: .orthographic(scale: 2.5), near: 0, far: 9)
        flat.light = Light(.directional, color: Color(linearRed: 0.5, green: 1, blue: 1), intensity: 2)
        scene.rootNode.addChildNode(flat)
        return scene
    }

    @Test func everythingOfTheFormatRoundTrips() throws {
        let scene = try classicScene()
        let (back, written, read) = try roundTrip(scene)
        #expect(written == [])
        #expect(read == [])
        #expect(back.rootNode.childNodes.map(\.name) == ["base é", "sheared", "flat"])
        #expect(back.name == "classic" || back.name == "a")
        let (base, original) = (back.rootNode.childNodes[0], scene.rootNode.childNodes[0])
        #expect(base.parentFromLocal.isClose(to: original.parentFromLocal) && base.mesh === base.childNodes[0].mesh)
        #expect(back.rootNode.childNodes[1].parentFromLocal.isClose(to: scene.rootNode.childNodes[1].parentFromLocal))
        let (a, b) = (WorldTriangles(back), WorldTriangles(scene))
        #expect(a.corners.count == b.corners.count && a.share(in: b, within: 1e-6) == 1 && b.share(in: a, within: 1e-6) == 1)
        let materials = try #require(base.mesh?.parts.map(\.material))
        #expect(materials[0].name == "paint & <varnish>" && materials[0].lightingModel == .phong && materials[0].isDoubleSided)
        #expect(length(materials[0].baseColor.factor - Vector4(0.2, 0.4, 0.6, 0.5)) < 1e-6 && materials[0].alphaMode == .blend)
        #expect(
            length(materials[0].highlight.color.factor.xyz - Vector3(0.5, 0.25, 0.125)) < 1e-6 && materials[0].highlight.shininess == 17.5)
        #expect(length(materials[0].emission.factor.xyz - Vector3(0.1, 0, 0.3)) < 1e-6)
        let map = try #require(materials[1].baseColor.map)
        #expect(map.set == 1 && length(map.transform.offset - Vector2(0.25, 0.5)) < 1e-6 && map.transform.scale == Vector2(2, 3))
        #expect(map.texture.sampler.wrapS == .mirroredRepeat && map.texture.sampler.magnification == .nearest)
        #expect(materials[1].normal.map?.set == 0 && materials[1].alphaMode == .opaque)
        let part = try #require(base.mesh?.parts[1].geometry)
        for attribute in try WriterScenes.squareGeometry(sets: 2).attributes {
            let values = try #require(part.attribute(attribute.semantic)?.values)
            // The writer keeps the order of these vertices.
            #expect(zip(values, attribute.values).allSatisfy { abs($0 - $1) < 1e-6 }, "\(attribute.semantic)")
        }
    }

    @Test func camerasAndLightsRoundTrip() throws {
        let scene = try classicScene()
        let back = try roundTrip(scene).scene
        for index in 1...2 {
            let (mine, original) = (back.rootNode.childNodes[index], scene.rootNode.childNodes[index])
            let (camera, light) = (try #require(mine.camera), try #require(mine.light))
            #expect(abs(camera.near - original.camera!.near) < 1e-6 && camera.far == original.camera!.far)
            #expect(abs((camera.aspectRatio ?? 0) - (original.camera!.aspectRatio ?? 0)) < 1e-5)
            #expect(length(light.linearIntensity - original.light!.linearIntensity) < 1e-4 * length(original.light!.linearIntensity))
            switch (camera.projection, original.camera!.projection) {
            case (.perspective(let a), .perspective(let b)): #expect(abs(a.radians - b.radians) < 1e-5)
            case (.orthographic(let a), .orthographic(let b)): #expect(a == b)
            default: Issue.record("another projection")
            }
        }
        guard case .spot(_, let outer)? = back.rootNode.childNodes[1].light?.kind else {
            Issue.record("no spot")
            return
        }
        #expect(abs(outer.degrees - 30) < 1e-3)
    }

    /// A strip that bends by two joints and swells by a morph target, and a node that moves, turns and jumps.
    private func movingScene() throws -> Scene {
        let scene = Scene(name: "moving")
        let (hip, knee, body) = (Node(name: "hip bone"), Node(name: "knee"), Node(name: "body"))
        knee.position = Vector3(0, 1, 0)
        hip.addChildNode(knee)
        scene.rootNode.addChildNode(hip)
        scene.rootNode.addChildNode(body)
        let geometry = try Geometry(
            attributes: [
                VertexAttribute(.position, componentCount: 3, values: [0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 2, 0]),
                VertexAttribute(.normal, componentCount: 3, values: [0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1]),
                VertexAttribute(.joints(set: 0), componentCount: 4, values: [0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]),
                VertexAttribute(.weights(set: 0), componentCount: 4, values: [1, 0, 0, 0, 0.75, 0.25, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]),
            ], indices: [0, 1, 2, 2, 1, 3],
            morphTargets: [
                MorphTarget(
                    name: "swell", positionOffsets: [0, 0, 1, 0, 0, 1, 0, 0, 2, 0, 0, 0],
                    normalOffsets: [0, 0.5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
            ])
        let material = Material(name: "m")
        material.lightingModel = .lambert
        body.mesh = Mesh(name: "strip", parts: [MeshPart(geometry: geometry, material: material)], morphWeights: [0.5])
        body.skin = Skin(name: "skin", joints: [hip, knee], inverseBindMatrices: [.identity, Matrix4(translation: Vector3(0, -1, 0))])
        func track(_ node: Node, _ target: AnimationTarget, _ interpolation: Interpolation, _ times: [Float], _ values: [Float]) throws
            -> AnimationTrack
        {
            try #require(AnimationTrack(node: node, target: target, interpolation: interpolation, times: times, values: values))
        }
        let quarter = Quaternion(angle: .degrees(90), axis: normalize(Vector3(1, 1, 0))).vector
        let walk = AnimationClip(
            name: "walk",
            tracks: [
                try track(knee, .rotation, .linear, [0, 1, 2], [0, 0, 0, 1, quarter.x, quarter.y, quarter.z, quarter.w, 0, 0, 0, 1]),
                try track(knee, .scale, .linear, [0, 2], [1, 1, 1, 2, 1, 1]),
                try track(hip, .translation, .cubic, [0, 2], [0, 0, 0, 0, 0, 0, 3, 0, 0, 1, 0, 0, 4, 1, 0, 0, 0, 0]),
                try track(body, .morphWeights, .linear, [0, 2], [0, 1]),
            ])
        let jump = AnimationClip(name: "jump", tracks: [try track(hip, .translation, .step, [0, 1], [0, 0, 0, 0, 5, 0])])
        scene.animations = [walk, jump]
        return scene
    }

    @Test func skinsMorphsAndAnimationsRoundTrip() throws {
        let scene = try movingScene()
        let (back, written, read) = try roundTrip(scene)
        #expect(written == [] && read == [])
        #expect(back.animations.map(\.name) == ["walk", "jump"])
        #expect(back.animations.map(\.duration) == [2, 1])
        let body = try #require(back["body"])
        #expect(body.skin?.joints.map { $0?.name } == ["hip bone", "knee"] && body.mesh?.morphTargetCount == 1)
        for number in 0...1 {
            for step in 0...8 {
                let time = Float(step) / 4
                scene.animations[number].apply(at: time)
                back.animations[number].apply(at: time)
                let (a, b) = (WorldTriangles(back), WorldTriangles(scene))
                #expect(a.share(in: b, within: 1e-3) == 1 && b.share(in: a, within: 1e-3) == 1, "clip \(number) at \(time) s")
            }
        }
    }

    @Test func packages() throws {
        let scene = try classicScene()
        let (back, written, read) = try roundTrip(scene, name: "b.zae")
        #expect(written == [] && read == [])
        #expect(back.rootNode.childNodes[0].mesh?.parts[1].material.baseColor.map != nil)
        #expect(WorldTriangles(back).share(in: WorldTriangles(scene), within: 1e-6) == 1)
    }

    @Test func sameSceneSameBytesAndLossesAreSaid() throws {
        let scene = try WriterScenes.everything()
        let (first, second) = (
            try ModelFile.encode(scene, as: .collada, name: "a.dae"), try ModelFile.encode(scene, as: .collada, name: "a.dae")
        )
        #expect(first.files.map(\.bytes) == second.files.map(\.bytes))
        for loss in ["most similar Blinn highlight", "clearcoat", "occlusion", "parts of points", "alpha mask"] {
            #expect(first.warnings.contains { $0.message.contains(loss) }, "\(loss)")
        }
        let back = try roundTrip(scene).scene
        #expect(back.rootNode.childNodes.map(\.name) == scene.rootNode.childNodes.map(\.name))
    }

    @Test(.enabled(if: SharedData.has("gltf/CesiumMan"), SharedData.missing)) func aFigureRoundTrips() async throws {
        let scene = try await Scene(contentsOf: SharedData.url("gltf/CesiumMan/glTF-Binary/CesiumMan.glb"))
        let back = try roundTrip(scene).scene
        #expect(back.animations.count == 1)
        for time in [Float(0), 0.7] {
            scene.animations[0].apply(at: time)
            back.animations[0].apply(at: time)
            let (a, b) = (WorldTriangles(back), WorldTriangles(scene))
            let share = a.share(in: b, within: 1e-4, step: 5)
            // A few weights of the sample sum to a little less than 1; they are normalized on the way.
            #expect(a.corners.count == b.corners.count && share > 0.99, "\(share) at \(time)")
        }
    }
}
