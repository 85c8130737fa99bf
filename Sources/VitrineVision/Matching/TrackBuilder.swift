/// The observations of a scene point in several photos.
package struct FeatureTrack: Sendable, Equatable {
    /// The observations as pairs (photo, feature), in ascending order of photos, each photo at most once; at least two.
    package var observations: [SIMD2<UInt32>]

    package init(observations: [SIMD2<UInt32>]) { self.observations = observations }
}

/// Builds tracks from pairwise matches: connected components of features, without the photos in which a component has two features, of which one must be
/// wrong.
package struct TrackBuilder {
    /// A component with two features in more than this share of its photos mixes several points and is dropped.
    package static let conflictShare = 0.34

    /// - Parameter featureCounts: The number of features of each photo. Matches of other features are ignored.
    /// - Returns: Tracks in the order of their first observations.
    package static func tracks(of graph: MatchGraph, featureCounts: [Int]) -> [FeatureTrack] {
        var starts = [0]
        for count in featureCounts { starts.append(starts.last! + count) }
        var sets = DisjointSets(count: starts.last!)
        for pair in graph.pairs where pair.first >= 0 && pair.second < featureCounts.count && pair.first < pair.second {
            for match in pair.matches where Int(match.x) < featureCounts[pair.first] && Int(match.y) < featureCounts[pair.second] {
                sets.join(starts[pair.first] + Int(match.x), starts[pair.second] + Int(match.y))
            }
        }

        // Features in ascending order, so that tracks and their observations are sorted.
        var trackOfRoot = [Int32](repeating: -1, count: starts.last!)
        var members: [[SIMD2<UInt32>]] = []
        for photo in featureCounts.indices {
            for feature in 0..<featureCounts[photo] {
                let node = starts[photo] + feature
                let root = sets.root(of: node)
                guard sets.size(ofRoot: root) > 1 else { continue }
                if trackOfRoot[root] < 0 {
                    trackOfRoot[root] = Int32(members.count)
                    members.append([])
                }
                members[Int(trackOfRoot[root])].append(SIMD2(UInt32(photo), UInt32(feature)))
            }
        }
        return members.compactMap(withoutConflicts)
    }

    private static func withoutConflicts(_ members: [SIMD2<UInt32>]) -> FeatureTrack? {
        var kept: [SIMD2<UInt32>] = []
        var (photos, conflicts) = (0, 0)
        var start = 0
        while start < members.count {
            var end = start + 1
            while end < members.count, members[end].x == members[start].x { end += 1 }
            photos += 1
            if end == start + 1 { kept.append(members[start]) } else { conflicts += 1 }
            start = end
        }
        guard kept.count >= 2, Double(conflicts) <= conflictShare * Double(photos) else { return nil }
        return FeatureTrack(observations: kept)
    }
}

/// Union-find with union by size.
struct DisjointSets {
    private var parents: [Int32]
    private var sizes: [Int32]

    init(count: Int) {
        parents = (0..<Int32(count)).map { $0 }
        sizes = Array(repeating: 1, count: count)
    }

    mutating func root(of node: Int) -> Int {
        var node = node
        while parents[node] != node {
            parents[node] = parents[Int(parents[node])]
            node = Int(parents[node])
        }
        return node
    }

    func size(ofRoot root: Int) -> Int { Int(sizes[root]) }

    mutating func join(_ a: Int, _ b: Int) {
        var (a, b) = (root(of: a), root(of: b))
        guard a != b else { return }
        if sizes[a] < sizes[b] { swap(&a, &b) }
        parents[b] = Int32(a)
        sizes[a] += sizes[b]
    }
}
