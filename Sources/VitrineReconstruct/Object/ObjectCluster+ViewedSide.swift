import VitrineMath
import VitrineVision

/// What photos from one side are about where nothing stands free: a thing on a wall, a relief, a facade, the corner of a room.
struct ViewedSide {
    /// Holds what most photos show, to its full depth; its sides cut straight through what goes on beyond.
    var box: OrientedBox
    /// Unit, from the box towards the cameras.
    var towards: Vector3d
}

extension ObjectCluster {
    /// - Parameter object: Around what the cameras look at most, where that was found.
    /// - Returns: nil where the photos go around, or what they look at ends in itself.
    func viewedSide(around object: OrientedBox?) -> ViewedSide? {
        guard let towards = sideOfCameras() else { return nil }
        let near = evidence.points.filter { isFinite($0) && distance($0, focus.point) < focus.distance }
        let standing = near.filter { (support?.plane.signedDistance(to: $0) ?? .infinity) >= foot }
        guard standing.count >= 40 else { return nil }
        let wall = wall(facing: towards, standing)
        // Beside a table only a wall is more than clutter; what is flat on a table is kept with it.
        if support != nil, object != nil, wall == nil { return nil }
        guard let found = box(facing: towards, wall: wall, near) else { return nil }
        let beyond = near.count { !found.box.scaled(by: 1.02).contains($0) }
        return wall != nil || object == nil || 20 * beyond > near.count ? found : nil
    }

    /// Unit, from the focus towards the cameras; nil where they are on several sides.
    func sideOfCameras() -> Vector3d? {
        let directions = evidence.photos.map { normalize($0.camera.centerInWorld - focus.point) }
        let sum = directions.reduce(.zero, +)
        guard length(sum) > 0.3 * Double(directions.count) else { return nil }
        let mean = normalize(sum)
        let angles = directions.map { acos(clamp(dot($0, mean), -1, 1)) }
        return quantile(angles, 0.95) < 70 * .pi / 180 ? mean : nil
    }

    /// An upright sheet of points with nearly nothing behind it that shows on both sides of what is before it.
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

    /// Across the cameras' side as far as a third of the photos see, along it all that is there.
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
        // Nothing is cut off along the cameras' side: a wall must not graze the box.
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
