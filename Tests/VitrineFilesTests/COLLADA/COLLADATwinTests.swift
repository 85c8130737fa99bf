import Testing
import VitrineFiles
import VitrineMath
import VitrineScene
import VitrineTestSupport

/// The COLLADA sources of glTF samples must match the samples.
@Suite(.enabled(if: SharedData.has("dae/samples") && SharedData.has("gltf"), SharedData.missing)) struct COLLADATwinTests {
    struct Twin: CustomTestStringConvertible, Sendable {
        let name: String
        let gltf: String
        /// The tolerance in metres.
        var tolerance: Float = 2e-5
        /// The part of all corners that must be the same.
        var share = 1.0
        var testDescription: String { name }
    }

    static let twins = [
        Twin(name: "Duck", gltf: "Duck/glTF-Binary/Duck.glb"),
        Twin(name: "CesiumMilkTruck", gltf: "CesiumMilkTruck/glTF-Binary/CesiumMilkTruck.glb"),
        // Vertices with five and six joints: the sample doesn't keep the greatest four.
        Twin(name: "CesiumMan", gltf: "CesiumMan/glTF-Binary/CesiumMan.glb", share: 0.9),
        Twin(name: "RiggedSimple", gltf: "RiggedSimple/glTF-Binary/RiggedSimple.glb"),
    ]

    private func load(_ path: String) async throws -> LoadedScene {
        var options = ModelLoadOptions()
        options.decodesTextures = false
        return try await SceneFile.load(SharedData.url(path), options: options)
    }

    @Test(arguments: twins) func isTheSame(_ twin: Twin) async throws {
        let ours = try await load("dae/samples/\(twin.name)/\(twin.name).dae")
        let theirs = try await load("gltf/\(twin.gltf)")
        let (a, b) = (WorldTriangles(ours.scene), WorldTriangles(theirs.scene))
        #expect(a.corners.count == b.corners.count)
        #expect(a.share(in: b, within: twin.tolerance, step: 3) >= twin.share)
        #expect(b.share(in: a, within: twin.tolerance, step: 3) >= twin.share)
        expectSameMaterials(ours.scene, theirs.scene)
        try expectSameAnimation(ours.scene, theirs.scene, twin)
        if let camera = Self.camera(ours.scene), let other = Self.camera(theirs.scene) { expectSame(camera, other) }
    }

    private func expectSameAnimation(_ ours: Scene, _ theirs: Scene, _ twin: Twin) throws {
        #expect(ours.animations.count == theirs.animations.count)
        guard let mine = ours.animations.first, let other = theirs.animations.first else { return }
        #expect(abs(mine.duration - other.duration) < 1e-4)
        for step in 0...3 {
            let time = other.duration * Float(step) / 3
            mine.apply(at: time)
            other.apply(at: time)
            let (a, b) = (WorldTriangles(ours), WorldTriangles(theirs))
            #expect(a.share(in: b, within: twin.tolerance, step: 7) >= twin.share, "at \(time) s")
        }
    }

    /// The converter that made the samples took numbers for linear light that COLLADA's programs show as sRGB: so they are compared encoded.
    private func expectSameMaterials(_ ours: Scene, _ theirs: Scene) {
        let (a, b) = (Self.materials(ours), Self.materials(theirs))
        #expect(a.count == b.count)
        for (mine, other) in zip(a, b) {
            #expect((mine.baseColor.map == nil) == (other.baseColor.map == nil), "\(mine.name)")
            guard mine.baseColor.map == nil else { continue }
            for channel in 0..<3 {
                #expect(abs(sRGBFromLinear(mine.baseColor.factor[channel]) - other.baseColor.factor[channel]) < 1e-4, "\(mine.name)")
            }
            #expect(mine.alphaMode == other.alphaMode, "\(mine.name)")
        }
    }

    /// Returns the materials sorted by name.
    private static func materials(_ scene: Scene) -> [Material] {
        var found: [Material] = []
        scene.rootNode.forSubtree { node in
            for part in node.mesh?.parts ?? [] where !found.contains(where: { $0 === part.material }) { found.append(part.material) }
        }
        return found.sorted { $0.name.lowercased() < $1.name.lowercased() }
    }

    private static func camera(_ scene: Scene) -> Node? {
        var found: Node?
        scene.rootNode.forSubtree { if found == nil, $0.camera != nil { found = $0 } }
        return found
    }

    private func expectSame(_ a: Node, _ b: Node) {
        #expect(length(a.worldPosition - b.worldPosition) < 1e-4)
        guard case .perspective(let x)? = a.camera?.projection, case .perspective(let y)? = b.camera?.projection else {
            Issue.record("not perspective")
            return
        }
        #expect(abs(x.radians - y.radians) < 1e-4)
        #expect(abs((a.camera?.near ?? 0) - (b.camera?.near ?? 0)) < 1e-4 || a.camera?.near != nil)
    }
}
