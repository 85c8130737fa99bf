import VitrineAR
import VitrineMath
import VitrineVision

/// Detects the object in front of the camera: a box on its support plane.
///
/// The support plane is a detected horizontal plane, or the plane that most landmarks below the camera agree on. Landmarks above it form
/// clusters in a grid on the plane; the cluster nearest to the centre of the image is the object. The box is the smallest rectangle around it
/// that stands on the plane.
struct ObjectDetector: Sendable {
    /// Degrees from the centre of the image within which the object's centre lies.
    private static let cone = 18.0
    /// The fewest landmarks of an object.
    private static let minimumPoints = 12
    /// The height above the plane from which landmarks belong to an object, and the size of grid cells, relative to the distance.
    private static let clearance = 0.012
    private static let cellShare = 0.03
    /// The largest object, relative to the distance.
    private static let largest = 1.6
    /// How much an edge of the box may grow during a capture.
    private static let largestGrowth = 2.5

    /// A plane that an object can stand on.
    struct Support: Sendable {
        var plane: Plane3<Double>
        /// Corners in the world; nil if unknown.
        var outline: [Vector3d]?
    }

    /// Whether the world's +Y is against gravity.
    var isGravityKnown = true

    /// Detects the box.
    ///
    /// - Returns: nil if no object is in front of the camera.
    func detect(_ points: [Vector3d], planes: [Support], camera: PosedCamera) -> OrientedBox? {
        let view = CameraView(camera)
        var candidates = planes.filter { $0.plane.signedDistance(to: view.eye) > 0.05 }
        if let fitted = SupportPlaneSearch(isGravityKnown: isGravityKnown).plane(of: points, view) {
            candidates.append(Support(plane: fitted, outline: nil))
        }
        var best: (score: Double, box: OrientedBox)?
        for support in candidates {
            guard let (score, box) = object(on: support, points, view), score > best?.score ?? 0 else { continue }
            best = (score, box)
        }
        return best?.box
    }

    /// Extends a box to the object's landmarks that came into view since it was detected: those connected with landmarks inside.
    ///
    /// - Parameters:
    ///   - start: The box at the start of the capture: no edge grows by more than `largestGrowth` times.
    /// - Returns: A box with the same axes and base.
    func extended(_ box: OrientedBox, from start: OrientedBox, to points: [Vector3d]) -> OrientedBox {
        let limit = start.halfExtents * Self.largestGrowth
        let reach = start.boxFromWorld * box.center
        let base = -box.halfExtents.y
        let cell = max(0.008, 0.06 * start.longestSide)
        let clearance = max(0.004, 0.04 * start.size.y)
        // In the box's frame, without the support plane.
        let above = points.map { box.boxFromWorld * $0 }.filter { point in
            let inStart = point + reach
            return point.y > base + clearance && all(pointwiseMax(inStart, -inStart) .<= limit * SIMD3(1, 2, 1))
        }
        let inside = GridClusters(above.map { Vector2d($0.x, $0.z) }, cell: cell).clusters.max { a, b in
            func count(_ members: [Int]) -> Int { members.count { all(pointwiseMax(above[$0], -above[$0]) .<= box.halfExtents) } }
            return count(a) < count(b)
        }
        guard let members = inside, members.count >= Self.minimumPoints else { return box }
        var (low, high) = (-box.halfExtents, box.halfExtents)
        for axis in 0..<3 {
            let values = members.map { above[$0][axis] }.sorted()
            let skipped = values.count / 200
            low[axis] = min(low[axis], values[skipped] - 0.2 * cell)
            high[axis] = max(high[axis], values[values.count - 1 - skipped] + 0.2 * cell)
        }
        low.y = base
        return OrientedBox(
            center: box.boxFromWorld.inverse * ((low + high) / 2), axes: box.axes, halfExtents: (high - low) / 2)
    }

    /// The object on a plane, with a score: the number of its landmarks, less for objects away from the image's centre.
    private func object(on support: Support, _ points: [Vector3d], _ view: CameraView) -> (score: Double, box: OrientedBox)? {
        let plane = support.plane
        // The distance to the plane along the view, or to the points for a level view.
        let slope = -dot(plane.normal, view.forward)
        let height = plane.signedDistance(to: view.eye)
        let near = quantile(points.filter { view.angle(to: $0) < Self.cone * .pi / 180 }.map { length($0 - view.eye) }, 0.5)
        let toPlane = slope > 0.05 ? height / slope : .infinity
        let distance = min(toPlane, near > 0 ? 1.5 * near : toPlane)
        guard distance.isFinite, distance > 0.05, distance < 20 else { return nil }
        let axes = PlaneAxes(plane, view)
        let outline = support.outline.map { $0.map { axes.coordinates(of: $0) } }
        let clearance = max(0.004, Self.clearance * distance)
        var above: [(flat: Vector2d, height: Double, point: Vector3d)] = []
        for point in points {
            let height = plane.signedDistance(to: point)
            guard height > clearance, height < Self.largest * distance, length(point - view.eye) < 2.5 * distance else { continue }
            let flat = axes.coordinates(of: point)
            if let outline, !Self.contains(outline, flat, margin: 0.06 * distance) { continue }
            above.append((flat, height, point))
        }
        guard above.count >= Self.minimumPoints else { return nil }
        let cell = max(0.008, Self.cellShare * distance)
        var best: (score: Double, members: [Int])?
        for members in GridClusters(above.map(\.flat), cell: cell).clusters where members.count >= Self.minimumPoints {
            let center = members.reduce(Vector3d.zero) { $0 + above[$1].point } / Double(members.count)
            let angle = view.angle(to: center) * 180 / .pi
            guard angle < Self.cone else { continue }
            let score = Double(members.count).squareRoot() * exp(-(angle / 8) * (angle / 8))
            if score > best?.score ?? 0 { best = (score, members) }
        }
        guard let best else { return nil }
        let tops = best.members.map { above[$0].height }
        let rectangle = SmallestRectangle(best.members.map { above[$0].flat })
        let top = tops.count > 100 ? quantile(tops, 0.995) : tops.max() ?? 0
        guard max(rectangle.size.x, rectangle.size.y) < Self.largest * distance else { return nil }
        // Landmarks lie inside of the outline: a margin of a cell.
        let margin = 0.4 * cell
        let up = plane.normal
        let (u, v) = (axes.direction(rectangle.axis), axes.direction(Vector2d(-rectangle.axis.y, rectangle.axis.x)))
        let center = axes.point(rectangle.center) + up * ((top + margin) / 2)
        let half = Vector3d(rectangle.size.x / 2 + margin, (top + margin) / 2, rectangle.size.y / 2 + margin)
        return (best.score, Self.box(center: center, up: up, u, v, half, facing: view.eye))
    }

    /// The box with its +Z side towards a point.
    static func box(
        center: Vector3d, up: Vector3d, _ u: Vector3d, _ v: Vector3d, _ half: Vector3d, facing eye: Vector3d
    ) -> OrientedBox {
        // Four ways to name the level axes; the one whose z is nearest to the camera.
        let sides: [(axis: Vector3d, depth: Double, width: Double)] = [
            (u, half.x, half.z), (v, half.z, half.x), (-u, half.x, half.z), (-v, half.z, half.x),
        ]
        var front = sides[0]
        for side in sides where dot(side.axis, eye - center) > dot(front.axis, eye - center) { front = side }
        let z = front.axis
        return OrientedBox(center: center, axes: Matrix3d(cross(up, z), up, z), halfExtents: Vector3d(front.width, half.y, front.depth))
    }

    /// Whether a point lies in a convex or concave outline, or within a margin of its corners' bounds.
    private static func contains(_ outline: [Vector2d], _ point: Vector2d, margin: Double) -> Bool {
        guard outline.count >= 3 else { return true }
        var isInside = false
        var nearest = Double.infinity
        var previous = outline[outline.count - 1]
        for corner in outline {
            if (corner.y > point.y) != (previous.y > point.y),
                point.x < (previous.x - corner.x) * (point.y - corner.y) / (previous.y - corner.y) + corner.x
            {
                isInside.toggle()
            }
            let edge = corner - previous
            let squared = lengthSquared(edge)
            let share = squared > 0 ? clamp(dot(point - previous, edge) / squared, 0, 1) : 0
            nearest = min(nearest, length(point - (previous + edge * share)))
            previous = corner
        }
        return isInside || nearest < margin
    }
}

/// The position and direction of a camera in the world.
struct CameraView: Sendable {
    let eye: Vector3d
    /// A unit vector.
    let forward: Vector3d

    init(_ camera: PosedCamera) {
        eye = camera.centerInWorld
        forward = camera.cameraFromWorld.rotation.transpose * Vector3d(0, 0, 1)
    }

    /// The angle between the view and a point in radians.
    func angle(to point: Vector3d) -> Double {
        let to = point - eye
        return VitrineMath.atan2(length(cross(forward, to)), dot(forward, to))
    }
}

/// Coordinates in a plane.
private struct PlaneAxes {
    private let origin: Vector3d
    private let u, v: Vector3d

    /// The origin is below the camera.
    init(_ plane: Plane3<Double>, _ view: CameraView) {
        origin = plane.projection(of: view.eye)
        let ahead = view.forward - plane.normal * dot(plane.normal, view.forward)
        let other = abs(plane.normal.x) < 0.7 ? Vector3d(1, 0, 0) : Vector3d(0, 0, 1)
        u = normalize(length(ahead) > 0.05 ? ahead : other - plane.normal * dot(plane.normal, other))
        v = cross(plane.normal, u)
    }

    func coordinates(of point: Vector3d) -> Vector2d { Vector2d(dot(point - origin, u), dot(point - origin, v)) }
    func direction(_ flat: Vector2d) -> Vector3d { u * flat.x + v * flat.y }
    func point(_ flat: Vector2d) -> Vector3d { origin + direction(flat) }
}

/// Groups points by a grid: cells at most two apart belong together.
private struct GridClusters {
    /// Indices of points; each cluster in increasing order, the clusters by their first point.
    let clusters: [[Int]]

    init(_ points: [Vector2d], cell: Double) {
        func key(_ point: Vector2d) -> SIMD2<Int32> {
            SIMD2(Int32((point.x / cell).rounded(.down)), Int32((point.y / cell).rounded(.down)))
        }
        var members: [SIMD2<Int32>: [Int]] = [:]
        for (index, point) in points.enumerated() { members[key(point), default: []].append(index) }
        var visited = Set<SIMD2<Int32>>()
        var clusters: [[Int]] = []
        for point in points {
            let start = key(point)
            guard visited.insert(start).inserted else { continue }
            var (queue, cluster) = ([start], [Int]())
            while let cell = queue.popLast() {
                cluster += members[cell] ?? []
                for dy in Int32(-2)...2 {
                    for dx in Int32(-2)...2 {
                        let next = cell &+ SIMD2(dx, dy)
                        if members[next] != nil, visited.insert(next).inserted { queue.append(next) }
                    }
                }
            }
            clusters.append(cluster.sorted())
        }
        self.clusters = clusters
    }
}

/// The rectangle of the smallest area around points in a plane, without the outermost hundredth of many points.
private struct SmallestRectangle {
    /// The unit direction of the first side.
    var axis = Vector2d(1, 0)
    var center = Vector2d.zero
    var size = Vector2d.zero

    init(_ points: [Vector2d]) {
        let cut = points.count > 100 ? 0.005 : 0
        var smallest = Double.infinity
        for degrees in stride(from: 0.0, to: 90, by: 3) {
            let angle = degrees * .pi / 180
            let axis = Vector2d(VitrineMath.cos(angle), VitrineMath.sin(angle))
            let xs = points.map { dot($0, axis) }.sorted()
            let ys = points.map { $0.y * axis.x - $0.x * axis.y }.sorted()
            func bounds(_ sorted: [Double]) -> (Double, Double) {
                let skipped = Int(Double(sorted.count) * cut)
                return (sorted[skipped], sorted[sorted.count - 1 - skipped])
            }
            let (x, y) = (bounds(xs), bounds(ys))
            let size = Vector2d(x.1 - x.0, y.1 - y.0)
            guard size.x * size.y < smallest else { continue }
            smallest = size.x * size.y
            let middle = Vector2d(x.0 + x.1, y.0 + y.1) / 2
            self.axis = axis
            self.size = size
            center = axis * middle.x + Vector2d(-axis.y, axis.x) * middle.y
        }
    }
}
