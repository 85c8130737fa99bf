import VitrineTracking
import VitrineVideo
import VitrineVision

/// A camera image with its sensor data.
public struct CameraSample: Equatable, Sendable {
    /// The time in seconds on the camera's clock.
    public var time: Double
    /// The image of the camera.
    public var image: CapturedImage
    /// The depth image of a device with a depth sensor.
    public var depth: DepthImage?
    /// The luma of the image of the rig's second camera, exposed at the same time; nil without one.
    public var secondLuma: Plane<UInt8>?
    /// The exposure duration in seconds; nil if unknown.
    public var exposureDuration: Double?
    /// The camera's sensitivity times exposure as a relative gain, by which the light estimate divides; nil if unknown.
    public var gain: Double?
    /// The camera model of this image if it differs from the rig's (a recording with changing focus).
    public var camera: CameraIntrinsics?
    /// The pose that the source provides: another tracker's, or ground truth. World: +Y up; camera: x right, y down, z forward.
    public var worldFromCamera: RigidTransform?

    /// Creates a sample.
    public init(
        time: Double, image: CapturedImage, depth: DepthImage? = nil, exposureDuration: Double? = nil, gain: Double? = nil,
        camera: CameraIntrinsics? = nil, worldFromCamera: RigidTransform? = nil
    ) {
        (self.time, self.image, self.depth, self.exposureDuration, self.gain) = (time, image, depth, exposureDuration, gain)
        (self.camera, self.worldFromCamera) = (camera, worldFromCamera)
    }
}

/// A measurement of a device.
public enum SensorEvent: Equatable, Sendable {
    /// A sample of the IMU.
    case inertial(InertialSample)
    /// A camera image with its sensor data.
    case image(CameraSample)
    /// The start and the end of an interruption without measurements: another program uses the camera, or the recording was
    /// interrupted.
    case interruptionBegan, interruptionEnded
}

/// A source of images and inertial samples: a camera, a recording, a simulated room.
///
/// A session reads it from one task at a time.
public protocol SensorSource: AnyObject, Sendable {
    /// The device's calibration.
    var rig: SensorRig { get }
    /// Whether events arrive in real time (a camera) or on demand (a recording).
    var isLive: Bool { get }
    /// Returns the next event; nil at the end.
    ///
    /// - Throws: An error that names file and position if reading cannot continue. Recoverable problems (a missing frame, a time stamp that goes
    ///   backward) are counted in `problems` instead.
    func next() async throws -> SensorEvent?
    /// Starts the device. A session calls it before `next()`, and again after each `stop()`. The default does nothing.
    func start() async throws
    /// Stops the device when the session pauses or ends. Not called during `next()`. The default does nothing.
    func stop() async
    /// Restarts the source at its first event.
    ///
    /// - Throws: `SourceError.cannotRewind` for a live source.
    func rewind() async throws
    /// The time 0 on the device's own clock in nanoseconds. A `Double` of seconds since 1970 would have a resolution of a quarter of a
    /// microsecond. 0 if the times are the device's own. Default 0.
    var clockOrigin: Int64 { get }
    /// The share of the source that was read, 0…1; nil if unknown. Default nil.
    var fractionRead: Double? { get }
    /// The recoverable problems since the start.
    var problems: SourceProblems { get }
}

extension SensorSource {
    /// Default implementation: does nothing.
    public func start() async throws {}
    /// Default implementation: does nothing.
    public func stop() async {}
    /// Default implementation: returns 0, because times are those of the device's own clock.
    public var clockOrigin: Int64 { 0 }
    /// Default implementation: returns nil, because the length is unknown.
    public var fractionRead: Double? { nil }
}

/// Recoverable problems of a source.
public struct SourceProblems: Equatable, Sendable {
    /// The first hundred messages: `FILE:POSITION: reason`.
    public private(set) var messages: [String] = []
    /// The number of all problems.
    public private(set) var count = 0

    /// Creates an empty list.
    public init() {}

    /// Adds a problem.
    public mutating func add(_ message: String) {
        count += 1
        if messages.count < 100 { messages.append(message) }
    }
}

/// The reason for which a source cannot be opened, read or rewound.
public enum SourceError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A live source has no start to return to.
    case cannotRewind
    /// A file is damaged or has the wrong format. The text has the form `FILE[:POSITION]: reason`.
    case broken(String)

    public var description: String {
        switch self {
        case .cannotRewind: "a live camera cannot be rewound: record it, then replay the recording"
        case .broken(let reason): reason
        }
    }
}

extension SourceError {
    /// Runs `body`; its error about a video becomes one about a source.
    static func converting<Result>(_ body: () throws(VideoError) -> Result) throws(SourceError) -> Result {
        do throws(VideoError) {
            return try body()
        } catch {
            throw .broken(error.description)
        }
    }
}
