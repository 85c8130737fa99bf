import VitrineMath
import VitrineVision

extension OrientedBox {
    /// The box around the dense points that are connected to those inside: features cover textured parts only, surfaces continue.
    ///
    /// Points were fused in a larger box (`scaled(by: 1.3)` is a good choice). A part counts when most of it, or a fair share of the object, lies in
    /// the original box; a neighbour that only reaches in does not. The direction of the box stays.
    ///
    /// - Parameters:
    ///   - points: The points in the box's frame and unit.
    ///   - supportPlane: Its points are not part of the object, and the box keeps standing on it.
    ///   - standsOnBottom: Whether the box ends at the lowest points: the object stands there on something that is not observed.
    ///   - isMasked: Whether all points are meant to be the object's: then the surface ends where points become rare, and those below are noise.
    ///   - margin: The margin of the box around the points, as a fraction of each side.
    /// - Returns: The unchanged box if there are too few points.
    func refined(
        by points: OrientedPoints, supportPlane: Plane3<Float>?, standsOnBottom: Bool = false, isMasked: Bool = false, margin: Double = 0.02
    ) -> OrientedBox {
        let reach = scaled(by: 1.6)
        // The plane's points are noisy: points near it may belong to the plane or to the object.
        let foot = supportPlane == nil ? 0 : 0.012 * longestSide
        var inside: [Vector3d] = []
        for position in points.positions {
            let point = Vector3d(position)
            guard point.isFinite, reach.contains(point) else { continue }
            if let supportPlane, Double(supportPlane.signedDistance(to: position)) < foot { continue }
            inside.append(axes.transpose * (point - center))
        }
        guard inside.count >= 200 else { return self }
        let groups = Components.label(inside, link: 0.015 * longestSide)
        var (all, held) = ([Int](repeating: 0, count: (groups.max() ?? 0) + 1), [Int](repeating: 0, count: (groups.max() ?? 0) + 1))
        for (point, group) in zip(inside, groups) {
            all[group] += 1
            if abs(point.x) <= halfExtents.x, abs(point.y) <= halfExtents.y, abs(point.z) <= halfExtents.z { held[group] += 1 }
        }
        let largest = held.max() ?? 0
        let kept = zip(inside, groups).filter { 2 * held[$0.1] > all[$0.1] && 50 * held[$0.1] >= largest }.map(\.0)
        guard kept.count >= 200 else { return self }
        var (low, high) = (Vector3d.zero, Vector3d.zero)
        for axis in 0..<3 {
            let sorted = kept.map { $0[axis] }.sorted()
            (low[axis], high[axis]) = (quantile(sorted: sorted, 0.0002), quantile(sorted: sorted, 0.9998))
        }
        let pad = (high - low) * margin
        let bottom = isMasked ? Self.end(of: kept.map(\.y), low: low.y, high: high.y) : low.y
        (low, high) = (low - pad, high + pad)
        if standsOnBottom { low.y = bottom }
        // An object on a support plane starts there.
        if supportPlane != nil { low.y = min(-halfExtents.y, high.y) }
        let half = pointwiseMax((high - low) / 2, Vector3d(repeating: 0.01 * longestSide))
        return OrientedBox(center: center + axes * ((low + high) / 2), axes: axes, halfExtents: half)
    }

    /// The height at which a surface ends below: where the number of points by height falls below half of that above. Dense points continue beyond the edge of
    /// a silhouette by a part of a patch, ever fewer of them.
    ///
    /// - Returns: `low` if the points become rare higher than noise can reach.
    static func end(of heights: [Double], low: Double, high: Double) -> Double {
        // A bin is about the accuracy of a surface; the lowest eighth of the object shows how many points there are where it has a surface.
        let bin = 0.004 * (high - low)
        let (lowest, most) = (32, 10)
        var counts = [Int](repeating: 0, count: lowest)
        guard bin > 0 else { return low }
        for height in heights where height >= low && height < low + Double(lowest) * bin {
            counts[min(lowest - 1, Int((height - low) / bin))] += 1
        }
        let half = Double(counts.sorted()[lowest / 2]) / 2
        guard half > 0, let first = counts.firstIndex(where: { Double($0) >= half }), first <= most else { return low }
        // Between the middles of two bins.
        let before = first == 0 ? 0 : Double(counts[first - 1])
        let share = (half - before) / max(1, Double(counts[first]) - before)
        return max(low, low + (Double(first) - 0.5 + share) * bin)
    }

    /// The box reduced to the points in it: sides that cut through points stay.
    func shrunk(to points: OrientedPoints) -> OrientedBox {
        let inside = points.positions.map { boxFromWorld * Vector3d($0) }.filter { point in
            point.isFinite && (0..<3).allSatisfy { abs(point[$0]) <= halfExtents[$0] }
        }
        guard inside.count >= 200 else { return self }
        var (low, high) = (-halfExtents, halfExtents)
        for axis in 0..<3 {
            let sorted = inside.map { $0[axis] }.sorted()
            let (first, last) = (quantile(sorted: sorted, 0.0005), quantile(sorted: sorted, 0.9995))
            let pad = 0.02 * (last - first) + 0.005 * longestSide
            (low[axis], high[axis]) = (max(low[axis], first - pad), min(high[axis], last + pad))
        }
        return OrientedBox(center: center + axes * ((low + high) / 2), axes: axes, halfExtents: (high - low) / 2)
    }
}
