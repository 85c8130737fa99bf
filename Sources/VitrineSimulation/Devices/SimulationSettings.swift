import VitrineAR
import VitrineVision

/// How a simulated device takes pictures and samples.
public struct SimulationSettings: Equatable, Sendable {
    /// From when to how long.
    public struct Span: Equatable, Sendable {
        /// Seconds from the start.
        public var start: Double
        /// Seconds.
        public var duration: Double

        public init(start: Double, duration: Double) { (self.start, self.duration) = (start, duration) }

        func contains(_ time: Double) -> Bool { time >= start && time < start + duration }
    }

    /// In pixels.
    public struct Size: Equatable, Sendable {
        public var width, height: Int

        public init(_ width: Int, _ height: Int) { (self.width, self.height) = (width, height) }
    }

    /// Pictures a second.
    public var frameRate = 20.0
    /// Seconds from the path's start; nil: all of it.
    public var duration: Double?
    /// Standard deviation of luma in levels of 255.
    public var pixelNoise = 1.5
    /// Seconds that the shutter is open; what moves in that time blurs. 0: nothing does.
    public var exposure = 0.0
    /// Brightness swings by so many stops to either side, once in 12 seconds.
    public var exposureDrift = 0.0
    /// The share of the light that the picture's corners lose, 0…1.
    public var falloff = 0.2
    public var isGray = false
    /// Seconds by which pictures are stamped late against the IMU's clock.
    public var delay = 0.0
    /// Whether the rig tells of `delay`: else it is left to be found out.
    public var tellsDelay = false
    /// The lens is covered: nearly black pictures.
    public var covered: [Span] = []
    /// No pictures come.
    public var gaps: [Span] = []
    /// A marker (AprilTag 36h11, number 0) on the floor of a furnished room: its black square's width in metres; nil: none.
    public var markerEdge: Double?
    /// Size of a depth picture beside each picture; nil: none.
    public var depthSize: Size?
    /// The IMU; its noise is the rig's, unless told otherwise.
    public var inertial = InertialSimulator(gyroscopeBias: Vector3d(0.004, -0.006, 0.003), accelerometerBias: Vector3d(0.03, -0.05, 0.04))
    public var seed: UInt64 = 1

    public init() {}
}
