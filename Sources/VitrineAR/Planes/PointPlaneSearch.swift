import VitrineMath
import VitrineVision

/// A plane that a search proposes to the detector.
struct PlaneProposal {
    var hypothesis: PlaneHypothesis
    /// Indices of its points in the store.
    var members: [Int] = []
}

/// Searches feature points without a plane for new planes: horizontal ones as slabs along gravity, vertical ones as lines seen from above.
struct PointPlaneSearch {
    let points: [FeaturePointStore.Entry]
    let settings: PlaneDetector.Settings

    // MARK: Horizontal planes

    /// The points of the height interval with most points; nil if they are too few for a plane.
    func largestSlab(_ free: [Int]) -> [Int]? {
        let sorted = free.sorted { (points[$0].position.y, $0) < (points[$1].position.y, $1) }
        var (first, best) = (0, 0..<0)
        for last in sorted.indices {
            while points[sorted[last]].position.y - points[sorted[first]].position.y > 2 * settings.pointTolerance { first += 1 }
            if last + 1 - first > best.count { best = first..<(last + 1) }
        }
        return best.count >= settings.horizontalPoints ? Array(sorted[best]) : nil
    }

    /// The plane of a slab's largest cluster.
    func horizontalPlane(_ slab: [Int], among free: [Int], facesUp: Bool) -> (proposal: PlaneProposal?, cluster: [Int]) {
        let cluster = largestCluster(slab.map { Vector2d(points[$0].position.x, points[$0].position.z) }, link: 0.4).map { slab[$0] }
        return (plane(.horizontal, normal: Vector3d(0, facesUp ? 1 : -1, 0), cluster: cluster, among: free), cluster)
    }

    // MARK: Vertical planes

    /// The strip, twice the tolerance wide, with most points as seen from above, and its horizontal unit normal: a Hough transform over
    /// directions and distances. nil if the points are too few for a plane.
    func largestStrip(_ free: [Int]) -> (normal: Vector3d, points: [Int])? {
        var center = Vector3d.zero
        for p in free { center += points[p].position }
        center /= Double(free.count)
        // Directions 3° apart hit a wall within the tolerance at one metre from the centre.
        let (directions, reach) = (60, 10.0)
        let width = settings.pointTolerance
        let bins = Int(2 * reach / width)
        var (best, bestDirection, bestBin) = (settings.verticalPoints - 1, 0, -1)
        var counts = [Int32](repeating: 0, count: bins)
        for direction in 0..<directions {
            let normal = Self.horizontalDirection(direction, of: directions)
            for i in counts.indices { counts[i] = 0 }
            for p in free {
                let bin = (dot(normal, points[p].position - center) + reach) / width
                if bin >= 0, bin < Double(bins) { counts[Int(bin)] += 1 }
            }
            for i in 1..<bins where Int(counts[i - 1] + counts[i]) > best {
                (best, bestDirection, bestBin) = (Int(counts[i - 1] + counts[i]), direction, i)
            }
        }
        guard bestBin > 0 else { return nil }
        let normal = Self.horizontalDirection(bestDirection, of: directions)
        let low = Double(bestBin - 1) * width - reach
        let members = free.filter { p in
            let distance = dot(normal, points[p].position - center)
            return distance >= low && distance < low + 2 * width
        }
        return (normal, members)
    }

    private static func horizontalDirection(_ index: Int, of count: Int) -> Vector3d {
        let angle = Double(index) / Double(count) * .pi
        return Vector3d(cos(angle), 0, sin(angle))
    }

    /// The plane of a strip's largest cluster, facing the side from which most of its points were observed.
    func verticalPlane(_ normal: Vector3d, _ strip: [Int], among free: [Int]) -> (proposal: PlaneProposal?, cluster: [Int]) {
        let along = cross(Vector3d(0, 1, 0), normal)
        let positions = strip.map { Vector2d(dot(along, points[$0].position), points[$0].position.y) }
        let cluster = largestCluster(positions, link: 0.5).map { strip[$0] }
        var side = 0.0
        for p in cluster { side += dot(normal, points[p].lastCamera - points[p].position) > 0 ? 1 : -1 }
        return (plane(.vertical, normal: side >= 0 ? normal : -normal, cluster: cluster, among: free), cluster)
    }

    // MARK: Both

    /// Fits a plane to a cluster; nil unless enough points lie on it, spread over enough area, with few points beside it.
    private func plane(_ alignment: ARPlaneAnchor.Alignment, normal: Vector3d, cluster: [Int], among free: [Int]) -> PlaneProposal? {
        let required = alignment == .horizontal ? settings.horizontalPoints : settings.verticalPoints
        guard cluster.count >= required else { return nil }
        var center = Vector3d.zero
        for p in cluster { center += points[p].position }
        let frame = PlaneHypothesis.frame(normal: normal, origin: center / Double(cluster.count), alignment: alignment)
        var plane = PlaneHypothesis(id: -1, alignment: alignment, worldFromPlane: frame)
        var members = cluster
        for _ in 0..<3 {
            guard let fit = fit(plane, members) else { return nil }
            plane.correct(by: fit)
            members = inliers(of: plane, among: free)
            guard members.count >= required, plane.tilt <= settings.maximumTilt else { return nil }
        }
        guard isSpread(plane, members), isDistinct(plane, members), !isSeenThrough(plane, members) else { return nil }
        return PlaneProposal(hypothesis: plane, members: members)
    }

    /// A robust plane through the points and the depth of a hypothesis.
    ///
    /// - Parameter members: Indices in `points`.
    func fit(_ plane: PlaneHypothesis, _ members: [Int]) -> HeightFit? {
        let pointSamples = members.map { p in
            let (local, deviation) = (plane.local(points[p].position), points[p].deviation / 2)
            return HeightFit.Sample(
                x: local.x, z: local.z, height: local.y,
                weight: 1 / (settings.pointNoise * settings.pointNoise + deviation * deviation))
        }
        let depthSamples = plane.depthSamples
        var prior = plane.prior(settings)
        if depthSamples.isEmpty { prior.drift = settings.driftDeviation }
        return HeightFit(depthSamples + pointSamples, prior: prior)
    }

    /// The largest cluster of free points on a plane.
    private func inliers(of plane: PlaneHypothesis, among free: [Int]) -> [Int] {
        let candidates = free.filter { abs(plane.plane.distance(to: points[$0].position)) < settings.pointTolerance }
        return largestCluster(localPositions(candidates, in: plane), link: 0.4).map { candidates[$0] }
    }

    /// The positions (x, z) of points in a plane's frame.
    func localPositions(_ members: [Int], in plane: PlaneHypothesis) -> [Vector2d] {
        members.map { p in
            let local = plane.local(points[p].position)
            return Vector2d(local.x, local.z)
        }
    }

    /// Whether points cover an area instead of a line.
    private func isSpread(_ plane: PlaneHypothesis, _ members: [Int]) -> Bool {
        let positions = localPositions(members, in: plane)
        let hull = Outline.hull(positions)
        let rectangle = Outline.rectangle(hull, previous: nil).rectangle
        let isHorizontal = plane.plane.alignment == .horizontal
        guard Polygon.area(hull) >= (isHorizontal ? settings.horizontalArea : settings.verticalArea) else { return false }
        guard min(rectangle.width, rectangle.height) >= (isHorizontal ? 0.15 : 0.3) else { return false }
        var cells = Set<SIMD2<Int>>()
        for position in positions {
            cells.insert(SIMD2(Int((position.x / 0.15).rounded(.down)), Int((position.y / 0.15).rounded(.down))))
        }
        return cells.count >= (isHorizontal ? 4 : 7)
    }

    /// Whether most points of a plane have fewer other points above and below them than on the plane: in clutter, every slab is full.
    private func isDistinct(_ plane: PlaneHypothesis, _ members: [Int]) -> Bool {
        var cells: [SIMD2<Int>: (on: Int, off: Int)] = [:]
        func cell(_ local: Vector3d) -> SIMD2<Int> { SIMD2(Int((local.x / 0.2).rounded(.down)), Int((local.z / 0.2).rounded(.down))) }
        for p in members { cells[cell(plane.local(points[p].position)), default: (0, 0)].on += 1 }
        for point in points where point.isReliable(settings) {
            let height = abs(plane.plane.distance(to: point.position))
            guard height < 0.3, height > 1.6 * settings.pointTolerance else { continue }
            cells[cell(plane.local(point.position))]?.off += 1
        }
        var distinctCount = 0
        for p in members {
            if let cell = cells[cell(plane.local(points[p].position))], cell.on > cell.off { distinctCount += 1 }
        }
        return 10 * distinctCount >= 6 * members.count
    }

    /// Whether the camera observed half as many points through a plane as lie on it: a slab in the air, not a surface.
    ///
    /// Counts only viewing rays that cross the plane steeply and within 6 cm of a point on it: elsewhere there may be holes and edges.
    func isSeenThrough(_ plane: PlaneHypothesis, _ members: [Int]) -> Bool {
        let positions = localPositions(members, in: plane)
        let rectangle = Outline.rectangle(positions, previous: nil)
        var bounds = plane.plane
        (bounds.rectangle, bounds.center) = (rectangle.rectangle, Vector3d(rectangle.center.x, 0, rectangle.center.y))
        var crossings = 0
        for point in points where point.isReliable(settings) {
            let (behind, before) = (plane.plane.distance(to: point.position), plane.plane.distance(to: point.lastCamera))
            guard behind < -2 * settings.pointTolerance, before > 0.1 else { continue }
            let viewingRay = point.position - point.lastCamera
            guard before - behind > 0.25 * length(viewingRay) else { continue }
            let local = plane.local(point.lastCamera + viewingRay * (before / (before - behind)))
            guard bounds.isNearRectangle(local, margin: 0) else { continue }
            let crossing = Vector2d(local.x, local.z)
            if positions.contains(where: { lengthSquared($0 - crossing) < 0.06 * 0.06 }) { crossings += 1 }
        }
        return 2 * crossings > members.count
    }
}

/// The largest single-linkage cluster: each point is at most `link` metres from another one. Indices in increasing order.
func largestCluster(_ positions: [Vector2d], link: Double) -> [Int] {
    var (rest, best) = (Array(positions.indices), [Int]())
    while rest.count > best.count {
        var (group, next) = ([rest.removeLast()], 0)
        while next < group.count {
            let position = positions[group[next]]
            next += 1
            var kept = 0
            for other in rest {
                if lengthSquared(positions[other] - position) <= link * link {
                    group.append(other)
                } else {
                    rest[kept] = other
                    kept += 1
                }
            }
            rest.removeLast(rest.count - kept)
        }
        if group.count > best.count { best = group }
    }
    return best.sorted()
}
