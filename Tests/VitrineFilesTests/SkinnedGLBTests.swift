import Foundation
import Testing
import VitrineGLTF
import VitrineMath
import VitrineScene
import VitrineTestSupport

@testable import VitrineFiles

/// Skins in glTF files that are written here, held to the rules of Khronos' validator.
struct SkinnedGLBTests {
    /// Weights that sum to 0.982 and 1.3, over two sets; the mesh is a child of a moved armature and has a child, a light and a track of its own.
    private func scene(isOnlyMesh: Bool, isNormalized: Bool = false) throws -> Scene {
        let (a, b): (Float, Float) = isNormalized ? (1 / 0.982, 1 / 1.3) : (1, 1)
        let scene = Scene(name: "figure")
        let (armature, hip) = (Node(name: "armature"), Node(name: "hip"))
        armature.position = [0, 3, 0]
        scene.rootNode.addChildNode(armature)
        armature.addChildNode(hip)
        let geometry = try Geometry(
            attributes: [
                VertexAttribute(.position, componentCount: 3, values: [0, 0, 0, 1, 0, 0, 0, 1, 0]),
                VertexAttribute(.joints(set: 0), componentCount: 4, values: [0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]),
                VertexAttribute(
                    .weights(set: 0), componentCount: 4, values: [0.5 * a, 0.482 * a, 0, 0, 0.3 * b, 0.4 * b, 0, 0, 1, 0, 0, 0]),
                VertexAttribute(.joints(set: 1), componentCount: 4, values: [0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0]),
                VertexAttribute(.weights(set: 1), componentCount: 4, values: [0, 0, 0, 0, 0.6 * b, 0, 0, 0, 0, 0, 0, 0]),
            ], morphTargets: [MorphTarget(name: "up", positionOffsets: [0, 0, 1, 0, 0, 1, 0, 0, 1])])
        let body = Node(name: "body", mesh: Mesh(name: "skin", geometry: geometry, material: Material()))
        let joints = [hip] + ["a", "b"].map { Node(name: $0) }
        for joint in joints.dropFirst() { hip.addChildNode(joint) }
        body.skin = Skin(joints: joints)
        body.position = [1, 0, 0]
        armature.addChildNode(body)
        var tracks = [
            AnimationTrack(node: body, target: .morphWeights, interpolation: .linear, times: [0, 1], values: [0, 1])
        ]
        if !isOnlyMesh {
            body.addChildNode(Node(name: "hat"))
            body.light = Light(.point, intensity: 5)
            tracks.append(
                AnimationTrack(
                    node: body, target: .translation, interpolation: .linear, times: [0, 1], values: [1, 0, 0, 2, 0, 0]))
        }
        scene.animations = [AnimationClip(name: "walk", tracks: tracks.compactMap { $0 })]
        return scene
    }

    private func points(_ scene: Scene) throws -> [Vector3] {
        scene.update()
        for clip in scene.animations { clip.apply(at: 0.5) }
        scene.update()
        var found: [Vector3] = []
        scene.rootNode.forSubtree { node in
            if node.mesh != nil { found.append(node.worldBounds.minimum) }
            if node.mesh != nil { found.append(node.worldBounds.maximum) }
        }
        return found
    }

    @Test(arguments: [true, false], [ModelWriteOptions.Compression.none, .draco, .meshopt])
    func weightsSumToOneAndSkinnedMeshesAreRoots(_ isOnlyMesh: Bool, _ compression: ModelWriteOptions.Compression) throws {
        var options = ModelWriteOptions()
        options.compression = compression
        let scene = try scene(isOnlyMesh: isOnlyMesh)
        let model = try ModelFile.encode(scene, as: .glb, name: "a.glb", options: options)
        #expect(GLBRules.faults(in: model.files[0].bytes) == [] && model.warnings == [])
        let asset = try GLTFReader.read(model.files[0].bytes, name: "a.glb", decoders: .host)
        #expect(asset.warnings.isEmpty)
        var skinned: [Node] = []
        asset.scene.rootNode.forSubtree { if $0.skin != nil { skinned.append($0) } }
        let node = try #require(skinned.first)
        #expect(skinned.count == 1 && node.parent === asset.scene.rootNode && node.parentFromLocal == .identity)
        #expect(node.name == (isOnlyMesh ? "body" : "body mesh"))
        // The rest stays where it was.
        #expect(asset.scene["hat"]?.parent?.name == (isOnlyMesh ? nil : "body"))
        #expect(asset.scene["body"]?.light != nil || isOnlyMesh)
        #expect(asset.scene.animations[0].tracks.contains { $0.node === node && $0.target == .morphWeights })
        // And so does the image.
        let (before, after) = (try points(self.scene(isOnlyMesh: isOnlyMesh, isNormalized: true)), try points(asset.scene))
        #expect(before.count == 2 && zip(before, after).allSatisfy { distance($0, $1) < 1e-3 }, "\(before) \(after)")
    }
}
