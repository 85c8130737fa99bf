import VitrineMath
import VitrineTracking
import VitrineVision

/// Finds level and upright surfaces in what a tracker saw, and follows them as they grow.
///
/// Tracked points are searched for slabs along gravity (levels) and for lines seen from above (walls); depth is divided into small patches
/// whose normals grow into regions. What belongs to a plane is summed up and fitted by robust least squares, with gravity as a prior.
///
/// - A plane is told of once it has stopped moving as evidence comes in (`Settings.steadiness`). From then on its frame stays, so that what was
///   put on it stays; what is learnt goes into centre, rectangle and outline. Only where evidence puts it off by more than
///   `Settings.correctionDistance` or `.correctionAngle` (2 cm, 1.5°) and three times its own deviation, again and again, is the frame
///   corrected, in one step: an object that floats that far over its table looks more wrong than one that moves once.
/// - Planes that meet on one level are merged: the larger one lives on, the other's removal names it.
/// - A plane whose points have gone elsewhere, or that depth sees through, is removed.
///
/// The same input gives the same planes, bit for bit.
public struct PlaneFinder: Sendable {
    public var settings: Settings
    /// What is known now, by rising id.
    public var planes: [FoundPlane] { evidence.filter(\.isKnown).map(\.told) }

    var evidence: [PlaneEvidence] = []
    var memory = PointMemory()
    /// The newest depth, for rays.
    var view: DepthView?
    var nextID = 0
    /// The camera's usual height: the mean over its last few hundred pictures.
    var usualHeight = 0.0
    /// How often was searched.
    var searches = 0
    private var heightCount = 0.0
    private var lastSearch: Double?

    struct DepthView: Sendable {
        var image: DepthImage
        var camera: CameraIntrinsics
        var worldFromCamera: RigidTransform
        func cloud(limit: Double) -> DepthCloud {
            DepthCloud(image, camera: camera, worldFromCamera: worldFromCamera, limit: limit)
        }
    }

    public init(settings: Settings = Settings()) { self.settings = settings }

    /// Forgets everything; ids go on.
    public mutating func reset() {
        let next = nextID
        self = PlaneFinder(settings: settings)
        nextID = next
    }

    /// Takes in what one picture brought.
    ///
    /// - Parameters:
    ///   - time: seconds; time that goes backward starts the pauses between searches anew.
    ///   - worldFromCamera: the camera x right, y down, z forward; the world's +Y up. A pose that isn't finite, or beyond 1000 km, changes nothing.
    ///   - camera: of the picture; depth is taken to cover the same view with its own number of pixels.
    ///   - points: those that the picture shows; positions may be refined from picture to picture. Those farther than 1 km are passed over.
    public mutating func update(
        time: Double, worldFromCamera: RigidTransform, camera: CameraIntrinsics, points: [TrackedPoint] = [], depth: DepthImage? = nil
    ) -> PlaneChanges {
        let place = worldFromCamera.translation
        // A thousand kilometres away nothing is measured to a centimetre; NaN fails too.
        guard abs(place.x) < 1e6, abs(place.y) < 1e6, abs(place.z) < 1e6, worldFromCamera.rotation.determinant.isFinite else {
            return PlaneChanges()
        }
        memory.add(points, seenFrom: place, limit: settings.pointLimit)
        if let depth { view = DepthView(image: depth, camera: camera, worldFromCamera: worldFromCamera) }
        heightCount = min(heightCount + 1, 300)
        usualHeight += (place.y - usualHeight) / heightCount
        // A hair less than the interval: times are sums of roundings.
        if let last = lastSearch, time >= last, time - last < settings.interval * 0.999 { return PlaneChanges() }
        lastSearch = time
        return search(depth: depth.map { DepthCloud($0, camera: camera, worldFromCamera: worldFromCamera, limit: settings.depthLimit) })
    }

    private mutating func search(depth: DepthCloud?) -> PlaneChanges {
        searches += 1
        for i in evidence.indices { evidence[i].beginSearch() }
        if let depth {
            let explained = claim(depth)
            fade(depth)
            findRegions(depth, explained: explained)
        }
        assignPoints()
        if settings.finds.contains(.horizontal) { findLevels() }
        if settings.finds.contains(.vertical) { findWalls() }
        for i in evidence.indices { evidence[i].endSearch() }
        let members = membersByPlane()
        for i in evidence.indices { refine(i, members: members[i]) }
        var changes = PlaneChanges()
        merge(&changes)
        removeUnsupported(&changes)
        classify()
        report(&changes)
        return changes
    }

    /// Adds a plane that nobody knows of yet; nil where there are too many.
    mutating func make(_ alignment: PlaneAlignment, _ worldFromPlane: RigidTransform) -> Int? {
        guard evidence.count < settings.planeLimit else { return nil }
        evidence.append(PlaneEvidence(id: nextID, alignment: alignment, worldFromPlane: worldFromPlane))
        nextID += 1
        return evidence.count - 1
    }

    private mutating func report(_ changes: inout PlaneChanges) {
        for i in evidence.indices where !evidence[i].plane.outline.isEmpty {
            if evidence[i].isKnown {
                if evidence[i].hasChanged { changes.updated.append(evidence[i].told) }
            } else if evidence[i].confirmations >= settings.confirmations, evidence[i].steadiness >= settings.steadiness {
                evidence[i].toldFrame = evidence[i].plane.worldFromPlane
                changes.added.append(evidence[i].told)
            }
            evidence[i].hasChanged = false
        }
    }
}
