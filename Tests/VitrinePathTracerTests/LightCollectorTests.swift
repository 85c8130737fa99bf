import Testing
import VitrineGeometry
import VitrineMath
import VitrineScene

@testable import VitrinePathTracer

struct LightCollectorTests {
    /// A scene of these nodes in light of radiance 1 from everywhere, or in none.
    private static func scene(_ nodes: [Node], isLit: Bool = true) throws -> PathScene {
        let scene = Scene()
        var bytes: [UInt8] = []
        for _ in 0..<32 { withUnsafeBytes(of: Float(1)) { bytes.append(contentsOf: $0) } }
        let image = isLit ? try Image(width: 4, height: 2, format: .rgba32Float, bytes: bytes) : nil
        scene.environment = Environment(image: image, background: .transparent)
        for node in nodes { scene.rootNode.addChildNode(node) }
        return try PathScene(scene)
    }

    private static func body(_ geometry: Geometry, _ gray: Float, at position: Vector3 = Vector3(0, 0, 0)) -> Node {
        let material = Material()
        material.lightingModel = .lambert
        material.baseColor = ColorSlot(Vector4(gray, gray, gray, 1))
        let node = Node(mesh: Mesh(geometry: geometry, material: material))
        node.position = position
        return node
    }

    /// Light at points on the plane y = 0.
    private static func light(
        _ scene: PathScene, at points: [Vector3], outputs: LightCollector.Outputs = [.light, .directLight], samples: Int = 4096,
        threads: Int = 2
    ) -> [CollectedLight] {
        LightCollector(scene, outputs: outputs).collect(count: points.count, samples: samples, threads: threads) { index, _ in
            CollectingPoint(position: points[index], normal: .up, geometricNormal: .up)
        }
    }

    @Test func wallHidesItsPartOfTheSky() throws {
        // A black wall 2 m high and 400 m long.
        let scene = try Self.scene([Self.body(.box(size: Vector3(0.2, 2, 400)), 0, at: Vector3(-0.1, 1, 0))])
        for distance: Float in [0.1, 0.5, 2] {
            let light = Self.light(scene, at: [Vector3(distance, 0, 0)])[0]
            let hidden = (1 - distance / (distance * distance + 4).squareRoot()) / 2
            #expect(abs(light.openness - (1 - hidden)) < 0.01, "\(distance): \(light.openness)")
            #expect(abs(light.radiance.x - (1 - hidden)) < 0.01, "\(distance): \(light.radiance)")
            #expect(light.validity == 1)
        }
    }

    @Test func whiteCornerInWhiteLightIsWhite() throws {
        let walls = [
            Self.body(.box(size: Vector3(1, 4, 8)), 1, at: Vector3(-0.5, 1.9, 0)),
            Self.body(.box(size: Vector3(8, 1, 8)), 1, at: Vector3(3.5, -0.5, 0)),
        ]
        let light = Self.light(try Self.scene(walls), at: [Vector3(0.2, 0, 0)])[0]
        #expect(abs(light.radiance.x - 1) < 0.01, "\(light.radiance)")
        #expect(light.openness < 0.7)
    }

    @Test func lightsCountStraightOrReflected() throws {
        // One candela a metre above: one lux.
        let bulb = Node(name: "bulb")
        bulb.light = Light(.point, intensity: 1)
        bulb.position = Vector3(0.5, 1, 0)
        let floor = [Vector3(0.5, 0, 0)]
        let alone = try Self.scene([bulb], isLit: false)
        #expect(abs(Self.light(alone, at: floor)[0].radiance.x - 1 / .pi) < 1e-3)
        #expect(Self.light(alone, at: floor, outputs: .light)[0].radiance.x == 0)
        let beside = try Self.scene([bulb, Self.body(.box(size: Vector3(1, 2, 2)), 0.8, at: Vector3(-0.5, 1, 0))], isLit: false)
        let reflected = Self.light(beside, at: floor, outputs: .light)[0].radiance.x
        let all = Self.light(beside, at: floor)[0].radiance.x
        #expect(reflected > 0.02)
        #expect(abs(all - reflected - 1 / .pi) < 0.01)
    }

    @Test func pointsInsideBodiesAreNotValid() throws {
        let scene = try Self.scene([Self.body(.box(size: Vector3(1, 1, 1)), 0.5)])
        let lights = Self.light(scene, at: [Vector3(0, 0, 0), Vector3(0, 0.5, 0)], samples: 16)
        #expect(lights[0].validity == 0)
        #expect(lights[1].validity == 1)
    }

    @Test func resultsDoNotDependOnThreads() throws {
        let scene = try Self.scene([Self.body(.sphere(radius: 0.5), 0.5, at: Vector3(0, 0.5, 0))])
        let points = (0..<300).map { Vector3(Float($0) / 100, 0, 0) }
        let (one, three) = (Self.light(scene, at: points, samples: 4, threads: 1), Self.light(scene, at: points, samples: 4, threads: 3))
        #expect(zip(one, three).allSatisfy { $0.radiance == $1.radiance && $0.openness == $1.openness })
    }

    @Test func filterKeepsEdgesAndRemovesNoise() throws {
        // Left half in shadow, right half in light; noise of a tenth.
        let size = 32
        var random = SplitMix(state: 1)
        let texels = (0..<size * size).map { index in
            var light = CollectedLight()
            let noise = 0.1 * (random.next() - 0.5) * Float(12).squareRoot()
            light.radiance = Vector3(repeating: (index % size < size / 2 ? 0.2 : 1) + noise)
            (light.openness, light.variance, light.validity) = (1, 0.01, 1)
            return CollectedLightFilter.Texel(
                position: Vector3(Float(index % size), 0, Float(index / size)), normal: .up, light: light)
        }
        let texelIndices = (0..<size * size).map { Int32($0) }
        let filtered = CollectedLightFilter(size: size, spacing: 1).filtered(texels, texelIndices: texelIndices)
        var error: Float = 0
        for (index, light) in filtered.enumerated() {
            let d = light.radiance.x - (index % size < size / 2 ? 0.2 : 1)
            error += d * d
        }
        error = (error / Float(size * size)).squareRoot()
        #expect(error < 0.045, "\(error)")
    }
}

private struct SplitMix {
    var state: UInt64
    mutating func next() -> Float {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
        return Float((z ^ z >> 31) >> 40) / 16_777_216
    }
}
