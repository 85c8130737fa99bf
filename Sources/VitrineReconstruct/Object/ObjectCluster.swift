import VitrineMath
import VitrineVision

/// Segments the points of the object: above the support plane, in most photos, connected.
struct ObjectCluster {
    var evidence: ObjectEvidence
    var focus: FocusFinder.Result
    var up: Vector3d
    var support: SupportPlaneFinder.Result?
    /// Contains all points of the object; nil if it is not known.
    var hint: OrientedBox?

    /// The height above the support plane at which the object begins, so that the plane's noise does not count.
    var foot: Double { 3 * (support?.thickness ?? 0) }

    /// A box of all points, without far outliers.
    func boxOfEverything() -> OrientedBox {
        let points = evidence.points.filter { $0.isFinite }
        return box(around: points, shares: 0.005, margin: 0.02, bottom: nil)
    }

    /// nil if too few points are left, or the object is flatter than the noise of the support plane: a coin, a relief.
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
        /// Increases with the proximity to the focus and the number of photos.
        var weight: Double
        /// The fraction of the photos that it projects into.
        var share: Double
    }

    /// The points above the support plane and inside the cameras' ring, weighted by the fraction of photos that show them and the proximity to the focus.
    private func candidates() -> [Candidate] {
        let reach = horizontalReach()
        var result: [Candidate] = []
        for point in evidence.points where point.isFinite {
            if let support, support.plane.signedDistance(to: point) < foot { continue }
            if let hint, !hint.contains(point) { continue }
            let apart = point - focus.point
            let sideways = length(apart - up * dot(apart, up))
            // The object is not beyond the cameras that surround it.
            guard sideways < reach, length(apart) < 0.95 * focus.distance else { continue }
            let share = shareOfPhotos(point)
            guard share > 0.2 else { continue }
            let off = sideways / (0.35 * focus.distance)
            result.append(Candidate(point: point, weight: share * exp(-off * off), share: share))
        }
        return result
    }

    /// The horizontal distance from the focus that most cameras exceed.
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

    /// The largest distance between neighbouring points of one object, also across gaps of texture.
    func linkLength(_ points: [Vector3d]) -> Double {
        let step = max(1, points.count / 200)
        let gaps = stride(from: 0, to: points.count, by: step).map { index in
            let distances = points.map { lengthSquared($0 - points[index]) }
            return quantile(distances, min(1, 5 / Double(points.count))).squareRoot()
        }
        return clamp(4 * quantile(gaps, 0.5), 0.02 * focus.distance, 0.1 * focus.distance)
    }

    /// The group with the largest weight, and the groups with a similar weight.
    private func choose(_ candidates: [Candidate], groups: [Int]) -> [Candidate] {
        var weights = [Double](repeating: 0, count: (groups.max() ?? 0) + 1)
        for (candidate, group) in zip(candidates, groups) { weights[group] += candidate.weight }
        guard let best = weights.indices.max(by: { (weights[$0], -$0) < (weights[$1], -$1) }) else { return [] }
        // A thin neck or a part without texture may separate an object; an object beside it has less weight.
        let chosen = zip(candidates, groups).filter { weights[$0.1] >= 0.15 * weights[best] }.map(\.0)
        guard support == nil else { return chosen }
        // Without a support plane the group may extend along a wall: points in half as many photos as the best are not the object.
        let limit = 0.6 * quantile(chosen.map(\.share), 0.9)
        return chosen.filter { $0.share >= limit }
    }

    /// The fallback: a cube around the focus.
    func boxAtFocus() -> OrientedBox {
        OrientedBox(center: focus.point, axes: axes(yaw: 0), halfExtents: Vector3d(repeating: 0.35 * focus.distance))
    }

    /// The box axes; at 0 the z axis points to the first camera.
    private func axes(yaw: Double) -> Matrix3d {
        var front = evidence.photos[0].camera.centerInWorld - focus.point
        front -= up * dot(front, up)
        front = length(front) > 1e-6 * focus.distance ? normalize(front) : anyPerpendicular(up)
        let side = cross(up, front)
        let z = front * cos(yaw) + side * sin(yaw)
        return Matrix3d(cross(up, z), up, z)
    }

    /// A level box around all but a fraction of the points at each side: the one that faces the first photo, unless another one is much smaller. A round
    /// object has no sides, and people usually photograph the front first.
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
        // A flat object still needs a margin on both sides.
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

/// The subject of photos from one side that is not free-standing: an object on a wall, a relief, a facade, a corner.
struct ViewedSide {
    /// Contains what most photos show, to its full depth; its sides cut straight through the rest.
    var box: OrientedBox
    /// Unit, from the box towards the cameras.
    var towards: Vector3d
}

extension ObjectCluster {
    /// Returns the side of the subject from which the photos were taken.
    ///
    /// - Parameter object: The segmented object, if there is one.
    /// - Returns: nil if the photos surround the subject, or the subject is free-standing.
    func viewedSide(around object: OrientedBox?) -> ViewedSide? {
        guard let towards = sideOfCameras() else { return nil }
        let near = evidence.points.filter { $0.isFinite && distance($0, focus.point) < focus.distance }
        let standing = near.filter { (support?.plane.signedDistance(to: $0) ?? .infinity) >= foot }
        guard standing.count >= 40 else { return nil }
        let wall = wall(facing: towards, standing)
        // With a support plane only a wall counts; a flat object is kept with the support plane.
        if support != nil, object != nil, wall == nil { return nil }
        guard let found = box(facing: towards, wall: wall, near) else { return nil }
        let beyond = near.count { !found.box.scaled(by: 1.02).contains($0) }
        return wall != nil || object == nil || 20 * beyond > near.count ? found : nil
    }

    /// Unit, from the focus towards the cameras; nil if they are on several sides.
    func sideOfCameras() -> Vector3d? {
        let directions = evidence.photos.map { normalize($0.camera.centerInWorld - focus.point) }
        let sum = directions.reduce(.zero, +)
        guard length(sum) > 0.3 * Double(directions.count) else { return nil }
        let mean = normalize(sum)
        let angles = directions.map { acos(clamp(dot($0, mean), -1, 1)) }
        return quantile(angles, 0.95) < 70 * .pi / 180 ? mean : nil
    }

    /// An upright plane of points with almost no points behind it, visible on both sides of the points in front of it.
    private func wall(facing towards: Vector3d, _ points: [Vector3d]) -> Plane3<Double>? {
        let level = towards - up * dot(towards, up)
        guard length(level) > 0.5 else { return nil }
        let finder = SupportPlaneFinder(
            up: normalize(level), largestTilt: 40 * .pi / 180, focus: focus, eyes: evidence.photos.map(\.camera.centerInWorld))
        guard let found = finder.find(points), abs(dot(found.plane.normal, up)) < 0.3 else { return nil }
        let across = normalize(cross(up, found.plane.normal))
        let heights = points.map { found.plane.signedDistance(to: $0) }
        let before = zip(points, heights).filter { $0.1 > 4 * found.thickness }.map { dot($0.0, across) }.sorted()
        let sheet = zip(points, heights).filter { abs($0.1) < 2 * found.thickness }.map { dot($0.0, across) }
        guard 10 * sheet.count > points.count else { return nil }
        let (left, right) = (quantile(sorted: before, 0.1), quantile(sorted: before, 0.9))
        let (beyondLeft, beyondRight) = (sheet.count { $0 < left }, sheet.count { $0 > right })
        return before.count < 20 || (20 * min(beyondLeft, beyondRight) > sheet.count) ? found.plane : nil
    }

    /// The box of a view: perpendicular to the viewing direction the part that a third of the photos observe, along it everything.
    private func box(facing towards: Vector3d, wall: Plane3<Double>?, _ points: [Vector3d]) -> ViewedSide? {
        let shares = points.map { shareOfPhotos($0) }
        let limit = quantile(shares, 0.9) / 3
        let shared = zip(points, shares).filter { $0.1 >= limit }.map(\.0)
        guard shared.count >= 8 else { return nil }
        var axes = box(around: shared, shares: 0.005, margin: 0, bottom: nil).axes
        if let wall {
            let front = normalize(wall.normal - up * dot(wall.normal, up))
            axes = Matrix3d(cross(up, front), up, front)
        }
        let toBox = axes.transpose
        let facing = toBox * towards
        var depth = 0
        for axis in 1..<3 where abs(facing[axis]) > abs(facing[depth]) { depth = axis }
        let (inBox, all) = (shared.map { toBox * $0 }, points.map { toBox * $0 })
        var (low, high) = (Vector3d.zero, Vector3d.zero)
        for axis in 0..<3 where axis != depth { (low[axis], high[axis]) = extent(inBox, axis, shares: 0.005) }
        let within = all.filter { point in (0..<3).allSatisfy { $0 == depth || (low[$0] <= point[$0] && point[$0] <= high[$0]) } }
        // Keeps everything along the viewing direction: a wall must not touch the box.
        (low[depth], high[depth]) = extent(within, depth, shares: 0.003)
        let half = (high - low) / 2
        let pad = max(0.2 * half[depth], 0.05 * max(half.x, max(half.y, half.z)))
        (low[depth], high[depth]) = (low[depth] - pad, high[depth] + pad)
        let box = OrientedBox(center: axes * ((low + high) / 2), axes: axes, halfExtents: (high - low) / 2)
        guard box.halfExtents.min() > 0 else { return nil }
        var side = Vector3d.zero
        side[depth] = facing[depth] < 0 ? -1 : 1
        return ViewedSide(box: box, towards: axes * side)
    }

    private func extent(_ points: [Vector3d], _ axis: Int, shares: Double) -> (Double, Double) {
        let sorted = points.map { $0[axis] }.sorted()
        return (quantile(sorted: sorted, shares), quantile(sorted: sorted, 1 - shares))
    }
}
