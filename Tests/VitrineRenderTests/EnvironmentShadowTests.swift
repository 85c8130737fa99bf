import Testing
import VitrineMath
import VitrineScene

@testable import VitrineRender

/// Shadows of the environment on the surfaces of stills.
@Suite struct EnvironmentShadowTests {
    /// A matte floor in the plane z = 0 below a square of 2 m at a height of 1 m.
    private func stage(_ environment: Environment) throws -> Scene {
        let scene = Scene()
        scene.environment = environment
        let material = Material(baseColor: Color(linear: Vector4(0.5, 0.5, 0.5, 1)), roughness: 1)
        material.specular.factor = 0
        scene.rootNode.addChildNode(Node(name: "floor", mesh: Mesh(geometry: .plane(width: 12, height: 12), material: material)))
        let square = Node(name: "square", mesh: Mesh(geometry: .plane(width: 2, height: 2), material: Material(roughness: 1)))
        square.position = Vector3(0, 0, 1)
        scene.rootNode.addChildNode(square)
        return scene
    }

    /// Between the floor and the square, seen from above; `width` metres of the floor.
    private func view(width: Float) -> View {
        View(
            camera: Camera(projection: .orthographic(scale: width / 2), near: 0.01, far: 20),
            worldFromCamera: Matrix4(translation: Vector3(0, 0, 0.9)))
    }

    private func still(_ scene: Scene, from view: View, hasShadows: Bool, samples: Int = 16) throws -> [Vector4] {
        let studio = try Studio()
        let target = try OffscreenTarget(studio.renderer.device, width: 32, height: 32, content: .radiance)
        var options = RenderOptions()
        options.environmentShadows = hasShadows
        try studio.renderer.renderStill(scene, from: view, to: target, samples: samples, options: options)
        return try target.image().bytes.withUnsafeBytes { raw in
            (0..<32 * 32).map { raw.loadUnaligned(fromByteOffset: 16 * $0, as: Vector4.self) }
        }
    }

    private func mean(_ pixels: [Vector4]) -> Float { pixels.reduce(0) { $0 + $1.y } / Float(pixels.count) }

    /// The view factor of a square from a point below its middle, at a distance of half its side: 0.5541.
    @Test(arguments: [4, 16, 64]) func aSquareBlocksItsViewFactor(samples: Int) throws {
        let scene = try stage(uniformEnvironment(1))
        let lit = mean(try still(scene, from: view(width: 0.02), hasShadows: false, samples: samples))
        let shaded = mean(try still(scene, from: view(width: 0.02), hasShadows: true, samples: samples))
        #expect(abs(shaded / lit - (1 - 0.5541)) < (samples < 16 ? 0.07 : 0.03), "\(shaded / lit)")
    }

    /// A convex body has no shadow on itself, not even close to its silhouette.
    @Test func aBallDoesNotShadeItself() throws {
        let scene = Scene()
        scene.environment = try uniformEnvironment(1)
        let material = Material(baseColor: Color(linear: Vector4(0.5, 0.5, 0.5, 1)), roughness: 0.5)
        scene.rootNode.addChildNode(Node(name: "ball", mesh: Mesh(geometry: try sphere(), material: material)))
        let view = View(
            camera: Camera(projection: .orthographic(scale: 1.1), near: 0.1, far: 20),
            worldFromCamera: Matrix4(translation: Vector3(0, 0, 4)))
        let lit = try still(scene, from: view, hasShadows: false)
        let shaded = try still(scene, from: view, hasShadows: true)
        for (a, b) in zip(lit, shaded) where a.w > 0 { #expect(abs(b.y - a.y) < 0.03 * a.y) }
    }

    /// A sun at 45° above the horizon throws the shadow to the other side, and an environment that is turned moves it.
    @Test func theShadowOfASunLiesOppositeIt() throws {
        let (width, height) = (128, 64)
        var values = [Float](repeating: 0.05, count: width * height * 4)
        // Towards +X and 45° up; scenes of these tests have their floor in the plane z = 0, so that +Y is sideways.
        for y in 31...32 { for x in 79...80 { for c in 0..<3 { values[(y * width + x) * 4 + c] = 2000 } } }
        let image = try panorama(values, width: width, height: height)
        let scene = try stage(Environment(image: image, background: .transparent))
        func sides() throws -> (left: Float, right: Float) {
            let pixels = try still(scene, from: view(width: 6), hasShadows: true)
            let row = pixels[16 * 32..<17 * 32].map(\.y)
            // x = −1 and 1: the square hides the sun from one of them.
            return (row[10], row[21])
        }
        let first = try sides()
        #expect(first.left < 0.3 * first.right)
        scene.environment.rotation = .degrees(-90)
        let turned = try sides()
        #expect(turned.right < 0.3 * turned.left)
    }

    @Test func singleFramesHaveNone() throws {
        let scene = try stage(uniformEnvironment(1))
        let studio = try Studio()
        var options = RenderOptions()
        let without = try studio.image(of: scene, from: view(width: 2), options: options)
        options.environmentShadows = true
        #expect(try studio.image(of: scene, from: view(width: 2), options: options).bytes == without.bytes)
    }

    /// Without light of the environment there is nothing to divide.
    @Test func anEnvironmentWithoutIntensityHasNone() throws {
        let scene = try stage(uniformEnvironment(1))
        scene.environment.intensity = 0
        let light = Node(name: "light")
        light.light = Light(.directional, intensity: 2)
        scene.rootNode.addChildNode(light)
        let lit = try still(scene, from: view(width: 2), hasShadows: false)
        #expect(mean(lit) > 0)
        #expect(try still(scene, from: view(width: 2), hasShadows: true) == lit)
    }

    /// All parts of an environment together have its light; most have about an equal share.
    @Test(arguments: [24, 192, 3072]) func directionsHaveAllLight(count: Int) throws {
        let (width, height) = (64, 32)
        var random = SplitMix64(seed: 7)
        var values: [Float] = []
        var flux = Vector3(repeating: 0)
        for y in 0..<height {
            let sine = sin((Float(y) + 0.5) / Float(height) * .pi)
            for _ in 0..<width {
                let color = Vector3(
                    .random(in: 0...2, using: &random), .random(in: 0...1, using: &random), .random(in: 0...0.5, using: &random))
                values += [color.x, color.y, color.z, 1]
                flux += color * (sine * .pi / Float(height) * 2 * .pi / Float(width))
            }
        }
        let image = try panorama(values, width: width, height: height)
        let lights = EnvironmentShadowLights(image, count: count, of: .sphere).lights
        #expect(lights.count == count)
        let sum = lights.reduce(Vector3(repeating: 0)) { $0 + $1.color }
        #expect(length(sum - flux) < 0.005 * length(flux))
        for light in lights { #expect(abs(length(light.direction) - 1) < 1e-4) }
        let share = lights.reduce(0) { $0 + $1.weight } / Float(count)
        #expect(lights.filter { $0.weight > 2 * share }.count < count / 20 + 1)
    }
}
