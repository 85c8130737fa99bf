import VitrineMath
import VitrineVision

/// Estimates a device's orientation from its IMU alone, and the gyroscope's bias at rest.
///
/// A complementary filter (Mahony, Hamel & Pflimlin, "Nonlinear complementary filters on the special orthogonal group", 2008): integrates the
/// gyroscope and corrects the tilt slowly by gravity, less so while the accelerometer measures other forces. The heading starts with the
/// camera looking along −Z and drifts with the residual bias.
struct OrientationEstimator: Sendable {
    struct Settings: Equatable, Sendable {
        /// Time constant in seconds of the tilt's correction, without other forces.
        var correctionTime = 1.5
        /// Seconds over which readings are averaged, and seconds for which the device must be still to be at rest.
        var statistics = 0.25
        var restDuration = 0.5
        /// Largest standard deviations of the readings at rest, rad/s and m/s².
        var restRateDeviation = 0.015
        var restForceDeviation = 0.15
        /// Largest gyroscope reading at rest, rad/s: before the bias is known; afterwards, its difference from the bias.
        var maximumBias = 0.12
        var maximumBiasChange = 0.02
        /// Seconds without a sample after which the gyroscope cannot be integrated.
        var maximumGap = 0.5
        var gravity = 9.81
    }

    private let settings = Settings()
    /// nil before the first sample. World: +Y up.
    private(set) var worldFromBody: Matrix3d?
    /// Time of the newest sample on the IMU's clock.
    private(set) var time = 0.0
    /// rad/s in the body.
    private(set) var gyroscopeBias = Vector3d.zero
    /// Whether the bias was measured at rest or adopted.
    private(set) var isBiasKnown = false
    private(set) var isAtRest = false
    /// Seconds since the first sample.
    private(set) var age = 0.0
    /// The newest angular velocity without the bias, rad/s in the body.
    private(set) var rate = Vector3d.zero
    private let cameraFromBody: Matrix3d
    private var last: InertialSample?
    private var statistics = Statistics()

    /// Exponentially weighted means and variances.
    private struct Statistics: Sendable {
        var rate = Vector3d.zero
        var force = Vector3d.zero
        var rateVariance = Vector3d.zero
        var forceVariance = Vector3d.zero
        var age = 0.0
        var stillDuration = 0.0

        mutating func add(_ sample: InertialSample, _ step: Double, _ reach: Double) {
            let share = 1 - exp(-step / reach)
            let (r, f) = (sample.angularVelocity - rate, sample.acceleration - force)
            rate += r * share
            force += f * share
            rateVariance = (rateVariance + r * r * share) * (1 - share)
            forceVariance = (forceVariance + f * f * share) * (1 - share)
            age += step
        }
    }

    init(cameraFromBody: Matrix3d) { self.cameraFromBody = cameraFromBody }

    /// Samples that are out of order or not finite are ignored.
    mutating func add(_ sample: InertialSample) {
        guard sample.isFinite, length(sample.acceleration) > 0.5 || worldFromBody != nil else { return }
        guard let last, let held = worldFromBody else {
            start(sample)
            return
        }
        let step = sample.time - last.time
        guard step > 0 else { return }
        defer { (self.last, time) = (sample, sample.time) }
        guard step <= settings.maximumGap else {
            statistics = Statistics()
            worldFromBody = levelled(held, by: sample, share: 1)
            return
        }
        let turn = ((last.angularVelocity + sample.angularVelocity) / 2 - gyroscopeBias) * step
        rate = sample.angularVelocity - gyroscopeBias
        worldFromBody = (levelled(held * Matrix3d.rotation(turn), by: sample, share: correction(sample, step))).orthonormalized
        updateBias(sample, step)
        age += step
    }

    /// The orientation at a time near the newest sample's, extrapolated by at most 0.2 s.
    func worldFromBody(at time: Double) -> Matrix3d? {
        worldFromBody.map { $0 * Matrix3d.rotation(rate * min(max(time - self.time, -0.2), 0.2)) }
    }

    /// Adopts the orientation and bias of a more accurate filter.
    mutating func follow(_ worldFromBody: Matrix3d, at time: Double, bias: Vector3d) {
        self.worldFromBody = worldFromBody * Matrix3d.rotation(rate * min(max(self.time - time, -0.2), 0.2))
        (gyroscopeBias, isBiasKnown) = (bias, true)
    }

    /// Determines the tilt from the accelerometer again, because it has changed without a rotation that the gyroscope measured.
    mutating func level() {
        guard let held = worldFromBody, let last else { return }
        (worldFromBody, age, statistics) = (levelled(held, by: last, share: 1), 0, Statistics())
    }

    /// Adopts another estimator's bias.
    mutating func adoptBias(of other: OrientationEstimator) { (gyroscopeBias, isBiasKnown) = (other.gyroscopeBias, other.isBiasKnown) }

    private mutating func start(_ sample: InertialSample) {
        let level = Rotations.shortest(from: normalize(sample.acceleration), to: Vector3d(0, 1, 0))
        worldFromBody = Self.facingForward(level, cameraFromBody)
        (last, time, age) = (sample, sample.time, 0)
        (statistics.rate, statistics.force) = (sample.angularVelocity, sample.acceleration)
    }

    /// The orientation rotated about the vertical so that the camera looks along −Z, or its top edge does if it looks up or down.
    static func facingForward(_ worldFromBody: Matrix3d, _ cameraFromBody: Matrix3d) -> Matrix3d {
        let worldFromCamera = worldFromBody * cameraFromBody.transpose
        let (forward, top) = (worldFromCamera.z, -worldFromCamera.y)
        let heading = abs(forward.y) < 0.9 ? forward : top * (forward.y > 0 ? -1 : 1)
        return Matrix3d.rotation(Vector3d(0, atan2(heading.x, -heading.z), 0)) * worldFromBody
    }

    private func correction(_ sample: InertialSample, _ step: Double) -> Double {
        // Trust the accelerometer less if its magnitude differs from gravity. Correct faster after the start.
        let trust = max(0, 1 - abs(length(sample.acceleration) / settings.gravity - 1) * 5)
        let reach = min(settings.correctionTime, 0.1 + age)
        return (1 - exp(-step / reach)) * trust
    }

    private func levelled(_ worldFromBody: Matrix3d, by sample: InertialSample, share: Double) -> Matrix3d {
        let force = worldFromBody * sample.acceleration
        guard share > 0, length(force) > 0.5 else { return worldFromBody }
        let turn = Rotations.shortest(from: normalize(force), to: Vector3d(0, 1, 0)).rotationVector
        return Matrix3d.rotation(turn * share) * worldFromBody
    }

    private mutating func updateBias(_ sample: InertialSample, _ step: Double) {
        statistics.add(sample, step, settings.statistics)
        let rates = statistics.rateVariance.max().squareRoot()
        let forces = statistics.forceVariance.max().squareRoot()
        let change = length(statistics.rate - gyroscopeBias)
        let isStill =
            statistics.age > settings.statistics && rates < settings.restRateDeviation && forces < settings.restForceDeviation
            && abs(length(statistics.force) - settings.gravity) < 0.6
            && change < (isBiasKnown ? settings.maximumBiasChange : settings.maximumBias)
        statistics.stillDuration = isStill ? statistics.stillDuration + step : 0
        isAtRest = statistics.stillDuration >= settings.restDuration
        guard isAtRest else { return }
        gyroscopeBias += (statistics.rate - gyroscopeBias) * (isBiasKnown ? 1 - exp(-step / 0.5) : 1)
        isBiasKnown = true
    }
}
