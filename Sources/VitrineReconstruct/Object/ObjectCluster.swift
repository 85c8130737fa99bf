import VitrineMath
import VitrineVision

/// The points that are the object: above the table, in most photos, together.
struct ObjectCluster {
    var evidence: ObjectEvidence
    var focus: FocusFinder.Result
    var up: Vector3d
    var support: SupportPlaneFinder.Result?

    /// How high above the table's plane the object begins, so that the table's scatter doesn't count.
    var foot: Double { 3 * (support?.thickness ?? 0) }

    /// A box of everything that was seen, but for the farthest specks.
    func boxOfEverything() -> OrientedBox {
        let points = evidence.points.filter { isFinite($0) }
        return box(around: points, shares: 0.005, margin: 0.02, bottom: nil)
    }

    /// nil where too few points are left, or what stands on the table is flatter than the table's own scatter: a coin, a relief.
    func find(margin: Double) -> (box: OrientedBox, confidence: Double)? {
        let candidates = candidates()
        guard candidates.count >= 8 else { return nil }
        let groups = Components.label(candidates.map(\.point), link: linkLength(candidates.map(\.point)))
        let chosen = choose(candidates, groups: groups)
        guard chosen.count >= 8 else { return nil }
        if let support, quantile(chosen.map { support.plane.signedDistance(to: $0.point) }, 0.9) < 2 * foot { return nil }
        let box = box(
            around: chosen.map(\.point), shares: support == nil ? 0.01 : 0.004, margin: support == nil ? margin + 0.04 : margin,
            bottom: support?.plane.offset)
        let held = candidates.reduce(0) { $0 + (box.contains($1.point) ? $1.weight : 0) }
        let all = candidates.reduce(0) { $0 + $1.weight }
        let share = all > 0 ? held / all : 0
        let size = min(1, Double(chosen.count) / 100)
        return (box, clamp(share * size * (support == nil ? 0.6 : 1), 0, 1))
    }

    private struct Candidate {
        var point: Vector3d
        /// How much the cameras look at it.
        var weight: Double
        /// The share of the photos it falls into.
        var share: Double
    }

    /// Points above the table and within the cameras' ring, weighted by how many photos hold them and how near to the middle.
    private func candidates() -> [Candidate] {
        let reach = horizontalReach()
        var result: [Candidate] = []
        for point in evidence.points where isFinite(point) {
            if let support, support.plane.signedDistance(to: point) < foot { continue }
            let apart = point - focus.point
            let sideways = length(apart - up * dot(apart, up))
            // Nothing beyond the cameras is the object they circle.
            guard sideways < reach, length(apart) < 0.95 * focus.distance else { continue }
            let share = shareOfPhotos(point)
            guard share > 0.2 else { continue }
            let off = sideways / (0.35 * focus.distance)
            result.append(Candidate(point: point, weight: share * exp(-off * off), share: share))
        }
        return result
    }

    /// Most cameras are farther from the middle than this, sideways.
    private func horizontalReach() -> Double {
        let distances = evidence.photos.map { photo -> Double in
            let apart = photo.camera.centerInWorld - focus.point
            return length(apart - up * dot(apart, up))
        }
        return max(0.8 * quantile(distances, 0.2), 0.3 * focus.distance)
    }

    func shareOfPhotos(_ point: Vector3d) -> Double {
        let inside = evidence.photos.count { photo in
            let inCamera = photo.camera.cameraFromWorld * point
            guard inCamera.z > 0 else { return false }
            let intrinsics = photo.camera.intrinsics
            let pixel = intrinsics.project(inCamera)
            return pixel.x > 0 && pixel.y > 0 && pixel.x < Double(intrinsics.width) && pixel.y < Double(intrinsics.height)
        }
        return Double(inside) / Double(evidence.photos.count)
    }

    /// Neighbours on one thing are nearer than this, where texture leaves gaps.
    func linkLength(_ points: [Vector3d]) -> Double {
        let step = max(1, points.count / 200)
        let gaps = stride(from: 0, to: points.count, by: step).map { index in
            let distances = points.map { lengthSquared($0 - points[index]) }
            return quantile(distances, min(1, 5 / Double(points.count))).squareRoot()
        }
        return clamp(4 * quantile(gaps, 0.5), 0.02 * focus.distance, 0.1 * focus.distance)
    }

    /// The group that the cameras look at most, with those near it that they look at nearly as much.
    private func choose(_ candidates: [Candidate], groups: [Int]) -> [Candidate] {
        var weights = [Double](repeating: 0, count: (groups.max() ?? 0) + 1)
        for (candidate, group) in zip(candidates, groups) { weights[group] += candidate.weight }
        guard let best = weights.indices.max(by: { (weights[$0], -$0) < (weights[$1], -$1) }) else { return [] }
        // A neck or a textureless band may part an object; a cup beside it is looked at less.
        let chosen = zip(candidates, groups).filter { weights[$0.1] >= 0.15 * weights[best] }.map(\.0)
        guard support == nil else { return chosen }
        // Without a table the group may run along the wall: what half as many photos hold as the best isn't what they are about.
        let limit = 0.6 * quantile(chosen.map(\.share), 0.9)
        return chosen.filter { $0.share >= limit }
    }

    /// Where nothing else is known: as much as fits between focus and cameras.
    func boxAtFocus() -> OrientedBox {
        OrientedBox(center: focus.point, axes: axes(yaw: 0), halfExtents: Vector3d(repeating: 0.35 * focus.distance))
    }

    /// At 0 the z axis points to where the first photo was taken.
    private func axes(yaw: Double) -> Matrix3d {
        var front = evidence.photos[0].camera.centerInWorld - focus.point
        front -= up * dot(front, up)
        front = length(front) > 1e-6 * focus.distance ? normalize(front) : anyAcross(up)
        let side = cross(up, front)
        let z = front * cos(yaw) + side * sin(yaw)
        return Matrix3d(cross(up, z), up, z)
    }

    /// A level box around all but a share of the points at each side: the one that faces the first photo, unless another is much smaller. A round
    /// thing has no sides, and who takes photos begins with the front.
    ///
    /// - Parameter bottom: The height along `up` of the box's bottom; nil: the points'.
    func box(around points: [Vector3d], shares: Double, margin: Double, bottom: Double?) -> OrientedBox {
        func area(_ axes: Matrix3d) -> Double {
            let (x, z) = (extent(points, along: axes.x, shares), extent(points, along: axes.z, shares))
            return (x.upper - x.lower) * (z.upper - z.lower)
        }
        let facing = axes(yaw: 0)
        var (axes, least) = (facing, 0.88 * area(facing))
        for step in 1..<30 {
            let candidate = self.axes(yaw: Double(step) * .pi / 60)
            let size = area(candidate)
            if size < least { (axes, least) = (candidate, size) }
        }
        let (x, z) = (extent(points, along: axes.x, shares), extent(points, along: axes.z, shares))
        var y = extent(points, along: up, shares)
        y.lower = bottom ?? (y.lower - margin * (y.upper - y.lower))
        y.upper = max(y.upper, y.lower) + margin * max(0, y.upper - y.lower)
        let sides = Vector3d(x.upper - x.lower, (y.upper - y.lower) / (1 + 2 * margin), z.upper - z.lower)
        // A flat thing still needs room on both sides.
        let thinnest = 0.02 * max(sides.x, max(sides.y, sides.z)) + 1e-9
        let center = axes.x * ((x.lower + x.upper) / 2) + axes.y * ((y.lower + y.upper) / 2) + axes.z * ((z.lower + z.upper) / 2)
        return OrientedBox(
            center: center, axes: axes, halfExtents: pointwiseMax(sides * ((1 + 2 * margin) / 2), Vector3d(repeating: thinnest)))
    }

    private func extent(_ points: [Vector3d], along axis: Vector3d, _ shares: Double) -> (lower: Double, upper: Double) {
        let sorted = points.map { dot($0, axis) }.sorted()
        return (quantile(sorted: sorted, shares), quantile(sorted: sorted, 1 - shares))
    }
}
