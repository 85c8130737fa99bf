import VitrineAR
import VitrineMath
import VitrineScene

/// Invisible pieces of the room's planes that catch the shadows of what stands on them.
///
/// Of a plane only the part around the things counts, as far as their shadows reach: the rest costs time and shows nothing. One piece a plane:
/// where two overlapped, a shadow would be caught twice.
struct ShadowFloors {
    /// Something that throws a shadow.
    struct Ground {
        /// In the world.
        let bounds: BoundingBox
        /// World from a surface that it stands on, along x and z; nil: only on planes that are found.
        let own: Matrix4?
    }

    /// One floor's shape in its own x and z.
    struct Piece: Equatable {
        let worldFromFloor: Matrix4
        let outline: [Vector2]

        /// Around the outline.
        var area: Rectangle {
            let low = outline.reduce(Vector2(repeating: .infinity)) { pointwiseMin($0, $1) }
            let high = outline.reduce(Vector2(repeating: -.infinity)) { pointwiseMax($0, $1) }
            return Rectangle(origin: low, size: high - low)
        }
    }

    /// How far over or under a plane a thing may begin to stand on it, metres.
    private static let reach: Float = 0.05
    private var asked: [Piece] = []
    private(set) var pieces: [Piece] = []
    /// One a piece: what catches its shadows.
    private(set) var nodes: [Node] = []
    private let material: Material

    init() {
        material = Material(name: "shadow floor")
        material.isShadowCatcher = true
    }

    /// Floors are made anew only where they change: their shadows are kept meanwhile.
    mutating func follow(_ grounds: [Ground], _ planes: [ARPlaneAnchor], in scene: Scene) {
        var wanted = planes.compactMap { plane in Self.piece(of: plane, under: grounds) }
        for ground in grounds {
            guard let own = ground.own,
                !planes.contains(where: { Self.area(of: ground, on: $0.transform) != nil && Self.holds($0, ground) })
            else { continue }
            guard let area = Self.area(of: ground, on: own) else { continue }
            wanted.append(Piece(worldFromFloor: own, outline: area.corners))
        }
        guard wanted != asked else { return }
        asked = wanted
        for node in nodes { node.removeFromParentNode() }
        (pieces, nodes) = ([], [])
        for piece in wanted {
            // An outline without area has none.
            guard let node = makeNode(piece) else { continue }
            pieces.append(piece)
            nodes.append(node)
        }
        for node in nodes { scene.rootNode.addChildNode(node) }
    }

    /// The plane's outline around all that stands on it; nil where nothing does.
    private static func piece(of plane: ARPlaneAnchor, under grounds: [Ground]) -> Piece? {
        let areas = grounds.compactMap { area(of: $0, on: plane.transform) }
        guard let first = areas.first else { return nil }
        let whole = areas.dropFirst().reduce(first) { $0.union($1) }
        let outline = whole.clip(plane.geometry.boundaryVertices.map { Vector2($0.x, $0.z) })
        return outline.count >= 3 ? Piece(worldFromFloor: plane.transform, outline: outline) : nil
    }

    private static func holds(_ plane: ARPlaneAnchor, _ ground: Ground) -> Bool {
        let place = plane.transform.affineInverse.transform(point: ground.bounds.center)
        // Whether a ray along x crosses the outline an odd number of times.
        var isInside = false
        var previous = plane.geometry.boundaryVertices.last ?? .zero
        for vertex in plane.geometry.boundaryVertices {
            let slope = (previous.x - vertex.x) / (previous.z - vertex.z)
            if (vertex.z > place.z) != (previous.z > place.z), place.x < vertex.x + slope * (place.z - vertex.z) { isInside.toggle() }
            previous = vertex
        }
        return isInside
    }

    /// Where a thing's shadow may fall on a plane, in the plane's x and z; nil where the thing doesn't stand there.
    private static func area(of ground: Ground, on worldFromFloor: Matrix4) -> Rectangle? {
        let local = ground.bounds.transformed(by: worldFromFloor.affineInverse)
        guard local.minimum.y > -reach - local.size.y / 2, local.minimum.y < reach else { return nil }
        // Most light comes from above: a shadow reaches about as far as things are high. In steps of 5 cm, so that it stays as it is.
        let margin = max(local.maximum.y, 0) * 1.2 + max(local.size.x, local.size.z) * 0.25
        let low = (Vector2(local.minimum.x, local.minimum.z) - margin) / 0.05
        let high = (Vector2(local.maximum.x, local.maximum.z) + margin) / 0.05
        let (from, to) = (low.rounded(.down) * 0.05, high.rounded(.up) * 0.05)
        return Rectangle(origin: from, size: to - from)
    }

    private func makeNode(_ piece: Piece) -> Node? {
        var path = Path()
        // The path's y is the floor's −z: filled, it faces +z, which is turned up.
        for (index, corner) in piece.outline.enumerated() {
            let point = Vector2(corner.x, -corner.y)
            if index == 0 { path.move(to: point) } else { path.line(to: point) }
        }
        path.close()
        guard let geometry = try? Geometry.filled(path), geometry.triangleCount > 0 else { return nil }
        let node = Node(name: "shadow floor", mesh: Mesh(geometry: geometry, material: material))
        node.castsShadow = false
        node.transform = piece.worldFromFloor * Matrix4(Matrix3(Quaternion(angle: .degrees(-90), axis: .right)))
        return node
    }
}

extension Rectangle {
    var corners: [Vector2] { [minimum, Vector2(maximum.x, minimum.y), maximum, Vector2(minimum.x, maximum.y)] }

    /// The part of a polygon that lies inside (Sutherland and Hodgman 1974). Of one that isn't convex, parts may stay connected along an edge.
    func clip(_ polygon: [Vector2]) -> [Vector2] {
        var result = polygon
        for side in 0..<4 {
            let axis = side & 1
            let (limit, sign): (Float, Float) = side < 2 ? (minimum[axis], 1) : (maximum[axis], -1)
            let input = result
            result = []
            guard var previous = input.last else { return [] }
            for point in input {
                let (a, b) = ((previous[axis] - limit) * sign, (point[axis] - limit) * sign)
                if (a < 0) != (b < 0) { result.append(mix(previous, point, a / (a - b))) }
                if b >= 0 { result.append(point) }
                previous = point
            }
        }
        return result
    }
}
