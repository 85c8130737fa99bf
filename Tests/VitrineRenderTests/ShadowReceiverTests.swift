import Testing
import VitrineMath
import VitrineScene

@testable import VitrineRender

/// Floors that show only shadows.
@Suite struct ShadowReceiverTests {
    /// A square of 1 m, 1 m above a catcher in the plane z = 0, lit from 45° on the left.
    private func stage(_ light: Light?) -> Scene {
        let scene = Scene()
        scene.environment.background = .transparent
        let material = Material()
        material.isShadowReceiver = true
        let floor = Node(name: "floor", mesh: Mesh(geometry: .plane(width: 8, height: 8), material: material))
        let square = Node(name: "square", mesh: Mesh(geometry: .plane(), material: Material(roughness: 1)))
        square.position = Vector3(0, 0, 1)
        let lightNode = Node(name: "light")
        lightNode.light = light
        lightNode.light?.castsShadow = true
        lightNode.transform = .lookAt(eye: Vector3(-5, 0, 5), target: Vector3(0, 0, 0))
        for node in [floor, square, lightNode] { scene.rootNode.addChildNode(node) }
        return scene
    }

    private let above = View(
        camera: Camera(projection: .orthographic(scale: 2.5), near: 0.1, far: 20), worldFromCamera: Matrix4(translation: Vector3(0, 0, 10)))

    /// Pixel of the middle row at x metres.
    private func at(_ x: Float, _ pixels: [Vector4]) -> Vector4 { pixels[32 * 64 + Int((x + 2.5) / 5 * 64)] }

    @Test func onlyTheShadowShows() throws {
        let pixels = try Studio().radiance(of: stage(Light(.directional, intensity: 2)), from: above, width: 64, height: 64)
        #expect(at(1, pixels) == Vector4(0, 0, 0, 1))
        #expect(at(2, pixels) == Vector4(0, 0, 0, 0))
    }

    /// A second light without shadow fills half of it in.
    @Test func otherLightsFillShadows() throws {
        let scene = stage(Light(.directional, intensity: 2))
        let fill = Node(name: "fill")
        fill.light = Light(.directional, intensity: 2)
        fill.transform = .lookAt(eye: Vector3(5, 0, 5), target: Vector3(0, 0, 0))
        scene.rootNode.addChildNode(fill)
        let pixels = try Studio().radiance(of: scene, from: above, width: 64, height: 64)
        #expect(abs(at(1, pixels).w - 0.5) < 0.01)
    }

    /// A coloured background gives the same image as compositing a transparent image over that colour, in encoded values.
    @Test func compositesOverAnyBackground() throws {
        let scene = stage(Light(.directional, intensity: 2))
        scene["square"]?.position.x = 0.2
        let fill = Node(name: "fill")
        fill.light = Light(.directional, intensity: 2)
        fill.transform = .lookAt(eye: Vector3(5, 0, 5), target: Vector3(0, 0, 0))
        scene.rootNode.addChildNode(fill)
        let studio = try Studio()
        let transparent = try studio.image(of: scene, from: above, width: 64, height: 64)
        scene.environment.background = .color(Color(sRGB: 0x8040C0))
        let opaque = try studio.image(of: scene, from: above, width: 64, height: 64)
        for x in stride(from: 0, to: 64, by: 3) {
            let index = (32 * 64 + x) * 4
            let alpha = Float(transparent.bytes[index + 3]) / 255
            for (c, value) in [Float(0x80), 0x40, 0xC0].enumerated() {
                let composite = Float(transparent.bytes[index + c]) * alpha + value * (1 - alpha)
                #expect(abs(composite - Float(opaque.bytes[index + c])) < 2)
            }
        }
    }

    /// While only the camera moves, frames read the shadow of the environment from a texture, and show the same; a moved caster ends that.
    @Test func shadowOfTheEnvironmentIsKept() throws {
        let scene = stage(nil)
        let root = Node(name: "turned")
        root.orientation = Quaternion(angle: .degrees(-90), axis: .right)
        for name in ["floor", "square"] { if let node = scene[name] { root.addChildNode(node) } }
        scene.rootNode.addChildNode(root)
        scene["square"]?.position.z = 0.3
        scene.environment.image = try equirectangular(width: 64) { SIMD3(1 + max($0.x, 0), 1, 1) }
        let studio = try Studio()
        func view(_ step: Int) -> View {
            View(
                camera: Camera(projection: .perspective(fieldOfView: .degrees(60)), near: 0.1, far: 20),
                worldFromCamera: .lookAt(eye: Vector3(3, 3, Float(step)), target: Vector3(0, 0, 0)))
        }
        /// The largest and the mean difference from a frame that computes the shadow.
        func difference(_ step: Int) throws -> (largest: Float, mean: Float) {
            let kept = try studio.radiance(of: scene, from: view(step), width: 96, height: 96)
            let computed = try Studio().radiance(of: scene, from: view(step), width: 96, height: 96)
            let differences = zip(kept, computed).map { abs($0.w - $1.w) }
            #expect(computed.contains { $0.w > 0.4 })
            return (differences.max() ?? 0, differences.reduce(0, +) / Float(differences.count))
        }
        for step in 0..<4 {
            let found = try difference(step)
            #expect(step == 0 ? found.largest == 0 : found.largest < 0.15 && found.mean < 0.01, "step \(step): \(found)")
        }
        #expect(studio.renderer.receivedShadow.uses == (drawn: 1, kept: 2))
        scene["square"]?.position.x = 0.5
        #expect(try difference(4).largest == 0)
        scene.environment.intensity = 2
        #expect(try difference(5).largest == 0)
        #expect(studio.renderer.receivedShadow.uses == (drawn: 1, kept: 2))
        #expect(try difference(6).mean < 0.01)
        #expect(studio.renderer.receivedShadow.uses == (drawn: 2, kept: 2))
    }

    /// Under an even sky a floor beside a low square is as dark as the square takes sky away, and bright far away.
    @Test func environmentMakesContactShadow() throws {
        let scene = stage(nil)
        // The catcher lies level: the environment's light comes from above, +Y.
        let root = Node(name: "turned")
        for name in ["floor", "square"] { if let node = scene[name] { root.addChildNode(node) } }
        root.orientation = Quaternion(angle: .degrees(-90), axis: .right)
        scene.rootNode.addChildNode(root)
        scene["square"]?.position = Vector3(0, 0, 0.1)
        scene["square"]?.opacity = 1
        scene.environment = try uniformEnvironment(1)
        let view = View(
            camera: Camera(projection: .orthographic(scale: 2.5), near: 0.1, far: 20),
            worldFromCamera: .lookAt(eye: Vector3(0, 10, 0), target: Vector3(0, 0, 0), up: Vector3(0, 0, -1)))
        let pixels = try Studio().still(of: scene, from: view, width: 64, height: 64, samples: 16)
        // What a half plane 0.1 m up hides of the sky from d beside its edge: (1 − sin atan(d / 0.1)) / 2; the pixel's middle lies at 0.586 m.
        #expect(abs(at(0.56, pixels).w - 0.174) < 0.05)
        #expect(at(2.2, pixels).w < 0.03)
        #expect(at(0.56, pixels).x == 0)
        // The same to all sides.
        #expect(abs(at(-0.6, pixels).w - at(0.56, pixels).w) < 0.08)
    }
}
