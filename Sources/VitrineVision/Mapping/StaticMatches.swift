import VitrineMath

/// Matches that do not move in the image while the object rotates: the backdrop behind a turntable, dust on the lens, a date stamp. As parts of the
/// object they would imply a camera at rest.
enum StaticMatches {
    /// The largest displacement of a static match and the smallest median displacement of the others, in pixels of an image 1,000 pixels
    /// long.
    static let still = 1.5, moving = 10.0
    /// Fewer static matches are ignored: points near a rotation axis do not move either.
    static let fewest = 15

    /// The graph without static matches.
    static func removed(from graph: MatchGraph, _ photos: [MapperPhoto]) -> MatchGraph {
        var result = graph
        result.pairs = graph.pairs.map { pair in
            guard photos.indices.contains(pair.first), photos.indices.contains(pair.second) else { return pair }
            let (a, b) = (photos[pair.first], photos[pair.second])
            let sizes = [a, b].map { SIMD2($0.guess.intrinsics.width, $0.guess.intrinsics.height) }
            guard sizes[0] == sizes[1] else { return pair }
            let scale = max(0.5, Double(sizes[0].max()) / 1000)
            let shifts = pair.matches.map { match -> Double in
                guard Int(match.x) < a.positions.count, Int(match.y) < b.positions.count else { return .infinity }
                let shift = a.positions[Int(match.x)] - b.positions[Int(match.y)]
                return Double(length(shift)) / scale
            }
            let movers = shifts.filter { $0 >= still }.sorted()
            let count = shifts.count - movers.count
            guard count >= fewest else { return pair }
            let isMixed = movers.count >= fewest && movers[movers.count / 2] > moving
            let isAllStill = count * 5 > shifts.count * 4
            guard isMixed || isAllStill else { return pair }
            var kept = pair
            kept.matches = zip(pair.matches, shifts).filter { $0.1 >= still }.map(\.0)
            return kept
        }
        result.pairs.removeAll { $0.matches.isEmpty }
        return result
    }
}
