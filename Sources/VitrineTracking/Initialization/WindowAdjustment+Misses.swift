import VitrineMath
import VitrineVision

/// How far sights miss, and which don't belong.
extension WindowAdjustment {
    /// Sights that miss by more than `limit` standard deviations; points with fewer than `least` sights left go.
    mutating func dropOutliers(limit: Double, least: Int) {
        let views = pictured
        var kept: [Point] = []
        for point in points {
            var track = point.track
            track.sights = point.track.sights.filter { seen in
                guard let miss = miss(of: point, seen, views) else { return false }
                return (miss * miss).sum() <= limit * limit * sight * sight
            }
            guard track.sights.count >= least, track.sights.first?.frame == point.anchor, point.place.z > -1e-3 else { continue }
            kept.append(Point(track: track, place: point.place))
        }
        points = kept
    }

    private func miss(of point: Point, _ seen: (frame: Int, normalized: Vector2d), _ views: [Frame]) -> Vector2d? {
        guard seen.frame != point.anchor else { return Vector2d(point.place.x, point.place.y) - seen.normalized }
        return miss(point.place, between(views[point.anchor], views[seen.frame]), seen.normalized)
    }

    /// The standard deviation of a sight's coordinate as the misses tell it, in normalized coordinates: from their median, which doesn't mind
    /// what doesn't belong, for the freedom that points and frames have taken from them.
    var noise: Double {
        let views = pictured
        var (squares, coordinates): ([Double], Int) = ([], 0)
        for point in points {
            for seen in point.track.sights {
                coordinates += 2
                guard let miss = miss(of: point, seen, views) else { continue }
                squares.append((miss * miss).sum())
            }
        }
        let free = coordinates - 3 * points.count - 6 * (frames.count - 1)
        guard free > 0, !squares.isEmpty else { return sight }
        squares.sort()
        // Of two coordinates with variance s² the median of the sum of squares is 2 ln 2 s².
        let variance = squares[squares.count / 2] / (2 * log(2))
        return (variance * Double(coordinates) / Double(free)).squareRoot()
    }
}
