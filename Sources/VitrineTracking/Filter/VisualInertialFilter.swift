import VitrineMath
import VitrineVision

/// Where a camera and an IMU fixed to one another are, from the IMU's samples and points seen in pictures: a Kalman filter over the body's
/// newest motion, its past poses ("clones"), the calibration, and some points.
///
/// Points come in two ways. Most are never part of the state: a track that ends, or that fills the window of clones, says something about the
/// clones alone once its point is projected out (Mourikis & Roumeliotis 2007). Tracks that last may become points of the state, the filter's
/// memory beyond its window, where ``FilterSettings/points`` allows. Either way ``points`` tells where they are. Jacobians use first estimates
/// where the filter would otherwise believe to learn its heading, which nothing tells (Huang, Mourikis & Roumeliotis 2008; Li & Mourikis 2013);
/// `docs/design/tracking.md` says which.
///
/// Frames: the world has `settings.gravity` (−Y by default), the body is the IMU; metres, seconds on the IMU's clock, radians.
/// The same input gives the same output, bit for bit.
public final class VisualInertialFilter {
    public let settings: FilterSettings
    let layout: FilterLayout
    /// How noisy the IMU is taken to be between pictures: the rig's numbers, unless somebody knows better.
    public var noise: InertialNoise
    let covariance: FilterCovariance
    let kalman: FilterUpdate
    let information: TrackInformation
    let quantiles: ChiSquare
    var estimate: FilterEstimate
    var queue = InertialQueue()
    /// The tracks of points that aren't in the state, in the order in which they were seen first; and where each is.
    var tracks: [FeatureTrack] = []
    var trackIndex: [Int: Int] = [:]
    var pointIndex: [Int: Int] = [:]
    /// How many pictures made a clone.
    var picturesTaken = 0
    /// Of the length of the way, as a share of it.
    var scaleVariance = 1.0
    var pictureTime = -Double.infinity
    private var hasFailed = false

    /// - Parameters:
    ///   - rig: the camera on the IMU, and the IMU's noise; its calibration is improved as `uncertainty` allows.
    ///   - state: where the body is at `state.time`. Pictures and samples from there on count.
    public init(rig: SensorRig, settings: FilterSettings = FilterSettings(), state: FilterState, uncertainty: FilterUncertainty) {
        (self.settings, noise) = (settings, rig.noise)
        layout = FilterLayout(settings)
        covariance = FilterCovariance(layout: layout)
        kalman = FilterUpdate(layout: layout)
        information = TrackInformation(layout: layout)
        quantiles = ChiSquare(probability: settings.gate, most: 2 * layout.slots)
        estimate = FilterEstimate(layout: layout, rig: rig, state: state)
        spread(uncertainty)
    }

    /// Takes a sample of the IMU. Those that aren't finite, or don't move time on, are passed over and counted.
    public func add(_ sample: InertialSample) { queue.add(sample) }

    /// Takes what a picture shows.
    ///
    /// The IMU's samples up to the picture's time should have been added, and best the one after it too; without it the last is held.
    /// - Parameters:
    ///   - time: on the camera's clock, in seconds, later than the last picture's.
    ///   - features: in any order. Of the same identity the first counts.
    public func update(time: Double, features: [ObservedFeature]) -> FilterReport {
        let target = time + estimate.rig.timeOffset
        var report = FilterReport(.passedOver, time: estimate.body.time)
        report.samplesPassedOver = queue.passedOver
        guard !hasFailed else { return finished(&report, .failed) }
        guard time.isFinite, time > pictureTime,
            target > estimate.body.time || (estimate.order.isEmpty && target > estimate.body.time - 1e-6)
        else { return finished(&report, .passedOver) }
        guard !queue.samples.isEmpty else { return finished(&report, .withoutInertial) }
        (pictureTime, points) = (time, [])
        report.features = features.count
        let samples = queue.span(from: estimate.body.time, to: target)
        report.samples = samples.count
        let angularVelocity = propagate(samples)
        queue.forget(before: estimate.body.time)
        if settings.noticesRest, let isWell = stayAtRest(samples, features) {
            points = placed(features)
            return finished(&report, isWell ? .atRest : .failed)
        }
        let slot = addClone(angularVelocity)
        register(features, slot: slot)
        let isWell = useTracks(slot, &report) && measurePoints(slot, &report)
        report.renewedFirstEstimates = renewFirstEstimates()
        picturesTaken += 1
        placePoints(slot)
        points = placed(features)
        tidy(slot, &report)
        return finished(&report, isWell ? .updated : .failed)
    }

    private func finished(_ report: inout FilterReport, _ outcome: FilterReport.Outcome) -> FilterReport {
        report.outcome = outcome
        if !estimate.body.isFinite { report.outcome = .failed }
        hasFailed = report.outcome == .failed
        report.time = estimate.body.time
        report.states = FilterLayout.clones + FilterLayout.cloneSize * estimate.order.count + 3 * estimate.points.count
        report.clones = estimate.order.count
        report.points = estimate.points.count
        report.placed = points.count
        return report
    }

    // MARK: What is known

    /// At the newest picture.
    public var state: FilterState { estimate.body }

    /// The device as it is calibrated by now.
    public var rig: SensorRig { estimate.rig }

    /// The points that the newest picture shows, and whose places are known, by rising id.
    public private(set) var points: [TrackedPoint] = []

    /// Of the body: rotation about the world's axes in radians, then position in metres: 6×6 by rows.
    public var poseCovariance: [Double] { block(6) }

    /// Of orientation (about the world's axes), position, velocity, gyroscope bias, accelerometer bias: 15×15 by rows.
    public var stateCovariance: [Double] { block(15) }

    private func block(_ size: Int) -> [Double] {
        (0..<size * size).map { covariance[$0 / size, $0 % size] }
    }

    /// The state at another time, by the samples that are there: for what is drawn now, later than the newest picture.
    ///
    /// - Parameter time: on the IMU's clock. Before the newest picture, or beyond the samples by more than a tenth of a second, the nearest
    ///   time that can be told is taken.
    public func predicted(at time: Double) -> FilterState {
        guard let last = queue.samples.last, time > estimate.body.time else { return estimate.body }
        let end = min(time, max(last.time, estimate.body.time) + 0.1)
        var propagation = InertialPropagation(estimate.body, gravity: settings.gravity, noise: noise)
        propagation.integrate(queue.span(from: estimate.body.time, to: end), withErrors: false)
        return propagation.state
    }

    // MARK: Motion

    /// Moves the state on to the last sample's time.
    /// - Returns: the angular rate there, in the body.
    private func propagate(_ samples: [InertialSample]) -> Vector3d {
        guard samples.count > 1 else {
            return queue.sample(at: estimate.body.time).angularVelocity - estimate.body.gyroscopeBias
        }
        var propagation = InertialPropagation(estimate.body, gravity: settings.gravity, noise: noise)
        propagation.integrate(samples)
        let transition = propagation.transition(position: estimate.firstPosition, velocity: estimate.firstVelocity)
        covariance.propagate(transition: transition, noise: propagation.addedNoise)
        estimate.body = propagation.state
        (estimate.firstPosition, estimate.firstVelocity) = (estimate.body.worldFromBody.translation, estimate.body.velocity)
        return propagation.angularVelocity
    }

    /// The first covariance.
    private func spread(_ uncertainty: FilterUncertainty) {
        if uncertainty.covariance.count == 225 {
            for index in 0..<225 {
                let (row, column) = (index / 15, index % 15)
                covariance[row, column] = (uncertainty.covariance[index] + uncertainty.covariance[column * 15 + row]) / 2
            }
        } else {
            spreadInertial(uncertainty)
        }
        func put(_ deviation: Double, _ at: Int, _ count: Int = 1) {
            for index in at..<at + count { covariance[index, index] = deviation * deviation }
        }
        put(uncertainty.timeOffset, FilterLayout.timeOffset)
        put(uncertainty.extrinsicRotation, FilterLayout.extrinsics, 3)
        put(uncertainty.extrinsicTranslation, FilterLayout.extrinsics + 3, 3)
        put(uncertainty.focal, FilterLayout.intrinsics, 2)
        put(uncertainty.center, FilterLayout.intrinsics + 2, 2)
        for k in 0..<4 { put(uncertainty.lens[k], FilterLayout.intrinsics + 4 + k) }
    }

    private func spreadInertial(_ uncertainty: FilterUncertainty) {
        let up = normalize(settings.gravity)
        let (tilt, heading) = (uncertainty.tilt * uncertainty.tilt, uncertainty.heading * uncertainty.heading)
        for row in 0..<3 {
            for column in 0..<3 { covariance[row, column] = (row == column ? tilt : 0) + (heading - tilt) * up[row] * up[column] }
        }
        let rest = [uncertainty.position, uncertainty.velocity, uncertainty.gyroscopeBias, uncertainty.accelerometerBias]
        for (index, deviation) in rest.enumerated() {
            for k in 0..<3 { covariance[3 + 3 * index + k, 3 + 3 * index + k] = deviation * deviation }
        }
    }
}
