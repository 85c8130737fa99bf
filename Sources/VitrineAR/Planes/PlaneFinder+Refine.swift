import VitrineMath
import VitrineVision

extension PlaneFinder {
    /// For each plane the indices of its points in `memory.entries`.
    func membersByPlane() -> [[Int]] {
        var index: [Int: Int] = [:]
        for (i, one) in evidence.enumerated() { index[one.plane.id] = i }
        var result = [[Int]](repeating: [], count: evidence.count)
        for (p, entry) in memory.entries.enumerated() {
            if let plane = entry.plane, let i = index[plane] { result[i].append(p) }
        }
        return result
    }

    /// Whether it is a known plane's turn for work that needn't be done at every search.
    func isTurn(_ one: PlaneEvidence) -> Bool { (searches + one.plane.id) % 5 == 0 }

    /// Fits one plane to all that speaks for it, and draws its outline anew.
    mutating func refine(_ i: Int, members: [Int]) {
        let one = evidence[i]
        evidence[i].pointCount = members.count
        if !one.isKnown || isTurn(one), one.isFresh, let fit = fit(one, members) {
            evidence[i].correct(by: fit)
            if evidence[i].tilt > settings.tiltLimit { evidence[i].isLost = true }
            if one.isKnown { doubt(i, fit) } else { steady(i, fit) }
        }
        guard evidence[i].isFresh else { return }
        let places = members.map { p in
            let local = evidence[i].local(memory.entries[p].position)
            return Vector2d(local.x, local.z)
        }
        evidence[i].outline(points: places, limit: settings.outlineLimit)
    }

    /// Counts how long a plane that nobody knows of has been where it is, a search of little evidence less than one of much.
    private mutating func steady(_ i: Int, _ fit: HeightFit) {
        let move = evidence[i].move(since: evidence[i].steadyFrame)
        if move.distance > settings.steadyDistance || move.angle > settings.steadyAngle {
            (evidence[i].steadyFrame, evidence[i].steadiness) = (evidence[i].plane.worldFromPlane, 0)
        } else {
            evidence[i].steadiness += min(1, settings.steadyAngle / 2 / fit.slopeDeviation.max())
        }
    }

    /// What was told of a plane is taken back only where it is clearly wrong, and stays so.
    private mutating func doubt(_ i: Int, _ fit: HeightFit) {
        guard let told = evidence[i].toldFrame else { return }
        let move = evidence[i].move(since: told)
        let isOff = move.distance > settings.correctionDistance + 3 * fit.offsetDeviation
        let isTurned = move.angle > settings.correctionAngle + 3 * fit.slopeDeviation.max()
        evidence[i].doubts = isOff || isTurned ? evidence[i].doubts + 1 : 0
        guard evidence[i].doubts >= settings.correctionSearches else { return }
        (evidence[i].toldFrame, evidence[i].doubts, evidence[i].hasChanged) = (evidence[i].plane.worldFromPlane, 0, true)
    }

    /// - Parameter members: in `memory.entries`.
    func fit(_ one: PlaneEvidence, _ members: [Int]) -> HeightFit? {
        let points = members.map { p in
            let (local, off) = (one.local(memory.entries[p].position), memory.entries[p].deviation / 2)
            return HeightFit.Sample(
                x: local.x, z: local.z, height: local.y, weight: 1 / (settings.pointNoise * settings.pointNoise + off * off))
        }
        let cells = one.cellSamples
        var prior = one.prior(settings)
        if cells.isEmpty { prior.drift = settings.driftDeviation }
        return HeightFit(cells + points, prior: prior)
    }

    /// Level surfaces that meet become one, as do upright ones: the larger lives on, a known one before an unknown one.
    mutating func merge(_ changes: inout PlaneChanges) {
        var i = 0
        while i < evidence.count {
            if let j = evidence.indices.first(where: { $0 > i && areOne(evidence[i], evidence[$0]) }) {
                let (a, b) = (evidence[i], evidence[j])
                let keepsFirst = a.isKnown == b.isKnown ? a.plane.area >= b.plane.area : a.isKnown
                absorb(keepsFirst ? j : i, into: keepsFirst ? i : j, &changes)
                i = 0
            } else {
                i += 1
            }
        }
    }

    /// On one level: 6°, 3.5 cm (6 cm where tracked points alone speak for one) where one has its middle, and a hand's breadth apart. Where
    /// they overlap, noise may have bent one of them: 12°, 5 cm.
    private func areOne(_ a: PlaneEvidence, _ b: PlaneEvidence) -> Bool {
        let cosine = dot(a.plane.normal, b.plane.normal)
        guard a.plane.alignment == b.plane.alignment, cosine > 0.978 else { return false }
        let distance = min(abs(a.plane.distance(to: b.plane.worldCenter)), abs(b.plane.distance(to: a.plane.worldCenter)))
        let layer = min(a.cells.area, b.cells.area) > 0 ? 0.035 : 2.4 * settings.pointTolerance
        if cosine > 0.9945, distance < layer { return a.isNear(b, gap: 0.2) }
        return cosine < 0.9986 && distance < 0.05 && a.isNear(b, gap: 0)
    }

    private mutating func absorb(_ j: Int, into i: Int, _ changes: inout PlaneChanges) {
        let other = evidence[j]
        for k in other.cells.weights.indices where other.cells.weights[k] > 0 {
            let place = other.cells.middle(k)
            let height = Double(other.cells.sums[k] / other.cells.weights[k])
            let local = evidence[i].local(other.plane.worldFromPlane * Vector3d(place.x, height, place.y))
            evidence[i].cells.add(local.x, local.z, height: local.y, weight: other.cells.weights[k])
        }
        evidence[i].confirmations = max(evidence[i].confirmations, other.confirmations)
        memory.replace(other.plane.id, by: evidence[i].plane.id)
        if other.isKnown { changes.removed.append(PlaneChanges.Removal(id: other.plane.id, mergedInto: evidence[i].plane.id)) }
        let survivor = evidence[i].plane.id
        evidence.remove(at: j)
        guard let place = evidence.firstIndex(where: { $0.plane.id == survivor }) else { return }
        evidence[place].isFresh = true
        refine(place, members: membersByPlane()[place])
    }

    /// Planes that little speaks for any more, or that turned out to lie aslant.
    mutating func removeUnsupported(_ changes: inout PlaneChanges) {
        let members = membersByPlane()
        for i in evidence.indices.reversed() {
            let one = evidence[i]
            let isLevel = one.plane.alignment == .horizontal
            let points = isLevel ? settings.horizontalPoints : settings.verticalPoints
            let area = isLevel ? settings.horizontalArea : settings.verticalArea
            let isWeak = 2 * one.pointCount < points && 2 * one.cells.area < area
            // Depth takes away what it sees through by itself.
            let isAir = 2 * one.cells.area < area && isTurn(one) && isSeenThrough(one, members[i])
            guard one.isLost || isWeak || isAir || (!one.isKnown && one.silence > 5) else { continue }
            memory.replace(one.plane.id, by: nil)
            if one.isKnown { changes.removed.append(PlaneChanges.Removal(id: one.plane.id, mergedInto: nil)) }
            evidence.remove(at: i)
        }
        changes.removed.sort { $0.id < $1.id }
    }
}
