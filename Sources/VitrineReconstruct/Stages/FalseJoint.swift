import VitrineMath
import VitrineVision

/// Signs that repeated texture joined a part of the model at a wrong position: strong pairs of photos whose matches it denies.
///
/// If two sides of an object have the same print, the photos of one side have false matches with those of the other: a few in each of many pairs,
/// which together can outnumber the true ones. True pairs of neighbouring photos are strong: they have a good share of the matches of each photo's
/// best pair.
struct FalseJoint: Equatable, Sendable {
    /// The matches of strong pairs whose two features observe the same point.
    private(set) var explained = 0
    /// The matches of denied pairs: strong pairs whose two features observe points far from each other.
    private(set) var denied = 0
    /// The number of denied pairs.
    private(set) var deniedPairs = 0

    /// The fewest matches of a pair with points in both photos.
    private static let leastMatches = 30
    /// A pair is denied if more than this share of its matches observe points far from each other.
    private static let deniedShare = 0.7
    /// Points are far from each other from this fraction of their distance from the camera: more than errors that accumulate along a ring.
    private static let farDistance = 0.08

    /// - Parameter strong: The strong pairs: see `MatchGraph.strong`.
    init(of model: SparseModel, in strong: MatchGraph) {
        let observed = ObservedPoints(of: model, photoCount: strong.photoCount)
        for pair in strong.pairs {
            guard let camera = model.cameras[pair.first], model.cameras[pair.second] != nil else { continue }
            var (both, far) = (0, 0)
            for match in pair.matches {
                guard let first = observed[pair.first, match.x], let second = observed[pair.second, match.y] else { continue }
                both += 1
                guard first != second else {
                    explained += 1
                    continue
                }
                let (a, b) = (model.points[first].position, model.points[second].position)
                if distance(a, b) > Self.farDistance * distance(a, camera.centerInWorld) { far += 1 }
            }
            guard both >= Self.leastMatches, Double(far) > Self.deniedShare * Double(both) else { continue }
            denied += far
            deniedPairs += 1
        }
    }

    /// Whether a part of the model was probably joined at a wrong position.
    var isProbable: Bool { deniedPairs >= 2 && denied >= 100 }

    /// Whether another model of the same photos denies fewer matches, and explains at least half as many more as this one denies.
    func isSolved(by other: FalseJoint) -> Bool { other.denied < denied && 2 * (other.explained - explained) > denied }
}

extension MatchGraph {
    /// The share of the matches of the best pair of one of its photos that makes a pair strong.
    private static let strongShare = 0.2

    /// The pairs with a fair share of the matches that at least one of their photos has in its best pair.
    var strong: MatchGraph {
        var best = [Int](repeating: 0, count: photoCount)
        for pair in pairs {
            for photo in [pair.first, pair.second] { best[photo] = max(best[photo], pair.matches.count) }
        }
        return MatchGraph(
            photoCount: photoCount,
            pairs: pairs.filter { Double($0.matches.count) >= Self.strongShare * Double(min(best[$0.first], best[$0.second])) })
    }
}
