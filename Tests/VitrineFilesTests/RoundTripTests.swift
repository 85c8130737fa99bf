import Foundation
import Testing
import VitrineFiles
import VitrineMath
import VitrineScene
import VitrineTestSupport

/// A scene is converted from format to format: contents that both formats support are kept.
@Suite struct RoundTripTests {
    /// The contents that every format here supports, in the scene's frame: corner by corner, so that vertices may be split or merged.
    struct Surface {
        var positions: [Vector3] = []
        var normals: [Vector3] = []
        var coordinates: [Vector2] = []
        var materials: [String] = []
        var colours: [Vector4] = []

        init(_ scene: Scene) {
            scene.update()
            scene.rootNode.forSubtree { node in
                for part in node.mesh?.parts ?? [] where part.geometry.triangleCount > 0 { add(part, node.worldTransform) }
            }
        }

        private mutating func add(_ part: MeshPart, _ world: Matrix4) {
            let geometry = part.geometry
            let cofactors = world.linear.inverse.transpose
            for corner in geometry.triangleIndices.map({ Int($0) }) {
                if let values = geometry.attribute(.position)?.values {
                    positions.append(
                        world.transform(point: Vector3(values[corner * 3], values[corner * 3 + 1], values[corner * 3 + 2])))
                }
                if let values = geometry.attribute(.normal)?.values {
                    normals.append(normalize(cofactors * Vector3(values[corner * 3], values[corner * 3 + 1], values[corner * 3 + 2])))
                }
                if let values = geometry.attribute(.textureCoordinate(set: 0))?.values {
                    coordinates.append(Vector2(values[corner * 2], values[corner * 2 + 1]))
                }
            }
            materials.append(part.material.name)
            colours.append(part.material.baseColor.factor)
        }
    }

    /// Writes and reads again.
    func passed(_ scene: Scene, through format: ModelFormat) throws -> (scene: Scene, warnings: [ModelWarning]) {
        let model = try ModelFile.encode(scene, as: format, name: "passed.\(format.rawValue)")
        let loaded = try SceneFile.read(model.files[0].bytes, name: model.files[0].name) { path throws(FileError) in
            guard let file = model.files.first(where: { $0.name == path }) else { throw FileError(path: path, reason: "isn't there") }
            return file.bytes
        }
        return (loaded.scene, model.warnings + loaded.warnings)
    }

    func expectSame(_ a: Surface, _ b: Surface, _ conversion: String) {
        let size = a.positions.reduce(Float(1e-3)) { max($0, abs($1.x), abs($1.y), abs($1.z)) }
        #expect(a.positions.count == b.positions.count && a.normals.count == b.normals.count, "\(conversion)")
        #expect(a.coordinates.count == b.coordinates.count, "\(conversion)")
        #expect(zip(a.positions, b.positions).allSatisfy { length($0 - $1) <= 2e-6 * size }, "\(conversion): positions")
        #expect(zip(a.normals, b.normals).allSatisfy { length($0 - $1) < 1e-4 }, "\(conversion): normals")
        #expect(zip(a.coordinates, b.coordinates).allSatisfy { length($0 - $1) < 1e-6 }, "\(conversion): coordinates")
        #expect(a.materials == b.materials, "\(conversion)")
        #expect(zip(a.colours, b.colours).allSatisfy { length($0 - $1) < 1e-5 }, "\(conversion): colours")
    }

    func scene() throws -> Scene {
        let scene = Scene(name: "all")
        let (base, arm) = (Node(name: "base"), Node(name: "arm"))
        base.position = Vector3(1, 2, 3)
        base.eulerAngles = Vector3(0.2, 0.5, -0.1)
        arm.scale = Vector3(2, 2, 0.5)
        arm.position.y = 0.75
        let red = Material(name: "red", baseColor: Color(linearRed: 0.8, green: 0.1, blue: 0.05), metalness: 0.25, roughness: 0.5)
        let blue = Material(name: "blue", baseColor: Color(linearRed: 0.1, green: 0.2, blue: 0.9), metalness: 0, roughness: 1)
        base.mesh = Mesh(name: "sphere", geometry: .sphere(radius: 0.5), material: red)
        arm.mesh = Mesh(name: "box", geometry: .box(size: Vector3(1, 2, 3)), material: blue)
        base.addChildNode(arm)
        scene.rootNode.addChildNode(base)
        return scene
    }

    /// A chain of common conversions: each step keeps the contents of the previous one.
    @Test func throughAllFormatsAndBack() throws {
        let start = try scene()
        let before = Surface(start)
        var current = start
        for format in [ModelFormat.usdz, .glb, .usdc, .gltf, .obj, .glb] {
            let (next, warnings) = try passed(current, through: format)
            #expect(warnings.isEmpty, "\(format): \(warnings)")
            expectSame(before, Surface(next), "\(format)")
            current = next
        }
    }

    @Test func hierarchyStaysWhereThereIsOne() throws {
        for format in [ModelFormat.glb, .gltf, .usdz, .usdc] {
            let (next, _) = try passed(try scene(), through: format)
            let arm = try #require(next["arm"], "\(format)")
            #expect(arm.parent?.name == "base", "\(format)")
            #expect(arm.parentFromLocal.isClose(to: try #require(try scene()["arm"]).parentFromLocal, tolerance: 1e-6), "\(format)")
        }
    }

    /// Formats that do not support them report each loss.
    @Test func whatIsLostIsSaid() throws {
        let start = try scene()
        start.rootNode.childNodes[0].camera = Camera()
        start.rootNode.childNodes[0].light = Light(.point)
        for (format, lost) in [
            (ModelFormat.obj, ["a camera", "a light"]), (.ply, ["a camera", "a light"]), (.stl, ["a camera", "a light"]),
        ] {
            let warnings = try ModelFile.encode(start, as: format, name: "x").warnings.map(\.message)
            for thing in lost { #expect(warnings.contains("\(thing): not written"), "\(format): \(warnings)") }
        }
    }

    @Test(.enabled(if: SharedData.has("gltf"), SharedData.missing))
    func realModelsKeepTheirShape() async throws {
        for name in ["CesiumMilkTruck/glTF-Binary/CesiumMilkTruck.glb", "Avocado/glTF/Avocado.gltf"] {
            let start = try await SceneFile.load(try SharedData.url("gltf/" + name)).scene
            let before = Surface(start)
            var current = start
            for format in [ModelFormat.usdz, .glb, .obj, .glb] {
                current = try passed(current, through: format).scene
                let after = Surface(current)
                #expect(before.positions.count == after.positions.count, "\(name) \(format)")
                let size = before.positions.reduce(Float(1e-3)) { max($0, abs($1.x), abs($1.y), abs($1.z)) }
                #expect(zip(before.positions, after.positions).allSatisfy { length($0 - $1) <= 4e-6 * size }, "\(name) \(format)")
                #expect(zip(before.coordinates, after.coordinates).allSatisfy { length($0 - $1) < 1e-5 }, "\(name) \(format)")
            }
        }
    }
}
