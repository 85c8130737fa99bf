import CVideoDevice
import Dispatch
import Synchronization
import VitrineTracking
import VitrineVision

/// A live camera of the system (Video4Linux 2), with the IMU of the machine that it is built into, or with none.
///
/// ```swift
/// let camera = try CameraDevice("/dev/video0", options: .init(camera: .focalLength(600)))
/// let session = ARSession(source: camera)
/// ```
///
/// Where the IMU lies to the camera is in no file of the system's: a calibration (`SensorSourceOptions.Camera.file`) says so; without one the camera is
/// taken for one that looks out of the screen, upright, as in notebooks and on the front of telephones.
///
/// Times are those at which the frames were exposed, as the driver tells them, in seconds after it was opened. A frame that is damaged is passed over and
/// counted. The session must be quick enough: a frame that isn't asked for in time is dropped by the driver.
///
/// It rests until a session runs, and again while that is paused: then the driver takes no pictures, the camera's lamp is out, and its IMU isn't read. Without a
/// session `start` and `stop` say so, or the first `next`.
public final class CameraDevice: SensorSource {
    /// What is asked for; the driver gives what comes nearest.
    public struct Options: Sendable {
        /// Default 640 × 480.
        public var width, height: Int
        /// Default 30.
        public var framesPerSecond: Int
        /// What the lens is like; nil: 60° from left to right, as most cameras of notebooks have about.
        public var camera: SensorSourceOptions.Camera?
        /// Default: where it can be seen to be built into the same device.
        public var inertial: SensorSourceOptions.InertialUnit

        public init(
            width: Int = 640, height: Int = 480, framesPerSecond: Int = 30, camera: SensorSourceOptions.Camera? = nil,
            inertial: SensorSourceOptions.InertialUnit = .automatic
        ) {
            (self.width, self.height, self.framesPerSecond, self.camera, self.inertial) = (width, height, framesPerSecond, camera, inertial)
        }
    }

    public let rig: SensorRig
    public let clockOrigin: Int64
    public let isLive = true
    public let path: String
    /// nil: its pictures are all there is.
    public let inertialDevice: InertialDevice?
    let layout: CameraFrameLayout
    private let reading: Mutex<Reading>
    /// Waiting for the driver must hold up no task of the program's.
    private let queue = DispatchQueue(label: "vitrine.camera")

    private struct Reading {
        let driver: any FrameDriver
        var gate: SensorGate
        var order = LiveOrder()
        var isStarted = false
    }

    /// Milliseconds after which a camera that says nothing is taken for broken.
    private static let patience: Int32 = 5000
    /// Milliseconds that a picture waits for the samples that reach it.
    private static let inertialPatience = 30

    /// - Throws: `SourceError.broken` with the path and the reason: no such device, no camera, in use, no format that is read here.
    public convenience init(_ path: String, options: Options = Options()) throws(SourceError) {
        let driver = try VideoDriver(path, options: options)
        let layout = try Self.layout(driver.format, path: path)
        var problems = SourceProblems()
        let inertialDevice = try Self.inertialDevice(options.inertial, camera: path, &problems)
        let rig = try Self.rig(options.camera, layout, path: path)
        self.init(path, driver, layout, rig, inertialDevice, problems)
    }

    init(
        _ path: String, _ driver: sending any FrameDriver, _ layout: CameraFrameLayout, _ rig: SensorRig,
        _ inertialDevice: InertialDevice?, _ problems: SourceProblems = SourceProblems()
    ) {
        var rig = rig
        rig.hasInertialUnit = inertialDevice != nil
        (self.path, self.layout, self.rig, clockOrigin) = (path, layout, rig, SystemClock.monotonic)
        self.inertialDevice = inertialDevice
        let gate = SensorGate(rig: rig, problems: problems)
        reading = Mutex(Reading(driver: driver, gate: gate))
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
            throw .broken("\(path): gives frames in a format that isn't read here")
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
        // The tangent of 30 degrees is half the width over the focal length.
        let camera = camera ?? .focalLength(Double(layout.width) / 2 / 0.577_350_269)
        var rig = try camera.rig(width: layout.width, height: layout.height, place: path)
        rig.hasInertialUnit = false
        if case .focalLength = camera { rig.cameraFromBody = outOfTheScreen }
        return rig
    }

    /// The IMU: x right, y up, z out of the screen. The camera: the same way out, its right the viewer's left.
    static let outOfTheScreen = RigidTransform(
        rotation: Matrix3d(rows: Vector3d(-1, 0, 0), Vector3d(0, -1, 0), Vector3d(0, 0, 1)), translation: .zero)

    public var problems: SourceProblems { reading.withLock { $0.gate.problems } }

    public func rewind() async throws { throw SourceError.cannotRewind }

    public func start() async throws { try await onQueue { try self.start(&$0) } }

    public func stop() async { try? await onQueue { self.stop(&$0) } }

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
        } catch {
            inertialDevice?.stop()
            throw error
        }
        // What came before it rested is old.
        (reading.order, reading.isStarted) = (LiveOrder(), true)
    }

    private func stop(_ reading: inout Reading) {
        guard reading.isStarted else { return }
        reading.isStarted = false
        reading.driver.stop()
        inertialDevice?.stop()
    }

    private func waitForFrame(_ reading: inout Reading) throws -> SensorEvent? {
        if !reading.isStarted { try start(&reading) }
        if reading.order.isEmpty {
            let picture = try picture(&reading)
            reading.order.take(picture, after: samples(before: picture, &reading))
        }
        return reading.order.next()
    }

    /// What the IMU measured since the last picture, up to this one.
    private func samples(before picture: CameraSample, _ reading: inout Reading) -> [InertialSample] {
        guard let inertialDevice else { return [] }
        let end = clockOrigin + Int64(picture.time * 1e9)
        let readings = inertialDevice.readings(reaching: end, patience: Self.inertialPatience)
        for problem in inertialDevice.takeProblems() { reading.gate.report(inertialDevice.name, problem) }
        var samples: [InertialSample] = []
        for one in readings {
            let sample = InertialSample(
                time: Double(one.nanoseconds - clockOrigin) / 1e9, angularVelocity: one.angularVelocity, acceleration: one.acceleration)
            if reading.gate.passes(sample, place: inertialDevice.name) { samples.append(sample) }
        }
        return samples
    }

    private func picture(_ reading: inout Reading) throws -> CameraSample {
        while true {
            guard let frame = try reading.driver.next(patience: Self.patience) else {
                throw SourceError.broken("\(path): gives no frame for \(Self.patience / 1000) s")
            }
            let time = Double(frame.nanoseconds - clockOrigin) / 1e9
            guard !frame.isFlawed else {
                reading.gate.report(path, "a frame that the driver calls damaged, at \(time) s")
                continue
            }
            guard reading.gate.passes(pictureTime: time, place: path) else { continue }
            do throws(SourceError) {
                let sample = CameraSample(time: time, image: try layout.image(frame.bytes))
                if reading.gate.passes(sample, place: path) { return sample }
            } catch {
                reading.gate.report(path, error.description)
            }
        }
    }
}
