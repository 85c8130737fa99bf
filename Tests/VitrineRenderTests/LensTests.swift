import Testing
import VitrineMath
import VitrineScene
import VitrineTestSupport

@testable import VitrineRender

/// Depth of field against the geometry of a thin lens.
@Suite struct LensTests {
    private let fieldOfView = Angle.degrees(40)

    private func glowing(_ color: Vector3, at z: Float, size: Float, x: Float = 0) throws -> Node {
        let material = Material()
        material.lightingModel = .constant
        material.baseColor.factor = Vector4(color, 1)
        let node = Node(name: "glow", mesh: Mesh(geometry: try square(), material: material))
        (node.position, node.scale) = (Vector3(x, 0, z), Vector3(repeating: size))
        return node
    }

    private func scene(_ nodes: [Node]) -> VitrineScene.Scene {
        let scene = Scene()
        scene.environment.background = .transparent
        for node in nodes { scene.rootNode.addChildNode(node) }
        return scene
    }

    private func view(_ lens: Lens?) -> View {
        View(camera: Camera(projection: .perspective(fieldOfView: fieldOfView), near: 0.1, lens: lens), worldFromCamera: .identity)
    }

    private func pixels(
        _ studio: Studio, _ scene: VitrineScene.Scene, _ lens: Lens?, samples: Int = 1, stills: Int = 1, size: Int = 96
    ) throws -> [Vector4] {
        let target = try OffscreenTarget(studio.renderer.device, width: size, height: size, content: .radiance)
        let options = RenderOptions(sampleCount: samples)
        try studio.renderer.renderStill(scene, from: view(lens), to: target, samples: stills, options: options)
        return try target.image().bytes.withUnsafeBytes { raw in
            (0..<size * size).map { raw.loadUnaligned(fromByteOffset: 16 * $0, as: Vector4.self) }
        }
    }

    @Test func sizesAreThoseOfAThinLens() {
        let lens = Lens(focusDistance: 2, fNumber: 2, sensorHeight: 24)
        // 24 mm of sensor under 40° are 33 mm of focal length.
        #expect(abs(lens.focalLength(fieldOfView: fieldOfView) - 32.97) < 0.01)
        #expect(abs(lens.apertureDiameter(fieldOfView: fieldOfView) - 0.016_485) < 1e-5)
        #expect(lens.blur(atDistance: 2, fieldOfView: fieldOfView) == 0)
        // On the sensor: A · f / (s − f) · |z − s| / z, up to the focal length beside the distance.
        let onSensor: Float = 16.485 * 32.97 / (2000 - 32.97) * (2.0 / 4) / 24
        #expect(abs(lens.blur(atDistance: 4, fieldOfView: fieldOfView) / onSensor - 1) < 0.02)
    }

    @Test(arguments: [1, 4]) func thePlaneInFocusIsUnchanged(samples: Int) throws {
        let studio = try Studio()
        let scene = scene([
            try glowing(Vector3(1, 0.3, 0.1), at: -3, size: 0.4), try glowing(Vector3(0.2, 0.5, 2), at: -3, size: 0.3, x: 0.75),
        ])
        let sharp = try pixels(studio, scene, nil, samples: samples)
        let focused = try pixels(studio, scene, Lens(focusDistance: 3, fNumber: 0.02), samples: samples)
        for (a, b) in zip(sharp, focused) { #expect(length(a * a.w - b * b.w) < 0.002) }
    }

    /// A small light source behind the focus becomes a disc of known width, in one frame and in a still.
    @Test(arguments: [(1, Float(0.12)), (64, 0.08)]) func aPointBecomesARoundDisc(stills: Int, tolerance: Float) throws {
        let studio = try Studio()
        let lens = Lens(focusDistance: 2, fNumber: 0.18)
        let source = try glowing(Vector3(400, 400, 400), at: -8, size: 0.04)
        let pixels = try pixels(studio, scene([source]), lens, stills: stills, size: 128)
        let radius = lens.blur(atDistance: 8, fieldOfView: fieldOfView) * 128 / 2
        #expect(radius > 5 && radius < 7)
        var (light, squareX, squareY): (Float, Float, Float) = (0, 0, 0)
        for (index, pixel) in pixels.enumerated() {
            let offset = Vector2(Float(index % 128) + 0.5 - 64, Float(index / 128) + 0.5 - 64)
            light += pixel.x * pixel.w
            squareX += pixel.x * pixel.w * offset.x * offset.x
            squareY += pixel.x * pixel.w * offset.y * offset.y
        }
        // The mean square of a disc's points along an axis is r² / 4.
        #expect(abs((squareX / light * 4).squareRoot() / radius - 1) < tolerance)
        #expect(abs((squareY / light * 4).squareRoot() / radius - 1) < tolerance)
    }

    @Test(arguments: [1, 32]) func aSharpEdgeDoesNotRunIntoTheBackground(stills: Int) throws {
        let studio = try Studio()
        // Red and sharp, in front of white that is far out of focus.
        let scene = scene([
            try glowing(Vector3(1, 0, 0), at: -2, size: 0.4, x: -0.4), try glowing(Vector3(1, 1, 1), at: -20, size: 20),
        ])
        let pixels = try pixels(studio, scene, Lens(focusDistance: 2, fNumber: 0.1), stills: stills)
        // The edge lies in the middle; three pixels beside it each side keeps its colour.
        for y in [20, 48, 70] where abs(y - 48) < 24 || y == 48 {
            let (red, white) = (pixels[y * 96 + 44], pixels[y * 96 + 51])
            #expect(red.y < 0.02 && red.x > 0.98)
            #expect(white.y > 0.98 && white.x > 0.98)
        }
    }

    @Test func orthographicCameraRefusesALens() throws {
        let studio = try Studio()
        var view = straightOn
        view.camera.lens = Lens()
        #expect(throws: RenderError.self) { _ = try studio.image(of: Scene(), from: view) }
        for lens in [Lens(focusDistance: 0), Lens(focusDistance: .infinity), Lens(fNumber: 0), Lens(sensorHeight: -1)] {
            #expect(throws: RenderError.self) { try self.view(lens).validate() }
        }
    }
}
