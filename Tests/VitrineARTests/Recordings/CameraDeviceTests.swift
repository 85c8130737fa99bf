import CVideoDevice
import Foundation
import Synchronization
import Testing
import VitrineFiles
import VitrineTracking
import VitrineVision

@testable import VitrineAR

/// Tests frame formats and errors with a simulated driver: test machines have no camera.
@Suite struct CameraDeviceTests {
    private func image(_ layout: CameraFrameLayout, _ bytes: [UInt8]) throws(SourceError) -> CapturedImage {
        do {
            return try bytes.withUnsafeBufferPointer { try layout.image($0) }
        } catch let error as SourceError {
            throw error
        } catch { throw .broken("\(error)") }
    }

    /// An image of 3 × 2 pixels whose two columns of chroma are (10, 20) and (30, 40).
    private static let expected = CapturedImage(
        luma: Plane(width: 3, height: 2, values: [1, 2, 3, 4, 5, 6]), chroma: [10, 20, 30, 40], matrix: .bt709, range: .full)

    @Test(arguments: [
        (CameraFrameLayout.Kind.nv12, 5, [1, 2, 3, 0, 0, 4, 5, 6, 0, 0, 10, 20, 30, 40]),
        (.yu12, 4, [1, 2, 3, 0, 4, 5, 6, 0, 10, 30, 20, 40]),
        (.yuyv, 10, [1, 10, 2, 20, 3, 30, 0, 40, 0, 0, 4, 10, 5, 20, 6, 30, 0, 40]),
        (.uyvy, 0, [10, 1, 20, 2, 30, 3, 40, 0, 10, 4, 20, 5, 30, 6, 40, 0]),
    ])
    func layoutsOfFrames(_ kind: CameraFrameLayout.Kind, _ bytesPerLine: Int, _ bytes: [UInt8]) throws {
        let layout = CameraFrameLayout(
            kind: kind, width: 3, height: 2, bytesPerLine: bytesPerLine, matrix: .bt709, range: .full)
        #expect(try image(layout, bytes) == Self.expected)
        // A frame that lacks a byte is an error.
        let least = kind == .nv12 || kind == .yu12 || kind == .yuyv || kind == .uyvy ? bytes.count : 0
        #expect(throws: SourceError.self) { try image(layout, Array(bytes[0..<least - 1])) }
        #expect(throws: SourceError.self) { try image(layout, []) }
    }

    @Test func monochromeAndJPEGFrames() throws {
        let grey = CameraFrameLayout(kind: .grey, width: 2, height: 2, bytesPerLine: 3)
        #expect(try image(grey, [1, 2, 0, 3, 4]).luma.values == [1, 2, 3, 4])
        let red = try Image(width: 16, height: 8, format: .rgba8, bytes: (0..<128).flatMap { _ in [255, 0, 0, 255] as [UInt8] })
        let jpeg = try ImageFile.encode(red, as: .jpeg(quality: 95))
        let layout = CameraFrameLayout(kind: .mjpeg, width: 16, height: 8, bytesPerLine: 0)
        let decoded = try image(layout, jpeg)
        #expect(abs(Int(decoded.luma[8, 4]) - 76) <= 2 && decoded.range == .full && decoded.matrix == .bt601)
        #expect(throws: SourceError.self) { try image(layout, Array(jpeg[0..<jpeg.count / 2])) }
        var other = layout
        other.width = 32
        #expect(message { _ = try self.image(other, jpeg) } == "a frame of 16 × 8 pixels, not 32 × 8")
    }

    @Test func driverFormats() throws {
        #expect(CameraFrameLayout.Kind.yuyv.code == 0x5659_5559)
        var format = vitrine_video_format()
        (format.width, format.height, format.fourcc, format.matrix, format.full_range) = (
            640, 480, CameraFrameLayout.Kind.nv12.code, 709, 1
        )
        let layout = try CameraDevice.layout(format, path: "/dev/video9")
        #expect(layout == CameraFrameLayout(kind: .nv12, width: 640, height: 480, bytesPerLine: 0, matrix: .bt709, range: .full))
        let rig = try CameraDevice.rig(nil, layout, path: "/dev/video9")
        #expect(abs(rig.camera.focal.x - 554.26) < 0.1 && !rig.hasInertialUnit)
        format.width = 1 << 30
        #expect(message { _ = try CameraDevice.layout(format, path: "/dev/video9") }?.contains("/dev/video9: frames of") == true)
        format.fourcc = 7
        #expect(message { _ = try CameraDevice.layout(format, path: "/dev/video9") }?.contains("support") == true)
    }

    @Test func filesThatAreNoCamerasAreErrors() throws {
        let folder = try TemporaryFolder()
        try folder.write("text", to: "file")
        #expect(message { _ = try CameraDevice("/dev/no-such-video") } == "/dev/no-such-video: cannot be opened: No such file or directory")
        #expect(message { _ = try CameraDevice("/dev/null") }?.hasPrefix("/dev/null: is not a camera") == true)
        #expect(
            message { _ = try SensorSourceFile.open(URL(fileURLWithPath: "/dev/null")) }?.hasPrefix("/dev/null: is not a camera") == true)
        let file = folder.url.appendingPathComponent("file").path
        #expect(message { _ = try CameraDevice(file) } == "\(file): is not a camera: not a device")
    }

    // MARK: Pause

    /// The calls of a driver, in order.
    private final class Log: Sendable {
        let calls = Mutex<[String]>([])
        var all: [String] { calls.withLock { $0 } }
        func add(_ call: String) { calls.withLock { $0.append(call) } }
    }

    /// A simulated driver: grey frames of 4 × 2 pixels with the time of the request.
    private final class FakeDriver: FrameDriver {
        private let log: Log
        private let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 8)
        private var isStreaming = false

        init(_ log: Log) {
            self.log = log
            bytes.initialize(repeating: 128)
        }

        deinit { bytes.deallocate() }

        func start() {
            log.add("start")
            isStreaming = true
        }

        func stop() {
            log.add("stop")
            isStreaming = false
        }

        func next(timeout: Int32) throws(SourceError) -> DrivenFrame? {
            guard isStreaming else { throw .broken("asked while it rested") }
            usleep(2000)
            return DrivenFrame(bytes: UnsafeBufferPointer(bytes), nanoseconds: SystemClock.monotonic, isDamaged: false)
        }
    }

    private func camera(_ log: Log, _ inertialDevice: InertialDevice? = nil) -> CameraDevice {
        CameraDevice(
            "/dev/video9", FakeDriver(log), CameraFrameLayout(kind: .grey, width: 4, height: 2, bytesPerLine: 4),
            SensorRig(camera: CameraIntrinsics(width: 4, height: 2, focal: Vector2d(4, 4), center: Vector2d(2, 1)), hasInertialUnit: false),
            inertialDevice)
    }

    /// A driver with given exposure times in milliseconds after `origin`, and a grey level for each frame.
    private final class ScriptedDriver: FrameDriver {
        private var frames: [(milliseconds: Double, level: UInt8)]
        private let origin: Int64
        private let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 8)

        init(_ frames: [(milliseconds: Double, level: UInt8)], origin: Int64) { (self.frames, self.origin) = (frames, origin) }

        deinit { bytes.deallocate() }

        func start() {}
        func stop() {}

        func next(timeout: Int32) -> DrivenFrame? {
            guard !frames.isEmpty else { return nil }
            let frame = frames.removeFirst()
            bytes.initialize(repeating: frame.level)
            return DrivenFrame(
                bytes: UnsafeBufferPointer(bytes), nanoseconds: origin + Int64(frame.milliseconds * 1e6), isDamaged: frame.level == 0)
        }
    }

    /// Frames of a pair belong together if they were exposed at the same time; others are used alone.
    @Test func framesOfAPairAreExposedAtTheSameTime() async throws {
        let layout = CameraFrameLayout(kind: .grey, width: 4, height: 2, bytesPerLine: 4)
        var rig = SensorRig(camera: CameraIntrinsics(width: 4, height: 2, focal: Vector2d(4, 4), center: Vector2d(2, 1)))
        (rig.secondCamera, rig.secondFromCamera.translation.x) = (rig.camera, -0.1)
        let origin = SystemClock.monotonic + 1_000_000_000
        let first = ScriptedDriver([(0, 1), (50, 2), (100, 3), (150, 4), (200, 5)], origin: origin)
        // An old frame, a damaged one, one that is missing at 100 ms, and one that is too late at 200 ms.
        let second = ScriptedDriver([(-50, 9), (1, 11), (40, 0), (48, 12), (152.5, 14), (206, 15)], origin: origin)
        let camera = CameraDevice(
            "/dev/video8", first, layout, rig, nil, second: SecondCamera("/dev/video9", second, layout))
        #expect(camera.rig.secondCamera != nil)
        var levels: [[UInt8?]] = []
        for _ in 0..<5 {
            guard case .image(let sample)? = try await camera.next() else { break }
            levels.append([sample.image.luma[0, 0], sample.secondLuma?[0, 0]])
        }
        #expect(levels == [[1, 11], [2, 12], [3, nil], [4, 14], [5, nil]])
        #expect(
            camera.problems.messages == [
                "/dev/video9: a frame that the driver reports as damaged",
                "/dev/video9: exposed 52 ms after the first camera: the cameras are not synchronized",
                "/dev/video9: exposed 6 ms after the first camera: the cameras are not synchronized",
            ])
        #expect(message { _ = try CameraDevice("/dev/null", second: "/dev/null") }?.hasPrefix("/dev/null: is not a camera") == true)
    }

    @Test @MainActor func captureStopsWhileTheSessionIsPaused() async throws {
        let log = Log()
        let session = ARSession(source: camera(log), pace: .stepped)
        session.run(ARWorldTrackingConfiguration.walking)
        #expect(log.all.isEmpty)
        let first = try #require(try await session.step())
        #expect(log.all == ["start"])
        session.pause()
        while log.all.count < 2 { await Task.yield() }
        session.run(ARWorldTrackingConfiguration.walking)
        let next = try #require(try await session.step())
        #expect(next.timestamp > first.timestamp && log.all == ["start", "stop", "start"])
    }

    @Test func theIMUStopsWithTheCamera() async throws {
        let system = try InertialDeviceTests.FakeSystem()
        try system.addChip()
        try system.makePipe("iio:device0")
        let log = Log()
        let camera = camera(log, try InertialDevice(options: system.options))
        func isOn() throws -> Bool { try system.text("iio:device0", "buffer/enable") == "1" }
        #expect(try !isOn() && camera.rig.hasInertialUnit)
        for _ in 0..<2 {
            try await camera.start()
            #expect(try isOn())
            let scan = InertialDeviceTests.bigEndian([0, 0, 0, 0, 0, 0]) + [0, 0, 0, 0]
            try system.send(scan + InertialDeviceTests.littleEndian(SystemClock.monotonic), from: "iio:device0")
            guard case .inertial? = try await camera.next(), case .image? = try await camera.next() else {
                Issue.record("not a sample, then an image")
                return
            }
            await camera.stop()
            #expect(try !isOn())
        }
        #expect(log.all == ["start", "stop", "start", "stop"])
        // `next()` starts the camera.
        _ = try await camera.next()
        #expect(log.all.last == "start")
    }
}
