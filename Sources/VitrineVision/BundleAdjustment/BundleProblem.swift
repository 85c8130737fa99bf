import VitrineMath

/// Cameras, points and where the points were seen: what bundle adjustment moves, and what it compares with.
package struct BundleProblem: Sendable {
    /// A camera's place among the photos.
    package struct Camera: Sendable {
        package var cameraFromWorld: RigidTransform
        /// An index into `lenses`.
        package var lens: Int
        package var isFixed: Bool

        package init(cameraFromWorld: RigidTransform, lens: Int, isFixed: Bool = false) {
            (self.cameraFromWorld, self.lens, self.isFixed) = (cameraFromWorld, lens, isFixed)
        }
    }

    /// Intrinsics that any number of cameras share.
    package struct Lens: Sendable {
        package var intrinsics: CameraIntrinsics
        /// How many of the parameters f, k1, k2, cx, cy, fy − fx, p1, p2, k3 are free, from the first: each model is a prefix of the next.
        var freeParameters: Int
        /// What the parameters are expected to be, and 1 / variance of that expectation: 0 where nothing is known.
        var expected = SIMD16<Double>.zero
        var expectedInformation = SIMD16<Double>.zero

        package init(intrinsics: CameraIntrinsics, freeParameters: Int) {
            (self.intrinsics, self.freeParameters) = (intrinsics, freeParameters)
        }
    }

    static let parameterCount = 9

    package var cameras: [Camera] = []
    package var lenses: [Lens] = []
    package var points: [Vector3d] = []
    package var pointsAreFixed = false
    /// The observations of point i: `pointStarts[i]..<pointStarts[i + 1]`, by rising camera, each camera at most once.
    var pointStarts: [Int] = [0]
    var observedCameras: [Int32] = []
    var observedPixels: [Vector2d] = []
    /// 1 / variance of each observation, relative to the loss's unit.
    var information: [Double] = []

    package init() {}

    package mutating func appendPoint(_ position: Vector3d) {
        points.append(position)
        pointStarts.append(observedCameras.count)
    }

    /// Adds to the point appended last.
    package mutating func appendObservation(camera: Int, pixel: Vector2d, information weight: Double = 1) {
        observedCameras.append(Int32(camera))
        observedPixels.append(pixel)
        information.append(weight)
        pointStarts[pointStarts.count - 1] = observedCameras.count
    }
}

/// How much a large error counts: ρ(s) of the squared error s in units of the noise's variance.
package enum RobustLoss: Sendable, Equatable {
    case squared
    /// Squared up to `threshold`, linear beyond (Huber 1964).
    case huber(threshold: Double)
    /// Logarithmic: errors far beyond `threshold` hardly pull.
    case cauchy(threshold: Double)

    @inline(__always) func cost(_ squared: Double) -> Double {
        switch self {
        case .squared: return squared
        case .huber(let threshold):
            return squared <= threshold * threshold ? squared : 2 * threshold * squared.squareRoot() - threshold * threshold
        case .cauchy(let threshold):
            let scale = threshold * threshold
            return scale * log(1 + squared / scale)
        }
    }

    /// ρ′(s): the weight of iteratively reweighted least squares.
    @inline(__always) func weight(_ squared: Double) -> Double {
        switch self {
        case .squared: return 1
        case .huber(let threshold): return squared <= threshold * threshold ? 1 : threshold / squared.squareRoot()
        case .cauchy(let threshold): return 1 / (1 + squared / (threshold * threshold))
        }
    }
}
