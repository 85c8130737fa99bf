import VitrineMath
import VitrineVision

extension VisualInertialFilter {
    /// How far a past position, and half of the points, may have moved since they were estimated first, as a share of the distance to what is seen.
    private static let largestMove = 0.03, largestPointMove = 0.06
    /// Metres to what is seen in a room, usually.
    private static let roomDistance = 1.5

    /// Takes the newest estimates as the first ones, where these have proved wrong.
    ///
    /// First estimates keep the filter from believing to learn its heading, but a slope taken far from the truth is wrong in itself, and a filter
    /// that starts from a velocity that is 0.1 m/s off has such ones: it then believes wrong scales and biases. Positions alone don't tell:
    /// a hand that hardly leaves the place where it began finds out the scale by points that come to lie twice as far off, and what a pixel says of
    /// a turn goes with the point's arm. One renewal costs a little of the heading's honesty; without it the error of the first second stays.
    /// In steady flight it never happens.
    func renewFirstEstimates() -> Bool {
        let farthest = estimate.order.reduce(0.0) {
            max($0, length(estimate.clones[$1].worldFromBody.translation - estimate.clones[$1].firstPosition))
        }
        guard farthest > Self.largestMove * (usualDistance ?? Self.roomDistance) || usualPointMove > Self.largestPointMove else {
            return false
        }
        for slot in estimate.order { estimate.clones[slot].firstPosition = estimate.clones[slot].worldFromBody.translation }
        for index in estimate.points.indices { estimate.points[index].firstPosition = estimate.points[index].position }
        (estimate.firstPosition, estimate.firstVelocity) = (estimate.body.worldFromBody.translation, estimate.body.velocity)
        return true
    }

    /// The median distance to the points in sight; nil where there are next to none.
    var usualDistance: Double? {
        let body = estimate.body.worldFromBody.translation
        let kept = estimate.points.filter { $0.seen == pictureTime }.map(\.position)
        let distances = (kept + tracks.compactMap(\.place.position)).map { length($0 - body) }.sorted()
        return distances.count > 7 ? distances[distances.count / 2] : nil
    }

    /// The median over the points in sight of how far each has moved since it was estimated first, as a share of its distance.
    private var usualPointMove: Double {
        let body = estimate.body.worldFromBody.translation
        let moves = estimate.points.filter { $0.seen == pictureTime }.map {
            length($0.position - $0.firstPosition) / max(length($0.position - body), 0.05)
        }.sorted()
        return moves.isEmpty ? 0 : moves[moves.count / 2]
    }
}
