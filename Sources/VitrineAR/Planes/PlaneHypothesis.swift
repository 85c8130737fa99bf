import VitrineMath
import VitrineVision

/// A plane with the evidence for it.
struct PlaneHypothesis: Equatable, Sendable {
    /// The current estimate: its frame follows all measurements.
    var plane: DetectedPlane
    /// The reported frame, which stays fixed; nil until the plane is reported.
    var reportedFrame: RigidTransform?
    /// The estimate's frame when it last moved noticeably, and the weighted number of searches that agreed with it since.
    var stableFrame: RigidTransform
    var stability = 0.0
    /// Consecutive searches that contradict the reported frame.
    var contradictions = 0
    /// The depth measurements of the plane.
    var grid = PlaneGrid()
    /// The number of searches that found the plane.
    var confirmations = 0
    /// Consecutive searches without support.
    var unsupportedSearches = 0
    /// Whether the reported plane has changed since the last report.
    var hasChanged = true
    /// The number of assigned points at the last search.
    var pointCount = 0
    /// Whether the current search brought any evidence, and whether enough to support the plane.
    var hasNewEvidence = false, isSupported = false
    /// Whether the plane is slanted.
    var isSlanted = false

    init(id: Int, alignment: ARPlaneAnchor.Alignment, worldFromPlane: RigidTransform) {
        plane = DetectedPlane(id: id, alignment: alignment, worldFromPlane: worldFromPlane)
        stableFrame = worldFromPlane
    }

    /// The same frame and depth under another id, without history.
    func renewed(id: Int) -> PlaneHypothesis {
        var new = PlaneHypothesis(id: id, alignment: plane.alignment, worldFromPlane: plane.worldFromPlane)
        new.grid = grid
        return new
    }

    /// Whether the plane was reported.
    var isReported: Bool { reportedFrame != nil }

    /// The plane in its reported frame. The frames differ along the normal and by a small rotation: positions in the plane agree to a millimetre
    /// or two.
    var reportedPlane: DetectedPlane {
        var result = plane
        if let reportedFrame { result.worldFromPlane = reportedFrame }
        return result
    }

    mutating func beginSearch() { (hasNewEvidence, isSupported) = (false, false) }

    mutating func endSearch() {
        if isSupported { confirmations += 1 }
        unsupportedSearches = isSupported ? 0 : unsupportedSearches + 1
    }

    /// A world point in the plane's frame.
    func local(_ point: Vector3d) -> Vector3d {
        let frame = plane.worldFromPlane
        let offset = point - frame.translation
        return Vector3d(dot(frame.rotation.x, offset), dot(frame.rotation.y, offset), dot(frame.rotation.z, offset))
    }

    /// Whether two planes overlap or are less than `gap` metres apart.
    func isNear(_ other: PlaneHypothesis, gap: Double) -> Bool {
        func reaches(_ a: PlaneHypothesis, _ b: PlaneHypothesis) -> Bool {
            b.plane.outline.contains { corner in
                let local = a.local(b.plane.worldFromPlane * Vector3d(corner.x, 0, corner.y))
                return Polygon.distance(a.plane.outline, Vector2d(local.x, local.z)) <= gap
            }
        }
        return reaches(self, other) || reaches(other, self)
    }
}

extension PlaneHypothesis {
    /// A frame for a plane: y is the normal; `DetectedPlane.worldFromPlane` defines the other axes.
    static func frame(normal: Vector3d, origin: Vector3d, alignment: ARPlaneAnchor.Alignment) -> RigidTransform {
        let y = normalize(normal)
        let reference = alignment == .horizontal ? Vector3d(1, 0, 0) : cross(Vector3d(0, 1, 0), y)
        let x = normalize(reference - y * dot(reference, y))
        return RigidTransform(rotation: Matrix3d(x, y, cross(x, y)), translation: origin)
    }

    /// The prior on the plane's slope from gravity, in the plane's frame.
    func prior(_ settings: PlaneDetector.Settings) -> HeightFit.Prior {
        let up = plane.worldFromPlane.rotation.transpose * Vector3d(0, 1, 0)
        switch plane.alignment {
        case .horizontal:
            return HeightFit.Prior(slope: Vector2d(-up.x, -up.z) / up.y, deviation: Vector2d(repeating: settings.tiltDeviation))
        case .vertical:
            // Free to rotate about gravity: z points down.
            return HeightFit.Prior(slope: Vector2d(0, up.y / up.z), deviation: Vector2d(0.5, settings.tiltDeviation))
        }
    }

    /// The heights of at most about six hundred cells. Errors of neighbouring cells are correlated: each has a standard deviation of 2 cm.
    var depthSamples: [HeightFit.Sample] {
        var samples: [HeightFit.Sample] = []
        for i in grid.weights.indices where grid.isOccupied(i) {
            let center = grid.center(of: i)
            let height = Double(grid.sums[i] / grid.weights[i])
            samples.append(HeightFit.Sample(x: center.x, z: center.y, height: height, weight: 1 / (0.02 * 0.02)))
        }
        guard samples.count > 600 else { return samples }
        return stride(from: 0, to: samples.count, by: (samples.count + 599) / 600).map { samples[$0] }
    }

    /// The plane's deviation from horizontal or vertical in radians.
    var tilt: Double {
        let y = plane.normal.y
        return plane.alignment == .horizontal ? acos(min(1, abs(y))) : .pi / 2 - acos(min(1, abs(y)))
    }

    /// Moves the frame to a fit: along its normal at its origin, and by the smallest rotation.
    mutating func correct(by fit: HeightFit) {
        let frame = plane.worldFromPlane
        let offset = fit.height(at: .zero)
        let normal = frame.rotation * normalize(Vector3d(-fit.slope.x, 1, -fit.slope.y))
        let x = normalize(frame.rotation.x - normal * dot(frame.rotation.x, normal))
        plane.worldFromPlane = RigidTransform(
            rotation: Matrix3d(x, normal, cross(x, normal)), translation: frame.translation + frame.rotation.y * offset)
        grid.subtract(offset: offset, slope: fit.slope)
    }

    /// The plane's motion since it had another frame: metres along the normal at its centre, and radians.
    func motion(since frame: RigidTransform) -> (distance: Double, angle: Double) {
        let distance = abs(dot(plane.normal, frame * plane.center - plane.worldFromPlane.translation))
        return (distance, acos(min(1, dot(plane.normal, frame.rotation.y))))
    }

    /// Counts how long an unreported plane is stable, with less weight for a search with little evidence.
    mutating func updateStability(_ fit: HeightFit, _ settings: PlaneDetector.Settings) {
        let motion = motion(since: stableFrame)
        if motion.distance > settings.stableDistance || motion.angle > settings.stableAngle {
            (stableFrame, stability) = (plane.worldFromPlane, 0)
        } else {
            stability += min(1, settings.stableAngle / 2 / fit.slopeDeviation.max())
        }
    }

    /// Corrects the reported frame once enough searches contradict it.
    mutating func correctReportedFrame(_ fit: HeightFit, _ settings: PlaneDetector.Settings) {
        guard let reportedFrame else { return }
        let motion = motion(since: reportedFrame)
        let isOff = motion.distance > settings.correctionDistance + 3 * fit.offsetDeviation
        let isTurned = motion.angle > settings.correctionAngle + 3 * fit.slopeDeviation.max()
        contradictions = isOff || isTurned ? contradictions + 1 : 0
        guard contradictions >= settings.correctionSearches else { return }
        (self.reportedFrame, contradictions, hasChanged) = (plane.worldFromPlane, 0, true)
    }

    /// Traces a new outline around the grid's cells and the points (x, z) of the plane.
    ///
    /// Closes gaps of 20 cm where depth covers the plane, of half a metre between points; outlines the largest component only.
    mutating func updateOutline(points: [Vector2d], maximumCorners: Int) {
        let before = (plane.outline, plane.rectangle, plane.center)
        var covered = grid
        for point in points { covered.add(point.x, point.y, height: 0, weight: 1) }
        let isDense = 2 * grid.area > covered.area
        let traced = covered.outline(bridging: isDense ? 0.2 : 0.5)
        // Removes the staircase of the cells, and small notches between points.
        plane.outline = Outline.simplified(traced, limit: maximumCorners, smallest: isDense ? 0.003 : 0.01)
        let previous = plane.rectangle.width > 0 ? plane.rectangle : nil
        let fitted = Outline.rectangle(plane.outline, previous: previous)
        plane.rectangle = fitted.rectangle
        plane.center = Vector3d(fitted.center.x, 0, fitted.center.y)
        if before != (plane.outline, plane.rectangle, plane.center) { hasChanged = true }
    }

    /// Adds the depth of another plane.
    mutating func absorbDepth(of other: PlaneHypothesis) {
        for k in other.grid.weights.indices where other.grid.weights[k] > 0 {
            let center = other.grid.center(of: k)
            let height = Double(other.grid.sums[k] / other.grid.weights[k])
            let local = local(other.plane.worldFromPlane * Vector3d(center.x, height, center.y))
            grid.add(local.x, local.z, height: local.y, weight: other.grid.weights[k])
        }
        confirmations = max(confirmations, other.confirmations)
    }
}
