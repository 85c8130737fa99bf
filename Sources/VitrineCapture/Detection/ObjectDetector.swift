import VitrineAR
import VitrineMath
import VitrineVision

/// Detects the object in front of the camera: a box on its support plane.
///
/// The support plane is a detected horizontal plane, or the plane that most landmarks below the camera agree on. Landmarks above it form
/// clusters in a grid on the plane; the cluster nearest to the centre of the image is the object. The box is the smallest rectangle around it
/// that stands on the plane.
struct ObjectDetector: Sendable {
    typealias Landmark = LandmarkStore.Landmark

    /// Degrees from the centre of the image within which the object's centre lies.
    private static let cone = 18.0
    /// The distance of a support plane's landmarks, and the camera's height above the plane, relative to the distance of the object's nearest
    /// landmarks.
    private static let reach = 1.8
    private static let largestHeight = 1.5
    /// The limits during a capture: the relative standard deviation of landmarks that count, and the fewest landmarks in the box of a
    /// cluster that belongs to the object.
    private static let largestDeviation = 0.03
    private static let fewestInside = 4
    /// The same deviation for landmarks that show whether there is an object.
    private static let largestUncertainty = 0.05
    /// Seconds of landmarks that fit together.
    private static let memory = 3.0
    /// The distance up to which landmarks show the support plane, relative to the box's longest side.
    private static let surroundings = 2.0
    /// The height above the plane from which landmarks belong to an object, relative to the distance.
    private static let clearance = 0.012
    /// The largest object, relative to the distance.
    private static let largest = 1.6
    /// The largest angle between a box and the plane under it without a correction, radians.
    private static let largestLean = 2.0 * Double.pi / 180
    /// The largest growth of an edge of the box during a capture.
    private static let largestGrowth = 2.5

    /// The landmarks of a detection that are accurate enough, and the fewest of an object. The most accurate ones decide if they are enough: errors of
    /// the others would make the box too large.
    private struct Accuracy {
        /// Relative to the distance.
        let largestDeviation: Double
        let fewest: Int
        /// The size of grid cells relative to the distance: fewer landmarks are farther apart.
        let cell: Double

        /// The strictest first.
        static let levels = [
            Accuracy(largestDeviation: 0.01, fewest: 40, cell: 0.03), Accuracy(largestDeviation: 0.02, fewest: 25, cell: 0.04),
            Accuracy(largestDeviation: 0.05, fewest: 12, cell: 0.05),
        ]

        func filter(_ landmarks: [Landmark]) -> [Landmark] { landmarks.filter { $0.relativeDeviation <= largestDeviation } }
    }

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
    func detect(_ landmarks: [Landmark], planes: [Support], camera: PosedCamera) -> OrientedBox? {
        let view = CameraView(camera)
        // The tracker's scale changes most in the first seconds: landmarks of different times do not fit together.
        let newest = landmarks.map(\.time).max() ?? 0
        let recent = landmarks.filter { $0.time > newest - Self.memory }
        for accuracy in Accuracy.levels {
            for set in recent.count < landmarks.count ? [recent, landmarks] : [landmarks] {
                if let box = detect(accuracy.filter(set), planes, view, accuracy) { return box }
            }
        }
        return nil
    }

    private func detect(_ landmarks: [Landmark], _ planes: [Support], _ view: CameraView, _ accuracy: Accuracy) -> OrientedBox? {
        guard landmarks.count >= accuracy.fewest else { return nil }
        // The floor and the walls beyond the table have most of the landmarks, but support nothing in front of the camera.
        let focus = focusDistance(landmarks, view)
        let reach = focus.map { Self.reach * $0 } ?? .infinity
        let highest = focus.map { Self.largestHeight * $0 } ?? .infinity
        var candidates = planes.filter { 0.05 < $0.plane.signedDistance(to: view.eye) && $0.plane.signedDistance(to: view.eye) < highest }
        let near = landmarks.filter { length($0.position - view.eye) < reach }
        if let fitted = SupportPlaneSearch(isGravityKnown: isGravityKnown).plane(of: near, view) {
            candidates.append(Support(plane: fitted, outline: nil))
        }
        var best: (score: Double, box: OrientedBox)?
        for support in candidates {
            guard let (score, box) = object(on: support, landmarks, view, accuracy), score > best?.score ?? 0 else { continue }
            best = (score, box)
        }
        return best?.box
    }

    /// The distance of the nearest landmarks in the middle of the image: the object's; nil if there are few.
    private func focusDistance(_ landmarks: [Landmark], _ view: CameraView) -> Double? {
        let middle = landmarks.filter { view.angle(to: $0.position) < Self.cone * .pi / 180 }
        return middle.count >= 8 ? quantile(middle.map { length($0.position - view.eye) }, 0.3) : nil
    }

    /// Estimates a box again, from all landmarks so far: other sides of the object come into view after its detection, and landmarks become more
    /// accurate.
    ///
    /// The object's landmarks are those that are connected with landmarks inside the box. The base follows the landmarks around them.
    ///
    /// - Parameters:
    ///   - start: The box at the start of the capture: no edge grows by more than `largestGrowth` times.
    /// - Returns: A box with the same axes; the same box if too few landmarks are accurate.
    func refined(_ box: OrientedBox, from start: OrientedBox, by landmarks: [Landmark]) -> OrientedBox {
        // In the box's frame.
        let local = landmarks.filter { $0.relativeDeviation < Self.largestDeviation }.map { landmark in
            var moved = landmark
            (moved.position, moved.spread) = (box.boxFromWorld * landmark.position, box.boxFromWorld.rotation * landmark.spread)
            return moved
        }
        guard let bounds = objectBounds(local, box, start) else { return box }
        let center = box.boxFromWorld.inverse * ((bounds.low + bounds.high) / 2)
        return OrientedBox(center: center, axes: box.axes, halfExtents: (bounds.high - bounds.low) / 2)
    }

    /// The motion that puts a leaning box upright on the plane under it; nil if gravity is known, the plane is unknown, or the box is upright.
    func uprightFromLeaning(_ box: OrientedBox, by landmarks: [Landmark]) -> SimilarityTransform? {
        let accurate = landmarks.filter { $0.relativeDeviation < Self.largestDeviation }
        guard let plane = SupportPlaneSearch(isGravityKnown: isGravityKnown).plane(under: box, accurate) else { return nil }
        let up = box.axes.y
        let axis = cross(up, plane.normal)
        let angle = VitrineMath.atan2(length(axis), dot(up, plane.normal))
        guard angle > Self.largestLean else { return nil }
        let rotation = Matrix3d.rotation(normalize(axis) * angle)
        let base = box.center - up * box.halfExtents.y
        return SimilarityTransform(scale: 1, rotation: rotation, translation: plane.projection(of: base) - rotation * base)
    }

    /// Whether recent landmarks show an object in a box: without them, the tracker's world has moved since the box was detected.
    func confirms(_ box: OrientedBox, by landmarks: [Landmark]) -> Bool {
        let newest = landmarks.map(\.time).max() ?? 0
        let margin = 0.1 * box.longestSide
        let inside = landmarks.count { landmark in
            guard landmark.time > newest - Self.memory, landmark.relativeDeviation <= Self.largestUncertainty else { return false }
            let local = box.boxFromWorld * landmark.position
            return local.y > 0.1 * box.size.y - box.halfExtents.y
                && all(pointwiseMax(local, -local) .<= box.halfExtents + SIMD3(repeating: margin))
        }
        return inside >= Self.fewestInside
    }

    /// The bounds of the object in the box's frame, in which the landmarks are; nil if it has too few landmarks.
    private func objectBounds(_ landmarks: [Landmark], _ box: OrientedBox, _ start: OrientedBox) -> (low: Vector3d, high: Vector3d)? {
        let cell = max(0.008, 0.08 * start.longestSide)
        let clearance = max(0.004, 0.04 * start.size.y)
        let support = SupportHeights(landmarks, box, start, farthest: Self.surroundings)
        let base = support.newest ?? -box.halfExtents.y
        // The first box may contain the front only: its width limits the depth too.
        let (reach, width) = (start.boxFromWorld * box.center, max(start.halfExtents.x, start.halfExtents.z))
        let limit = Vector3d(width, 2 * start.halfExtents.y, width) * Self.largestGrowth
        var (above, onPlane): ([Landmark], [Vector2d]) = ([], [])
        for var landmark in landmarks {
            // Heights above the plane as it was at the same time.
            landmark.position.y += base - (support.height(at: landmark.time) ?? base)
            let inStart = landmark.position + reach
            guard all(pointwiseMax(inStart, -inStart) .<= limit) else { continue }
            let height = landmark.position.y - base
            if height - abs(landmark.spread.y) > clearance { above.append(landmark) }
            if abs(height) < clearance { onPlane.append(Vector2d(landmark.position.x, landmark.position.z)) }
        }
        let flat = above.map { (Vector2d($0.position.x, $0.position.z), $0.relativeDeviation == 0) }
        let occupied = Occupancy(onPlane: onPlane, above: flat, cell: cell)
        above = above.indices.filter { occupied.isObject($0) }.map { above[$0] }
        let inside = box.halfExtents + SIMD3(repeating: cell / 2)
        let members = GridClusters(above.map { Vector2d($0.position.x, $0.position.z) }, cell: cell).clusters.filter { members in
            members.count { all(pointwiseMax(above[$0].position, -above[$0].position) .<= inside) } >= Self.fewestInside
        }.flatMap { $0 }
        guard members.count >= Accuracy.levels[Accuracy.levels.count - 1].fewest else { return nil }
        // Landmarks lie inside of the outline.
        let margin = 0.5 * cell
        var (low, high) = (Vector3d.zero, Vector3d.zero)
        for axis in 0..<3 {
            let extent = Extent(members.map { (above[$0].position[axis], abs(above[$0].spread[axis])) })
            (low[axis], high[axis]) = (extent.low - margin, extent.high + margin)
        }
        low.y = base
        return all((high - low) .> SIMD3(repeating: 0)) ? (low, high) : nil
    }

    /// The object on a plane, with a score: the number of its landmarks, less for objects away from the image's centre.
    private func object(
        on support: Support, _ landmarks: [Landmark], _ view: CameraView, _ accuracy: Accuracy
    ) -> (score: Double, box: OrientedBox)? {
        let plane = support.plane
        // The distance to the plane along the view, or to the points for a level view.
        let slope = -dot(plane.normal, view.forward)
        let height = plane.signedDistance(to: view.eye)
        let middle = landmarks.filter { view.angle(to: $0.position) < Self.cone * .pi / 180 }
        let near = quantile(middle.map { length($0.position - view.eye) }, 0.5)
        let toPlane = slope > 0.05 ? height / slope : .infinity
        let distance = min(toPlane, near > 0 ? 1.5 * near : toPlane)
        guard distance.isFinite, distance > 0.05, distance < 20 else { return nil }
        let axes = PlaneAxes(plane, view)
        let outline = support.outline.map { $0.map { axes.coordinates(of: $0) } }
        let clearance = max(0.004, Self.clearance * distance)
        var above: [(flat: Vector2d, spread: Vector2d, height: Double, point: Landmark)] = []
        var onPlane: [Vector2d] = []
        for landmark in landmarks {
            let point = landmark.position
            let height = plane.signedDistance(to: point)
            if abs(height) < clearance { onPlane.append(axes.coordinates(of: point)) }
            // Landmarks of the plane itself are as uncertain as the object's.
            guard height - abs(dot(plane.normal, landmark.spread)) > clearance, height < Self.largest * distance,
                length(point - view.eye) < 2.5 * distance
            else { continue }
            let flat = axes.coordinates(of: point)
            if let outline, !Self.contains(outline, flat, margin: 0.06 * distance) { continue }
            above.append((flat, axes.components(of: landmark.spread), height, landmark))
        }
        let cell = max(0.008, accuracy.cell * distance)
        let occupied = Occupancy(onPlane: onPlane, above: above.map { ($0.flat, $0.point.relativeDeviation == 0) }, cell: cell)
        above = above.indices.filter { occupied.isObject($0) }.map { above[$0] }
        guard above.count >= accuracy.fewest else { return nil }
        var best: (score: Double, members: [Int])?
        for members in GridClusters(above.map(\.flat), cell: cell).clusters where members.count >= accuracy.fewest {
            let center = members.reduce(Vector3d.zero) { $0 + above[$1].point.position } / Double(members.count)
            let angle = view.angle(to: center) * 180 / .pi
            guard angle < Self.cone else { continue }
            let score = Double(members.count).squareRoot() * exp(-(angle / 8) * (angle / 8))
            if score > best?.score ?? 0 { best = (score, members) }
        }
        guard let best else { return nil }
        let rectangle = SmallestRectangle(best.members.map { (above[$0].flat, above[$0].spread) })
        let top = Extent(best.members.map { (above[$0].height, abs(dot(plane.normal, above[$0].point.spread))) }).high
        guard top > 0, max(rectangle.size.x, rectangle.size.y) < Self.largest * distance else { return nil }
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

/// The height of the support plane around a box, in the box's frame, over time: a tracker's world drifts, and its scale changes.
private struct SupportHeights {
    /// The height by the newest landmarks; nil if there are few.
    let newest: Double?
    /// Medians by whole seconds.
    private var medians: [Int: Double] = [:]

    private static let fewest = 8
    private static let newestCount = 40

    init(_ landmarks: [LandmarkStore.Landmark], _ box: OrientedBox, _ start: OrientedBox, farthest: Double) {
        let base = -box.halfExtents.y
        // Outside of a circle around the box at its widest: parts of a wide object may not belong to the box yet.
        let half = pointwiseMax(box.halfExtents, start.halfExtents)
        let nearest = 1.1 * 2.0.squareRoot() * max(half.x, half.z)
        let farthest = max(2 * nearest, farthest * start.longestSide)
        let tolerance = max(0.015, 0.2 * start.size.y)
        let around = landmarks.filter { landmark in
            let away = length(Vector2d(landmark.position.x, landmark.position.z))
            return away > nearest && away < farthest && abs(landmark.position.y - base) < tolerance
        }
        let heights = around.sorted { $0.time < $1.time }.map(\.position.y)
        newest = heights.count >= 12 ? quantile(Array(heights.suffix(Self.newestCount)), 0.5) : nil
        var bySecond: [Int: [Double]] = [:]
        for landmark in around { bySecond[Int(landmark.time), default: []].append(landmark.position.y) }
        for (second, own) in bySecond {
            let all = own + (bySecond[second - 1] ?? []) + (bySecond[second + 1] ?? [])
            if all.count >= Self.fewest { medians[second] = quantile(all, 0.5) }
        }
    }

    /// nil if few landmarks show the plane at this time.
    func height(at time: Double) -> Double? { medians[Int(time)] }
}

/// Selects the landmarks above a plane that belong to an object: those where most landmarks are above it, not on it, and where landmarks
/// are dense. The others are errors of landmarks on the plane, of wrong matches, and of features where the object hides the room.
private struct Occupancy {
    private let isMember: [Bool]
    /// Relative to the median of the landmarks above the plane.
    private static let leastDensity = 0.3

    func isObject(_ index: Int) -> Bool { isMember[index] }

    /// Decides which landmarks above the plane belong to an object.
    ///
    /// - Parameters:
    ///   - above: The landmarks above the plane, and whether each is exact, as points of depth images are: these may be sparse.
    ///   - cell: Landmarks up to one cell away count.
    init(onPlane: [Vector2d], above: [(position: Vector2d, isExact: Bool)], cell: Double) {
        func key(_ point: Vector2d) -> SIMD2<Int32> {
            SIMD2(Int32((point.x / cell).rounded(.down)), Int32((point.y / cell).rounded(.down)))
        }
        var counts: [SIMD2<Int32>: (onPlane: Int, above: Int)] = [:]
        for point in onPlane { counts[key(point), default: (0, 0)].onPlane += 1 }
        for point in above { counts[key(point.position), default: (0, 0)].above += 1 }
        let neighbourhoods = above.map { point in
            var near = (onPlane: 0, above: 0)
            let center = key(point.position)
            for dy in Int32(-1)...1 {
                for dx in Int32(-1)...1 {
                    guard let count = counts[center &+ SIMD2(dx, dy)] else { continue }
                    near.onPlane += count.onPlane
                    near.above += count.above
                }
            }
            return near
        }
        let density = Self.leastDensity * quantile(neighbourhoods.map { Double($0.above) }, 0.5)
        isMember = zip(neighbourhoods, above).map { near, point in
            near.above > near.onPlane && (point.isExact || Double(near.above) >= density)
        }
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

    func coordinates(of point: Vector3d) -> Vector2d { components(of: point - origin) }
    func components(of vector: Vector3d) -> Vector2d { Vector2d(dot(vector, u), dot(vector, v)) }
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

/// The range of values along an axis, without outliers.
///
/// A value extends the range only as far as it certainly reaches: less its standard deviation. The extremes of many uncertain values lie outside of
/// the object.
private struct Extent {
    let low, high: Double

    /// Computes the range of values.
    ///
    /// - Parameter values: The values with their standard deviations; at least one.
    init(_ values: [(value: Double, deviation: Double)]) {
        let lows = values.map { $0.value + $0.deviation }.sorted()
        let highs = values.map { $0.value - $0.deviation }.sorted()
        let uncertain = values.count { $0.deviation > 0 }
        let skipped = values.count / 200 + uncertain / 40
        (low, high) = (lows[skipped], highs[values.count - 1 - skipped])
    }
}

/// The rectangle of the smallest area around points in a plane, without outliers.
private struct SmallestRectangle {
    /// The unit direction of the first side.
    var axis = Vector2d(1, 0)
    var center = Vector2d.zero
    var size = Vector2d.zero

    /// Computes the smallest rectangle around points.
    ///
    /// - Parameter points: The points with their standard deviations as vectors; at least one.
    init(_ points: [(position: Vector2d, spread: Vector2d)]) {
        var smallest = Double.infinity
        for degrees in stride(from: 0.0, to: 90, by: 3) {
            let angle = degrees * .pi / 180
            let axis = Vector2d(VitrineMath.cos(angle), VitrineMath.sin(angle))
            let across = Vector2d(-axis.y, axis.x)
            let x = Extent(points.map { (dot($0.position, axis), abs(dot($0.spread, axis))) })
            let y = Extent(points.map { (dot($0.position, across), abs(dot($0.spread, across))) })
            let size = Vector2d(max(0, x.high - x.low), max(0, y.high - y.low))
            guard size.x * size.y < smallest else { continue }
            smallest = size.x * size.y
            self.axis = axis
            self.size = size
            center = axis * ((x.low + x.high) / 2) + across * ((y.low + y.high) / 2)
        }
    }
}
