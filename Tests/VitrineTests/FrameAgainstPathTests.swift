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
        for isLit in [false, true] {
            let scene = Scene()
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
}
