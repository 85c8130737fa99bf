import Testing
import VitrineGeometry
import VitrineMath
import VitrinePathTracer
import VitrineScene

@testable import VitrineBake

struct LightBakeTests {
    /// A plate of 4 m with a cube of 1 m on it.
    private static func scene() -> Scene {
        let scene = Scene()
        let material = Material(name: "shared", baseColor: .white)
        let floor = Node(name: "floor", mesh: Mesh(geometry: .box(size: Vector3(4, 0.1, 4)), material: material))
        floor.position = Vector3(0, -0.05, 0)
        let cube = Node(name: "cube", mesh: Mesh(geometry: .box(size: Vector3(1, 1, 1)), material: material))
        cube.position = Vector3(0, 0.5, 0)
        for node in [floor, cube] { scene.rootNode.addChildNode(node) }
        return scene
    }

    private static var options: LightBake.Options {
        var options = LightBake.Options()
        (options.size, options.samples) = (128, 32)
        return options
    }

    private static func bake(_ scene: Scene, _ options: LightBake.Options = options) throws -> LightBake.Summary {
        try LightBake(scene, traced: PathScene(scene), options: options).run()
    }

    /// The occlusion map's value at points of a node's triangles that face up, by position.
    private static func values(of name: String, in scene: Scene) throws -> [(position: Vector3, value: Float)] {
        let node = try #require(scene.rootNode.childNode(withName: name))
        let part = try #require(node.mesh?.parts.first)
        let map = try #require(part.material.occlusion.map)
        #expect(map.set == 1)
        guard case .image(let image) = map.texture.content else { throw GeometryError.notTriangles }
        let positions = try #require(part.geometry.attribute(.position)?.values)
        let coordinates = try #require(part.geometry.attribute(.textureCoordinate(set: 1))?.values)
        let indices = part.geometry.triangleIndices
        var found: [(Vector3, Float)] = []
        for base in stride(from: 0, to: indices.count, by: 3) {
            let corners = (0..<3).map { Int(indices[base + $0]) }
            let p = corners.map {
                node.worldTransform.transform(point: Vector3(positions[3 * $0], positions[3 * $0 + 1], positions[3 * $0 + 2]))
            }
            let uv = corners.map { Vector2(coordinates[2 * $0], coordinates[2 * $0 + 1]) }
            for value in coordinates { #expect((0...1).contains(value)) }
            guard cross(p[1] - p[0], p[2] - p[0]).y * (node.worldTransform.linear.determinant < 0 ? -1 : 1) > 0 else { continue }
            for i in 1..<20 {
                for j in 1..<(20 - i) {
                    let (a, b) = (Float(i) / 20, Float(j) / 20)
                    let coordinates = uv[0] * (1 - a - b) + uv[1] * a + uv[2] * b
                    let (x, y) = (Int(coordinates.x * Float(image.width)), Int(coordinates.y * Float(image.height)))
                    found.append((p[0] * (1 - a - b) + p[1] * a + p[2] * b, Float(image.bytes[4 * (y * image.width + x)]) / 255))
                }
            }
        }
        return found
    }

    @Test func floorIsDarkAtTheCubeAndBrightAtItsRim() throws {
        let scene = Self.scene()
        let summary = try Self.bake(scene)
        #expect(summary.partCount == 2)
        #expect(summary.triangleCount == 24)
        for (p, value) in try Self.values(of: "cube", in: scene) { #expect(value > 0.97, "\(p): \(value)") }
        for (p, value) in try Self.values(of: "floor", in: scene) {
            let distance = max(abs(p.x), abs(p.z))
            if distance > 0.53, distance < 0.62, min(abs(p.x), abs(p.z)) < 0.3 {
                #expect(value > 0.5 && value < 0.75, "\(p): \(value)")
            } else if distance > 1.9 {
                #expect(value > 0.9, "\(p): \(value)")
            }
        }
    }

    /// Light of radiance 2 from everywhere.
    private static func light(_ scene: Scene) throws {
        var bytes: [UInt8] = []
        for _ in 0..<32 { withUnsafeBytes(of: Float(2)) { bytes.append(contentsOf: $0) } }
        scene.environment = Environment(image: try Image(width: 4, height: 2, format: .rgba32Float, bytes: bytes))
    }

    @Test func lightMapsHaveLightAndItsReflections() throws {
        let scene = Self.scene()
        try Self.light(scene)
        let bulb = Node(name: "bulb")
        bulb.light = Light(.directional, intensity: 1)
        scene.rootNode.addChildNode(bulb)
        var options = Self.options
        options.maps = .light
        let summary = try Self.bake(scene, options)
        let material = try #require(scene.rootNode.childNode(withName: "floor")?.mesh?.parts[0].material)
        let map = try #require(material.lightMap.map)
        #expect(map.set == 1 && material.occlusion.map == nil && bulb.light != nil)
        // White surfaces in light from everywhere reflect all that they hide from each other, except for the share of plastic's own reflection.
        #expect(abs(material.lightMap.factor.x - 2) < 0.15, "\(material.lightMap.factor)")
        #expect(try #require(summary.meanLight) > 1.8)
        let open = try Self.bake(Self.scene(), options)
        #expect(open.meanLight == 0)
        // The sun comes along −Z: the cube's front receives 1 lux in addition to the sky's 2π.
        options.bakesLights = true
        let sunny = try Self.bake(scene, options)
        #expect(bulb.light == nil)
        #expect(try #require(sunny.meanLight) > #require(summary.meanLight) + 0.005)
    }

    @Test func mirroredNodesAreBakedLikeOthers() throws {
        let (plain, mirrored) = (Self.scene(), Self.scene())
        let floor = try #require(mirrored.rootNode.childNode(withName: "floor"))
        floor.scale = Vector3(-1, 1, 1)
        let step = Node(mesh: Mesh(geometry: .box(size: Vector3(0.5, 3, 4)), material: Material()))
        step.position = Vector3(1.75, 1.5, 0)
        mirrored.rootNode.addChildNode(step)
        let copy = Node(mesh: Mesh(geometry: .box(size: Vector3(0.5, 3, 4)), material: Material()))
        copy.position = step.position
        plain.rootNode.addChildNode(copy)
        _ = try Self.bake(plain)
        _ = try Self.bake(mirrored)
        func mean(_ scene: Scene, _ isNear: (Vector3) -> Bool) throws -> Float {
            let values = try Self.values(of: "floor", in: scene).filter { isNear($0.position) }.map { $0.value }
            return values.reduce(0, +) / Float(values.count)
        }
        for isNear in [{ (p: Vector3) in p.x > 1.2 && p.x < 1.45 }, { (p: Vector3) in p.x < -1.2 }] {
            #expect(abs(try mean(plain, isNear) - mean(mirrored, isNear)) < 0.03)
        }
    }

    @Test func sharedMeshesAndMaterialsAreCopied() throws {
        let scene = Self.scene()
        let floor = try #require(scene.rootNode.childNode(withName: "floor"))
        let cube = try #require(scene.rootNode.childNode(withName: "cube"))
        let shared = try #require(cube.mesh)
        let second = Node(name: "second", mesh: shared)
        second.position = Vector3(0, 1.52, 0)
        scene.rootNode.addChildNode(second)
        let glass = Material(name: "glass")
        glass.transmission.factor = 1
        shared.parts.append(MeshPart(geometry: .sphere(radius: 0.1), material: glass))
        let before = try #require(floor.mesh?.parts[0].material)
        let bake = try LightBake(scene, traced: PathScene(scene), options: Self.options)
        #expect(bake.warnings == ["2 of 5 mesh parts have no maps: they are transparent"])
        try bake.run()
        #expect(cube.mesh !== second.mesh)
        #expect(cube.mesh?.parts[0].material === second.mesh?.parts[0].material)
        #expect(cube.mesh?.parts[1].material === glass)
        #expect(before.occlusion.map == nil)
        // The lower cube's top is covered.
        let values = try Self.values(of: "cube", in: scene)
        #expect(values.reduce(0) { $0 + $1.value } / Float(values.count) < 0.2)
    }

    @Test func resultIsTheSameForAnyNumberOfThreads() throws {
        func texture(_ threads: Int) throws -> [UInt8] {
            let scene = Self.scene()
            var options = Self.options
            (options.threads, options.samples) = (threads, 4)
            _ = try Self.bake(scene, options)
            guard
                case .image(let image)? = scene.rootNode.childNode(withName: "floor")?.mesh?.parts[0].material.occlusion.map?.texture
                    .content
            else {
                return []
            }
            return image.bytes
        }
        let one = try texture(1)
        #expect(one.count == 128 * 128 * 4)
        #expect(try texture(3) == one)
    }

    private static func volume(threads: Int? = nil, _ change: (Scene) -> Void = { _ in }) throws -> IrradianceVolume? {
        let scene = scene()
        try light(scene)
        change(scene)
        var options = LightBake.Options()
        (options.maps, options.samples, options.probeSpacing, options.threads) = (.irradianceVolume, 32, 0.5, threads)
        let summary = try bake(scene, options)
        #expect(summary.chartCount == 0 && summary.probeCounts == scene.irradianceVolume?.counts)
        return scene.irradianceVolume
    }

    /// The value of a volume's function at a probe.
    private static func value(_ volume: IrradianceVolume, _ probe: Int, _ direction: Vector3) -> Vector4 {
        let count = IrradianceVolume.coefficientCount
        return zip(volume.coefficients[probe * count..<(probe + 1) * count], IrradianceVolume.harmonics(direction))
            .reduce(Vector4(repeating: 0)) { $0 + $1.0 * $1.1 }
    }

    /// White surfaces in light of radiance 2 from everywhere: each probe has that radiance, those inside of the cube by their neighbours.
    @Test func probesHaveTheLightAroundThem() throws {
        let volume = try #require(try Self.volume())
        #expect(volume.counts == SIMD3(8, 2, 8))
        for probe in 0..<volume.probeCount {
            for direction in [Vector3(0, 1, 0), Vector3(0, -1, 0), normalize(Vector3(1, 1, 1))] {
                let light = Self.value(volume, probe, direction)
                #expect(abs(light.y - 2) < 0.3, "probe \(probe), \(direction): \(light)")
            }
            // The upper layer sees the sky above it, and the plate below it.
            guard probe / 8 % 2 == 1 else { continue }
            #expect(Self.value(volume, probe, Vector3(0, 1, 0)).w > 0.6)
            let (x, z) = (probe % 8, probe / 16)
            if (2...5).contains(x), (2...5).contains(z) { #expect(Self.value(volume, probe, Vector3(0, -1, 0)).w < 0.45) }
        }
    }

    @Test func volumesAreTheSameForAnyNumberOfThreads() throws {
        let one = try #require(try Self.volume(threads: 1))
        #expect(try Self.volume(threads: 3)?.coefficients == one.coefficients)
    }

    /// Moving meshes must not shade a volume.
    @Test func movingMeshesAreRemoved() throws {
        let scene = Self.scene()
        let cube = try #require(scene.rootNode.childNode(withName: "cube"))
        let child = Node(mesh: cube.mesh)
        cube.addChildNode(child)
        let track = try #require(
            AnimationTrack(node: cube, target: .translation, interpolation: .linear, times: [0, 1], values: [0, 0, 0, 1, 0, 0]))
        scene.animations = [AnimationClip(name: "move", tracks: [track])]
        scene.removeMovingMeshes()
        #expect(cube.mesh == nil && child.mesh == nil && scene.rootNode.childNode(withName: "floor")?.mesh != nil)
    }

    @Test func refusals() throws {
        let empty = Scene()
        #expect(throws: BakeError.noSurface([])) { try Self.bake(empty) }
        var options = Self.options
        options.size = 100
        #expect(throws: BakeError.invalidOption(name: "size", reason: "100 is not a power of two from 64 to 8192")) {
            try Self.bake(Self.scene(), options)
        }
        (options.size, options.maps, options.probeSpacing) = (128, .irradianceVolume, 0.01)
        for (spacing, text) in [(Float(0), "0.0"), (.infinity, "inf"), (.nan, "nan")] {
            options.probeSpacing = spacing
            #expect(throws: BakeError.invalidOption(name: "probeSpacing", reason: "\(text) is not a positive length")) {
                try Self.bake(Self.scene(), options)
            }
        }
        options.probeSpacing = 0.01
        let reason = "of 0.01 m gives more than 64 probes along a side of 4.0 m"
        #expect(throws: BakeError.invalidOption(name: "probeSpacing", reason: reason)) { try Self.bake(Self.scene(), options) }
        let scene = Self.scene()
        #expect(throws: BakeError.cancelled) {
            try LightBake(scene, traced: PathScene(scene), options: Self.options).run(isCancelled: { true })
        }
        #expect(scene.rootNode.childNode(withName: "floor")?.mesh?.parts[0].material.occlusion.map == nil)
    }
}
