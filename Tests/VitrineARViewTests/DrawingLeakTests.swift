import Foundation
import Testing
import VitrineGPU
import VitrineTestSupport
import VitrineVision

@testable import VitrineARView

/// A suite of its own: other tests in the process allocate memory too.
struct DrawingLeakTests {
    private var residentBytes: Int? {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return nil }
        return text.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 * Int(sysconf(Int32(_SC_PAGESIZE))) }
    }

    /// Drawing many frames with an object, its shadow and changing light does not grow the memory.
    @Test func drawingDoesNotLeak() throws {
        let renderer = try ARSceneRenderer(GPUDevice.make())
        let content = AnchoredScene()
        let anchor = ARAnchor(transform: .identity)
        let box = Node(mesh: Mesh(geometry: .box(size: Vector3(repeating: 0.2)), material: Material()))
        box.position = [0, 0.1, 0]
        content.attach(box, to: anchor, standsOnGround: true)
        var room = TestRoom(isPlain: true)
        room.camera = CameraIntrinsics(width: 320, height: 240, focal: Vector2d(250, 250), center: Vector2d(160, 120))
        // lavapipe compiled the shader of this lens in every frame before the lens kind was a constant.
        room.camera.distortion = .brownConrady([-0.1, 0.02, 1e-4, -1e-4])
        let base = room.frame(TestRoom.pose(0.5))
        var sizes: [Int] = []
        for round in 0..<6 {
            for index in 0..<60 {
                let frame = ARFrame(
                    timestamp: Double(60 * round + index), capturedImage: base.capturedImage,
                    camera: ARCamera(transform: TestRoom.pose(Float(index) / 60), model: room.camera), anchors: [anchor],
                    lightEstimate: ARLightEstimate(ambientIntensity: 800 + 5 * Float(index)))
                // The object moves every 20 frames.
                if index % 20 == 0 { box.position.y = 0.1 + 0.01 * Float(index / 20) }
                _ = try renderer.image(of: content, in: frame, width: 320, height: 240)
            }
            if let size = residentBytes { sizes.append(size) }
        }
        // The images of one round would take 18 MB, intermediate textures several times as much.
        let (second, last) = (try #require(sizes.dropFirst().first), try #require(sizes.last))
        #expect(last - second < 12_000_000, "grew: \(sizes)")
    }
}
