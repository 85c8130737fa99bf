import VitrineFiles
import VitrineMath
import VitrineVision

/// The agreement of pairs of photos from similar directions over the model: see `ModelComparison`.
struct PhotoComparison: Equatable, Sendable {
    struct Pair: Equatable, Sendable {
        /// Indices of views, the smaller first.
        let first, second: Int
        /// The agreement of the pair, 0…1.
        let agreement: Float
    }

    let pairs: [Pair]
    /// The compared views, in ascending order.
    let views: [Int]
    /// The agreement of each compared view, 0…1: the mean of its pairs.
    let agreements: [Float]
    /// The views that agree with each other, the largest group first. One group: no photo contradicts the model.
    let groups: [[Int]]

    /// The agreement below which two views show different objects at the model's position.
    private static let leastAgreement: Float = 0.5

    init(pairs: [Pair]) {
        self.pairs = pairs
        let views = Set(pairs.flatMap { [$0.first, $0.second] }).sorted()
        self.views = views
        agreements = views.map { view in
            let own = pairs.filter { $0.first == view || $0.second == view }
            return own.reduce(0) { $0 + $1.agreement } / Float(own.count)
        }
        groups = Self.groups(pairs, views)
    }

    /// The views that do not agree with most others, in ascending order.
    var contradicting: [Int] { groups.dropFirst().joined().sorted() }

    /// Whether the views contradict the model: more than a few, which may be blurred or show a reflection.
    var isContradiction: Bool { contradicting.count >= 3 && 8 * contradicting.count > views.count }

    /// The views of the largest group that shows the object in another position than most: at least three, which agree with each other.
    var moved: [Int]? { groups.dropFirst().first.flatMap { $0.count >= 3 ? $0 : nil } }

    /// Unites the two groups that agree best, as long as the mean over the pairs between them is an agreement.
    private static func groups(_ pairs: [Pair], _ views: [Int]) -> [[Int]] {
        var groups = views.map { [$0] }
        /// The sum of agreements between two groups and their number.
        var sums = [SIMD2<Float>](repeating: .zero, count: views.count * views.count)
        for pair in pairs {
            guard let a = views.firstIndex(of: pair.first), let b = views.firstIndex(of: pair.second) else { continue }
            sums[a * views.count + b] += SIMD2(pair.agreement, 1)
            sums[b * views.count + a] += SIMD2(pair.agreement, 1)
        }
        while true {
            var best: (a: Int, b: Int, mean: Float) = (0, 0, leastAgreement)
            for a in groups.indices where !groups[a].isEmpty {
                for b in a + 1..<max(a + 1, groups.count) where !groups[b].isEmpty && sums[a * views.count + b].y > 0 {
                    let mean = sums[a * views.count + b].x / sums[a * views.count + b].y
                    if mean > best.mean || (mean == best.mean && best.a == best.b) { best = (a, b, mean) }
                }
            }
            guard best.a != best.b else { break }
            groups[best.a] += groups[best.b]
            groups[best.b] = []
            for other in groups.indices {
                sums[best.a * views.count + other] += sums[best.b * views.count + other]
                sums[other * views.count + best.a] = sums[best.a * views.count + other]
            }
        }
        // Groups that no pair connects with the largest do not contradict it, but single views that agree with none do.
        let order = groups.indices.filter { !groups[$0].isEmpty }.sorted { (groups[$1].count, $0) < (groups[$0].count, $1) }
        guard let largest = order.first else { return [] }
        let apart = order.dropFirst().filter { sums[largest * views.count + $0].y > 0 || groups[$0].count == 1 }
        let joined = order.filter { !apart.contains($0) }.flatMap { groups[$0] }.sorted()
        return [joined] + apart.map { groups[$0].sorted() }
    }
}

// MARK: Selection of pairs

extension PhotoComparison {
    /// Photos from directions that differ more show too different parts of the object.
    private static let largestAngle = 45.0 * .pi / 180

    /// The pairs of photos that are compared: each with the three of the most similar directions, which keeps a ring of photos connected, and of those
    /// with similar directions with the three that are furthest from it in the order of photos. An object moves between photos that are far apart in
    /// that order.
    ///
    /// - Parameter rays: From the object to each photo, in the order of photos.
    static func pairs(rays: [Vector3d]) -> [(first: Int, second: Int)] {
        var chosen: Set<SIMD2<Int>> = []
        for (index, ray) in rays.enumerated() {
            let angles = rays.map { acos(min(1, max(-1, dot(normalize(ray), normalize($0))))) }
            let similar = rays.indices.filter { $0 != index && angles[$0] < largestAngle }
            let near = similar.sorted { (angles[$0], $0) < (angles[$1], $1) }.prefix(3)
            let far = similar.sorted { (abs($1 - index), $0) < (abs($0 - index), $1) }.prefix(3)
            for other in near + far { chosen.insert(SIMD2(min(index, other), max(index, other))) }
        }
        return chosen.map { ($0.x, $0.y) }.sorted { ($0.first, $0.second) < ($1.first, $1.second) }
    }
}

extension PhotoComparison: ByteCodable {
    func write(to writer: inout ByteWriter) {
        writer.writeList(pairs) { writer, pair in
            writer.write(pair.first)
            writer.write(pair.second)
            writer.write(pair.agreement)
        }
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> PhotoComparison {
        PhotoComparison(
            pairs: try reader.list { (reader) throws(DamagedCheckpoint) in
                Pair(first: try reader.int(), second: try reader.int(), agreement: try reader.float())
            })
    }
}
