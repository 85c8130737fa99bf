import VitrineAR
import VitrineMath
import VitrineScene

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

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

    /// Where a floor's shadow is worked out, whatever part of it the plane shows: planes grow, the shadow stays.
    struct Surface: Equatable {
        let worldFromFloor: Matrix4
        /// In the floor's x and z.
        let area: Rectangle
    }

    struct Piece: Equatable {
        let surface: Surface
        /// The part that there is of it, in the floor's x and z.
        let outline: [Vector2]
    }

    /// How far over or under a plane a thing may begin to stand on it, metres.
    private static let reach: Float = 0.05
    /// The frames in which floors were first taken for what they are. A plane that is corrected by a little stays there for its shadows:
    /// things stay where they were put too, and a shadow that is drawn anew each time would cost more than all the rest.
    private var frames: [UUID: Matrix4] = [:]
    private var asked: [Piece] = []
    /// What is there now, and the triangles of each outline: three corners each, in the floor's x and z.
    private(set) var pieces: [(surface: Surface, triangles: [Vector2])] = []
    /// One a piece: what catches its shadow while that is drawn. Hidden at all other times.
    private(set) var nodes: [Node] = []
    /// Counts the changes.
    private(set) var version = 0
    private let material: Material

    init() {
        material = Material(name: "shadow floor")
        material.isShadowReceiver = true
    }

    /// Nodes are made anew only where a surface changes.
    mutating func follow(_ grounds: [Ground], _ anchors: [ARPlaneAnchor], in scene: Scene) {
        let known = frames
        frames = [:]
        let planes = anchors.map { settle($0, known) }
        var wanted = planes.compactMap { Self.piece(of: $0, under: grounds) }
        for ground in grounds {
            guard let own = ground.own,
                !planes.contains(where: { Self.area(of: ground, on: $0.worldFromFloor) != nil && Self.holds($0, ground) })
            else { continue }
            guard let area = Self.area(of: ground, on: own) else { continue }
            wanted.append(Piece(surface: Surface(worldFromFloor: own, area: area), outline: area.corners))
        }
        guard wanted != asked else { return }
        asked = wanted
        version += 1
        let old = pieces.map(\.surface)
        pieces = wanted.compactMap { piece in
            let triangles = Self.triangles(piece.outline)
            return triangles.isEmpty ? nil : (piece.surface, triangles)
        }
        guard pieces.map(\.surface) != old else { return }
        for node in nodes { node.removeFromParentNode() }
        nodes = pieces.map { makeNode($0.surface) }
        for node in nodes { scene.rootNode.addChildNode(node) }
    }

    /// A plane in the frame that its shadows are drawn in.
    private struct Plane {
        let worldFromFloor: Matrix4
        /// In x and z.
        let outline: [Vector2]
    }

    /// Up to 2 cm and 2° beside where a plane was first, it is there still.
    private mutating func settle(_ anchor: ARPlaneAnchor, _ known: [UUID: Matrix4]) -> Plane {
        let vertices = anchor.geometry.boundaryVertices
        if let frame = known[anchor.identifier] {
            let change = frame.affineInverse * anchor.transform
            let isLevel = dot(normalize(anchor.transform.y.xyz), normalize(frame.y.xyz)) > 0.99939
            if isLevel, abs(change.transform(point: anchor.center).y) < 0.02 {
                frames[anchor.identifier] = frame
                let outline = vertices.map { change.transform(point: $0) }
                return Plane(worldFromFloor: frame, outline: outline.map { Vector2($0.x, $0.z) })
            }
        }
        frames[anchor.identifier] = anchor.transform
        return Plane(worldFromFloor: anchor.transform, outline: vertices.map { Vector2($0.x, $0.z) })
    }

    /// The plane's outline around all that stands on it; nil where nothing does.
    private static func piece(of plane: Plane, under grounds: [Ground]) -> Piece? {
        let areas = grounds.compactMap { area(of: $0, on: plane.worldFromFloor) }
        guard let first = areas.first else { return nil }
        let whole = areas.dropFirst().reduce(first) { $0.union($1) }
        let outline = whole.clip(plane.outline)
        return outline.count >= 3 ? Piece(surface: Surface(worldFromFloor: plane.worldFromFloor, area: whole), outline: outline) : nil
    }

    private static func holds(_ plane: Plane, _ ground: Ground) -> Bool {
        let center = plane.worldFromFloor.affineInverse.transform(point: ground.bounds.center)
        let place = Vector2(center.x, center.z)
        // Whether a ray along x crosses the outline an odd number of times.
        var isInside = false
        var previous = plane.outline.last ?? .zero
        for vertex in plane.outline {
            let slope = (previous.x - vertex.x) / (previous.y - vertex.y)
            if (vertex.y > place.y) != (previous.y > place.y), place.x < vertex.x + slope * (place.y - vertex.y) { isInside.toggle() }
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

    /// None for an outline without area.
    private static func triangles(_ outline: [Vector2]) -> [Vector2] {
        var path = Path()
        for (index, corner) in outline.enumerated() {
            if index == 0 { path.move(to: corner) } else { path.line(to: corner) }
        }
        path.close()
        guard let geometry = try? Geometry.filled(path), let positions = geometry.attribute(.position) else { return [] }
        return (geometry.indices ?? []).map { Vector2(positions.values[3 * Int($0)], positions.values[3 * Int($0) + 1]) }
    }

    private func makeNode(_ surface: Surface) -> Node {
        let node = Node(
            name: "shadow floor", mesh: Mesh(geometry: .plane(width: surface.area.size.x, height: surface.area.size.y), material: material))
        node.castsShadow = false
        node.isHidden = true
        let place = Vector3(surface.area.center.x, 0, surface.area.center.y)
        node.transform = surface.worldFromFloor * Matrix4(Matrix3(Quaternion(angle: .degrees(-90), axis: .right)), translation: place)
        return node
    }
}

extension ShadowFloors.Surface {
    /// A part of it, in the world.
    func corners(of part: Rectangle) -> [Vector3] { part.corners.map { worldFromFloor.transform(point: Vector3($0.x, 0, $0.y)) } }
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
