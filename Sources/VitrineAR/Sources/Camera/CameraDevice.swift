import CVideoDevice
import Dispatch
import Synchronization
import VitrineTracking
import VitrineVision

/// A live camera (Video4Linux 2), with or without the IMU of the same machine.
///
/// ```swift
/// let camera = try CameraDevice("/dev/video0", camera: .focalLength(600))
/// let session = ARSession(source: camera)
/// ```
///
/// The system does not know the pose of the IMU relative to the camera: pass a calibration (`SensorSourceOptions.Camera.file`). Without one, the
/// camera is assumed to look out of the screen, upright, as in notebooks and on the front of phones.
///
/// Two cameras form a stereo pair if they are synchronized: exposure times differ by less than 3 ms. Frames of the first one without a partner are used
/// alone, and counted as a problem. The calibration must have both cameras (Kalibr's `cam0` and `cam1`).
///
/// Times are the driver's exposure times, in seconds after the camera was opened. Damaged frames are skipped and counted. The driver drops frames
/// that are not read in time.
///
/// The device captures while a session runs; a paused session stops capture and IMU. Without a session, call `start()` and `stop()`; the first
/// `next()` starts too.
public final class CameraDevice: SensorSource {
    /// The calibration of camera and IMU.
    public let rig: SensorRig
    /// The time at which the camera was opened on the monotonic clock, in nanoseconds.
    public let clockOrigin: Int64
    /// Always true, because events arrive in real time.
    public let isLive = true
    /// The path of the device file.
    public let path: String
    /// The IMU of the camera; nil without one.
    package let inertialDevice: InertialDevice?
    let layout: CameraFrameLayout
    private let reading: Mutex<Reading>
    /// Waiting for the driver must not block the cooperative thread pool.
    private let queue = DispatchQueue(label: "vitrine.camera")

    private struct Reading {
        let driver: any FrameDriver
        var second: SecondCamera?
        var gate: SensorGate
        var order = LiveEventQueue()
        var isStarted = false
    }

    /// Milliseconds without a frame after which the camera counts as failed.
    private static let frameTimeout: Int32 = 5000
    /// Milliseconds that an image waits for the inertial samples up to its time.
    private static let inertialTimeout = 30

    /// Opens a device. The driver selects the format that is closest to the requested one.
    ///
    /// - Parameters:
    ///   - path: The device file, such as `/dev/video0`.
    ///   - width, height: The size of the images in pixels.
    ///   - second: The device file of the second camera of a stereo pair; nil for one camera.
    ///   - camera: The camera model; nil assumes a horizontal field of view of 60°, typical of notebooks.
    ///   - inertial: The IMU. The default is one that is built into the same device, if there is one.
    /// - Throws: `SourceError.broken` with path and reason: no such device, not a camera, in use, no supported format, or a pair
    ///   without calibration of the second camera.
    public convenience init(
        _ path: String, second secondPath: String? = nil, width: Int = 640, height: Int = 480, framesPerSecond: Int = 30,
        camera: SensorSourceOptions.Camera? = nil,
        inertial: SensorSourceOptions.InertialUnit = .automatic
    ) throws(SourceError) {
        let driver = try VideoDriver(path, width: width, height: height, framesPerSecond: framesPerSecond)
        let layout = try Self.layout(driver.format, path: path)
        var problems = SourceProblems()
        let inertialDevice = try Self.inertialDevice(inertial, camera: path, &problems)
        var rig = try Self.rig(camera, layout, path: path)
        guard let secondPath else {
            self.init(path, driver, layout, rig, inertialDevice, problems)
            return
        }
        guard let (secondCamera, secondFromFirst) = try camera?.second() else {
            throw .broken("\(secondPath): the calibration has no second camera: pass a camchain.yaml of Kalibr with cam0 and cam1")
        }
        (rig.secondCamera, rig.secondFromCamera) = (secondCamera, secondFromFirst)
        let secondDriver = try VideoDriver(
            secondPath, width: secondCamera.width, height: secondCamera.height, framesPerSecond: framesPerSecond)
        let second = SecondCamera(secondPath, secondDriver, try Self.layout(secondDriver.format, path: secondPath))
        self.init(path, driver, layout, rig, inertialDevice, problems, second: second)
    }

    init(
        _ path: String, _ driver: sending any FrameDriver, _ layout: CameraFrameLayout, _ rig: SensorRig,
        _ inertialDevice: InertialDevice?, _ problems: SourceProblems = SourceProblems(), second: sending SecondCamera? = nil
    ) {
        var rig = rig
        rig.hasInertialUnit = inertialDevice != nil
        (self.path, self.layout, self.rig, clockOrigin) = (path, layout, rig, SystemClock.monotonic)
        self.inertialDevice = inertialDevice
        let gate = SensorGate(rig: rig, problems: problems)
        reading = Mutex(Reading(driver: driver, second: second, gate: gate))
        inertialDevice?.stop()
    }

    private static func inertialDevice(
        _ choice: SensorSourceOptions.InertialUnit, camera: String, _ problems: inout SourceProblems
    ) throws(SourceError) -> InertialDevice? {
        switch choice {
        case .none: return nil
        case .named(let name): return try InertialDevice(name)
        case .automatic:
            guard InertialDevice.isBeside(camera: camera) else { return nil }
            do throws(SourceError) {
                return try InertialDevice()
            } catch {
                problems.add("\(error.description): the camera is used without an IMU")
                return nil
            }
        }
    }

    static func layout(_ format: vitrine_video_format, path: String) throws(SourceError) -> CameraFrameLayout {
        guard let kind = CameraFrameLayout.Kind.allCases.first(where: { $0.code == format.fourcc }) else {
            throw .broken("\(path): has no supported frame format")
        }
        let limit = UInt32(CameraIntrinsics.sideLimit)
        guard (1...limit).contains(format.width), (1...limit).contains(format.height), format.bytes_per_line <= 16 * limit else {
            throw .broken("\(path): frames of \(format.width) × \(format.height) pixels")
        }
        return CameraFrameLayout(
            kind: kind, width: Int(format.width), height: Int(format.height), bytesPerLine: Int(format.bytes_per_line),
            matrix: format.matrix == 709 ? .bt709 : .bt601, range: format.full_range == 1 ? .full : .video)
    }

    static func rig(_ camera: SensorSourceOptions.Camera?, _ layout: CameraFrameLayout, path: String) throws(SourceError) -> SensorRig {
        // tan 30° is half the width over the focal length.
        let camera = camera ?? .focalLength(Double(layout.width) / 2 / 0.577_350_269)
        var rig = try camera.rig(width: layout.width, height: layout.height, location: path)
        rig.hasInertialUnit = false
        if case .file = camera {} else { rig.cameraFromBody = outOfTheScreen }
        return rig
    }

    /// The IMU's frame: x right, y up, z out of the screen. The camera looks out of the screen; its right is the viewer's left.
    static let outOfTheScreen = RigidTransform(
        rotation: Matrix3d(rows: Vector3d(-1, 0, 0), Vector3d(0, -1, 0), Vector3d(0, 0, 1)), translation: .zero)

    /// Damaged frames and problems of the IMU since the start.
    public var problems: SourceProblems { reading.withLock { $0.gate.problems } }

    /// Throws `SourceError.cannotRewind`, because a camera cannot be played again.
    public func rewind() async throws { throw SourceError.cannotRewind }

    /// Starts capture and the IMU.
    ///
    /// - Throws: `SourceError.broken` if the device is in use or was removed.
    public func start() async throws { try await onQueue { try self.start(&$0) } }

    /// Stops capture and the IMU.
    public func stop() async { try? await onQueue { self.stop(&$0) } }

    /// Waits for the next image and returns the inertial samples before it, then the image.
    ///
    /// - Throws: `SourceError.broken` if the device delivers no frame for 5 s or was removed.
    public func next() async throws -> SensorEvent? { try await onQueue { try self.waitForFrame(&$0) } }

    private func onQueue<T: Sendable>(_ body: @escaping @Sendable (inout Reading) throws -> T) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try self.reading.withLock { try body(&$0) } }) }
        }
    }

    private func start(_ reading: inout Reading) throws {
        guard !reading.isStarted else { return }
        try inertialDevice?.start()
        do {
            try reading.driver.start()
            do {
                try reading.second?.driver.start()
            } catch {
                reading.driver.stop()
                throw error
            }
        } catch {
            inertialDevice?.stop()
            throw error
        }
        // Earlier data is outdated.
        (reading.order, reading.isStarted) = (LiveEventQueue(), true)
        reading.second?.reset()
    }

    private func stop(_ reading: inout Reading) {
        guard reading.isStarted else { return }
        reading.isStarted = false
        reading.driver.stop()
        reading.second?.driver.stop()
        inertialDevice?.stop()
    }

    private func waitForFrame(_ reading: inout Reading) throws -> SensorEvent? {
        if !reading.isStarted { try start(&reading) }
        if reading.order.isEmpty {
            let image = try image(&reading)
            reading.order.add(image, after: samples(before: image, &reading))
        }
        return reading.order.next()
    }

    /// The inertial samples since the last image, up to this one.
    private func samples(before image: CameraSample, _ reading: inout Reading) -> [InertialSample] {
        guard let inertialDevice else { return [] }
        let end = clockOrigin + Int64(image.time * 1e9)
        let readings = inertialDevice.readings(reaching: end, timeout: Self.inertialTimeout)
        for problem in inertialDevice.takeProblems() { reading.gate.report(inertialDevice.name, problem) }
        var samples: [InertialSample] = []
        for one in readings {
            let sample = InertialSample(
                time: Double(one.nanoseconds - clockOrigin) / 1e9, angularVelocity: one.angularVelocity, acceleration: one.acceleration)
            if reading.gate.passes(sample, location: inertialDevice.name) { samples.append(sample) }
        }
        return samples
    }

    private func image(_ reading: inout Reading) throws -> CameraSample {
        while true {
            guard let frame = try reading.driver.next(timeout: Self.frameTimeout) else {
                throw SourceError.broken("\(path): delivered no frame for \(Self.frameTimeout / 1000) s")
            }
            let time = Double(frame.nanoseconds - clockOrigin) / 1e9
            guard !frame.isDamaged else {
                reading.gate.report(path, "a frame that the driver reports as damaged, at \(time) s")
                continue
            }
            guard reading.gate.passes(imageTime: time, location: path) else { continue }
            do throws(SourceError) {
                var sample = CameraSample(time: time, image: try layout.image(frame.bytes))
                if let second = reading.second?.path {
                    var problems: [String] = []
                    sample.secondLuma = try reading.second?.luma(at: frame.nanoseconds) { problems.append($0) }
                    for problem in problems { reading.gate.report(second, problem) }
                }
                if reading.gate.passes(sample, location: path) { return sample }
            } catch {
                reading.gate.report(path, error.description)
            }
        }
    }
}
