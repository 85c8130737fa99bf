import Testing
import VitrineGeometry
import VitrineMath
import VitrineScene

@testable import VitrinePathTracer

struct PathTracerTests {
    /// An image of one colour as the environment.
    private static func environment(_ radiance: Float, background: Background = .transparent) -> Environment {
        var bytes: [UInt8] = []
        for _ in 0..<8 {
            for value in [radiance, radiance, radiance, 1] { withUnsafeBytes(of: value) { bytes.append(contentsOf: $0) } }
        }
        let image = try? Image(width: 4, height: 2, format: .rgba32Float, bytes: bytes)
        return Environment(image: image, background: background)
    }

    private static func scene(_ geometry: Geometry, _ material: Material, environment: Environment? = nil) -> Scene {
        let scene = Scene()
        scene.environment = environment ?? Environment(background: .transparent)
        scene.rootNode.addChildNode(Node(name: "object", mesh: Mesh(geometry: geometry, material: material)))
        return scene
    }

    private static let camera = Camera(projection: .orthographic(scale: 0.3), near: 0.01, far: 100)

    /// Means over all pixels of an image from (0, 0, 4) along −Z.
    private static func mean(
        _ scene: Scene, samples: Int = 16, size: Int = 8, camera: Camera = camera, pose: Matrix4 = Matrix4(translation: Vector3(0, 0, 4)),
        threads: Int? = 2
    ) throws -> Vector4 {
        let tracer = try PathTracer(try PathScene(scene), camera: camera, worldFromCamera: pose, width: size, height: size)
        try tracer.render(PathBudget(samples: samples), threads: threads)
        let values = tracer.radiance
        var sum = Vector4(repeating: 0)
        for pixel in stride(from: 0, to: values.count, by: 4) {
            sum += Vector4(values[pixel], values[pixel + 1], values[pixel + 2], values[pixel + 3])
        }
        return sum / Float(size * size)
    }

    // MARK: Energy

    @Test func whiteSurfacesVanishInWhiteLight() throws {
        var materials: [(String, Material)] = []
        for roughness: Float in [0, 0.5, 1] {
            materials.append(("plastic \(roughness)", Material(baseColor: .white, roughness: roughness)))
            materials.append(("metal \(roughness)", Material(baseColor: .white, metalness: 1, roughness: roughness)))
            let glass = Material(baseColor: .white, roughness: roughness)
            glass.transmission.factor = 1
            glass.volume.thickness.factor = 1
            materials.append(("glass \(roughness)", glass))
        }
        let lambert = Material(baseColor: .white)
        lambert.lightingModel = .lambert
        materials.append(("lambert", lambert))
        for (name, material) in materials {
            let mean = try Self.mean(
                Self.scene(.sphere(radius: 1), material, environment: Self.environment(1)), samples: name.hasPrefix("glass") ? 1024 : 64)
            #expect(abs(mean.x - 1) < 0.01, "\(name): \(mean.x)")
            #expect(mean.w == 1)
        }
    }

    // MARK: Lights

    private static func plate(_ light: Light, at pose: Matrix4) -> Scene {
        let material = Material(baseColor: .white)
        material.lightingModel = .lambert
        let scene = scene(.plane(width: 2, height: 2), material)
        let node = Node(name: "light")
        node.transform = pose
        node.light = light
        scene.rootNode.addChildNode(node)
        return scene
    }

    @Test func unitsOfLightsAreThoseOfTheRenderer() throws {
        // One lux leaves 1/π on white.
        let above = Matrix4(translation: Vector3(0, 0, 2))
        let small = Camera(projection: .orthographic(scale: 0.01), near: 0.01, far: 100)
        let distant = try Self.mean(Self.plate(Light(.directional, intensity: 1), at: above), camera: small)
        #expect(abs(distant.x * .pi - 1) < 1e-3)
        var sun = Light(.directional, intensity: 1)
        sun.angularDiameter = .degrees(10)
        #expect(abs(try Self.mean(Self.plate(sun, at: above), samples: 64, camera: small).x * .pi - 1) < 5e-3)
        let point = try Self.mean(Self.plate(Light(.point, intensity: 4), at: above), camera: small)
        #expect(abs(point.x * .pi - 1) < 1e-3)
        // A disc of radiance 1: r² / (r² + h²).
        let disc = try Self.mean(Self.plate(Light(.disc(radius: 1), intensity: 1), at: above), samples: 256, camera: small)
        #expect(abs(disc.x - 0.2) < 2e-3, "\(disc.x)")
        // A square of half the side a: (4/π) · a/√(a²+h²) · atan(a/√(a²+h²)).
        let square = try Self.mean(Self.plate(Light(.rectangle(width: 2, height: 2), intensity: 1), at: above), samples: 256, camera: small)
        let side = 1 / Float(5).squareRoot()
        #expect(abs(square.x - 4 / .pi * side * atan2(side, 1)) < 2e-3, "\(square.x)")
        let ambient = try Self.mean(Self.plate(Light(.ambient, intensity: 0.5), at: above), samples: 64, camera: small)
        #expect(abs(ambient.x - 0.5) < 5e-3)
    }

    @Test func lightsCastShadows() throws {
        let scene = Self.plate(Light(.point, intensity: 4), at: Matrix4(translation: Vector3(0, 0, 2)))
        // Black, so that no light of the plate comes back from it.
        let black = Material(baseColor: .black)
        black.lightingModel = .lambert
        let shade = Node(name: "shade", mesh: Mesh(geometry: .plane(width: 0.5, height: 0.5), material: black))
        shade.position = Vector3(0, 0, 1)
        // Seen from beside the shade, which is single-sided: light is blocked from both sides.
        scene.rootNode.addChildNode(shade)
        let pose = Matrix4.lookAt(eye: Vector3(3, 0, 1), target: Vector3(0, 0, 0), up: .up)
        let camera = Camera(projection: .orthographic(scale: 0.05), near: 0.01, far: 100)
        #expect(try Self.mean(scene, camera: camera, pose: pose).x == 0)
        shade.castsShadow = false
        #expect(try Self.mean(scene, camera: camera, pose: pose).x > 0.1)
    }

    // MARK: Alpha

    @Test func alphaModesCutAndBlend() throws {
        let material = Material(baseColor: Color(linear: Vector4(1, 1, 1, 0.25)))
        let scene = Self.scene(.plane(width: 2, height: 2), material, environment: Self.environment(1))
        material.alphaMode = .blend
        #expect(abs(try Self.mean(scene, samples: 64).w - 0.25) < 0.02)
        material.alphaMode = .mask(cutoff: 0.5)
        #expect(try Self.mean(scene).w == 0)
        material.alphaMode = .mask(cutoff: 0.2)
        #expect(try Self.mean(scene).w == 1)
        material.alphaMode = .opaque
        #expect(try Self.mean(scene).w == 1)
        // Its back is not drawn.
        let behind = Matrix4.lookAt(eye: Vector3(0, 0, -4), target: Vector3(0, 0, 0), up: .up)
        #expect(try Self.mean(scene, pose: behind).w == 0)
        material.isDoubleSided = true
        #expect(try Self.mean(scene, pose: behind).w == 1)
    }

    @Test func receiversShowShadowsOnly() throws {
        let scene = Self.scene(.sphere(radius: 0.5), Material(), environment: Self.environment(1))
        scene.rootNode.addChildNode(.shadowReceiver(under: scene.bounds))
        let camera = Camera(projection: .orthographic(scale: 2), near: 0.01, far: 100)
        let tracer = try PathTracer(
            try PathScene(scene), camera: camera, worldFromCamera: .lookAt(eye: Vector3(0, 2, 3), target: Vector3(0, 0, 0), up: .up),
            width: 16,
            height: 16)
        try tracer.render(PathBudget(samples: 64))
        let values = tracer.radiance
        func pixel(_ x: Int, _ y: Int) -> (light: Float, alpha: Float) { (values[(y * 16 + x) * 4], values[(y * 16 + x) * 4 + 3]) }
        // Below the sphere's foot, then far from it, then the sphere itself.
        #expect(pixel(8, 11).light < 0.2)
        #expect(pixel(8, 11).alpha > 0.1 && pixel(8, 11).alpha < 0.9)
        #expect(pixel(2, 8).alpha < 0.1)
        #expect(pixel(8, 7).alpha == 1)
    }

    // MARK: Glass

    @Test func volumesAbsorbByDistance() throws {
        let glass = Material(baseColor: .white, roughness: 0)
        (glass.ior, glass.specular.factor) = (1, 0.0)
        glass.transmission.factor = 1
        glass.volume = Volume(thickness: 1, attenuationDistance: 0.5, attenuationColor: Vector3(0.5, 1, 0.25))
        let scene = Self.scene(Geometry.box(), glass, environment: Self.environment(1))
        let mean = try Self.mean(scene, samples: 16)
        // A metre is two distances.
        #expect(abs(mean.x - 0.25) < 0.01 && abs(mean.y - 1) < 0.01 && abs(mean.z - 0.0625) < 0.01, "\(mean)")
    }

    // MARK: Work

    @Test func threadsAndPassesDoNotChangeTheImage() throws {
        let scene = try PathScene(Self.scene(.sphere(radius: 0.25), Material(), environment: Self.environment(1)))
        func tracer() throws -> PathTracer {
            try PathTracer(scene, camera: Self.camera, worldFromCamera: Matrix4(translation: Vector3(0, 0, 4)), width: 40, height: 20)
        }
        let (one, many, resumed) = (try tracer(), try tracer(), try tracer())
        try one.render(PathBudget(samples: 8), threads: 1)
        try many.render(PathBudget(samples: 8), threads: 5)
        try resumed.render(PathBudget(samples: 3))
        try resumed.render(PathBudget(samples: 8))
        #expect(one.radiance == many.radiance)
        #expect(one.radiance == resumed.radiance)
    }

    @Test func budgetsEndTheWork() throws {
        let scene = try PathScene(Self.scene(.sphere(radius: 0.25), Material(), environment: Self.environment(1)))
        let tracer = try PathTracer(
            scene, camera: Self.camera, worldFromCamera: Matrix4(translation: Vector3(0, 0, 4)), width: 16, height: 16)
        let quiet = try tracer.render(PathBudget(samples: 100_000, noise: 0.2))
        #expect(quiet.samples < 1000 && quiet.fraction == 1)
        let short = try tracer.render(PathBudget(samples: 1_000_000, seconds: 0.05))
        #expect(short.samples < 1_000_000)
        // Stopped at once: the image so far stays.
        let stopped = try tracer.render(PathBudget(samples: 1_000_000), shouldStop: { true })
        #expect(stopped.samples > 0)
    }

    @Test func refusesFunctionsForGPUsOnly() throws {
        let material = Material(name: "waves")
        material.surfaceFunction = try SurfaceFunction(source: "fn surface(in: SurfaceInput, s: ptr<function, Surface>) {}")
        #expect(throws: PathTracerError.surfaceFunction(material: "waves")) {
            _ = try PathScene(Self.scene(.sphere(radius: 1), material))
        }
        #expect(throws: PathTracerError.self) {
            _ = try PathTracer(
                try PathScene(Scene()), camera: Camera(), worldFromCamera: .identity, width: 0, height: 1)
        }
    }
}
