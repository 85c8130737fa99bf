import VitrineMath
import VitrineVision

/// The plane that the object stands on, found in dense points: a plain table has too few features for sparse ones, but a surface.
///
/// The plane is a table only if it continues beyond the object's box in most directions: the top of a base ends within it.
struct DenseSupportPlane: Equatable, Sendable {
    /// Normal up, in the points' frame.
    let plane: Plane3<Double>
    /// The box around the object, upright on the plane.
    let box: OrientedBox

    /// The largest angle between the plane's normal and the box's up direction: the error of an up direction by the roll of cameras.
    private static let largestTilt = 12 * Double.pi / 180
    /// The noise of dense points of a plain surface, relative to the cameras' distance.
    private static let relativeThickness = 0.008
    /// More points only take time.
    private static let mostPoints = 40_000
    private static let sectors = 24
    /// The plane must continue beyond the box in this number of sectors, and on this number of the box's sides.
    private static let (leastSectors, leastSides) = (8, 3)
    /// The factor of the box's size from which points are beyond it.
    private static let beyond = 1.03
    /// The smallest fraction of the points that is clearly above the plane: a coin or a sheet keeps its table.
    private static let leastAbove = 0.05

    /// - Parameters:
    ///   - points: Points within a box that is larger than the object's by a tenth or more.
    ///   - box: The object's box, whose y axis is up.
    ///   - eyes: The positions of the cameras.
    /// - Returns: nil if no plane is distinct, or it does not continue beyond the box.
    init?(in points: OrientedPoints, box: OrientedBox, eyes: [Vector3d]) {
        let step = max(1, points.count / Self.mostPoints)
        let sample = stride(from: 0, to: points.count, by: step).map { Vector3d(points.positions[$0]) }.filter(\.isFinite)
        guard sample.count >= 1000, !eyes.isEmpty else { return nil }
        let reach = quantile(eyes.map { distance($0, box.center) }, 0.5)
        var finder = SupportPlaneFinder(
            up: box.axes.y, largestTilt: Self.largestTilt, focus: FocusFinder.Result(point: box.center, distance: reach), eyes: eyes)
        finder.relativeThickness = Self.relativeThickness
        guard reach > 0, let found = finder.find(sample), let standing = Self.box(box, on: found.plane) else { return nil }
        let above = sample.count { found.plane.signedDistance(to: $0) > 3 * found.thickness && standing.contains($0) }
        guard Double(above) > Self.leastAbove * Double(sample.count) else { return nil }
        let sheet = sample.filter { abs(found.plane.signedDistance(to: $0)) < found.thickness }
        guard Self.continues(sheet, beyond: standing) else { return nil }
        (plane, self.box) = (found.plane, standing)
    }

    /// The noise of the points of a table, relative to the longest side of the object's box.
    static let relativeNoise = 0.012
    static func noise(in box: OrientedBox) -> Double { relativeNoise * box.longestSide }

    /// Rotates the points' frame so that the plane is level; front and sides keep their directions.
    var levelFromPoints: Matrix3d {
        let front = Vector3d(0, 0, 1)
        let z = normalize(front - plane.normal * dot(front, plane.normal))
        return Matrix3d(rows: cross(plane.normal, z), plane.normal, z)
    }

    /// A box of the same sides, upright on a plane; nil if the plane is above it.
    private static func box(_ box: OrientedBox, on plane: Plane3<Double>) -> OrientedBox? {
        let z = normalize(box.axes.z - plane.normal * dot(box.axes.z, plane.normal))
        let axes = Matrix3d(cross(plane.normal, z), plane.normal, z)
        let top = box.corners.map { plane.signedDistance(to: $0) }.max() ?? 0
        guard top > 0 else { return nil }
        let center = box.center + plane.normal * (top / 2 - plane.signedDistance(to: box.center))
        return OrientedBox(center: center, axes: axes, halfExtents: Vector3d(box.halfExtents.x, top / 2, box.halfExtents.z))
    }

    /// Whether points of the plane lie outside of the box on most sides.
    private static func continues(_ points: [Vector3d], beyond box: OrientedBox) -> Bool {
        var counts = [Int](repeating: 0, count: sectors)
        var sides = [Int](repeating: 0, count: 4)
        for point in points {
            let own = box.boxFromWorld * point
            let (x, z) = (own.x / box.halfExtents.x, own.z / box.halfExtents.z)
            guard max(abs(x), abs(z)) > Self.beyond else { continue }
            counts[Int((VitrineMath.atan2(own.z, own.x) / (2 * .pi) + 1) * Double(sectors)) % sectors] += 1
            sides[abs(x) > abs(z) ? (x > 0 ? 0 : 1) : (z > 0 ? 2 : 3)] += 1
        }
        return counts.count { $0 >= 3 } >= leastSectors && sides.count { $0 >= 10 } >= leastSides
    }
}
