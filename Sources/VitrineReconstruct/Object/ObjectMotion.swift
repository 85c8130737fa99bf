import VitrineMath
import VitrineVision

/// A motion of the object on its support while the photos were taken that is too small to separate scan passes: the model is then blurred or doubled.
///
/// Photos before and after the motion share fewer points of the object than other photos do, compared with points of the support. Verified matches between
/// them connect different points of the object, because a motion along an epipolar line stays unnoticed: these pairs of points agree on one rigid motion.
/// The pairs that repeated texture connects do not.
struct ObjectMotion: Equatable, Sendable {
    /// The last photo before the motion and the first after it, in the order of the photos.
    let before, after: Int
    /// The mean distance by which points of the object moved, relative to the object's longest side.
    let distance: Double
    /// The rotation, radians.
    let rotation: Double
    /// The number of pairs of points that agree on the motion.
    let support: Int

    /// Points with fewer observers are often pairs of unrelated features.
    fileprivate static let fewestObservers = 3
    /// The photos on each side of a motion, at least.
    fileprivate static let fewestPhotos = 3
    /// The share of the object's points that the photos before and after share, relative to that of the support's points and to the median of all
    /// divisions of the photos, below which a motion is possible.
    fileprivate static let sharing = 0.75
    /// The fewest pairs of points that agree on a motion; also relative to the points of the object that photos before and after share.
    fileprivate static let fewestPairs = 30, fewestShare = 0.08
    /// The distances, relative to the object's longest side, and the largest rotation, radians, of a motion that no other warning finds.
    fileprivate static let distances = 0.008...0.12, largestRotation = 20 * Double.pi / 180
    /// The largest error of a pair of points that agrees with a motion, relative to the object's longest side.
    fileprivate static let tolerance = 0.012
    fileprivate static let samples = 500

    /// Returns the motion with the most support; nil if there is none, or the object has no support plane to compare it with.
    static func find(in model: SparseModel, pairs: [PhotoPair], object: ObjectPlacement) -> ObjectMotion? {
        guard object.supportPlane != nil, object.box.longestSide > 0, model.registered.count >= 2 * fewestPhotos else { return nil }
        return Search(model, pairs, object).motion()
    }
}

private struct Search {
    private enum Part { case object, support, other }

    private let model: SparseModel
    private let side: Double
    private let photos: [Int]
    /// The first and the last photo that observe each point.
    private let spans: [(first: Int, last: Int)]
    private let parts: [Part]
    /// Pairs of points of the object that matches connect, without common observers, in ascending order.
    private var links: [SIMD2<Int32>] = []

    init(_ model: SparseModel, _ pairs: [PhotoPair], _ object: ObjectPlacement) {
        (self.model, photos, side) = (model, model.registered, object.box.longestSide)
        spans = model.points.map { (Int($0.observations[0].x), Int($0.observations[$0.observations.count - 1].x)) }
        let (box, plane, foot) = (object.box.scaled(by: 1.15), object.supportPlane!, 0.04 * object.box.longestSide)
        parts = model.points.map { point in
            let height = plane.signedDistance(to: point.position)
            return height > foot && box.contains(point.position) ? .object : abs(height) < foot ? .support : .other
        }
        addLinks(pairs)
    }

    private mutating func addLinks(_ pairs: [PhotoPair]) {
        var points = [[Int32]](repeating: [], count: model.cameras.count)
        for (index, point) in model.points.enumerated() where parts[index] == .object {
            for observation in point.observations {
                let (photo, feature) = (Int(observation.x), Int(observation.y))
                if feature >= points[photo].count { points[photo] += Array(repeating: -1, count: feature + 1 - points[photo].count) }
                points[photo][feature] = Int32(index)
            }
        }
        var found = Set<SIMD2<Int32>>()
        for pair in pairs {
            let (first, second) = (points[pair.first], points[pair.second])
            for match in pair.matches where Int(match.x) < first.count && Int(match.y) < second.count {
                let (a, b) = (first[Int(match.x)], second[Int(match.y)])
                guard a >= 0, b >= 0, a != b else { continue }
                let (p, q) = (spans[Int(a)], spans[Int(b)])
                if p.last < q.first { found.insert(SIMD2(a, b)) } else if q.last < p.first { found.insert(SIMD2(b, a)) }
            }
        }
        links = found.sorted { ($0.x, $0.y) < ($1.x, $1.y) }
    }

    /// The number of points of a part that photos before and after each photo share.
    private func shared(_ part: Part) -> [Int] {
        var changes = [Int](repeating: 0, count: model.cameras.count + 1)
        for index in parts.indices where parts[index] == part && model.points[index].observations.count >= ObjectMotion.fewestObservers {
            changes[spans[index].first + 1] += 1
            changes[spans[index].last + 1] -= 1
        }
        for index in changes.indices.dropFirst() { changes[index] += changes[index - 1] }
        return changes
    }

    func motion() -> ObjectMotion? {
        let (object, support) = (shared(.object), shared(.support))
        let cuts = photos.indices.dropFirst(ObjectMotion.fewestPhotos).dropLast(ObjectMotion.fewestPhotos - 1)
        func ratio(_ cut: Int) -> Double { Double(object[photos[cut]]) / Double(max(1, support[photos[cut]])) }
        guard !cuts.isEmpty else { return nil }
        let limit = ObjectMotion.sharing * quantile(cuts.map(ratio), 0.5)
        // The three divisions that share the least.
        let candidates = cuts.filter { ratio($0) < limit && support[photos[$0]] >= 30 }.sorted { ratio($0) < ratio($1) }.prefix(3)
        return candidates.compactMap { motion(at: $0, shared: object[photos[$0]]) }.max { $0.support < $1.support }
    }

    /// The rigid motion between the photos before and after a division; nil if too few pairs of points agree on one.
    private func motion(at cut: Int, shared: Int) -> ObjectMotion? {
        let after = photos[cut]
        let moved = links.filter { spans[Int($0.x)].last < after && spans[Int($0.y)].first >= after }
            .map { (from: model.points[Int($0.x)].position, to: model.points[Int($0.y)].position) }
            .filter { length($0.to - $0.from) < 2 * ObjectMotion.distances.upperBound * side }
        let fewest = max(ObjectMotion.fewestPairs, Int(ObjectMotion.fewestShare * Double(shared)))
        guard moved.count >= fewest else { return nil }
        var random = SplitMix64(seed: 1)
        var best: ObjectMotion?
        for _ in 0..<ObjectMotion.samples {
            let sample = [random.below(moved.count), random.below(moved.count), random.below(moved.count)]
            guard let fit = SimilarityTransform.aligning(sample.map { moved[$0].from }, to: sample.map { moved[$0].to }),
                (0.9...1.1).contains(fit.scale)
            else { continue }
            let agreeing = moved.filter { length(fit * $0.from - $0.to) < ObjectMotion.tolerance * side }
            guard agreeing.count > best?.support ?? fewest - 1 else { continue }
            let distance = agreeing.reduce(0) { $0 + length($1.to - $1.from) } / Double(agreeing.count) / side
            let rotation = VitrineMath.acos(clamp((fit.rotation.trace - 1) / 2, -1, 1))
            guard ObjectMotion.distances.contains(distance), rotation < ObjectMotion.largestRotation else { continue }
            best = ObjectMotion(before: photos[cut - 1], after: after, distance: distance, rotation: rotation, support: agreeing.count)
        }
        return best
    }
}

extension ObjectMotion {
    /// The warning of a report.
    func warning(names: [String]) -> String {
        let percent = (distance * 1000).rounded() / 10
        return
            "The object was probably moved on its support between \(names[before]) and \(names[after]): \(support) pairs of its points agree on a motion by "
            + "\(percent) % of its size. The model can be blurred or doubled: reconstruct the photos before and after apart, or take them again."
    }
}
