import VitrineMath
import VitrineVision

/// How well it goes, and what is said of it.
extension VisualInertialTracker {
    struct Health: Sendable {
        /// Whether the world was lost since it was known.
        var isRelocalizing = false
        var scaleIsSure = false
        /// Features of the newest picture that the one before showed too.
        var followed = 0
        var isPoor = true
        /// On the camera's clock: when features were last enough to go by.
        var lastSight = -Double.infinity
        /// The share of measurements turned away, the past fading over a second; and when some were last judged by.
        var gated = 0.0
        var judged = -Double.infinity
        var ids: Set<Int> = []
        var time = 0.0
        /// Where the camera began.
        var start = Vector3d.zero
        /// On the camera's clock: since when the filter is believed.
        var sureSince: Double?

        /// Whether there is a world to go back to.
        var isKnown: Bool { scaleIsSure || isRelocalizing }
        var isBelieved: Bool { scaleIsSure && gated < 0.5 }

        mutating func see(_ features: [ObservedFeature], _ time: Double) {
            followed = features.count { ids.contains($0.id) }
            ids = Set(features.map(\.id))
            self.time = time
        }

        mutating func begin(at state: FilterState, camera: Vector3d) {
            (gated, judged, start, lastSight) = (0, time, camera, time)
        }
    }

    func cameraPlace(_ worldFromBody: RigidTransform) -> Vector3d { worldFromBody * rig.cameraFromBody.inverse.translation }

    /// One picture through the filter, and a look at what came of it.
    func update(_ filter: VisualInertialFilter, _ features: [ObservedFeature], _ time: Double) {
        filter.noise = noise
        let report = filter.update(time: time, features: features)
        diagnostics.report = report
        guard report.outcome != .failed else {
            lose(.filterFailed)
            return
        }
        watch(report, time)
        if let loss = loss(filter, time) {
            lose(loss)
            return
        }
        orientation.follow(filter.state.worldFromBody.rotation, at: filter.state.time, bias: filter.state.gyroscopeBias)
        rig = filter.rig
        if !health.scaleIsSure { health.scaleIsSure = knowsScale(filter) }
        if health.scaleIsSure, !health.isPoor {
            if health.sureSince == nil { health.sureSince = time }
            if !isWaitingForPlace(time) { health.isRelocalizing = false }
            learn(from: filter)
        }
    }

    private func watch(_ report: FilterReport, _ time: Double) {
        let isAtRest = report.isAtRest
        health.isPoor = health.followed < (health.isPoor ? settings.enoughFeatures : settings.leastFeatures)
        if health.followed >= settings.leastFeatures || isAtRest { health.lastSight = time }
        let (used, gated) = (report.tracksUsed + report.pointsUsed, report.tracksGated + report.pointsGated)
        guard used + gated >= 5 else { return }
        // Tracks that were begun together end together: then there is nothing to judge by for some pictures.
        let share = min(0.5, (time - health.judged) / 0.8)
        health.gated += share * (Double(gated) / Double(used + gated) - health.gated)
        health.judged = time
    }

    private func loss(_ filter: VisualInertialFilter, _ time: Double) -> Loss? {
        let state = filter.state
        if length(state.velocity) > settings.fastest || length(state.gyroscopeBias) > settings.largestGyroscopeBias
            || length(state.accelerometerBias) > settings.largestAccelerometerBias
        {
            return .implausible
        }
        let covariance = filter.stateCovariance
        let deviation = max(covariance[6 * 16], covariance[7 * 16], covariance[8 * 16]).squareRoot()
        if !(deviation <= settings.velocityDeviation) { return .unsure }
        if health.gated > settings.gatedShare { return .contradicted }
        return time - health.lastSight > settings.longestBlindness ? .blind : nil
    }

    /// Whether the way from the start is known to a small share of its length: that is what the scale is.
    private func knowsScale(_ filter: VisualInertialFilter) -> Bool {
        let way = cameraPlace(filter.state.worldFromBody) - health.start
        let distance = length(way)
        guard distance > 0.05 else { return false }
        let (covariance, axis) = (filter.poseCovariance, way / distance)
        var variance = 0.0
        for i in 0..<3 { for j in 0..<3 { variance += axis[i] * axis[j] * covariance[(3 + i) * 6 + 3 + j] } }
        return variance.squareRoot() <= settings.scaleDeviation * distance
    }

    /// Gives the place up. The world goes on from where it was last shown.
    func lose(_ loss: Loss) {
        diagnostics.losses += 1
        diagnostics.lastLoss = loss
        if let pose = lastResult?.worldFromCamera, health.isKnown { continuation = pose.translation }
        let wasKnown = health.isKnown
        if loss == .implausible || loss == .filterFailed || loss == .contradicted {
            // What it learnt of the device may be what was wrong.
            let offset = rig.timeOffset
            rig = givenRig
            if learnt != nil { rig.timeOffset = offset }
        }
        filter = nil
        places.lose(at: newestPicture)
        let seen = health
        health = Health()
        (health.isRelocalizing, health.ids, health.followed, health.time) = (wasKnown, seen.ids, seen.followed, seen.time)
        nextAttempt = -.infinity
    }

    // MARK: What is said

    func result(at time: Double) -> TrackingResult {
        let moment = time + rig.timeOffset
        if let filter {
            let state = pending.isEmpty ? filter.state : filter.predicted(at: moment)
            let pose = state.worldFromBody * rig.cameraFromBody.inverse
            return TrackingResult(
                time: moment, state: trackingState, worldFromCamera: pose, velocity: state.velocity, points: filter.points,
                covariance: filter.cameraCovariance, rig: rig)
        }
        guard let worldFromBody = orientation.worldFromBody(at: moment), moment - orientation.time < 1 else {
            return TrackingResult(
                time: moment, state: health.isRelocalizing ? .limited(.relocalizing) : .notAvailable,
                worldFromCamera: health.isRelocalizing ? lastResult?.worldFromCamera : nil, rig: rig)
        }
        let pose = RigidTransform(rotation: worldFromBody * rig.cameraFromBody.rotation.transpose, translation: continuation)
        return TrackingResult(time: moment, state: trackingState, worldFromCamera: pose, rig: rig)
    }

    private var trackingState: TrackingState {
        if filter == nil || !health.scaleIsSure { return .limited(health.isRelocalizing ? .relocalizing : .initializing) }
        if health.isRelocalizing { return .limited(.relocalizing) }
        let turn = length(orientation.rate)
        if turn > settings.excessiveTurn { return .limited(.excessiveMotion) }
        if health.isPoor { return .limited(turn > settings.fastTurn ? .excessiveMotion : .insufficientFeatures) }
        return .normal
    }
}
