/// The layout of the error state.
///
/// Orientation errors are small rotations about the world's axes, applied from the left: R = exp(θ) R̂. The camera's orientation error is about
/// its own axes, also from the left. All other errors are differences. A clone has orientation and position, a point its position in the world.
/// Clones have fixed slots, of which unused ones are zero rows; the IMU's calibration and points follow contiguously. The keyframes' poses, which are
/// consider parameters, come last.
struct FilterLayout: Sendable {
    static let orientation = 0
    static let position = 3
    static let velocity = 6
    static let gyroscopeBias = 9
    static let accelerometerBias = 12
    static let inertialSize = 15
    static let timeOffset = 15
    /// Start of the parameters of a projection in addition to points: calibration, then clones. A multiple of eight.
    static let window = 16
    static let extrinsics = 16
    static let intrinsics = 22
    /// The error of the second camera's rotation: see ``MeasuredDepth/turnSlope``.
    static let secondTurn = 30
    static let calibrationSize = 15
    static let clones = 31
    static let cloneSize = 6

    /// Size of the IMU's calibration: scale and misalignment of gyroscope and accelerometer, column by column.
    static let inertialCalibrationSize = 18

    let slots: Int
    let maximumPoints: Int
    let maximumKeyframes: Int

    init(_ settings: FilterSettings) {
        slots = min(max(settings.clones, 3), 23) + 1
        maximumPoints = min(max(settings.points, 0), 150)
        maximumKeyframes = min(max(settings.keyframes, 0), 64)
    }

    func clone(_ slot: Int) -> Int { Self.clones + Self.cloneSize * slot }
    /// Start of the IMU's calibration.
    var inertialCalibration: Int { Self.clones + Self.cloneSize * slots }
    var points: Int { inertialCalibration + Self.inertialCalibrationSize }
    func point(_ index: Int) -> Int { points + 3 * index }
    /// Size of calibration and clones, padded to a multiple of eight.
    var windowSize: Int { eights(inertialCalibration - Self.window) }
    /// Start of the consider parameters, a multiple of eight.
    var keyframes: Int { max(eights(point(maximumPoints)), Self.window + windowSize) }
    func keyframe(_ slot: Int) -> Int { keyframes + Self.cloneSize * slot }
    /// Size of the largest state, padded to a multiple of eight.
    var capacity: Int { eights(keyframe(maximumKeyframes)) }
}

/// `count` rounded up to a multiple of eight: how wide rows are, so that kernels need no special case at the ends.
@inline(__always) func eights(_ count: Int) -> Int { (count + 7) & ~7 }
