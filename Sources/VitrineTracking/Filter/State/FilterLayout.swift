/// Where in the error state things are.
///
/// Orientation errors are small rotations about the world's axes applied from the left, R = exp(θ) R̂; the camera's about its own axes,
/// likewise from the left; all else is a difference. A clone has orientation and position, a point its position in the world. Clones have
/// fixed places, "slots", of which those not in use are zero rows; points lie close behind them.
struct FilterLayout: Sendable {
    static let orientation = 0
    static let position = 3
    static let velocity = 6
    static let gyroscopeBias = 9
    static let accelerometerBias = 12
    static let inertialSize = 15
    static let timeOffset = 15
    /// What a picture's projection depends on besides points begins here: calibration, then clones. A multiple of eight.
    static let window = 16
    static let extrinsics = 16
    static let intrinsics = 22
    static let calibrationSize = 14
    static let clones = 30
    static let cloneSize = 6

    let slots: Int
    let maximumPoints: Int

    /// Past poses and the newest.
    init(_ settings: FilterSettings) {
        slots = min(max(settings.clones, 3), 23) + 1
        maximumPoints = min(max(settings.points, 0), 150)
    }

    func clone(_ slot: Int) -> Int { Self.clones + Self.cloneSize * slot }
    var points: Int { Self.clones + Self.cloneSize * slots }
    func point(_ index: Int) -> Int { points + 3 * index }
    /// Calibration and clones, filled up to whole eights.
    var windowSize: Int { eights(points - Self.window) }
    /// The largest state, filled up to whole eights, never less than the window's end.
    var capacity: Int { max(eights(point(maximumPoints)), Self.window + windowSize) }
}

/// `count` rounded up to a multiple of eight: how wide rows are, so that kernels have no ends to see to.
@inline(__always) func eights(_ count: Int) -> Int { (count + 7) & ~7 }
