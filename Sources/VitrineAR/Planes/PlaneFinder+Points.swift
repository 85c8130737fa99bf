import VitrineMath
import VitrineVision

extension PlaneFinder {
    /// Points join planes that they lie on, and leave those that they don't.
    mutating func assignPoints() {
        var index: [Int: Int] = [:]
        for (i, one) in evidence.enumerated() { index[one.plane.id] = i }
        var counts = [Int](repeating: 0, count: evidence.count)
        for p in memory.entries.indices {
            let entry = memory.entries[p]
            guard entry.counts(settings) else { continue }
            if let plane = entry.plane, let i = index[plane],
                abs(evidence[i].plane.distance(to: entry.position)) < 1.6 * settings.pointTolerance
            {
                counts[i] += 1
                if entry.lastSeen == memory.picture { evidence[i].isFresh = true }
                continue
            }
            let (owner, isNear) = owner(of: entry)
            memory.mark(p, isNearPlane: isNear)
            if let owner {
                counts[owner] += 1
                evidence[owner].isFresh = true
            }
            if let plane = entry.plane, let i = index[plane] { evidence[i].isFresh = true }
            memory.assign(p, to: owner.map { evidence[$0].plane.id })
        }
        for i in evidence.indices {
            let enough = evidence[i].plane.alignment == .horizontal ? settings.horizontalPoints : settings.verticalPoints
            if counts[i] >= enough { evidence[i].isSupported = true }
        }
    }

    /// The nearest plane that a point lies on, and that was seen from the point's side; and whether any is so near that the point may be one
    /// of its, but badly placed: such points shall not make a second plane a little over the first.
    private func owner(of entry: PointMemory.Entry) -> (owner: Int?, isNear: Bool) {
        var (best, result, isNear) = (settings.pointTolerance, Int?.none, false)
        for i in evidence.indices {
            let distance = abs(evidence[i].plane.distance(to: entry.position))
            guard distance < 2.4 * settings.pointTolerance, evidence[i].plane.distance(to: entry.seenFrom) > 0 else { continue }
            guard evidence[i].plane.isNearRectangle(evidence[i].local(entry.position), margin: 0.3) else { continue }
            isNear = true
            if distance < best { (best, result) = (distance, i) }
        }
        return (result, isNear)
    }

    /// Points that lie on no plane, the 600 seen last.
    func freePoints() -> [Int] {
        let free = memory.entries.indices.filter {
            let entry = memory.entries[$0]
            return entry.plane == nil && !entry.isNearPlane && entry.counts(settings)
        }
        guard free.count > 600 else { return free }
        return free.sorted { (memory.entries[$0].lastSeen, $0) > (memory.entries[$1].lastSeen, $1) }.prefix(600).sorted()
    }

    /// New level planes among points that lie on none.
    mutating func findLevels() {
        for isUp in [true, false] {
            var free = freePoints().filter { (memory.entries[$0].seenFrom.y > memory.entries[$0].position.y) == isUp }
            for _ in 0..<2 {
                guard free.count >= settings.horizontalPoints, let slab = fullestSlab(free) else { break }
                let taken = tryLevel(slab, among: free, isUp: isUp)
                free.removeAll { taken.contains($0) }
            }
        }
    }

    /// The points within the height interval that holds most.
    private func fullestSlab(_ free: [Int]) -> [Int]? {
        let sorted = free.sorted { (memory.entries[$0].position.y, $0) < (memory.entries[$1].position.y, $1) }
        var (first, best) = (0, 0..<0)
        for last in sorted.indices {
            while memory.entries[sorted[last]].position.y - memory.entries[sorted[first]].position.y > 2 * settings.pointTolerance {
                first += 1
            }
            if last + 1 - first > best.count { best = first..<(last + 1) }
        }
        return best.count >= settings.horizontalPoints ? Array(sorted[best]) : nil
    }

    /// Makes a plane of a slab's largest cluster where that stands out; the points that needn't be tried again.
    private mutating func tryLevel(_ slab: [Int], among free: [Int], isUp: Bool) -> Set<Int> {
        let cluster = largestCluster(slab.map { Vector2d(memory.entries[$0].position.x, memory.entries[$0].position.z) }, link: 0.4).map {
            slab[$0]
        }
        let normal = Vector3d(0, isUp ? 1 : -1, 0)
        return tryPlane(.horizontal, normal: normal, cluster: cluster, among: free)
    }

    /// Fits a plane to a cluster and makes it where enough points lie on it, spread over enough area, and few beside it.
    mutating func tryPlane(_ alignment: PlaneAlignment, normal: Vector3d, cluster: [Int], among free: [Int]) -> Set<Int> {
        let isLevel = alignment == .horizontal
        let enough = isLevel ? settings.horizontalPoints : settings.verticalPoints
        guard cluster.count >= enough else { return Set(cluster) }
        var center = Vector3d.zero
        for p in cluster { center += memory.entries[p].position }
        let frame = PlaneEvidence.frame(normal: normal, origin: center / Double(cluster.count), alignment: alignment)
        var one = PlaneEvidence(id: -1, alignment: alignment, worldFromPlane: frame)
        var members = cluster
        for _ in 0..<3 {
            guard let fit = fit(one, members) else { return Set(cluster) }
            one.correct(by: fit)
            members = near(one, free, of: members)
            guard members.count >= enough, one.tilt <= settings.tiltLimit else { return Set(cluster) }
        }
        guard isSpread(one, members), standsOut(one, members), !isSeenThrough(one, members),
            let i = make(alignment, one.plane.worldFromPlane)
        else {
            return Set(cluster)
        }
        for p in members { memory.assign(p, to: evidence[i].plane.id) }
        (evidence[i].confirmations, evidence[i].isFresh) = (1, true)
        return Set(cluster).union(members)
    }

    /// The free points on a plane that belong to the same piece as `members`.
    private func near(_ one: PlaneEvidence, _ free: [Int], of members: [Int]) -> [Int] {
        let candidates = free.filter { abs(one.plane.distance(to: memory.entries[$0].position)) < settings.pointTolerance }
        let places = candidates.map { p in
            let local = one.local(memory.entries[p].position)
            return Vector2d(local.x, local.z)
        }
        return largestCluster(places, link: 0.4).map { candidates[$0] }
    }

    /// Whether points cover an area and not a line.
    private func isSpread(_ one: PlaneEvidence, _ members: [Int]) -> Bool {
        let places = members.map { p in
            let local = one.local(memory.entries[p].position)
            return Vector2d(local.x, local.z)
        }
        let hull = Outline.hull(places)
        let rectangle = Outline.rectangle(hull, previous: nil).rectangle
        let isLevel = one.plane.alignment == .horizontal
        guard Outline.area(hull) >= (isLevel ? settings.horizontalArea : settings.verticalArea) else { return false }
        guard min(rectangle.width, rectangle.height) >= (isLevel ? 0.15 : 0.3) else { return false }
        var cells = Set<SIMD2<Int>>()
        for place in places { cells.insert(SIMD2(Int((place.x / 0.15).rounded(.down)), Int((place.y / 0.15).rounded(.down)))) }
        return cells.count >= (isLevel ? 4 : 7)
    }

    /// Whether most points of a plane have, over and under them, fewer others than there are on it: in a heap of things, or across a
    /// wall, every slab is full.
    private func standsOut(_ one: PlaneEvidence, _ members: [Int]) -> Bool {
        var cells: [SIMD2<Int>: (on: Int, off: Int)] = [:]
        func cell(_ local: Vector3d) -> SIMD2<Int> { SIMD2(Int((local.x / 0.2).rounded(.down)), Int((local.z / 0.2).rounded(.down))) }
        for p in members { cells[cell(one.local(memory.entries[p].position)), default: (0, 0)].on += 1 }
        for entry in memory.entries where entry.counts(settings) {
            let height = abs(one.plane.distance(to: entry.position))
            guard height < 0.3, height > 1.6 * settings.pointTolerance else { continue }
            cells[cell(one.local(entry.position))]?.off += 1
        }
        var clean = 0
        for p in members {
            if let cell = cells[cell(one.local(memory.entries[p].position))], cell.on > cell.off { clean += 1 }
        }
        return 10 * clean >= 6 * members.count
    }
}

extension PlaneFinder {
    /// Whether the camera saw half as many points through a plane as there are on it: a slab in the air, not a surface.
    ///
    /// Only sight lines that cross it steeply and within 6 cm of a point on it count: elsewhere there may be holes and edges.
    func isSeenThrough(_ one: PlaneEvidence, _ members: [Int]) -> Bool {
        let places = members.map { p in
            let local = one.local(memory.entries[p].position)
            return Vector2d(local.x, local.z)
        }
        let rectangle = Outline.rectangle(places, previous: nil)
        var bounds = one.plane
        (bounds.rectangle, bounds.center) = (rectangle.rectangle, Vector3d(rectangle.center.x, 0, rectangle.center.y))
        var crossings = 0
        for entry in memory.entries where entry.counts(settings) {
            let (behind, before) = (one.plane.distance(to: entry.position), one.plane.distance(to: entry.seenFrom))
            guard behind < -2 * settings.pointTolerance, before > 0.1 else { continue }
            let sight = entry.position - entry.seenFrom
            guard before - behind > 0.25 * length(sight) else { continue }
            let local = one.local(entry.seenFrom + sight * (before / (before - behind)))
            guard bounds.isNearRectangle(local, margin: 0) else { continue }
            let place = Vector2d(local.x, local.z)
            if places.contains(where: { lengthSquared($0 - place) < 0.06 * 0.06 }) { crossings += 1 }
        }
        return 2 * crossings > members.count
    }
}

/// The largest group of points each of which is at most `link` metres from another of it; indices by rising order.
func largestCluster(_ places: [Vector2d], link: Double) -> [Int] {
    var (rest, best) = (Array(places.indices), [Int]())
    while rest.count > best.count {
        var (group, next) = ([rest.removeLast()], 0)
        while next < group.count {
            let place = places[group[next]]
            next += 1
            var kept = 0
            for other in rest {
                if lengthSquared(places[other] - place) <= link * link {
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
