import VitrineMapping
import VitrineMath
import VitrineVision

/// The relation between a filter's world and the reported one, which a map corrects.
///
/// The filter keeps poses of keyframes; the map measures newer poses relative to them, which moves the keyframes. In a given map, or after a
/// relocalization, one of these keyframes is the origin: its pose in the reported world is exact, so that the filter's world turns and moves with it.
struct MapConnection {
    private let settings: RelocalizationSettings
    /// The reported world from the filter's: a rotation about +Y and a translation.
    private(set) var worldFromFilter = RigidTransform.identity
    /// The correction of the newest frame, which moves earlier poses in the reported world.
    private(set) var correction: RigidTransform?
    /// The moves of keyframes in the newest frame, new from old poses in the reported world.
    private(set) var keyframeMoves: [Int: RigidTransform] = [:]
    /// The keyframe of the newest frame's result.
    private(set) var referenceKeyframe: Int?

    /// The keyframe of the filter that connects it with a map, and its pose in the reported world; nil if the filter's world is the map's.
    private var origin: (keyframe: Int, worldFromBody: RigidTransform)?
    /// The variance of the newest pose relative to `origin`.
    private var drift: DriftVariance?
    /// Measurements by the map that contradict the filter and agree with each other, since the last one that the filter used: the newest offset of the
    /// position, and their number.
    private var contradictions = (offset: Vector3d.zero, count: 0)
    /// Corrections of the world that are too small to report.
    private var smallCorrection = RigidTransform.identity
    /// The moves of keyframes that are not reported yet: with a map, they wait for `smallCorrection`.
    private var pendingMoves: [Int: RigidTransform] = [:]
    /// The keyframes that the filter has replaced, and the ones near them, with which their anchors move.
    private var substitutes: [Int: Int] = [:]

    init(_ settings: RelocalizationSettings) { self.settings = settings }

    /// Begins a frame: nothing is corrected in it yet.
    mutating func beginFrame() { (correction, keyframeMoves) = (nil, [:]) }

    /// Forgets the map's keyframes: the filter, or its position, is lost. The world stays.
    mutating func disconnect(_ filter: VisualInertialFilter?) {
        filter?.removeKeyframes()
        (origin, drift, smallCorrection, contradictions.count) = (nil, nil, .identity, 0)
        (pendingMoves, substitutes, keyframeMoves, referenceKeyframe) = ([:], [:], [:], nil)
    }

    // MARK: Keyframes

    /// Adds the newest frame to the filter's keyframes.
    ///
    /// - Parameter error: The covariance of a map that is aligned with the frame; see the filter.
    mutating func addKeyframe(_ keyframe: Int, mapError error: [Double]? = nil, to filter: VisualInertialFilter?) {
        guard let replacement = filter?.addKeyframe(keyframe, mapError: error, keeping: origin?.keyframe) else { return }
        for (other, near) in substitutes where near == replacement.replaced { substitutes[other] = replacement.near }
        substitutes[replacement.replaced] = replacement.near
    }

    /// Sets the reference of the newest frame's result, and the accuracy of its pose in the map.
    ///
    /// - Parameters:
    ///   - keyframe: The frame's own keyframe; nil takes the one with the least drift since then.
    ///   - drifts: The variance of the pose relative to each keyframe.
    mutating func setReference(_ keyframe: Int?, drifts: [Int: DriftVariance]) {
        drift = origin.flatMap { drifts[$0.keyframe] }
        referenceKeyframe = keyframe ?? Self.leastDrift(drifts)
    }

    /// The keyframe with the least drift since then, for contents at a distance of a metre.
    private static func leastDrift(_ drifts: [Int: DriftVariance]) -> Int? {
        drifts.min { ($0.value.position + $0.value.heading, $1.key) < ($1.value.position + $1.value.heading, $0.key) }?.key
    }

    // MARK: Corrections

    /// Moves the filter's world into the map's.
    ///
    /// - Parameter newOrigin: The newest frame's keyframe, and the covariance of its heading and position in the map.
    mutating func apply(_ change: RigidTransform, origin newOrigin: (keyframe: Int, error: [Double])?, to filter: VisualInertialFilter?) {
        worldFromFilter = change * worldFromFilter
        correction = correction.map { change * $0 } ?? change
        guard let newOrigin, let filter else { return }
        addKeyframe(
            newOrigin.keyframe, mapError: MapMeasurement.rotated(newOrigin.error, by: worldFromFilter.rotation.transpose), to: filter)
        origin = filter.worldFromBody(keyframe: newOrigin.keyframe).map { (newOrigin.keyframe, worldFromFilter * $0) }
        (smallCorrection, pendingMoves) = (.identity, [:])
    }

    /// Updates the filter with the measurements of the map.
    ///
    /// - Parameter lastPose: The camera's last pose in the filter's world.
    /// - Returns: The moves of the map's keyframes, new from old poses in the reported world; empty if the filter rejected the measurement.
    mutating func update(
        _ filter: VisualInertialFilter, with outcome: Relocalizer.Outcome, lastPose: RigidTransform?
    ) -> [Int: RigidTransform] {
        let (before, filterFromWorld) = (worldFromFilter, worldFromFilter.inverse)
        if let measured = outcome.position {
            let turn = filterFromWorld.rotation
            _ = filter.update(
                position: turn * measured.offset, covariance: turn * measured.covariance * turn.transpose, time: measured.time)
        }
        guard let measurement = outcome.measurement else { return [:] }
        guard let moves = filter.update(measurement.transformed(by: filterFromWorld)) else {
            count(rejected: measurement)
            return [:]
        }
        contradictions.count = 0
        if let origin, let pose = filter.worldFromBody(keyframe: origin.keyframe) {
            let turn = Rotations.heading(from: pose.rotation, to: origin.worldFromBody.rotation)
            worldFromFilter = RigidTransform(rotation: turn, translation: origin.worldFromBody.translation - turn * pose.translation)
        }
        let moved = moves.mapValues { worldFromFilter * $0 * before.inverse }
        for (keyframe, move) in moved { pendingMoves[keyframe] = move * (pendingMoves[keyframe] ?? smallCorrection) }
        if origin != nil { report(worldFromFilter * filterFromWorld, lastPose: lastPose) } else { reportMoves(after: .identity) }
        return moved.filter { $0.key != origin?.keyframe }
    }

    /// Whether several measurements by the map that the filter rejected disprove its position.
    var isDisproved: Bool { contradictions.count >= Self.minimumContradictions }

    private static let minimumContradictions = 3

    private mutating func count(rejected measurement: MapMeasurement) {
        let limit = settings.maximumDistance
        guard length(measurement.offset) > limit else { return }
        let agrees = length(measurement.offset - contradictions.offset) < limit
        contradictions = (measurement.offset, agrees ? contradictions.count + 1 : 1)
    }

    /// Reports a correction of the world by the map, unless it is still too small.
    private mutating func report(_ change: RigidTransform, lastPose: RigidTransform?) {
        smallCorrection = change * smallCorrection
        let position = lastPose.map { (worldFromFilter * $0).translation } ?? .zero
        guard
            length(smallCorrection * position - position) > settings.minimumCorrection
                || length(smallCorrection.rotation.rotationVector) > settings.minimumAngleCorrection
        else { return }
        correction = correction.map { smallCorrection * $0 } ?? smallCorrection
        reportMoves(after: smallCorrection)
        smallCorrection = .identity
    }

    /// Reports the moves of keyframes, less a correction of the world.
    private mutating func reportMoves(after correction: RigidTransform) {
        for (keyframe, move) in pendingMoves {
            keyframeMoves[keyframe] = move * correction.inverse * (keyframeMoves[keyframe] ?? .identity)
        }
        for (keyframe, near) in substitutes { keyframeMoves[keyframe] = keyframeMoves[near] }
        pendingMoves = [:]
    }

    // MARK: Results

    /// Transforms a result from the filter's world to the reported one.
    func inWorld(_ result: TrackingResult) -> TrackingResult {
        guard worldFromFilter != .identity || drift != nil else { return result }
        var reported = result
        reported.worldFromCamera = result.worldFromCamera.map { worldFromFilter * $0 }
        reported.velocity = worldFromFilter.rotation * result.velocity
        for index in reported.points.indices { reported.points[index].position = worldFromFilter * reported.points[index].position }
        reported.covariance = inWorld(result.covariance)
        return reported
    }

    /// The covariance of a camera's pose on the reported world's axes. In a map, heading and position have the variance relative to the map.
    private func inWorld(_ covariance: [Double]) -> [Double] {
        var reported = CovarianceBlocks.rotated(covariance, by: worldFromFilter.rotation, blocks: 2, rotating: 2)
        guard let drift, reported.count == 36 else { return reported }
        let own = DriftVariance(ofPose: reported)
        let heading = (drift.heading / max(own.heading, 1e-12)).squareRoot()
        let position = (drift.position / max(own.position, 1e-12)).squareRoot()
        let factors = [1, heading, 1, position, position, position]
        for index in 0..<36 { reported[index] *= factors[index / 6] * factors[index % 6] }
        return reported
    }
}

extension DriftVariance {
    /// The variance of the heading, and the mean variance of the position.
    ///
    /// - Parameter covariance: Rotation about the world's axes, then position; 6×6 in row order.
    init(ofPose covariance: [Double]) {
        self.init(heading: covariance[7], position: (covariance[21] + covariance[28] + covariance[35]) / 3)
    }
}
