import VitrineTracking
import VitrineVision

/// One picture, and what came with it.
public struct CameraSample: Equatable, Sendable {
    /// Seconds on the camera's clock.
    public var time: Double
    public var image: CapturedImage
    public var depth: DepthImage?
    /// Seconds, where the camera says so.
    public var exposureDuration: Double?
    /// The camera's sensitivity times exposure as a relative gain, where known: what the light estimate divides by.
    public var gain: Double?
    /// The camera of this very picture where it differs from the rig's (a recording with moving focus).
    public var camera: CameraIntrinsics?
    /// A pose that the source itself knows: another tracker's, or the simulation's truth. World +Y up; camera x right, y down, z forward.
    public var worldFromCamera: RigidTransform?

    public init(
        time: Double, image: CapturedImage, depth: DepthImage? = nil, exposureDuration: Double? = nil, gain: Double? = nil,
        camera: CameraIntrinsics? = nil, worldFromCamera: RigidTransform? = nil
    ) {
        (self.time, self.image, self.depth, self.exposureDuration, self.gain) = (time, image, depth, exposureDuration, gain)
        (self.camera, self.worldFromCamera) = (camera, worldFromCamera)
    }
}

/// What a device measured, in the order in which it came.
public enum SensorEvent: Equatable, Sendable {
    case inertial(InertialSample)
    case picture(CameraSample)
    /// Nothing comes until `interruptionEnded`: another program has the camera, or the recording says so.
    case interruptionBegan, interruptionEnded
}

/// Where pictures and inertial samples come from: a camera, a recording, a simulated room.
///
/// A session reads it from one task at a time.
public protocol SensorSource: AnyObject, Sendable {
    /// What is known about the device before the first event.
    var rig: SensorRig { get }
    /// Whether events come when they happen (a camera) or as fast as they are asked for (a recording).
    var isLive: Bool { get }
    /// The next event; nil at the end.
    ///
    /// - Throws: an error that names the file and the place where the source is broken beyond going on. What can be survived (a missing frame,
    ///   a time stamp that goes backward) isn't thrown but counted in `problems`.
    func next() async throws -> SensorEvent?
    /// A session that reads it runs: a camera begins to give pictures. Called before `next`, and again after each `stop`. Nothing by default.
    func start() async throws
    /// The session paused or ended, and reads no more until it calls `start`: a camera may rest. Never called while `next` is. Nothing by default.
    func stop() async
    /// Back to the beginning.
    /// - Throws: `SourceError.cannotRewind` from a live source.
    func rewind() async throws
    /// Nanoseconds to add to times (× 10⁹) to have the device's own clock: times since 1970 would leave a `Double` a quarter of a microsecond.
    /// 0 where the source's times are its own.
    var clockOrigin: Int64 { get }
    /// How much of it has been read, 0…1; nil where that can't be known.
    var fractionRead: Double? { get }
    /// What was survived since the beginning, each with its place, in the order found; at most 100, then only counted.
    var problems: SourceProblems { get }
}

extension SensorSource {
    public func start() async throws {}
    public func stop() async {}
    public var clockOrigin: Int64 { 0 }
    public var fractionRead: Double? { nil }
}

/// What a source passed over instead of giving up.
public struct SourceProblems: Equatable, Sendable {
    /// `FILE:PLACE: reason`, the first hundred.
    public private(set) var messages: [String] = []
    public private(set) var count = 0

    public init() {}

    public mutating func add(_ message: String) {
        count += 1
        if messages.count < 100 { messages.append(message) }
    }
}

public enum SourceError: Error, Equatable, Sendable, CustomStringConvertible {
    case cannotRewind
    /// `FILE[:PLACE]: reason`.
    case broken(String)

    public var description: String {
        switch self {
        case .cannotRewind: "a live camera can't be wound back: record it, then replay the recording"
        case .broken(let reason): reason
        }
    }
}
