import Foundation
import Testing
import VitrineFiles
import VitrineGLTF
import VitrineMath
import VitrineScene
import VitrineTestSupport

/// Skins, morph targets, animations, cameras and lights in glTF files written here.
@Suite struct GLBMotionTests {
    private func read(_ scene: Scene) throws -> (asset: GLTFAsset, warnings: [ModelWarning]) {
        let model = try ModelFile.encode(scene, as: .glb, name: "test.glb")
        return (try GLTFReader.read(model.files[0].bytes, name: "test.glb"), model.warnings)
    }

    /// A strip of two squares that two joints pull, with two morph targets on one of two parts.
    func figure() throws -> Scene {
        let scene = Scene(name: "figure")
        let (root, hip, knee) = (Node(name: "armature"), Node(name: "hip"), Node(name: "knee"))
        hip.position = Vector3(0, 1, 0)
        knee.position = Vector3(0, -0.5, 0)
        root.addChildNode(hip)
        hip.addChildNode(knee)
        scene.rootNode.addChildNode(root)
        let positions: [Float] = [0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0]
        let base = [
            VertexAttribute(.position, componentCount: 3, values: positions),
            VertexAttribute(.normal, componentCount: 3, values: [0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1]),
            VertexAttribute(.joints(set: 0), componentCount: 4, values: [0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0]),
            VertexAttribute(.weights(set: 0), componentCount: 4, values: [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0.25, 0.75, 0, 0]),
        ]
        let targets = [
            MorphTarget(name: "smile", positionOffsets: positions.map { $0 * 0.5 }, normalOffsets: positions.map { _ in 0.125 }),
            MorphTarget(name: "frown", positionOffsets: positions.map { -$0 }),
        ]
        let parts = [
            MeshPart(geometry: try Geometry(attributes: base, indices: [0, 1, 2, 0, 2, 3], morphTargets: targets), material: Material()),
            MeshPart(geometry: try Geometry(attributes: base, indices: [0, 1, 2]), material: Material(name: "second")),
        ]
        let body = Node(name: "body", mesh: Mesh(name: "body", parts: parts, morphWeights: [0.25, 0]))
        body.skin = Skin(
            name: "bones", joints: [hip, knee],
            inverseBindMatrices: [Matrix4(translation: [0, -1, 0]), Matrix4(translation: [0, -0.5, 0])])
        body.morphWeights = [0.5, 0.75]
        root.addChildNode(body)
        scene.animations = [try clip(hip: hip, body: body)]
        return scene
    }

    private func clip(hip: Node, body: Node) throws -> AnimationClip {
        let turn = Quaternion(angle: .degrees(90), axis: Vector3(0, 1, 0)).vector
        let tracks = [
            AnimationTrack(
                node: hip, target: .rotation, interpolation: .linear, times: [0, 1],
                values: [0, 0, 0, 1, turn.x, turn.y, turn.z, turn.w]),
            AnimationTrack(node: hip, target: .translation, interpolation: .step, times: [0, 1], values: [0, 1, 0, 0, 2, 0]),
            AnimationTrack(
                node: hip, target: .scale, interpolation: .cubic, times: [0, 0.5],
                values: [0, 0, 0, 1, 1, 1, 2, 2, 2, -1, -1, -1, 2, 2, 2, 0, 0, 0]),
            AnimationTrack(node: body, target: .morphWeights, interpolation: .linear, times: [0.25, 2], values: [0, 1, 1, 0]),
        ]
        return AnimationClip(name: "walk", tracks: tracks.compactMap { $0 })
    }

    @Test func skinsTargetsAndAnimationsRoundTrip() throws {
        let scene = try figure()
        let (asset, warnings) = try read(scene)
        #expect(warnings.isEmpty && asset.warnings.isEmpty, "\(warnings) \(asset.warnings)")
        let body = try #require(asset.scene["body"])
        #expect(body.skin?.name == "bones" && body.skin?.joints.map { $0?.name } == ["hip", "knee"])
        #expect(body.skin?.inverseBindMatrices == scene["body"]?.skin?.inverseBindMatrices)
        #expect(body.morphWeights == [0.5, 0.75] && body.mesh?.morphWeights == [0.25, 0])
        let first = try #require(body.mesh?.parts.first?.geometry)
        #expect(first.morphTargets == scene["body"]?.mesh?.parts.first?.geometry.morphTargets)
        #expect(first.attributes == scene["body"]?.mesh?.parts.first?.geometry.attributes)
        let padded = try #require(body.mesh?.parts.last?.geometry.morphTargets)
        #expect(padded.count == 2 && padded.allSatisfy { $0.positionOffsets.allSatisfy { $0 == 0 } })
        let (before, after) = (scene.animations[0], try #require(asset.scene.animation(named: "walk")))
        #expect(after.tracks.count == before.tracks.count)
        for (a, b) in zip(before.tracks, after.tracks) {
            #expect(a.node.name == b.node.name && a.target == b.target && a.interpolation == b.interpolation)
            #expect(a.times == b.times && a.values == b.values)
        }
    }

    @Test func camerasAndLightsRoundTrip() throws {
        let scene = Scene()
        let cameras = [
            Camera(projection: .perspective(fieldOfView: .radians(0.75)), near: 0.5, far: .infinity),
            Camera(projection: .perspective(fieldOfView: .radians(0.75)), near: 0.5, far: 50, aspectRatio: 1.5),
            Camera(projection: .orthographic(scale: 2), near: 0, far: 10, aspectRatio: 2),
        ]
        let lights = [
            Light(.directional, color: Color(linearRed: 1, green: 0.5, blue: 0.25), intensity: 3),
            Light(.point, intensity: 100, range: 4),
            Light(.spot(inner: .radians(0.25), outer: .radians(0.5)), intensity: 5),
        ]
        for camera in cameras {
            let node = Node(name: "camera")
            node.camera = camera
            scene.rootNode.addChildNode(node)
        }
        for light in lights {
            let node = Node(name: "light")
            node.light = light
            scene.rootNode.addChildNode(node)
        }
        let (asset, warnings) = try read(scene)
        #expect(warnings.isEmpty && asset.warnings.isEmpty)
        let nodes = asset.scene.rootNode.childNodes
        #expect(nodes.compactMap(\.camera) == cameras)
        #expect(nodes.compactMap(\.light) == lights)
        #expect(asset.info.extensionsUsed == ["KHR_lights_punctual"])
    }

    /// Colours end at 1 in the file: a light with a temperature keeps its brightness.
    @Test func warmLightKeepsItsColour() throws {
        let scene = Scene()
        let light = Light(.point, color: Color(linearRed: 4, green: 2, blue: 1), intensity: 2, temperature: 3000)
        scene.rootNode.light = light
        let (asset, _) = try read(scene)
        let back = try #require(asset.scene.rootNode.childNodes.first?.light)
        #expect(length(back.linearIntensity - light.linearIntensity) < 1e-5 * length(light.linearIntensity))
        #expect(back.color.linear.xyz.max() <= 1)
    }

    @Test func motionThatCantBeWrittenIsSaid() throws {
        let scene = try figure()
        let hip = try #require(scene["hip"])
        hip.pivot = Matrix4(translation: [0, 0.5, 0])
        let knee = try #require(scene["knee"])
        let early = try #require(AnimationTrack(node: knee, target: .scale, interpolation: .step, times: [-1], values: [1, 1, 1]))
        scene.animations.append(AnimationClip(name: "early", tracks: [early]))
        let (asset, warnings) = try read(scene)
        #expect(warnings.count { $0.message.contains("which has shear or a pivot") } == 3)
        #expect(warnings.contains { $0.message.contains("begins at -1.0 s") })
        #expect(asset.scene.animation(named: "early")?.tracks[0].times == [0])
        hip.isHidden = true
        let (_, hidden) = try read(scene)
        #expect(hidden.contains { $0.message.contains("2 of its joints are hidden") })
    }

    @Test func glTFTextPutsItsFilesBesideItself() throws {
        try withTemporaryDirectory { folder in
            let url = folder.appendingPathComponent("two words é.gltf")
            #expect(try ModelFile.write(WriterScenes.everything(), to: url).map(\.location) == ["node \"sheared\""])
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
            #expect(names.contains("two words é.bin") && names.contains("two words é_0.png"))
            let loaded = try SceneFile.read(try FileBytes.read(url), name: "x.gltf") { path throws(FileError) in
                try FileBytes.read(folder.appendingPathComponent(path))
            }
            #expect(loaded.warnings.isEmpty && loaded.scene["child"]?.mesh != nil, "\(loaded.warnings)")
        }
    }

    /// Sample models with skins, targets, animations and cameras: nothing is lost on the way through a file.
    @Test(.enabled(if: SharedData.has("gltf"), SharedData.missing))
    func movingModelsRoundTrip() async throws {
        for name in [
            "BrainStem/glTF-Binary/BrainStem.glb", "AnimatedMorphCube/glTF-Binary/AnimatedMorphCube.glb",
            "CesiumMan/glTF-Binary/CesiumMan.glb",
            "Cameras/glTF/Cameras.gltf", "RiggedSimple/glTF-Binary/RiggedSimple.glb",
            "Soldier.glb", "bevy-animated/Fox.glb",
        ] where SharedData.has("gltf/" + name) {
            var options = ModelLoadOptions()
            options.decodesTextures = false
            let loaded = try await SceneFile.load(try SharedData.url("gltf/" + name), options: options)
            let (asset, warnings) = try read(loaded.scene)
            #expect(warnings.isEmpty && asset.warnings.isEmpty, "\(name): \(warnings) \(asset.warnings)")
            #expect(asset.scene.animations.map(\.duration) == loaded.scene.animations.map(\.duration), "\(name)")
            for (a, b) in zip(loaded.scene.animations, asset.scene.animations) {
                #expect(a.tracks.count == b.tracks.count, "\(name)")
                a.apply(at: a.duration / 2)
                b.apply(at: b.duration / 2)
            }
            #expect(length(asset.scene.bounds.minimum - loaded.scene.bounds.minimum) < 1e-4, "\(name)")
            #expect(length(asset.scene.bounds.maximum - loaded.scene.bounds.maximum) < 1e-4, "\(name)")
        }
    }
}
