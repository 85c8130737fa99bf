import VitrineVision

extension FilterEstimate {
    /// Largest move of a past position, and median move of the points, since their first estimates, relative to the distance of the scene.
    private static let largestMove = 0.03, largestPointMove = 0.06
    /// Typical distance of points indoors, metres.
    private static let indoorDistance = 1.5

    /// Replaces first estimates that proved wrong by the current ones.
    ///
    /// First estimates prevent spurious information on the heading, but Jacobians at points far from the truth are wrong themselves: a filter
    /// that starts with a velocity error of 0.1 m/s would converge to a wrong scale and wrong biases. Positions alone do not reveal it: with a
    /// hand-held device that hardly moves, the points move when the scale converges. A renewal costs a little consistency of the heading.
    /// It never happens in steady motion.
    ///
    /// - Parameters:
    ///   - medianDistance: The distance of the scene; nil if it is unknown.
    ///   - time: That of the newest frame.
    /// - Returns: Whether they were replaced.
    mutating func renewWrongFirstEstimates(medianDistance: Double?, time: Double) -> Bool {
        let farthest = order.reduce(0.0) {
            max($0, length(clones[$1].worldFromBody.translation - clones[$1].firstPosition))
        }
        guard farthest > Self.largestMove * (medianDistance ?? Self.indoorDistance) || medianPointMove(at: time) > Self.largestPointMove
        else {
            return false
        }
        renewFirstEstimates()
        return true
    }

    /// The median distance to the points of the state and of the tracks that are observed at a time; nil for fewer than eight.
    func medianDistance(at time: Double, _ table: FeatureTrackTable) -> Double? {
        let center = body.worldFromBody.translation
        let kept = points.filter { $0.observed == time }.map(\.position)
        let distances = (kept + table.tracks.compactMap(\.landmark.position)).map { length($0 - center) }.sorted()
        return distances.count > 7 ? distances[distances.count / 2] : nil
    }

    /// The median move of the observed points since their first estimates, relative to their distance.
    private func medianPointMove(at time: Double) -> Double {
        let center = body.worldFromBody.translation
        let moves = points.filter { $0.observed == time }.map {
            length($0.position - $0.firstPosition) / max(length($0.position - center), 0.05)
        }.sorted()
        return moves.isEmpty ? 0 : moves[moves.count / 2]
    }
}
