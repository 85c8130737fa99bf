import Foundation
import Testing
import VitrineFiles
import VitrineMath
import VitrineScene
import VitrineTestSupport

/// Written files obey every rule of glTF, and each rule detects a file that breaks it.
@Suite struct GLBRulesTests {
    /// A tree with every material slot, points and a shear, a skinned and morphed figure with a clip, lobes and variants, cameras, lights, and
    /// posts that may become instances.
    private func whole() throws -> Scene {
        let scene = try WriterScenes.everything()
        let (figure, shoe) = (try GLBMotionTests().figure(), try GLBLobeTests().model())
        for node in figure.rootNode.childNodes + shoe.rootNode.childNodes { scene.rootNode.addChildNode(node) }
        scene.animations = figure.animations
        scene.variantNames = shoe.variantNames
        addCamerasAndLights(to: scene)
        let post = Mesh(name: "post", geometry: .box(size: Vector3(1, 2, 3)), material: Material(name: "wood"))
        for index in 0..<3 {
            let node = Node(name: "post", mesh: post)
            node.position = Vector3(Float(index), 0, 0)
            node.eulerAngles.y = Float(index)
            node.scale = Vector3(repeating: Float(index + 1))
            scene.rootNode.addChildNode(node)
        }
        return scene
    }

    private func addCamerasAndLights(to scene: Scene) {
        for camera in [
            Camera(projection: .perspective(fieldOfView: .radians(0.75)), near: 0.5, far: .infinity),
            Camera(projection: .orthographic(scale: 2), near: 0, far: 10, aspectRatio: 2),
        ] {
            let node = Node(name: "camera")
            node.camera = camera
            scene.rootNode.addChildNode(node)
        }
        for light in [
            Light(.directional, color: Color(linearRed: 1, green: 0.5, blue: 0.25), intensity: 3),
            Light(.point, color: Color(linearRed: 4, green: 2, blue: 1), intensity: 100, range: 4),
            Light(.spot(inner: .radians(0.25), outer: .radians(0.5)), intensity: 5),
        ] {
            let node = Node(name: "light")
            node.light = light
            scene.rootNode.addChildNode(node)
        }
    }

    private func written(_ scene: Scene, _ compression: ModelWriteOptions.Compression = .none, instances: Bool = false) throws -> [UInt8] {
        var options = ModelWriteOptions()
        options.compression = compression
        options.writesInstances = instances
        return try ModelFile.encode(scene, as: .glb, name: "whole.glb", options: options).files[0].bytes
    }

    @Test(arguments: [ModelWriteOptions.Compression.none, .draco, .meshopt], [false, true])
    func aWholeSceneKeepsTheRules(_ compression: ModelWriteOptions.Compression, instances: Bool) throws {
        let bytes = try written(try whole(), compression, instances: instances)
        let faults = GLBRules.faults(in: bytes)
        #expect(faults == [])
        // The scene contains everything that the rules check.
        let used = Set(try GLBDraft(bytes).root["extensionsUsed"].elements.compactMap(\.text))
        let lobes = [
            "clearcoat", "ior", "specular", "sheen", "transmission", "volume", "dispersion", "iridescence", "anisotropy", "variants",
        ]
        #expect(used.isSuperset(of: lobes.map { "KHR_materials_\($0)" } + ["KHR_lights_punctual", "KHR_texture_transform"]))
        #expect(used.contains("EXT_mesh_gpu_instancing") == instances)
        #expect(used.contains("KHR_draco_mesh_compression") == (compression == .draco))
        #expect(used.contains("EXT_meshopt_compression") == (compression == .meshopt))
    }

    @Test func anEmptySceneKeepsTheRules() throws {
        #expect(GLBRules.faults(in: try written(Scene())) == [])
    }

    /// Models of others, read and written.
    @Test(.enabled(if: SharedData.has("gltf"), SharedData.missing))
    func realModelsKeepTheRules() async throws {
        for name in [
            "CesiumMan/glTF-Binary/CesiumMan.glb", "BrainStem/glTF-Binary/BrainStem.glb",
            "AnimatedMorphCube/glTF-Binary/AnimatedMorphCube.glb", "DamagedHelmet/glTF/DamagedHelmet.gltf",
            "ClearCoat-glTF/ClearCoatTest.gltf", "Cameras/glTF/Cameras.gltf", "CesiumMilkTruck/glTF-Binary/CesiumMilkTruck.glb",
            "bevy-animated/Fox.glb",
        ] where SharedData.has("gltf/" + name) {
            var options = ModelLoadOptions()
            options.decodesTextures = false
            let scene = try await SceneFile.load(try SharedData.url("gltf/" + name), options: options).scene
            for compression in [ModelWriteOptions.Compression.none, .draco, .meshopt] {
                let faults = GLBRules.faults(in: try written(scene, compression))
                #expect(faults == [], "\(name) \(compression)")
            }
        }
    }

    // MARK: Faults

    private struct Plant {
        let fault: String
        let into: (inout GLBDraft) -> Void

        init(_ fault: String, _ into: @escaping (inout GLBDraft) -> Void) { (self.fault, self.into) = (fault, into) }
    }

    /// The number of the element with a name.
    private static func number(_ list: String, _ name: String, _ draft: GLBDraft) -> Int {
        draft.root[list].elements.firstIndex { $0["name"].text == name } ?? 0
    }

    private func plants(_ draft: GLBDraft) -> [Plant] {
        let body = "meshes/\(Self.number("meshes", "body", draft))/primitives/0"
        let panel = "meshes/\(Self.number("meshes", "panel", draft))/primitives/0"
        let (hip, knee) = (Self.number("nodes", "hip", draft), Self.number("nodes", "knee", draft))
        let own = "nodes/\(Self.number("nodes", "body", draft))"
        let position = draft.integer(panel + "/attributes/POSITION")
        let indices = draft.integer(panel + "/indices")
        let positionView = draft.integer("accessors/\(position)/bufferView")
        let indexView = draft.integer("accessors/\(indices)/bufferView")
        let cubic = draft.root["animations"].elements[0]["samplers"].elements.firstIndex { $0["interpolation"].text == "CUBICSPLINE" } ?? 0
        let input = "animations/0/samplers/\(cubic)/input"
        let length = draft.integer("bufferViews/\(positionView)/byteLength")
        return [
            Plant("not version 2.0") { $0.set("asset/version", "1.0") },
            Plant("ends at") { $0.set("accessors/\(position)/count", 1000) },
            Plant("for 4 vertices") { $0.set("accessors/\(draft.integer(panel + "/attributes/NORMAL"))/count", 3) },
            Plant("not aligned") {
                $0.set("bufferViews/\(positionView)/byteOffset", draft.integer("bufferViews/\(positionView)/byteOffset") + 2)
            },
            Plant("beyond its buffer") { $0.set("bufferViews/\(positionView)/byteLength", length + 10_000_000) },
            Plant("an invalid stride") { $0.set("bufferViews/\(positionView)/byteStride", 14) },
            Plant("min or max are not") { $0.setFloat(panel + "/attributes/POSITION", 0, -0.5) },
            Plant("min or max are not") { $0.set("accessors/\(draft.integer(input))/max/0", 0.75) },
            Plant("without min and max") { $0.set("accessors/\(position)/min", nil) },
            Plant("no ARRAY_BUFFER") { $0.set("bufferViews/\(positionView)/target", 34963) },
            Plant("no ELEMENT_ARRAY_BUFFER") { $0.set("bufferViews/\(indexView)/target", nil) },
            Plant("used for indices and vertices") { $0.set("accessors/\(position)/bufferView", indexView) },
            Plant("of 4 vertices") { $0.binary[$0.start(ofAccessorAt: panel + "/indices")] = 4 },
            Plant("one restarts") { draft in
                let start = draft.start(ofAccessorAt: panel + "/indices")
                draft.binary.replaceSubrange(start..<start + 2, with: [255, 255])
            },
            Plant("corners in mode") { $0.set(panel + "/mode", 7) },
            Plant("JOINTS_0: made of VEC4 5126") { $0.set(body + "/attributes/JOINTS_0", draft.integer(body + "/attributes/WEIGHTS_0")) },
            Plant("don't sum to 1") { $0.setFloat(body + "/attributes/WEIGHTS_0", 0, 0.5) },
            Plant("a negative weight") { $0.setFloat(body + "/attributes/WEIGHTS_0", 1, -1) },
            Plant("beyond the 2 of its skin") { $0.binary[$0.start(ofAccessorAt: body + "/attributes/JOINTS_0")] = 2 },
            Plant("NORMAL: not unit") { $0.setFloat(panel + "/attributes/NORMAL", 2, 0.5) },
            Plant("a number that is not finite") { $0.setFloat(panel + "/attributes/TEXCOORD_0", 0, .nan) },
            Plant("TEXCOORD are not numbered") { $0.set(panel + "/attributes/TEXCOORD_0", nil) },
            Plant("sets of coordinates") { $0.set(panel + "/attributes/TEXCOORD_1", nil) },
            Plant("values instead of") { $0.set("animations/0/samplers/\(cubic)/interpolation", "LINEAR") },
            Plant("times that don't rise") { $0.setFloat(input, 0, 2) },
            Plant("a time below 0") { $0.setFloat(input, 0, -1) },
            Plant("another moves the same") { $0.set("animations/0/channels/1/target", ["node": hip, "path": "rotation"]) },
            Plant("a child twice") { $0.set("nodes/\(hip)/children", [knee, knee]) },
            Plant("two parents") { $0.set("nodes/\(knee)/children", [knee]) },
            Plant("in a circle") { draft in
                let armature = Self.number("nodes", "armature", draft)
                draft.set("nodes/\(knee)/children", [armature])
            },
            Plant("is no root") { $0.set("scenes/0/nodes", [knee]) },
            Plant("names no element of nodes") { $0.set("nodes/\(hip)/children", [9999]) },
            Plant("not of unit length") { $0.set(own + "/rotation", [0, 0, 0, 2]) },
            Plant("a matrix and a rotation") { draft in
                draft.set(own + "/rotation", [0, 0, 0, 1])
                draft.set(own + "/matrix", [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1])
            },
            Plant("a skinned mesh below another node") {
                $0.set("nodes/\(hip)/children", [knee, Self.number("nodes", "body", draft)])
            },
            Plant("a skinned mesh with a transform") { $0.set(own + "/translation", [1, 0, 0]) },
            Plant("not a weight a target") { $0.set(own + "/weights", [1]) },
            Plant("matrices for 2 joints") { $0.set("accessors/\(draft.integer("skins/0/inverseBindMatrices"))/count", 1) },
            Plant("last row") { $0.setFloat("skins/0/inverseBindMatrices", 3, 1) },
            Plant("no joints, or one twice") { $0.set("skins/0/joints", [hip, hip]) },
            Plant("an empty list") { $0.set("cameras", [Any]()) },
            Plant("an empty object") { $0.set(panel + "/extensions", [String: Any]()) },
            Plant("lacks KHR_lights_punctual") { $0.set("extensionsUsed", ["KHR_materials_ior"]) },
            Plant("which nothing uses") { $0.set("extensionsUsed/999", "KHR_materials_unlit") },
            Plant("is not in extensionsUsed") { $0.set("extensionsRequired", ["KHR_node_visibility"]) },
            Plant("mimeType does not match") { $0.set("images/0/mimeType", "image/jpeg") },
            Plant("an invalid magFilter") { $0.set("samplers/0/magFilter", 9987) },
            Plant("an invalid wrapS") { $0.set("samplers/0/wrapS", 0) },
            Plant("names no element of textures") { $0.set("materials/0/normalTexture", ["index": 500]) },
            Plant("metallicFactor") { $0.set("materials/0/pbrMetallicRoughness/metallicFactor", 1.5) },
            Plant("numbers that are not a camera") { $0.set("cameras/0/perspective/znear", 0) },
            Plant("an invalid cone") { $0.set("extensions/KHR_lights_punctual/lights/2/spot/outerConeAngle", 0.1) },
        ]
    }

    @Test func plantedErrorsAreDetected() throws {
        let sound = try GLBDraft(try written(try whole()))
        #expect(GLBRules.faults(in: try sound.bytes()) == [])
        for plant in plants(sound) {
            var draft = sound
            plant.into(&draft)
            let faults = GLBRules.faults(in: try draft.bytes())
            #expect(faults.contains { $0.contains(plant.fault) }, "\(plant.fault): \(faults.prefix(5))")
        }
    }

    @Test func brokenContainersAreDetected() throws {
        let bytes = try written(try whole())
        func changed(_ edit: (inout [UInt8]) -> Void) -> [String] {
            var copy = bytes
            edit(&copy)
            return GLBRules.faults(in: copy)
        }
        #expect(changed { $0[0] = 0 } == ["header: no GLB"])
        #expect(changed { $0[4] = 1 }.contains("header: not version 2"))
        #expect(changed { $0.append(0) }.contains("header: \(bytes.count) bytes declared, \(bytes.count + 1) exist"))
        #expect(changed { $0[12] += 1 }.contains { $0.hasPrefix("chunk 0: a length") })
        #expect(changed { $0[16] = 0 }.contains { $0.hasPrefix("chunk 0: of a kind") })
        #expect(changed { $0.removeLast(4) }.contains { $0.hasPrefix("chunk 1: a length") })
        var draft = try GLBDraft(bytes)
        for count in 1...4 where try draft.bytes(padding: 0) == draft.bytes() {
            draft.set("asset/generator", String(repeating: "x", count: count))
        }
        #expect(GLBRules.faults(in: try draft.bytes(padding: 0)) == ["JSON: not padded with up to 3 spaces"])
    }
}
