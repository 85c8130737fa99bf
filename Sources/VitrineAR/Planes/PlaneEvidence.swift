import VitrineMath
import VitrineVision

/// A plane and what speaks for it.
struct PlaneEvidence: Equatable, Sendable {
    /// As it is known now: its frame follows all that is measured.
    var plane: FoundPlane
    /// Its frame as the finder's user knows it, which stays; nil until it is told of.
    var toldFrame: RigidTransform?
    /// Its frame when it last moved noticeably, and about how many good searches agreed with it since.
    var steadyFrame: RigidTransform
    var steadiness = 0.0
    /// Searches in a row that put it clearly elsewhere than was told.
    var doubts = 0
    /// What depth shows of it.
    var cells = CellGrid()
    /// Searches that found it; it is told of from `Settings.confirmations` on.
    var confirmations = 0
    /// Searches in a row in which nothing spoke for it, while it isn't confirmed.
    var silence = 0
    /// Something that shows has changed since the last report.
    var hasChanged = true
    /// Points that are its, at the last search.
    var pointCount = 0
    /// Whether this search brought something for it, and whether that was much.
    var isFresh = false, isSupported = false
    /// Whether it turned out to be neither level nor upright.
    var isLost = false

    init(id: Int, alignment: PlaneAlignment, worldFromPlane: RigidTransform) {
        plane = FoundPlane(id: id, alignment: alignment, worldFromPlane: worldFromPlane)
        steadyFrame = worldFromPlane
    }

    /// Whether the finder's user knows of it.
    var isKnown: Bool { toldFrame != nil }

    /// As the finder's user knows it. The frames differ along the normal and by a small turn: what lies in the plane is the same in both to
    /// a millimetre or two.
    var told: FoundPlane {
        var told = plane
        if let toldFrame { told.worldFromPlane = toldFrame }
        return told
    }

    mutating func beginSearch() { (isFresh, isSupported) = (false, false) }

    /// Counts the search for or against it.
    mutating func endSearch() {
        if isSupported { confirmations += 1 }
        silence = isSupported ? 0 : silence + 1
    }

    func local(_ point: Vector3d) -> Vector3d {
        let frame = plane.worldFromPlane
        let offset = point - frame.translation
        return Vector3d(dot(frame.rotation.x, offset), dot(frame.rotation.y, offset), dot(frame.rotation.z, offset))
    }

    /// Two planes overlap, or lie closer together than `gap` metres.
    func isNear(_ other: PlaneEvidence, gap: Double) -> Bool {
        func reaches(_ a: PlaneEvidence, _ b: PlaneEvidence) -> Bool {
            b.plane.outline.contains { corner in
                let place = a.local(b.plane.worldFromPlane * Vector3d(corner.x, 0, corner.y))
                return Outline.distance(a.plane.outline, Vector2d(place.x, place.z)) <= gap
            }
        }
        return reaches(self, other) || reaches(other, self)
    }
}

extension PlaneEvidence {
    /// A frame for a plane: y is the normal, the other axes as `FoundPlane.worldFromPlane` promises.
    static func frame(normal: Vector3d, origin: Vector3d, alignment: PlaneAlignment) -> RigidTransform {
        let y = normalize(normal)
        let reference = alignment == .horizontal ? Vector3d(1, 0, 0) : cross(Vector3d(0, 1, 0), y)
        let x = normalize(reference - y * dot(reference, y))
        return RigidTransform(rotation: Matrix3d(x, y, cross(x, y)), translation: origin)
    }

    /// What gravity says of the slope of this plane, in its own frame.
    func prior(_ settings: PlaneFinder.Settings) -> HeightFit.Prior {
        let up = plane.worldFromPlane.rotation.transpose * Vector3d(0, 1, 0)
        switch plane.alignment {
        case .horizontal:
            return HeightFit.Prior(slope: Vector2d(-up.x, -up.z) / up.y, deviation: Vector2d(repeating: settings.tiltDeviation))
        case .vertical:
            // Free to turn about gravity: z points down.
            return HeightFit.Prior(slope: Vector2d(0, up.y / up.z), deviation: Vector2d(0.5, settings.tiltDeviation))
        }
    }

    /// What the cells, or six hundred of them, say of heights. Neighbouring cells err alike: each is believed to 2 cm only.
    var cellSamples: [HeightFit.Sample] {
        var samples: [HeightFit.Sample] = []
        for i in cells.weights.indices where cells.isOccupied(i) {
            let place = cells.middle(i)
            let height = Double(cells.sums[i] / cells.weights[i])
            samples.append(HeightFit.Sample(x: place.x, z: place.y, height: height, weight: 1 / (0.02 * 0.02)))
        }
        guard samples.count > 600 else { return samples }
        return stride(from: 0, to: samples.count, by: (samples.count + 599) / 600).map { samples[$0] }
    }

    /// The plane's tilt from level or upright in radians.
    var tilt: Double {
        let y = plane.normal.y
        return plane.alignment == .horizontal ? acos(min(1, abs(y))) : .pi / 2 - acos(min(1, abs(y)))
    }

    /// Moves the frame to where the fit is: along its normal at its origin, and by the smallest turn.
    mutating func correct(by fit: HeightFit) {
        let frame = plane.worldFromPlane
        let offset = fit.height(at: .zero)
        let normal = frame.rotation * normalize(Vector3d(-fit.slope.x, 1, -fit.slope.y))
        let x = normalize(frame.rotation.x - normal * dot(frame.rotation.x, normal))
        plane.worldFromPlane = RigidTransform(
            rotation: Matrix3d(x, normal, cross(x, normal)), translation: frame.translation + frame.rotation.y * offset)
        cells.lower(by: offset, slope: fit.slope)
    }

    /// How far the plane has moved since it had another frame: metres at its middle, along the normal, and radians.
    func move(since frame: RigidTransform) -> (distance: Double, angle: Double) {
        let distance = abs(dot(plane.normal, frame * plane.center - plane.worldFromPlane.translation))
        return (distance, acos(min(1, dot(plane.normal, frame.rotation.y))))
    }

    /// A new outline around the cells and the points (x, z) that are the plane's.
    ///
    /// Gaps of 20 cm are bridged where depth saw the plane, of half a metre between points; only the largest piece is outlined.
    mutating func outline(points: [Vector2d], limit: Int) {
        let before = (plane.outline, plane.rectangle, plane.center)
        var seen = cells
        for point in points { seen.add(point.x, point.y, height: 0, weight: 1) }
        let isDense = 2 * cells.area > seen.area
        let traced = seen.outline(bridging: isDense ? 0.2 : 0.5)
        // Half a cell of staircase is no shape; nor is a notch of a hand's size between points.
        plane.outline = Outline.simplified(traced, limit: limit, smallest: isDense ? 0.003 : 0.01)
        let previous = plane.rectangle.width > 0 ? plane.rectangle : nil
        let fitted = Outline.rectangle(plane.outline, previous: previous)
        plane.rectangle = fitted.rectangle
        plane.center = Vector3d(fitted.center.x, 0, fitted.center.y)
        if before != (plane.outline, plane.rectangle, plane.center) { hasChanged = true }
    }
}
