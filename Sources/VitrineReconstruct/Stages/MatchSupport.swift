import VitrineMath
import VitrineVision

/// How many of the verified matches of each photo a model explains.
struct MatchSupport: Equatable, Sendable {
    /// The share of a photo's matches with other registered photos whose two features observe one point, 0…1; nil for photos that are not registered
    /// or have too few matches.
    let shares: [Double?]

    /// The fewest matches of a photo whose share is computed.
    private static let leastMatches = 60
    /// A photo contradicts its matches below this part of the median share.
    private static let leastShare = 0.5

    init(of model: SparseModel, in graph: MatchGraph) {
        var points = [[UInt32: Int]](repeating: [:], count: graph.photoCount)
        for (index, point) in model.points.enumerated() {
            for observation in point.observations { points[Int(observation.x)][observation.y] = index }
        }
        var counts = [SIMD2<Int>](repeating: .zero, count: graph.photoCount)
        for pair in graph.pairs where model.cameras[pair.first] != nil && model.cameras[pair.second] != nil {
            let explained = pair.matches.count { match in
                points[pair.first][match.x].map { $0 == points[pair.second][match.y] } ?? false
            }
            for photo in [pair.first, pair.second] { counts[photo] &+= SIMD2(explained, pair.matches.count) }
        }
        shares = counts.map { $0.y >= Self.leastMatches ? Double($0.x) / Double($0.y) : nil }
    }

    /// The photos whose matches contradict their cameras, in ascending order: repeated texture can register a photo at a wrong place.
    var contradicted: [Int] {
        let limit = Self.leastShare * quantile(shares.compactMap { $0 }, 0.5)
        return shares.indices.filter { shares[$0].map { $0 < limit } ?? false }
    }
}

extension MatchGraph {
    /// The graph without the pairs of some photos.
    func without(_ photos: Set<Int>) -> MatchGraph {
        MatchGraph(photoCount: photoCount, pairs: pairs.filter { !photos.contains($0.first) && !photos.contains($0.second) })
    }
}
