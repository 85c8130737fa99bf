import Testing
import VitrineMath
import VitrineScene
import VitrineTestSupport

@testable import VitrineRender

/// Screen-space ambient occlusion compared with closed forms for simple shapes.
@Suite struct ScreenOcclusionTests {
    private func wall(_ position: Vector3, _ angles: Vector3, scale: Float = 4) throws -> Node {
        let node = Node(name: "wall", mesh: Mesh(geometry: try square(), material: Material(baseColor: Color(white: 0.2), roughness: 1)))
        (node.position, node.eulerAngles, node.scale) = (position, angles, Vector3(repeating: scale))
        return node
    }

    private func scene(_ nodes: [Node]) throws -> VitrineScene.Scene {
        let scene = Scene()
        scene.environment = try uniformEnvironment(1)
        for node in nodes { scene.rootNode.addChildNode(node) }
        return scene
    }

    private func options(_ radius: Float?, samples: Int = 1) -> RenderOptions {
        RenderOptions(sampleCount: samples, screenOcclusion: radius.map { ScreenOcclusion(radius: $0) })
    }

    private var views: [View] {
        [
            View(
                camera: Camera(projection: .orthographic(scale: 2), near: 0.1, far: 30),
                worldFromCamera: Matrix4(translation: Vector3(0, 0, 8))),
            View(
                camera: Camera(projection: .perspective(fieldOfView: .degrees(28)), near: 0.1),
                worldFromCamera: Matrix4(translation: Vector3(0, 0, 8))),
        ]
    }

    @Test func aFlatWallSeesTheWholeSky() throws {
        let studio = try Studio()
        let scene = try scene([try wall(Vector3(0, 0, 0), Vector3(0.3, 0.5, 0))])
        for view in views {
            let plain = try studio.radiance(of: scene, from: view, options: options(nil))
            let shaded = try studio.radiance(of: scene, from: view, options: options(1))
            for (a, b) in zip(plain, shaded) { #expect(abs(b.x / a.x - 1) < 0.02) }
        }
    }

    /// Two walls that meet at a right angle: dark towards the corner, beyond the radius the whole sky is seen.
    @Test(arguments: [1, 4]) func aCornerGetsDark(samples: Int) throws {
        let studio = try Studio()
        // Each leans back by 45 degrees: the corner is the y axis.
        let (a, b) = (Vector3(-2.828, 0, 2.828), Vector3(2.828, 0, 2.828))
        let scene = try scene([try wall(a, Vector3(0, .pi / 4, 0)), try wall(b, Vector3(0, -.pi / 4, 0))])
        for view in views {
            let plain = try studio.radiance(of: scene, from: view, width: 64, height: 64, options: options(nil, samples: samples))
            let shaded = try studio.radiance(of: scene, from: view, width: 64, height: 64, options: options(1, samples: samples))
            let ratio = { (x: Int) in (24..<40).reduce(Float(0)) { $0 + shaded[$1 * 64 + x].x / plain[$1 * 64 + x].x / 16 } }
            // Without a radius a half. With it, 0.2 m beside the corner, where the smoothed pixels lie: the other wall's horizon, faded by the
            // square of its distance, stands highest at a sine of 0.73, which keeps off (1 - cos) / 2 = 0.16.
            #expect(ratio(31) > 0.76 && ratio(31) < 0.86, "\(ratio(31))")
            #expect(abs(ratio(31) - ratio(32)) < 0.05)
            #expect(ratio(26) > ratio(31) + 0.05)
            #expect(ratio(3) > 0.97)
            for x in 8..<31 { #expect(ratio(x) > ratio(x + 1) - 0.03, "towards the corner it gets darker: \(x)") }
        }
    }

    /// An orthographic camera with the default far plane (10⁶ m) sees the same corner at 1 mm, 1 m and 1 km.
    @Test(arguments: [0.001, 1, 1000] as [Float]) func orthographicCornerIsIndependentOfScale(size: Float) throws {
        let studio = try Studio()
        let (a, b) = (Vector3(-2.828, 0, 2.828) * size, Vector3(2.828, 0, 2.828) * size)
        let scene = try scene([
            try wall(a, Vector3(0, .pi / 4, 0), scale: 4 * size), try wall(b, Vector3(0, -.pi / 4, 0), scale: 4 * size),
        ])
        let view = View(
            camera: Camera(projection: .orthographic(scale: 2 * size), near: min(0.01, 0.01 * size)),
            worldFromCamera: Matrix4(translation: Vector3(0, 0, 8 * size)))
        let plain = try studio.radiance(of: scene, from: view, width: 64, height: 64, options: options(nil))
        let shaded = try studio.radiance(of: scene, from: view, width: 64, height: 64, options: options(size))
        let ratio = { (x: Int) in (24..<40).reduce(Float(0)) { $0 + shaded[$1 * 64 + x].x / plain[$1 * 64 + x].x / 16 } }
        // As in `aCornerGetsDark`.
        #expect(ratio(31) > 0.76 && ratio(31) < 0.86, "\(ratio(31))")
        #expect(abs(ratio(31) - ratio(32)) < 0.05)
        #expect(ratio(3) > 0.97)
    }

    @Test func distantOccludersLeaveNoHalo() throws {
        let studio = try Studio()
        let scene = try scene([try wall(Vector3(0, 0, -2), Vector3(0, 0, 0)), try wall(Vector3(0, 0, 1), Vector3(0, 0, 0), scale: 0.5)])
        for view in views {
            let plain = try studio.radiance(of: scene, from: view, width: 64, height: 64, options: options(nil, samples: 4))
            let shaded = try studio.radiance(of: scene, from: view, width: 64, height: 64, options: options(0.5, samples: 4))
            for (a, b) in zip(plain, shaded) { #expect(abs(b.x / a.x - 1) < 0.03) }
        }
    }

    @Test func directLightIsNotOccluded() throws {
        let studio = try Studio()
        let scene = try scene([
            try wall(Vector3(-2.828, 0, 2.828), Vector3(0, .pi / 4, 0)), try wall(Vector3(2.828, 0, 2.828), Vector3(0, -.pi / 4, 0)),
        ])
        scene.environment = Environment(background: .transparent)
        let lightNode = Node(name: "light")
        lightNode.light = Light(.directional, intensity: 2)
        scene.rootNode.addChildNode(lightNode)
        let plain = try studio.radiance(of: scene, from: views[0], options: options(nil))
        #expect(try studio.radiance(of: scene, from: views[0], options: options(1)) == plain)
    }

    @Test func occlusionMapsHavePrecedence() throws {
        let studio = try Studio()
        let walls = [
            try wall(Vector3(-2.828, 0, 2.828), Vector3(0, .pi / 4, 0)), try wall(Vector3(2.828, 0, 2.828), Vector3(0, -.pi / 4, 0)),
        ]
        let white = Texture(try Image(width: 1, height: 1, format: .rgba8, bytes: [255, 255, 255, 255]))
        for wall in walls { wall.mesh?.parts[0].material.occlusion.map = TextureMap(white) }
        let scene = try scene(walls)
        let plain = try studio.radiance(of: scene, from: views[1], options: options(nil))
        #expect(try studio.radiance(of: scene, from: views[1], options: options(1)) == plain)
        #expect(throws: RenderError.self) { try options(0).validate() }
        #expect(throws: RenderError.self) { try options(.infinity).validate() }
    }
}
