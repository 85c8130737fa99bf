import Testing
import VitrineGeometry
import VitrineMath
import VitrineScene

@testable import VitrinePathTracer

/// Light of emitting surfaces and of lights with a radius, against integrals.
struct EmissionTests {
    /// A white Lambert plate in the plane z = 0.
    private static func plate() -> Scene {
        let scene = Scene()
        scene.environment = Environment(background: .transparent)
        let white = Material(baseColor: .white)
        white.lightingModel = .lambert
        scene.rootNode.addChildNode(Node(mesh: Mesh(geometry: .plane(width: 2, height: 2), material: white)))
        return scene
    }

    /// Black, so that nothing comes back from it; single-sided, so that the camera sees the plate behind it.
    private static func emitter(side: Float, radiance: Float = 1) -> Node {
        let black = Material(baseColor: .black)
        black.lightingModel = .lambert
        black.emission.factor = Vector4(repeating: radiance)
        let node = Node(name: "emitter", mesh: Mesh(geometry: .plane(width: side, height: side), material: black))
        node.position = Vector3(0, 0, 2)
        node.eulerAngles.x = .pi
        return node
    }

    /// The mean of 8 × 8 pixels around the origin, seen along −Z, and the standard error of a pixel as a share of it.
    private static func center(_ scene: Scene, samples: Int) throws -> (value: Float, noise: Float) {
        let tracer = try PathTracer(
            try PathScene(scene), camera: Camera(projection: .orthographic(scale: 0.01), near: 0.01, far: 100),
            worldFromCamera: Matrix4(translation: Vector3(0, 0, 4)), width: 8, height: 8)
        let done = try tracer.render(PathBudget(samples: samples))
        let values = tracer.radiance
        return (stride(from: 0, to: values.count, by: 4).reduce(0) { $0 + values[$1] } / 64, done.noise ?? .infinity)
    }

    /// Irradiance over π at distance 2 under the centre of a square.
    private static func expected(side: Float) -> Float {
        let half = side / 2 / (side * side / 4 + 4).squareRoot()
        return 4 / .pi * half * atan2(half, 1)
    }

    @Test(arguments: [(Float(2), Float(1)), (0.1, 1000)]) func emittingSurfacesLightOthers(side: Float, radiance: Float) throws {
        let scene = Self.plate()
        scene.rootNode.addChildNode(Self.emitter(side: side, radiance: radiance))
        let found = try Self.center(scene, samples: 256)
        #expect(abs(found.value / (Self.expected(side: side) * radiance) - 1) < 0.01, "\(found)")
        // Paths that find the small square by chance alone, one in 1250, would leave noise above 1.
        #expect(found.noise < 0.1, "\(found)")
    }

    /// Emission is found in two ways; beside a bright environment it is sampled only now and then. The sum stays the same.
    @Test func environmentAndEmissionAddUp() throws {
        let bytes = [Float](repeating: 1, count: 4 * 8).flatMap { withUnsafeBytes(of: $0) { [UInt8]($0) } }
        let bright = Environment(image: try Image(width: 4, height: 2, format: .rgba32Float, bytes: bytes), background: .transparent)
        let scene = Self.plate()
        scene.environment = bright
        let emitter = Self.emitter(side: 1)
        scene.rootNode.addChildNode(emitter)
        let both = try Self.center(scene, samples: 1024).value
        emitter.mesh?.parts[0].material.emission.factor = Vector4(0, 0, 0, 1)
        let environment = try Self.center(scene, samples: 1024).value
        #expect(abs((both - environment) / Self.expected(side: 1) - 1) < 0.03, "\(both) \(environment)")
    }

    @Test func texturesOfEmissionCount() throws {
        // White texels to the left, black ones to the right: half of the square.
        let image = try Image(width: 2, height: 1, format: .rgba8, bytes: [255, 255, 255, 255, 0, 0, 0, 255])
        let texture = Texture(image, sampler: Sampler(wrapS: .clampToEdge, wrapT: .clampToEdge, magnification: .nearest))
        let scene = Self.plate()
        let emitter = Self.emitter(side: 2)
        emitter.mesh?.parts[0].material.emission.map = TextureMap(texture)
        scene.rootNode.addChildNode(emitter)
        // By symmetry half of the whole square's light arrives at the centre.
        #expect(abs(try Self.center(scene, samples: 256).value / (Self.expected(side: 2) / 2) - 1) < 0.015)
    }

    @Test func emissionIsBlocked() throws {
        let scene = Self.plate()
        scene.rootNode.addChildNode(Self.emitter(side: 0.1))
        let black = Material(baseColor: .black)
        black.lightingModel = .lambert
        // Faces the emitter, so that the camera does not see it.
        let shade = Node(mesh: Mesh(geometry: .plane(width: 1, height: 1), material: black))
        (shade.position, shade.eulerAngles.x) = (Vector3(0, 0, 1), .pi)
        scene.rootNode.addChildNode(shade)
        #expect(try Self.center(scene, samples: 64).value == 0)
    }

    @Test func lightsWithRadiusHaveTheSameIrradianceAndShowInMirrors() throws {
        let scene = Self.plate()
        let lightNode = Node(name: "light")
        lightNode.light = Light(.point, intensity: 4)
        lightNode.light?.radius = 0.5
        lightNode.position = Vector3(0, 0, 2)
        scene.rootNode.addChildNode(lightNode)
        // Distance 2, 4 candela: 1 lux.
        #expect(abs(try Self.center(scene, samples: 256).value * .pi - 1) < 0.005)
        // A mirror shows the sphere's radiance, candela over its disc.
        let mirror = Material(baseColor: .white, metalness: 1, roughness: 0)
        scene.rootNode.childNodes[0].mesh?.parts[0].material = mirror
        #expect(abs(try Self.center(scene, samples: 64).value / (4 / (.pi * 0.25)) - 1) < 0.01)
        // A rough one by both techniques: as much as of a disc of the same radiance, which fills the same directions from afar.
        mirror.roughness = 0.4
        lightNode.light?.radius = 0.1
        let sphere = try Self.center(scene, samples: 512).value
        lightNode.light = Light(.disc(radius: 0.1), intensity: 4 / (.pi * 0.01))
        let disc = try Self.center(scene, samples: 512).value
        #expect(abs(sphere / disc - 1) < 0.02, "\(sphere) \(disc)")
    }

    @Test func cosineFallsBelowTheHorizonOfASphere() throws {
        // Half of the sphere is below the plate's horizon: E = L ∫ cos over the upper half of the cap. As seen from the centre the sphere's middle lies at
        // the horizon, distance 2, radius 1: the irradiance is L (asin(s) − s √(1 − s²)) with the sine s of half the angle.
        let scene = Self.plate()
        let lightNode = Node(name: "light")
        lightNode.light = Light(.point, intensity: .pi)
        lightNode.light?.radius = 1
        lightNode.position = Vector3(2, 0, 0)
        scene.rootNode.childNodes[0].mesh = Mesh(
            geometry: .plane(width: 0.2, height: 0.2), material: scene.rootNode.childNodes[0].mesh?.parts[0].material ?? Material())
        scene.rootNode.addChildNode(lightNode)
        let sine: Float = 0.5
        let expected = (asin(sine) - sine * (1 - sine * sine).squareRoot()) / .pi
        #expect(abs(try Self.center(scene, samples: 1024).value / expected - 1) < 0.02)
    }
}
