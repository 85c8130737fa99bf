import Testing
import Vitrine
import VitrineBake
import VitrinePathTracer
import VitrineTestSupport

/// Frames against path traced images of the same scene.
@MainActor @Suite struct FrameAgainstPathTests {
    /// A sky of one grey, with a bright disc.
    private static func environment(sunAt sun: Vector3, radiance: Float, angle: Float) throws -> Environment {
        let (width, height) = (128, 64)
        var bytes: [UInt8] = []
        for y in 0..<height {
            for x in 0..<width {
                let elevation = Float.pi * (0.5 - (Float(y) + 0.5) / Float(height))
                let azimuth = 2 * Float.pi * (Float(x) + 0.5) / Float(width)
                // The middle of the image is along −Z.
                let d = Vector3(-cos(elevation) * -sin(azimuth - .pi), sin(elevation), -cos(elevation) * cos(azimuth - .pi))
                let value: Float = dot(d, normalize(sun)) > cos(angle) ? radiance : 0.3
                for channel in [value, value, value, 1] { withUnsafeBytes(of: channel) { bytes.append(contentsOf: $0) } }
            }
        }
        return Environment(image: try Image(width: width, height: height, format: .rgba32Float, bytes: bytes), background: .color(.black))
    }

    private static func view(of scene: Scene, eye: Vector3, target: Vector3 = [0, 0, 0], fieldOfView: Float) -> SceneView {
        let camera = Node(name: "Camera")
        camera.camera = Camera(projection: .perspective(fieldOfView: .degrees(fieldOfView)))
        camera.position = eye
        camera.look(at: target)
        scene.rootNode.addChildNode(camera)
        scene.pointOfView = camera
        let view = SceneView(scene)
        view.options.toneMapping = .none
        return view
    }

    private static func linear(_ image: Image) -> [Float] {
        stride(from: 0, to: image.bytes.count, by: 4).map { pixel in
            let c = Float(image.bytes[pixel + 1]) / 255
            return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4)
        }
    }

    /// Microfacets show nothing from below the horizon of their surface.
    @Test(arguments: [0.3, 0.5, 0.7, 1] as [Float], [0, 1] as [Float])
    func sunBehindABallLeavesItsRimDark(roughness: Float, metalness: Float) throws {
        let scene = Scene()
        scene.environment = try Self.environment(sunAt: [0, 0.05, -1], radiance: 150, angle: 0.15)
        let material = Material(baseColor: Color(white: metalness == 1 ? 0.95 : 0.1), metalness: metalness, roughness: roughness)
        scene.rootNode.addChildNode(Node(mesh: Mesh(geometry: .sphere(radius: 1), material: material)))
        let view = Self.view(of: scene, eye: [0, 0, 6], fieldOfView: 24)
        let frame = Self.linear(try view.snapshot(width: 48, height: 48, samples: 4))
        let path = Self.linear(try view.snapshot(width: 48, height: 48, samples: 32, quality: .path))
        // The ball has a radius of 19 pixels. Its outermost ring is left to the edge's own pixels.
        func ring(_ values: [Float]) -> Float {
            var (sum, count): (Float, Float) = (0, 0)
            for y in 0..<48 {
                for x in 0..<48 {
                    let r = length(Vector2(Float(x) - 23.5, Float(y) - 23.5))
                    if r > 14, r < 17.5 { (sum, count) = (sum + values[y * 48 + x], count + 1) }
                }
            }
            return sum / count
        }
        let energy = ring(frame) / ring(path)
        #expect(energy > 0.75 && energy < 1.3, "\(roughness), \(metalness): \(energy)")
    }

    @Test func lightMapsReplaceTheLightOfTheEnvironment() throws {
        let material = Material(baseColor: Color(linearRed: 0.5, green: 0.5, blue: 0.5))
        material.lightingModel = .lambert
        let texture = Texture(try Image(width: 1, height: 1, format: .rgba8, bytes: [188, 188, 188, 255]))
        material.lightMap = ColorSlot(Vector4(1.5, 1.5, 1.5, 1), map: TextureMap(texture))
        let flat = Texture(try Image(width: 1, height: 1, format: .rgba8, bytes: [128, 128, 255, 255]))
        for (isLit, hasNormalMap, isAmbient) in [(false, false, false), (true, false, false), (true, true, false), (false, true, true)] {
            material.normal.map = hasNormalMap ? TextureMap(flat) : nil
            let scene = Scene()
            if isAmbient {
                // The environment's light is computed then, and it is black.
                let light = Node(name: "light")
                light.light = Light(.ambient, intensity: 1)
                scene.rootNode.addChildNode(light)
            }
            scene.rootNode.addChildNode(Node(mesh: Mesh(geometry: .plane(width: 4, height: 4), material: material)))
            scene.environment =
                isLit ? try Self.environment(sunAt: [0, 0, 1], radiance: 100, angle: 0.5) : Environment(background: .color(.black))
            let view = Self.view(of: scene, eye: [0, 0, 2], fieldOfView: 20)
            view.autoenablesDefaultLighting = false
            let frame = Self.linear(try view.snapshot(width: 8, height: 8, samples: 1))
            #expect(abs(frame[27] - 0.5 * 1.5 * 0.503) < 0.01, "\(frame[27])")
        }
    }

    /// A cube on a floor before a red wall, under a sun and a grey sky.
    @Test func bakedLightBringsTheFrameNearTheTruth() throws {
        let scene = Scene()
        scene.environment = try Self.environment(sunAt: [1, 1, 1], radiance: 60, angle: 0.2)
        func add(_ size: Vector3, at position: Vector3, _ color: Color) {
            let material = Material(baseColor: color, roughness: 0.9)
            let node = Node(mesh: Mesh(geometry: .box(size: size), material: material))
            node.position = position
            scene.rootNode.addChildNode(node)
        }
        add([4, 0.1, 4], at: [0, -0.05, 0], Color(white: 0.8))
        add([0.1, 2, 4], at: [-1.2, 1, 0], Color(sRGB: 0xC02010))
        add([0.8, 0.8, 0.8], at: [0, 0.4, 0], Color(white: 0.8))
        let view = Self.view(of: scene, eye: [2, 2.2, 3.6], target: [-0.2, 0.3, 0], fieldOfView: 32)
        let truth = Self.linear(try view.snapshot(width: 64, height: 48, samples: 64, quality: .path))
        func error() throws -> Float {
            let frame = Self.linear(try view.snapshot(width: 64, height: 48, samples: 4))
            let squares = zip(frame, truth).reduce(Float(0)) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
            return (squares / Float(truth.count)).squareRoot()
        }
        let before = try error()
        var options = LightBake.Options()
        (options.size, options.samples, options.maps) = (256, 64, [.occlusion, .light])
        try LightBake(scene, traced: PathScene(scene), options: options).run()
        let after = try error()
        #expect(after < 0.35 * before, "\(before) before, \(after) after")
    }

    /// A room of 4 m, open towards the camera, with a red and a green wall.
    private static func room() throws -> Scene {
        let scene = Scene()
        scene.environment = try environment(sunAt: [0.3, 0.5, 1], radiance: 40, angle: 0.25)
        func add(_ size: Vector3, at position: Vector3, _ color: Color) {
            let node = Node(mesh: Mesh(geometry: .box(size: size), material: Material(baseColor: color, roughness: 0.9)))
            node.position = position
            scene.rootNode.addChildNode(node)
        }
        add([4.2, 0.1, 4], at: [0, -0.05, 0], Color(white: 0.8))
        add([4.2, 0.1, 4], at: [0, 3.05, 0], Color(white: 0.8))
        add([0.1, 3, 4], at: [-2.05, 1.5, 0], Color(sRGB: 0xC02010))
        add([0.1, 3, 4], at: [2.05, 1.5, 0], Color(sRGB: 0x10A020))
        add([4.2, 3.2, 0.1], at: [0, 1.5, -2.05], Color(white: 0.8))
        return scene
    }

    /// A ball that moves through a baked room reads the irradiance volume: its light is that of the path tracer.
    @Test func ballInARoomHasTheLightOfTheVolume() throws {
        let scene = try Self.room()
        var options = LightBake.Options()
        (options.size, options.samples, options.maps, options.probeSpacing) = (64, 32, [.light, .irradianceVolume], 0.5)
        let summary = try LightBake(scene, traced: PathScene(scene), options: options).run()
        #expect(summary.probeCounts == SIMD3(8, 6, 8))
        let ball = Node(mesh: Mesh(geometry: .sphere(radius: 0.4), material: Material(baseColor: Color(white: 0.6), roughness: 0.6)))
        scene.rootNode.addChildNode(ball)
        let volume = try #require(scene.irradianceVolume)
        for position in [Vector3(-1.3, 0.9, -1.2), Vector3(1.3, 2.2, -1), Vector3(0, 0.7, -1.2)] {
            ball.position = position
            let view = Self.view(of: scene, eye: position + Vector3(0, 0, 6), target: position, fieldOfView: 10)
            view.options.exposure = -1
            // The ball has a radius of 18 pixels.
            func inside(_ image: Image) -> [Float] {
                let values = Self.linear(image)
                return (0..<48 * 48).filter { length(Vector2(Float($0 % 48) - 23.5, Float($0 / 48) - 23.5)) < 16 }.map { values[$0] }
            }
            func error(_ a: [Float], _ b: [Float]) -> Float {
                (zip(a, b).reduce(Float(0)) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) } / Float(a.count)).squareRoot()
            }
            let truth = inside(try view.snapshot(width: 48, height: 48, samples: 64, quality: .path))
            let mean = truth.reduce(0, +) / Float(truth.count)
            scene.irradianceVolume = nil
            let before = inside(try view.snapshot(width: 48, height: 48, samples: 4))
            scene.irradianceVolume = volume
            let after = inside(try view.snapshot(width: 48, height: 48, samples: 4))
            let energy = after.reduce(0, +) / Float(after.count) / mean
            #expect(energy > 0.8 && energy < 1.2, "at \(position): energy \(energy)")
            #expect(
                error(after, truth) < 0.5 * error(before, truth),
                "at \(position): \(error(before, truth)) before, \(error(after, truth)) after, mean \(mean)")
        }
    }
}
