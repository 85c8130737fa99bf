import VitrineAR
import VitrineVision

/// Parameters of a simulated device: images, depth, IMU, and injected failures.
public struct SimulationSettings: Equatable, Sendable {
    /// The number of images per second, above 0. Default 20.
    public var frameRate = 20.0
    /// The duration in seconds; nil (default) uses the whole path.
    public var duration: Double?
    /// The standard deviation of luma noise in levels of 255. Default 1.5.
    public var pixelNoise = 1.5
    /// The exposure duration in seconds, which causes motion blur. Default 0: none.
    public var exposure = 0.0
    /// The amplitude of exposure jitter in stops, with a period of 12 s. Default 0.
    public var exposureDrift = 0.0
    /// The share of light lost in the corners (vignetting), 0…1. Default 0.2.
    public var falloff = 0.2
    /// Whether images are monochrome. Default false.
    public var isGray = false
    /// The rolling shutter's readout time in seconds, from the exposure of the first row to that of the last. Each strip of rows has the pose of its
    /// own time; a frame's time is that of its middle row. Default 0: a global shutter.
    public var readoutTime = 0.0
    /// Whether the rig states the readout time. Default true; otherwise the tracker assumes a global shutter.
    public var reportsReadoutTime = true
    /// The depth of the variation of the exposure time from frame to frame, 0…1: each frame is exposed for `exposure` × (1 − depth…1), with a period of
    /// 7 s, as by automatic exposure; the brightness stays. Default 0.
    public var exposureVariation = 0.0
    /// The delay of image time stamps against the IMU's clock in seconds. Default 0.
    public var delay = 0.0
    /// Whether the rig's `timeOffset` contains the delay. Default false: the tracker has to estimate it.
    public var reportsDelay = false
    /// The time ranges in which the lens is covered and images are nearly black, in seconds after the start.
    public var covered: [Range<Double>] = []
    /// The time ranges without images, in seconds after the start.
    public var gaps: [Range<Double>] = []
    /// The time ranges without inertial samples, in seconds after the start.
    public var inertialGaps: [Range<Double>] = []
    /// The width in metres of the black square of a marker (AprilTag 36h11, id 0) on the floor of a furnished room; nil (default): no marker.
    public var markerEdge: Double?
    /// The width and height of depth images in pixels; nil (default) for a device without a depth sensor.
    public var depthSize: SIMD2<Int>?
    /// The error of a stereo pair's calibration: the rotation in radians, about the second camera's y axis, by which the rig states the second camera
    /// wrongly. Default 0.
    public var secondCameraTurn = 0.0
    /// The IMU. If its noise is not nil, the rig's noise is used.
    package var inertial = InertialSimulator(gyroscopeBias: Vector3d(0.004, -0.006, 0.003), accelerometerBias: Vector3d(0.03, -0.05, 0.04))
    /// The seed of noise and furniture. Default 1.
    public var seed: UInt64 = 1

    /// Creates the default settings.
    public init() {}

    /// Whether a sample is missing at a time, seconds after the start.
    func hasInertialGap(at time: Double) -> Bool { inertialGaps.contains { $0.contains(time) } }
}
