import Testing
import VitrineGLTF
import VitrineMath
import VitrineScene

struct NodeTests {
    private func read(_ nodes: [[String: Any]], roots: [Int] = [0], extra: [String: Any] = [:]) throws -> Scene {
        try builder(nodes, roots: roots, extra: extra).read().scene
    }

    private func builder(_ nodes: [[String: Any]], roots: [Int] = [0], extra: [String: Any] = [:]) -> ModelBuilder {
        ModelBuilder(["nodes": nodes, "scenes": [["nodes": roots, "name": "S"]]].merging(extra) { $1 })
    }

    @Test func tree() throws {
        let scene = try read([["name": "a", "children": [2, 1]], ["name": "b"], ["name": "c", "children": [3]], ["name": "d"]])
        #expect(scene.name == "S")
        let root = try #require(scene.rootNode.childNodes.first)
        #expect(root.name == "a" && root.childNodes.map(\.name) == ["c", "b"])
        #expect(scene["d"]?.parent?.name == "c")
    }

    @Test func placement() throws {
        let scene = try read(
            [
                ["translation": [1, 2, 3], "rotation": [0, 0, 0.70710678, 0.70710678], "scale": [2, 2, 2]],
                ["matrix": [1, 0, 0, 0, 0.5, 1, 0, 0, 0, 0, 1, 0, 7, 8, 9, 1]],
            ], roots: [0, 1])
        let nodes = scene.rootNode.childNodes
        let point = nodes[0].transform.transform(point: Vector3(1, 0, 0))
        #expect(length(point - Vector3(1, 4, 3)) < 1e-5)
        // A matrix with shear is kept exactly.
        #expect(nodes[1].transform.transform(point: Vector3(0, 2, 0)) == Vector3(8, 10, 9))
    }

    @Test func rotationsAreNormalized() throws {
        let builder = builder([["rotation": [0, 0, 2, 0]]])
        #expect(try builder.read().warns("/nodes/0/rotation", "not a unit quaternion"))
        #expect(try builder.read().scene.rootNode.childNodes[0].orientation.vector == Vector4(0, 0, 1, 0))
        #expect(try read([["rotation": [0, 0, 0, 0]]]).rootNode.childNodes[0].orientation == .identity)
    }

    @Test func projectiveMatricesAreRefused() throws {
        #expect(
            try builder([["matrix": [1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]]]).refusal().location == .property("/nodes/0/matrix"))
    }

    @Test func loopsAndSecondParentsAreRefused() throws {
        #expect(try builder([["children": [0]]], roots: []).refusal().location == .property("/nodes/0"))
        #expect(try builder([[:], ["children": [2]], ["children": [1]]]).refusal().location == .property("/nodes/1"))
        #expect(try builder([["children": [2]], ["children": [2]], [:]]).refusal().location == .property("/nodes/1/children"))
        #expect(try builder([["children": [1, 1]], [:]]).refusal().location == .property("/nodes/0/children"))
        #expect(try builder([["children": [1]]]).refusal().location == .property("/nodes/0/children/0"))
    }

    @Test func oddListsOfRootsAreRepaired() throws {
        // A child that its parent shows already.
        let child = builder([["name": "a", "children": [1]], ["name": "b"]], roots: [0, 1])
        #expect(try child.read().warns("/scenes/0/nodes/1", "node 1 is a child of node 0, which already shows it"))
        #expect(try child.read().scene.rootNode.childNodes.map(\.name) == ["a"])
        let shown = try child.read().scene
        #expect(shown["b"]?.parent?.name == "a")
        // The same, listed before the node above its parent.
        let early = builder([["name": "a", "children": [1]], ["name": "b", "children": [2]], ["name": "c"]], roots: [2, 0])
        #expect(try early.read().scene.rootNode.childNodes.map(\.name) == ["a"])
        // A child whose parent is in no list.
        let lone = builder([["name": "a", "children": [1]], ["name": "b"]], roots: [1])
        #expect(try lone.read().warns("/scenes/0/nodes/0", "shown without its parent"))
        #expect(try lone.read().scene.rootNode.childNodes.map(\.name) == ["b"])
        let twice = builder([["name": "a"]], roots: [0, 0])
        #expect(try twice.read().warns("/scenes/0/nodes/1", "node 0 is listed twice"))
        #expect(try twice.read().scene.rootNode.childNodes.count == 1)
    }

    @Test func depthAndNumberAreBounded() throws {
        let chain = (0..<600).map { $0 < 599 ? ["children": [$0 + 1]] : [:] as [String: Any] }
        #expect(try builder(chain).refusal().reason == .limit("nodes nested deeper than 512"))
        #expect(try builder(Array(chain[..<500]) + [[:]]).read().scene.rootNode.childNodes.count == 1)
        var limits = GLTFLimits()
        limits.nodes = 5
        let scenes = ["scenes": [["nodes": [0, 1, 2]], ["nodes": [0, 1, 2]]]]
        #expect(try builder([[:], [:], [:]], extra: scenes).refusal(limits: limits).reason == .limit("more than 5 nodes"))
    }

    @Test func severalScenesShareMeshesNotNodes() throws {
        var builder = ModelBuilder.triangle()
        builder.json["scenes"] = [["nodes": [0]], ["nodes": [0]]]
        builder.json["scene"] = 1
        let asset = try builder.read()
        #expect(asset.scenes.count == 2 && asset.scene === asset.scenes[1])
        let nodes = asset.scenes.map { $0.rootNode.childNodes[0] }
        #expect(nodes[0] !== nodes[1] && nodes[0].mesh === nodes[1].mesh)
    }

    @Test func aFileWithoutScenesShowsAllItsNodes() throws {
        let asset = try ModelBuilder(["nodes": [["children": [1]], [:], [:]]]).read()
        #expect(asset.scene.rootNode.childNodes.count == 2)
        #expect(try ModelBuilder().read().warns("", "has no scenes and no nodes"))
    }

    // MARK: Cameras and lights

    @Test func cameras() throws {
        let cameras: [[String: Any]] = [
            ["type": "perspective", "perspective": ["yfov": 1, "znear": 0.5]],
            ["type": "perspective", "perspective": ["yfov": 1, "znear": 0.5, "zfar": 9, "aspectRatio": 2]],
            ["type": "orthographic", "orthographic": ["xmag": 4, "ymag": 2, "znear": 0, "zfar": 5]],
        ]
        let scene = try read((0..<3).map { ["camera": $0] }, roots: [0, 1, 2], extra: ["cameras": cameras])
        let found = scene.rootNode.childNodes.map(\.camera)
        #expect(found[0] == Camera(projection: .perspective(fieldOfView: .radians(1)), near: 0.5, far: .infinity))
        #expect(found[1] == Camera(projection: .perspective(fieldOfView: .radians(1)), near: 0.5, far: 9, aspectRatio: 2))
        #expect(found[2] == Camera(projection: .orthographic(scale: 2), near: 0, far: 5, aspectRatio: 2))
    }

    @Test(arguments: [
        ("{\"yfov\":0,\"znear\":1}", "yfov"), ("{\"yfov\":1,\"znear\":0}", "znear"), ("{\"yfov\":1,\"znear\":1,\"zfar\":1}", "zfar"),
        ("{\"yfov\":1,\"znear\":1,\"aspectRatio\":0}", "aspectRatio"),
    ])
    func brokenCamerasAreRefused(_ json: String, _ member: String) throws {
        let text = #"{"asset":{"version":"2.0"},"cameras":[{"type":"perspective","perspective":\#(json)}]}"#
        do {
            _ = try GLTFReader.read(Array(text.utf8))
            Issue.record("taken")
        } catch { #expect(error.location == .property("/cameras/0/perspective/\(member)")) }
    }

    @Test func lights() throws {
        let lights: [[String: Any]] = [
            ["type": "directional", "color": [1, 0.5, 0], "intensity": 3], ["type": "point", "range": 4],
            ["type": "spot", "spot": ["innerConeAngle": 0.25, "outerConeAngle": 0.5]], ["type": "spot", "spot": [:]],
        ]
        let extra: [String: Any] = ["extensionsUsed": ["KHR_lights_punctual"], "extensions": ["KHR_lights_punctual": ["lights": lights]]]
        let nodes = (0..<4).map { ["extensions": ["KHR_lights_punctual": ["light": $0]]] }
        let found = try read(nodes, roots: [0, 1, 2, 3], extra: extra).rootNode.childNodes.map(\.light)
        #expect(found[0] == Light(.directional, color: Color(linearRed: 1, green: 0.5, blue: 0), intensity: 3))
        #expect(found[1] == Light(.point, range: 4))
        #expect(found[2]?.kind == .spot(inner: .radians(0.25), outer: .radians(0.5)))
        #expect(found[3]?.kind == .spot(inner: .zero, outer: .radians(.pi / 4)))
        let outside = builder([["extensions": ["KHR_lights_punctual": ["light": 4]]]], extra: extra)
        #expect(try outside.refusal().location == .property("/nodes/0/extensions/KHR_lights_punctual/light"))
    }
}
