import Foundation
import Testing
import VitrineAR
import VitrineReconstruct
import VitrineTestSupport
import VitrineVision

@testable import VitrineCapture
@testable import VitrineCaptureView

/// A box on a checkered floor, as the view shows it.
@MainActor private enum Example {
    static let size = Vector2(960, 600)
    private static let camera = CameraIntrinsics(width: 320, height: 240, focal: Vector2d(270, 270), center: Vector2d(160, 120))
    private static let pose = Matrix4.lookAt(eye: Vector3(0.35, 0.42, 0.75), target: Vector3(0, 0.08, 0))
    private static let box = OrientedBoundingBox(
        bounds: BoundingBox(minimum: Vector3(-0.09, 0, -0.06), maximum: Vector3(0.09, 0.2, 0.06)),
        orientation: Quaternion(angle: .degrees(20), axis: Vector3(0, 1, 0)))

    static var display: CaptureDisplay {
        var display = CaptureDisplay()
        display.frame = frame
        (display.state, display.tracking, display.box) = (.capturing, .normal, box)
        (display.shotCount, display.canShoot) = (17, true)
        for azimuth in stride(from: -60.0, to: 160, by: 12) {
            display.dial.add(CoverageGrid.Direction(azimuth: azimuth < 0 ? azimuth + 360 : azimuth, elevation: 32))
        }
        display.dial.cameraDirection = CoverageGrid.Direction(azimuth: 25, elevation: 30)
        var random = SplitMix64(seed: 3)
        display.points = (0..<160).map { _ in
            let local = Vector3(0.09 * random.unit(), 0.1 + 0.1 * random.unit(), 0.06 * random.unit())
            return .init(position: box.orientation.rotate(local), color: SIMD4(255, 255, 255, 255))
        }
        return display
    }

    /// Luma by ray casting: the floor and the box.
    private static var frame: ARFrame {
        var luma = Plane<UInt8>(width: camera.width, height: camera.height, repeating: 60)
        for y in 0..<camera.height {
            for x in 0..<camera.width {
                let n = camera.normalized(Vector2d(Double(x) + 0.5, Double(y) + 0.5))
                let direction = pose.linear * Vector3(Float(n.x), Float(-n.y), -1)
                let eye = pose.translation
                let floor = eye + direction * (-eye.y / direction.y)
                let isEven = (Int((floor.x / 0.08).rounded(.down)) + Int((floor.z / 0.08).rounded(.down))) & 1 == 0
                if direction.y < 0, length(floor) < 2 { luma[x, y] = isEven ? 118 : 134 }
                let (from, along) = (box.orientation.inverse.rotate(eye), box.orientation.inverse.rotate(direction))
                let (a, b) = ((box.bounds.minimum - from) / along, (box.bounds.maximum - from) / along)
                let (near, far) = (pointwiseMin(a, b).max(), pointwiseMax(a, b).min())
                if near > 0, near < far { luma[x, y] = UInt8(150 + 50 * (pointwiseMin(a, b).x == near ? 1 : 0)) }
            }
        }
        return ARFrame(
            timestamp: 0, capturedImage: CapturedImage(luma: luma), camera: ARCamera(transform: pose, trackingState: .normal, model: camera)
        )
    }
}

extension SplitMix64 {
    fileprivate mutating func unit() -> Float { Float(next() >> 40) * (2 / 16_777_216) - 1 }
}

@MainActor @Suite struct CaptureViewTests {
    private func image(_ display: CaptureDisplay, size: Vector2 = Example.size, hover: Vector2? = nil) throws -> Image {
        let layers = CaptureLayers(font: nil)
        if let hover {
            layers.update(display, orientation: .landscapeRight, size: size)
            _ = layers.overlay.hover(hover)
        }
        layers.update(display, orientation: .landscapeRight, size: size)
        let view = LayerView(background: .black)
        view.root.add(layers.root)
        return try view.snapshot(size: size)
    }

    @Test func capturingShowsBoxDialAndAdvice() throws {
        var display = Example.display
        display.feedback = [.outOfFieldOfView, .environmentLowLight]
        display.direction = SIMD2(1, 0.2)
        try GoldenImage.check(
            try image(display), named: "capturing", tolerance: .init(levels: 8, outliers: 0.01, rootMeanSquare: 2))
        display.feedback = []
        display.direction = nil
        display.advice = .anotherHeight(.high)
        try GoldenImage.check(
            try image(display), named: "pass-complete", tolerance: .init(levels: 8, outliers: 0.01, rootMeanSquare: 2))
    }

    @Test func buttonsFollowTheState() {
        let layers = CaptureLayers(font: nil)
        var display = Example.display
        func commands() -> Set<CaptureCommand> {
            layers.update(display, orientation: .landscapeRight, size: Example.size)
            var found = Set<CaptureCommand>()
            for y in stride(from: Float(0), to: Example.size.y, by: 4) {
                for x in stride(from: Float(0), to: Example.size.x, by: 8) {
                    if let command = layers.overlay.command(at: Vector2(x, y)) { found.insert(command) }
                }
            }
            return found
        }
        #expect(commands() == [.shoot, .toggleAutomatic, .nextPass, .flip, .finish])
        display.canShoot = false
        #expect(!commands().contains(.shoot))
        display.state = .detecting
        #expect(commands() == [.capture, .reset])
        display.box = nil
        #expect(commands() == [.reset])
        display.state = .ready
        #expect(commands() == [.detect, .captureArea])
        display.state = .completed
        #expect(commands().isEmpty)
    }

    @Test func theMostUrgentAdviceIsShown() {
        var display = Example.display
        display.feedback = Set(ObjectCaptureSession.Feedback.allCases)
        #expect(display.message.text == "Too dark: add light" && display.message.isProblem)
        display.tracking = .limited(.excessiveMotion)
        #expect(display.message.text == "Move slower")
        (display.tracking, display.feedback) = (.normal, [])
        #expect(!display.message.isProblem && display.suggestion == nil)
        display.advice = .finish
        #expect(display.suggestion == .finish)
        // Every feedback has a text of its own.
        #expect(Set(ObjectCaptureSession.Feedback.allCases.map(\.advice)).count == ObjectCaptureSession.Feedback.allCases.count)
    }

    @Test func handlesAppearWhereTheBoxCanBeChanged() throws {
        let layers = CaptureLayers(font: nil)
        var display = Example.display
        let (box, camera) = (try #require(display.box), try #require(display.frame).camera)
        func count() -> Int {
            layers.update(display, orientation: .landscapeRight, size: Example.size)
            var found = 0
            for handle in BoxHandle.allCases {
                let point = camera.projectPoint(handle.position(on: box), orientation: .landscapeRight, viewportSize: Example.size)
                if let point, layers.overlay.handle(at: point + Vector2(3, 2)) == handle { found += 1 }
            }
            return found
        }
        display.state = .detecting
        #expect(count() == BoxHandle.allCases.count)
        display.tracking = .limited(.relocalizing)
        #expect(count() == 0)
        (display.tracking, display.state) = (.normal, .finishing)
        #expect(count() == 0)
    }
}

/// Changes of the box by its handles.
@Suite struct BoxHandleTests {
    private let box = OrientedBoundingBox(
        bounds: BoundingBox(minimum: Vector3(0.1, 0.7, -0.2), maximum: Vector3(0.3, 0.9, 0)),
        orientation: Quaternion(angle: .degrees(35), axis: Vector3(0, 1, 0)))
    private let eye = Vector3(0.4, 1.3, 0.6)

    /// The ray from the eye through a point of the box's frame.
    private func ray(_ local: Vector3) -> Ray {
        Ray(origin: eye, direction: normalize(box.orientation.rotate(local) - eye))
    }

    @Test func aSideFollowsThePointer() throws {
        let sides: [(BoxHandle, axis: Int, isMaximum: Bool)] = [
            (.left, 0, false), (.right, 0, true), (.back, 2, false), (.front, 2, true), (.top, 1, true),
        ]
        for (handle, axis, isMaximum) in sides {
            let start = box.orientation.inverse.rotate(handle.position(on: box))
            var end = start
            end[axis] += isMaximum ? 0.07 : -0.07
            let moved = try #require(handle.dragging(box, from: ray(start), to: ray(end)))
            var (low, high) = (box.bounds.minimum, box.bounds.maximum)
            if isMaximum { high[axis] += 0.07 } else { low[axis] -= 0.07 }
            #expect(length(moved.bounds.minimum - low) < 1e-4 && length(moved.bounds.maximum - high) < 1e-4, "\(handle): \(moved)")
            #expect(moved.orientation == box.orientation)
            // A side does not pass the opposite one.
            end[axis] = isMaximum ? low[axis] - 0.3 : high[axis] + 0.3
            let flat = try #require(handle.dragging(box, from: ray(start), to: ray(end)))
            #expect(flat.bounds.size[axis] > 0.005)
        }
    }

    @Test func theBaseMovesTheBoxOnItsPlane() throws {
        let start = box.orientation.inverse.rotate(BoxHandle.base.position(on: box))
        let shift = Vector3(-0.06, 0, 0.09)
        let moved = try #require(BoxHandle.base.dragging(box, from: ray(start), to: ray(start + shift)))
        #expect(length(moved.bounds.minimum - box.bounds.minimum - shift) < 1e-4 && length(moved.bounds.size - box.bounds.size) < 1e-5)
        // Above the horizon there is no plane.
        #expect(BoxHandle.base.dragging(box, from: ray(start), to: Ray(origin: eye, direction: Vector3(0, 0.2, -1))) == nil)
    }
}

/// The same view in each frame, with poses.
private actor StillSource: SensorSource {
    nonisolated let rig = SensorRig(camera: CameraIntrinsics(width: 64, height: 48, verticalFieldOfView: 0.85), hasInertialUnit: false)
    nonisolated var isLive: Bool { false }
    nonisolated var problems: SourceProblems { SourceProblems() }
    private var frame = 0

    func next() -> SensorEvent? {
        frame += 1
        let image = CapturedImage(luma: Plane(width: 64, height: 48, repeating: 90))
        return .image(CameraSample(time: Double(frame) / 15, image: image, worldFromCamera: .identity))
    }

    func rewind() { frame = 0 }
}

@MainActor @Suite struct CaptureWindowTests {
    /// The changes of the layers during a frame belong to it: they draw no second one.
    @Test func aChangeDrawsOneFrame() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "capture-window-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let session = ObjectCaptureSession(source: StillSource(), pace: .stepped, tracking: .recorded)
        try session.start(imagesDirectory: folder)
        while session.state != .ready, await session.step() {}
        let view = ObjectCaptureView(session)
        var options = Window.Options()
        (options.width, options.height) = (480, 320)
        let window = Window("capture", showing: view, options: options)
        var drawn: [Int] = []
        // Highlights the button in the middle of the bottom, or not.
        let events = [0.25, 0.45].enumerated().map { index, time in
            InputEvent(.pointerMoved(to: index == 0 ? Vector2(200, 286) : Vector2(5, 5)), time: time)
        }
        try await window.playHeadless(events, frames: 8, framesPerSecond: 10) { _, _ in drawn.append(window.frameCount) }
        #expect(drawn.last == drawn[2] + 2, "\(drawn)")
        try session.cancel()
    }

    /// After the GPU device was lost, the window prepares its content again.
    @Test func theEndIsReportedOnceAfterASecondPreparation() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "capture-window-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let session = ObjectCaptureSession(source: StillSource(), pace: .stepped, tracking: .recorded)
        try session.start(imagesDirectory: folder)
        let view = ObjectCaptureView(session)
        var ends = 0
        view.onEnd = { ends += 1 }
        let content = PreparedTwice(view) {
            try session.cancel()
            for _ in 0..<100 where ends == 0 { try await Task.sleep(for: .milliseconds(10)) }
            try await Task.sleep(for: .milliseconds(100))
        }
        try await Window("capture", showing: content).playHeadless([], frames: 1, framesPerSecond: 10) { _, _ in }
        #expect(ends == 1)
    }
}

/// Prepares a content twice, then runs a closure.
@MainActor private final class PreparedTwice: WindowContent {
    private let content: any WindowContent
    private let afterwards: () async throws -> Void

    init(_ content: any WindowContent, afterwards: @escaping () async throws -> Void) {
        (self.content, self.afterwards) = (content, afterwards)
    }

    func prepare(in window: Window, progress: @escaping @MainActor (LoadingProgress) -> Void) async throws {
        for _ in 0..<2 { try await content.prepare(in: window, progress: progress) }
        try await afterwards()
    }

    func draw(_ frame: WindowFrame) throws { try content.draw(frame) }
    func windowDidClose() { content.windowDidClose() }
}
