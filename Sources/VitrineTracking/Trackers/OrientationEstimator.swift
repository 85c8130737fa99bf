import VitrineMath
import VitrineVision

/// How a device is held, from its IMU alone: the gyroscope's turns added up, levelled by gravity, the gyroscope's bias learnt at rest.
///
/// Gravity corrects tilt slowly, and less the more the accelerometer feels besides gravity (a complementary filter: Mahony, Hamel & Pflimlin,
/// "Nonlinear complementary filters on the special orthogonal group", 2008). Nothing corrects the heading: it begins with the camera looking
/// along −Z, and drifts with what is left of the bias.
struct OrientationEstimator: Sendable {
    struct Settings: Equatable, Sendable {
        /// Seconds in which gravity corrects a tilt to 1/e, when nothing but gravity is felt.
        var correctionTime = 1.5
        /// Seconds that statistics of the readings reach back, and that stillness has to last before it is believed.
        var statistics = 0.25
        var stillness = 0.5
        /// At rest: standard deviations of the readings, rad/s and m/s².
        var restRate = 0.015
        var restForce = 0.15
        /// What a gyroscope may say at rest, rad/s: before a bias is known, and of its change after.
        var largestBias = 0.12
        var largestChange = 0.02
        /// Over longer times without a sample, in seconds, nobody knows how it turned.
        var longestGap = 0.5
        var gravity = 9.81
    }

    var settings = Settings()
    /// Nil before the first sample. +Y of the world is up.
    private(set) var worldFromBody: Matrix3d?
    /// Of the newest sample, on the IMU's clock.
    private(set) var time = 0.0
    /// rad/s in the body.
    var gyroscopeBias = Vector3d.zero
    /// Whether the bias was seen at rest, or told.
    var knowsBias = false
    private(set) var isAtRest = false
    /// Seconds of samples so far: what is known is young in the beginning.
    private(set) var age = 0.0
    /// Without the bias, of the newest sample: rad/s.
    private(set) var rate = Vector3d.zero
    private let cameraFromBody: Matrix3d
    private var last: InertialSample?
    private var statistics = Statistics()

    /// Means and variances over the last moments, the past fading.
    private struct Statistics: Sendable {
        var rate = Vector3d.zero
        var force = Vector3d.zero
        var rateVariance = Vector3d.zero
        var forceVariance = Vector3d.zero
        var age = 0.0
        var stillFor = 0.0

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

    /// Samples that don't move time on or aren't finite do nothing.
    mutating func add(_ sample: InertialSample) {
        guard sample.isFinite, length(sample.acceleration) > 0.5 || worldFromBody != nil else { return }
        guard let last, let held = worldFromBody else {
            begin(sample)
            return
        }
        let step = sample.time - last.time
        guard step > 0 else { return }
        defer { (self.last, time) = (sample, sample.time) }
        guard step <= settings.longestGap else {
            statistics = Statistics()
            worldFromBody = levelled(held, by: sample, share: 1)
            return
        }
        let turn = ((last.angularVelocity + sample.angularVelocity) / 2 - gyroscopeBias) * step
        rate = sample.angularVelocity - gyroscopeBias
        worldFromBody = Rotations.orthonormalized(levelled(held * Matrix3d.rotation(turn), by: sample, share: correction(sample, step)))
        learn(sample, step)
        age += step
    }

    /// The orientation at a moment near the newest sample's, going on as it turned last.
    func worldFromBody(at time: Double) -> Matrix3d? {
        worldFromBody.map { $0 * Matrix3d.rotation(rate * min(max(time - self.time, -0.2), 0.2)) }
    }

    /// Takes another orientation's word: that of a filter that knows better.
    mutating func follow(_ worldFromBody: Matrix3d, at time: Double, bias: Vector3d) {
        self.worldFromBody = worldFromBody * Matrix3d.rotation(rate * min(max(self.time - time, -0.2), 0.2))
        (gyroscopeBias, knowsBias) = (bias, true)
    }

    private mutating func begin(_ sample: InertialSample) {
        let level = Rotations.shortest(from: normalize(sample.acceleration), to: Vector3d(0, 1, 0))
        worldFromBody = Self.facingNorth(level, cameraFromBody)
        (last, time, age) = (sample, sample.time, 0)
        (statistics.rate, statistics.force) = (sample.angularVelocity, sample.acceleration)
    }

    /// The same turned about the vertical until the camera looks along −Z; where it looks up or down, until its upper edge does.
    static func facingNorth(_ worldFromBody: Matrix3d, _ cameraFromBody: Matrix3d) -> Matrix3d {
        let worldFromCamera = worldFromBody * cameraFromBody.transpose
        let (forward, top) = (worldFromCamera.z, -worldFromCamera.y)
        let heading = abs(forward.y) < 0.9 ? forward : top * (forward.y > 0 ? -1 : 1)
        return Matrix3d.rotation(Vector3d(0, atan2(heading.x, -heading.z), 0)) * worldFromBody
    }

    /// The turn about the vertical that takes one orientation's heading to another's.
    static func headingTurn(from: Matrix3d, to: Matrix3d) -> Matrix3d {
        // Of all turns about +Y the nearest to the difference.
        let difference = to * from.transpose
        return Matrix3d.rotation(Vector3d(0, atan2(difference.z.x - difference.x.z, difference.x.x + difference.z.z), 0))
    }

    private func correction(_ sample: InertialSample, _ step: Double) -> Double {
        // A hand that pushes is felt as more or less than gravity: believe it less. In the beginning there is nothing better.
        let trust = max(0, 1 - abs(length(sample.acceleration) / settings.gravity - 1) * 5)
        let reach = min(settings.correctionTime, 0.1 + age)
        return (1 - exp(-step / reach)) * trust
    }

    private func levelled(_ worldFromBody: Matrix3d, by sample: InertialSample, share: Double) -> Matrix3d {
        let felt = worldFromBody * sample.acceleration
        guard share > 0, length(felt) > 0.5 else { return worldFromBody }
        let turn = Rotations.shortest(from: normalize(felt), to: Vector3d(0, 1, 0)).rotationVector
        return Matrix3d.rotation(turn * share) * worldFromBody
    }

    private mutating func learn(_ sample: InertialSample, _ step: Double) {
        statistics.add(sample, step, settings.statistics)
        let rates = statistics.rateVariance.max().squareRoot()
        let forces = statistics.forceVariance.max().squareRoot()
        let change = length(statistics.rate - gyroscopeBias)
        let isStill =
            statistics.age > settings.statistics && rates < settings.restRate && forces < settings.restForce
            && abs(length(statistics.force) - settings.gravity) < 0.6
            && change < (knowsBias ? settings.largestChange : settings.largestBias)
        statistics.stillFor = isStill ? statistics.stillFor + step : 0
        isAtRest = statistics.stillFor >= settings.stillness
        guard isAtRest else { return }
        gyroscopeBias += (statistics.rate - gyroscopeBias) * (knowsBias ? 1 - exp(-step / 0.5) : 1)
        knowsBias = true
    }
}
