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
        let points = ObservedPoints(of: model, photoCount: graph.photoCount)
        var counts = [SIMD2<Int>](repeating: .zero, count: graph.photoCount)
        for pair in graph.pairs where model.cameras[pair.first] != nil && model.cameras[pair.second] != nil {
            let explained = pair.matches.count { match in
                guard let observed = points[pair.first, match.x] else { return false }
                return observed == points[pair.second, match.y]
            }
            for photo in [pair.first, pair.second] { counts[photo] &+= SIMD2(explained, pair.matches.count) }
        }
        shares = counts.map { $0.y >= Self.leastMatches ? Double($0.x) / Double($0.y) : nil }
    }

    /// The photos whose matches contradict their cameras, in ascending order: repeated texture can register a photo with a wrong pose.
    var contradicted: [Int] {
        let limit = Self.leastShare * quantile(shares.compactMap { $0 }, 0.5)
        return shares.indices.filter { shares[$0].map { $0 < limit } ?? false }
    }
}

extension SparseModel {
    /// Raises `PhotoFit.contradictedShare` of the photos that contradict their matches.
    mutating func markContradicted(_ support: MatchSupport) {
        for photo in support.contradicted {
            fits[photo].contradictedShare = max(fits[photo].contradictedShare, 1 - (support.shares[photo] ?? 1))
        }
    }

    /// The share of contradicting matches from which a photo's camera counts as wrong.
    private static let largestContradictedShare = 0.2

    /// A warning that names the photos whose matches contradict their cameras; nil if there are none.
    func contradictionWarning(names: [String]) -> String? {
        let photos = registered.filter { fits[$0].contradictedShare >= Self.largestContradictedShare }
        guard !photos.isEmpty else { return nil }
        return
            "The matches of \(photos.map { names[$0] }.joined(separator: ", ")) contradict the cameras: the model can be bent or doubled there. "
            + "Take more photos of these sides, with small steps between them."
    }
}

extension MatchGraph {
    /// The graph without the pairs of some photos.
    func without(_ photos: Set<Int>) -> MatchGraph {
        MatchGraph(photoCount: photoCount, pairs: pairs.filter { !photos.contains($0.first) && !photos.contains($0.second) })
    }
}
