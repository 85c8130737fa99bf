import VitrineMath
import VitrineTracking
import VitrineVision

/// Detects horizontal and vertical surfaces in feature points and depth, and tracks them as they grow.
///
/// `PointPlaneSearch` finds slabs of points along gravity (horizontal planes) and lines of points seen from above (vertical planes);
/// `DepthPlaneSearch` grows small depth patches with similar normals into regions. The detector accumulates the evidence for each plane and fits
/// it by robust least squares with gravity as a prior.
///
/// - A plane is reported once it is stable (`Settings.stability`). From then on its frame stays fixed, so that attached content stays in place;
///   new evidence changes centre, rectangle and outline. The frame is corrected, in one step, only if repeated evidence puts it off by more than
///   `Settings.correctionDistance` or `.correctionAngle` (2 cm, 1.5°) and three standard deviations: content that floats that far above a table
///   looks worse than content that moves once.
/// - Planes that meet on one level are merged: the larger one survives, and the other's removal names it.
/// - A plane that loses its points, or behind which depth shows another surface, is removed.
///
/// The same input gives the same planes, bit for bit.
package struct PlaneDetector: Sendable {
    package var settings: Settings

    private var hypotheses: [PlaneHypothesis] = []
    private var points = FeaturePointStore()
    /// The newest depth image.
    private var depthView: RaycastScene.DepthView?
    private var nextID = 0
    /// The camera's mean height over its last 300 frames.
    private var cameraHeight = 0.0
    private var heightCount = 0.0
    private var searchCount = 0
    private var lastSearch: Double?

    package init(settings: Settings = Settings()) { self.settings = settings }

    /// The reported planes by increasing id.
    package var planes: [DetectedPlane] { hypotheses.filter(\.isReported).map(\.reportedPlane) }

    /// Discards all planes and points; ids continue.
    package mutating func reset() {
        let next = nextID
        self = PlaneDetector(settings: settings)
        nextID = next
    }

    /// A snapshot of points and depth for ray casts.
    func raycastScene(sessionFromTracker: RigidTransform) -> RaycastScene {
        RaycastScene(
            points: points.entries.map { RaycastScene.Point(id: $0.id, position: $0.position) }, depth: depthView,
            maximumDepth: settings.maximumDepth, pointTolerance: settings.pointTolerance, sessionFromTracker: sessionFromTracker)
    }

    /// Updates the planes by a frame.
    ///
    /// - Parameters:
    ///   - time: The time of the frame in seconds; a time that goes backward restarts the search interval.
    ///   - worldFromCamera: The camera: x right, y down, z forward. The world: +Y up. A pose that is not finite, or farther than 1000 km from the
    ///     origin, changes nothing.
    ///   - camera: The camera model of the image; depth covers the same view with its own resolution.
    ///   - points: The visible feature points; positions may be refined from frame to frame. Points farther than 1 km are ignored.
    package mutating func update(
        time: Double, worldFromCamera: RigidTransform, camera: CameraIntrinsics, points newPoints: [TrackedPoint] = [],
        depth: DepthImage? = nil
    ) -> PlaneChanges {
        let position = worldFromCamera.translation
        // Rejects NaN too.
        guard abs(position.x) < 1e6, abs(position.y) < 1e6, abs(position.z) < 1e6, worldFromCamera.rotation.determinant.isFinite else {
            return PlaneChanges()
        }
        points.add(newPoints, camera: position, capacity: settings.pointCapacity)
        if let depth { depthView = RaycastScene.DepthView(image: depth, camera: camera, worldFromCamera: worldFromCamera) }
        heightCount = min(heightCount + 1, 300)
        cameraHeight += (position.y - cameraHeight) / heightCount
        // Slightly less than the interval, because times are sums of rounded numbers.
        if let last = lastSearch, time >= last, time - last < settings.searchInterval * 0.999 { return PlaneChanges() }
        lastSearch = time
        return search(
            depth.map { DepthPointCloud($0, camera: camera, worldFromCamera: worldFromCamera, maximumDepth: settings.maximumDepth) })
    }

    private mutating func search(_ depth: DepthPointCloud?) -> PlaneChanges {
        searchCount += 1
        for i in hypotheses.indices { hypotheses[i].beginSearch() }
        if let depth {
            let search = DepthPlaneSearch(cloud: depth, settings: settings)
            let claimed = search.assign(to: &hypotheses)
            search.fadeSeenThrough(&hypotheses)
            for proposal in search.newPlanes(claimed: claimed) { add(proposal) }
        }
        assignPoints()
        if settings.alignments.contains(.horizontal) { searchHorizontalPlanes() }
        if settings.alignments.contains(.vertical) { searchVerticalPlanes() }
        for i in hypotheses.indices { hypotheses[i].endSearch() }
        let members = membersByPlane()
        for i in hypotheses.indices { refine(i, members: members[i]) }
        var changes = PlaneChanges()
        merge(&changes)
        removeUnsupported(&changes)
        classify()
        report(&changes)
        return changes
    }

    // MARK: New planes

    /// Adds a proposed plane, unless there are too many planes.
    ///
    /// - Returns: Whether it was added.
    @discardableResult private mutating func add(_ proposal: PlaneProposal) -> Bool {
        guard hypotheses.count < settings.planeCapacity else { return false }
        var hypothesis = proposal.hypothesis.renewed(id: nextID)
        (hypothesis.confirmations, hypothesis.hasNewEvidence) = (1, true)
        hypotheses.append(hypothesis)
        for p in proposal.members { points.assign(p, to: nextID) }
        nextID += 1
        return true
    }

    private var pointSearch: PointPlaneSearch { PointPlaneSearch(points: points.entries, settings: settings) }

    /// Searches the unassigned points for two planes that face up and two that face down.
    private mutating func searchHorizontalPlanes() {
        for facesUp in [true, false] {
            var free = points.unassigned(settings).filter {
                (points.entries[$0].lastCamera.y > points.entries[$0].position.y) == facesUp
            }
            for _ in 0..<2 {
                guard free.count >= settings.horizontalPoints, let slab = pointSearch.largestSlab(free) else { break }
                let found = pointSearch.horizontalPlane(slab, among: free, facesUp: facesUp)
                remove(found, from: &free)
            }
        }
    }

    /// Searches the unassigned points for two vertical planes.
    private mutating func searchVerticalPlanes() {
        var free = points.unassigned(settings)
        for _ in 0..<2 {
            guard free.count >= settings.verticalPoints, let (normal, strip) = pointSearch.largestStrip(free) else { return }
            let found = pointSearch.verticalPlane(normal, strip, among: free)
            remove(found, from: &free)
        }
    }

    /// Adds a proposal and removes its points, and those that were tried, from the free ones.
    private mutating func remove(_ found: (proposal: PlaneProposal?, cluster: [Int]), from free: inout [Int]) {
        var tried = Set(found.cluster)
        if let proposal = found.proposal, add(proposal) { tried.formUnion(proposal.members) }
        free.removeAll { tried.contains($0) }
    }

    // MARK: Points

    /// The index of each plane by its id.
    private var indicesByID: [Int: Int] {
        var indices: [Int: Int] = [:]
        for (i, hypothesis) in hypotheses.enumerated() { indices[hypothesis.plane.id] = i }
        return indices
    }

    /// Assigns points to the planes that they lie on, and unassigns those that moved away.
    private mutating func assignPoints() {
        let indices = indicesByID
        var counts = [Int](repeating: 0, count: hypotheses.count)
        for p in points.entries.indices {
            let entry = points.entries[p]
            guard entry.isReliable(settings) else { continue }
            if let plane = entry.plane, let i = indices[plane],
                abs(hypotheses[i].plane.distance(to: entry.position)) < 1.6 * settings.pointTolerance
            {
                counts[i] += 1
                if entry.lastFrame == points.frame { hypotheses[i].hasNewEvidence = true }
                continue
            }
            let (owner, isNear) = owner(of: entry)
            points.mark(p, isNearPlane: isNear)
            if let owner {
                counts[owner] += 1
                hypotheses[owner].hasNewEvidence = true
            }
            if let plane = entry.plane, let i = indices[plane] { hypotheses[i].hasNewEvidence = true }
            points.assign(p, to: owner.map { hypotheses[$0].plane.id })
        }
        for i in hypotheses.indices {
            let required = hypotheses[i].plane.alignment == .horizontal ? settings.horizontalPoints : settings.verticalPoints
            if counts[i] >= required { hypotheses[i].isSupported = true }
        }
    }

    /// The nearest plane that a point lies on and that faces the camera's position; and whether any plane is so near that the point may be an
    /// inaccurate point of it, which must not found a second plane slightly above the first.
    private func owner(of entry: FeaturePointStore.Entry) -> (owner: Int?, isNear: Bool) {
        var (best, result, isNear) = (settings.pointTolerance, Int?.none, false)
        for i in hypotheses.indices {
            let distance = abs(hypotheses[i].plane.distance(to: entry.position))
            guard distance < 2.4 * settings.pointTolerance, hypotheses[i].plane.distance(to: entry.lastCamera) > 0 else { continue }
            guard hypotheses[i].plane.isNearRectangle(hypotheses[i].local(entry.position), margin: 0.3) else { continue }
            isNear = true
            if distance < best { (best, result) = (distance, i) }
        }
        return (result, isNear)
    }

    /// Returns the indices of the points of each plane.
    private func membersByPlane() -> [[Int]] {
        let indices = indicesByID
        var result = [[Int]](repeating: [], count: hypotheses.count)
        for (p, entry) in points.entries.enumerated() {
            if let plane = entry.plane, let i = indices[plane] { result[i].append(p) }
        }
        return result
    }

    // MARK: Refinement

    /// Whether a reported plane is due for work that is done in one of five searches.
    private func isDue(_ hypothesis: PlaneHypothesis) -> Bool { (searchCount + hypothesis.plane.id) % 5 == 0 }

    /// Fits one plane to all of its evidence and updates its outline.
    private mutating func refine(_ i: Int, members: [Int]) {
        let hypothesis = hypotheses[i]
        hypotheses[i].pointCount = members.count
        if !hypothesis.isReported || isDue(hypothesis), hypothesis.hasNewEvidence, let fit = pointSearch.fit(hypothesis, members) {
            hypotheses[i].correct(by: fit)
            if hypotheses[i].tilt > settings.maximumTilt { hypotheses[i].isSlanted = true }
            if hypothesis.isReported {
                hypotheses[i].correctReportedFrame(fit, settings)
            } else {
                hypotheses[i].updateStability(fit, settings)
            }
        }
        guard hypotheses[i].hasNewEvidence else { return }
        let positions = pointSearch.localPositions(members, in: hypotheses[i])
        hypotheses[i].updateOutline(points: positions, maximumCorners: settings.maximumOutlineCorners)
    }

    // MARK: Merging and removal

    /// Merges planes that meet: the larger survives, a reported one before an unreported one.
    private mutating func merge(_ changes: inout PlaneChanges) {
        var i = 0
        while i < hypotheses.count {
            if let j = hypotheses.indices.first(where: { $0 > i && isSameSurface(hypotheses[i], hypotheses[$0]) }) {
                let (a, b) = (hypotheses[i], hypotheses[j])
                let keepsFirst = a.isReported == b.isReported ? a.plane.area >= b.plane.area : a.isReported
                absorb(keepsFirst ? j : i, into: keepsFirst ? i : j, &changes)
                i = 0
            } else {
                i += 1
            }
        }
    }

    /// Whether two planes are one surface: normals within 6°, centres within 3.5 cm of the other plane (6 cm for planes of points alone) and at
    /// most 20 cm apart. Overlapping planes may differ by 12° and 5 cm: noise may have bent one of them.
    private func isSameSurface(_ a: PlaneHypothesis, _ b: PlaneHypothesis) -> Bool {
        let cosine = dot(a.plane.normal, b.plane.normal)
        guard a.plane.alignment == b.plane.alignment, cosine > 0.978 else { return false }
        let distance = min(abs(a.plane.distance(to: b.plane.worldCenter)), abs(b.plane.distance(to: a.plane.worldCenter)))
        let tolerance = min(a.grid.area, b.grid.area) > 0 ? 0.035 : 2.4 * settings.pointTolerance
        if cosine > 0.9945, distance < tolerance { return a.isNear(b, gap: 0.2) }
        return cosine < 0.9986 && distance < 0.05 && a.isNear(b, gap: 0)
    }

    private mutating func absorb(_ j: Int, into i: Int, _ changes: inout PlaneChanges) {
        let other = hypotheses[j]
        hypotheses[i].absorbDepth(of: other)
        let survivor = hypotheses[i].plane.id
        points.replace(other.plane.id, by: survivor)
        if other.isReported { changes.removed.append(PlaneChanges.Removal(id: other.plane.id, mergedInto: survivor)) }
        hypotheses.remove(at: j)
        guard let index = hypotheses.firstIndex(where: { $0.plane.id == survivor }) else { return }
        hypotheses[index].hasNewEvidence = true
        refine(index, members: membersByPlane()[index])
    }

    /// Removes planes with little support and planes that are slanted.
    private mutating func removeUnsupported(_ changes: inout PlaneChanges) {
        let members = membersByPlane()
        for i in hypotheses.indices.reversed() {
            let hypothesis = hypotheses[i]
            let isHorizontal = hypothesis.plane.alignment == .horizontal
            let requiredPoints = isHorizontal ? settings.horizontalPoints : settings.verticalPoints
            let requiredArea = isHorizontal ? settings.horizontalArea : settings.verticalArea
            let hasLittleDepth = 2 * hypothesis.grid.area < requiredArea
            let isWeak = 2 * hypothesis.pointCount < requiredPoints && hasLittleDepth
            // For planes with depth, `fadeSeenThrough` does this.
            let isAir = hasLittleDepth && isDue(hypothesis) && pointSearch.isSeenThrough(hypothesis, members[i])
            guard hypothesis.isSlanted || isWeak || isAir || (!hypothesis.isReported && hypothesis.unsupportedSearches > 5) else {
                continue
            }
            points.replace(hypothesis.plane.id, by: nil)
            if hypothesis.isReported { changes.removed.append(PlaneChanges.Removal(id: hypothesis.plane.id, mergedInto: nil)) }
            hypotheses.remove(at: i)
        }
        changes.removed.sort { $0.id < $1.id }
    }

    // MARK: Reporting

    private mutating func classify() {
        let classifications = PlaneClassifier(settings: settings, cameraHeight: cameraHeight).classify(hypotheses.map(\.plane))
        for (i, classification) in classifications.enumerated() where hypotheses[i].plane.classification != classification {
            hypotheses[i].plane.classification = classification
            hypotheses[i].hasChanged = true
        }
    }

    private mutating func report(_ changes: inout PlaneChanges) {
        for i in hypotheses.indices where !hypotheses[i].plane.outline.isEmpty {
            if hypotheses[i].isReported {
                if hypotheses[i].hasChanged { changes.updated.append(hypotheses[i].reportedPlane) }
            } else if hypotheses[i].confirmations >= settings.confirmations, hypotheses[i].stability >= settings.stability {
                hypotheses[i].reportedFrame = hypotheses[i].plane.worldFromPlane
                changes.added.append(hypotheses[i].reportedPlane)
            }
            hypotheses[i].hasChanged = false
        }
    }
}
