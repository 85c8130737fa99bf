import VitrineMath
import VitrineVision

/// Monitors the quality of visual-inertial tracking and decides when tracking is lost.
struct TrackingQuality: Sendable {
    private let settings: VisualInertialTracker.Settings
    /// Whether tracking was lost, or a map was given, and relocalization has not succeeded yet.
    var isRelocalizing = false
    /// Whether the scale is known.
    var isScaleKnown = false
    /// Whether the newest frame has too few tracked features.
    private(set) var isPoor = true
    /// Whether the newest image may show another scene than those before.
    var isUncertain = false
    /// Whether the camera has rotated fast since the image before.
    var isFast = false
    /// Camera time since which the filter is reliable.
    private(set) var reliableSince: Double?
    /// The share of rejected measurements, a moving average of about a second; and the camera time of its last update.
    private var rejectedShare = 0.0
    private var rejectionTime = -Double.infinity
    /// Camera time at which there were enough features last.
    private var lastObservation = -Double.infinity
    /// The newest frame: time, feature identifiers, number of features tracked from the frame before.
    private var time = 0.0
    private var ids: Set<Int> = []
    private var trackedFeatures = 0
    /// The variance of the position when there were enough features last; nil before.
    private var observedVariance: Double?
    /// Whether the frame before had too few features.
    private var wasBlind = false
    /// The camera's position at the start of the filter.
    private var start = Vector3d.zero

    init(settings: VisualInertialTracker.Settings) { self.settings = settings }

    /// Whether there was a reliable world that tracking may return to.
    var wasReliable: Bool { isScaleKnown || isRelocalizing }
    /// Whether the newest frame has too few features, tracked or new.
    var hasFewFeatures: Bool { ids.count < settings.minimumFeatures }
    /// Whether the filter's estimates can be trusted.
    var isReliable: Bool { isScaleKnown && rejectedShare < 0.5 }

    mutating func observe(_ features: [ObservedFeature], time: Double) {
        trackedFeatures = features.count { ids.contains($0.id) }
        ids = Set(features.map(\.id))
        self.time = time
    }

    /// A filter starts.
    mutating func start(camera: Vector3d) {
        (rejectedShare, rejectionTime, start, lastObservation) = (0, time, camera, time)
        (observedVariance, wasBlind) = (nil, false)
    }

    /// Tracking was lost.
    mutating func lose() {
        let previous = self
        self = TrackingQuality(settings: settings)
        (isRelocalizing, ids) = (previous.wasReliable, previous.ids)
        (trackedFeatures, time) = (previous.trackedFeatures, previous.time)
    }

    /// Evaluates a filter update.
    mutating func update(_ report: FilterReport, time: Double) {
        isPoor = trackedFeatures < (isPoor ? settings.recoveryFeatures : settings.minimumFeatures)
        if trackedFeatures >= settings.minimumFeatures || report.isAtRest { lastObservation = time }
        let (used, rejected) = (report.tracksUsed + report.pointsUsed, report.tracksGated + report.pointsGated)
        guard used + rejected >= 5 else { return }
        // Tracks that start together end together: then some frames have no measurements to evaluate.
        let share = min(0.5, (time - rejectionTime) / 0.8)
        rejectedShare += share * (Double(rejected) / Double(used + rejected) - rejectedShare)
        rejectionTime = time
    }

    /// Marks the time since which the filter is reliable.
    mutating func markReliable(time: Double) { if reliableSince == nil { reliableSince = time } }

    /// Returns the reason why the filter's estimate must be discarded; nil if there is none.
    mutating func loss(_ filter: VisualInertialFilter, time: Double) -> VisualInertialTracker.Loss? {
        let state = filter.state
        if length(state.velocity) > settings.maximumSpeed || length(state.gyroscopeBias) > settings.maximumGyroscopeBias
            || length(state.accelerometerBias) > settings.maximumAccelerometerBias
        {
            return .implausible
        }
        let covariance = filter.stateCovariance
        let deviation = max(covariance[6 * 16], covariance[7 * 16], covariance[8 * 16]).squareRoot()
        if !(deviation <= settings.maximumVelocityDeviation) { return .uncertain }
        if rejectedShare > settings.maximumRejectedShare { return .inconsistent }
        if time - lastObservation > settings.maximumBlindTime { return .noFeatures }
        return isPositionKnown(covariance) ? nil : .unobserved
    }

    /// Whether the position is about as certain as when there were enough features last.
    private mutating func isPositionKnown(_ covariance: [Double]) -> Bool {
        let variance = covariance[3 * 16] + covariance[4 * 16] + covariance[5 * 16]
        let isBlind = trackedFeatures < settings.minimumFeatures && lastObservation < time
        guard let before = observedVariance, isScaleKnown, !isRelocalizing else {
            if !isBlind { observedVariance = variance }
            return true
        }
        let limit = settings.maximumBlindDeviation
        if isBlind || wasBlind {
            wasBlind = isBlind
            if variance - before > limit * limit { return false }
        }
        if !isBlind { observedVariance = variance }
        return true
    }

    /// The position is unknown until relocalization succeeds; the filter continues.
    mutating func forgetPosition() {
        (isRelocalizing, observedVariance, wasBlind) = (true, nil, false)
    }

    /// Whether the distance from the start is known to a small share of itself, which makes the scale known.
    func isScaleKnown(_ filter: VisualInertialFilter, camera: Vector3d) -> Bool {
        let way = camera - start
        let distance = length(way)
        guard distance > 0.05 else { return false }
        let (covariance, axis) = (filter.poseCovariance, way / distance)
        var variance = 0.0
        for i in 0..<3 { for j in 0..<3 { variance += axis[i] * axis[j] * covariance[(3 + i) * 6 + 3 + j] } }
        return variance.squareRoot() <= settings.scaleDeviation * distance
    }

    /// Returns the tracking state.
    ///
    /// - Parameter angularSpeed: rad/s.
    func state(hasFilter: Bool, angularSpeed: Double) -> TrackingState {
        if !hasFilter || !isScaleKnown { return .limited(isRelocalizing ? .relocalizing : .initializing) }
        if isRelocalizing { return .limited(.relocalizing) }
        if angularSpeed > settings.excessiveAngularSpeed { return .limited(.excessiveMotion) }
        guard isPoor || isUncertain else { return .normal }
        return .limited(isFast || angularSpeed > settings.fastAngularSpeed ? .excessiveMotion : .insufficientFeatures)
    }
}
