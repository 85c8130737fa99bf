import VitrineAR
import VitrineMath
import VitrineScene

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Invisible parts of planes that receive the shadows of the objects on them.
///
/// Each covers the part of a plane that shadows may reach. There is one piece per plane: overlapping pieces would receive a shadow twice.
struct ShadowReceivers {
    /// A shadow caster.
    struct Caster {
        /// The bounds in the world.
        let bounds: BoundingBox
        /// The frame of a surface along x and z that it stands on; nil: detected planes only.
        let own: Matrix4?
    }

    /// The area in which a receiver's shadow is computed. It does not depend on the plane's outline: planes grow, the shadow stays.
    struct Surface: Equatable {
        let worldFromReceiver: Matrix4
        /// The area in the receiver's x and z.
        let area: Rectangle
    }

    struct Piece: Equatable {
        let surface: Surface
        /// The visible part in the receiver's x and z.
        let outline: [Vector2]
    }

    /// The tolerance in metres for an object to stand on a plane.
    private static let tolerance: Float = 0.05
    /// The frame of each plane for its shadows, which ignores small corrections of the plane: objects stay in place too, and re-rendering shadows
    /// is expensive.
    private var frames: [UUID: Matrix4] = [:]
    private var requested: [Piece] = []
    /// The current receivers with their outlines as triangles: three corners each, in the receiver's x and z; and the ends of the edges at which the
    /// plane ends, two for each.
    private(set) var pieces: [(surface: Surface, triangles: [Vector2], edges: [Vector2])] = []
    /// One node per piece, hidden except while its shadow is rendered.
    private(set) var nodes: [Node] = []
    /// Counts the changes.
    private(set) var version = 0
    /// A square of one metre for all nodes: surfaces change all the time, and renderers keep uploaded geometries.
    private let mesh: Mesh

    init() {
        let material = Material(name: "shadow receiver")
        material.isShadowReceiver = true
        mesh = Mesh(geometry: .plane(width: 1, height: 1), material: material)
    }

    /// Updates the receivers; replaces nodes only if a surface changes.
    mutating func update(_ casters: [Caster], _ anchors: [ARPlaneAnchor], in scene: Scene) {
        let known = frames
        frames = [:]
        let planes = anchors.map { settle($0, known) }
        var wanted = planes.compactMap { Self.piece(of: $0, under: casters) }
        for caster in casters {
            guard let own = caster.own,
                !planes.contains(where: { Self.area(of: caster, on: $0.worldFromReceiver) != nil && Self.contains($0, caster) })
            else { continue }
            guard let area = Self.area(of: caster, on: own) else { continue }
            wanted.append(Piece(surface: Surface(worldFromReceiver: own, area: area), outline: area.corners))
        }
        guard wanted != requested else { return }
        requested = wanted
        version += 1
        let old = pieces.map(\.surface)
        pieces = wanted.compactMap { piece in
            let triangles = Self.triangles(piece.outline)
            return triangles.isEmpty ? nil : (piece.surface, triangles, Self.edges(piece))
        }
        guard pieces.map(\.surface) != old else { return }
        for node in nodes { node.removeFromParentNode() }
        nodes = pieces.map { makeNode($0.surface) }
        for node in nodes { scene.rootNode.addChildNode(node) }
    }

    /// A plane in the frame of its shadows.
    private struct Plane {
        let worldFromReceiver: Matrix4
        /// The outline in x and z.
        let outline: [Vector2]
    }

    /// Keeps the frame of a plane that has moved by at most 2 cm and 2°.
    private mutating func settle(_ anchor: ARPlaneAnchor, _ known: [UUID: Matrix4]) -> Plane {
        let vertices = anchor.geometry.boundaryVertices
        if let frame = known[anchor.identifier] {
            let change = frame.affineInverse * anchor.transform
            let isLevel = dot(normalize(anchor.transform.y.xyz), normalize(frame.y.xyz)) > 0.99939
            if isLevel, abs(change.transform(point: anchor.center).y) < 0.02 {
                frames[anchor.identifier] = frame
                let outline = vertices.map { change.transform(point: $0) }
                return Plane(worldFromReceiver: frame, outline: outline.map { Vector2($0.x, $0.z) })
            }
        }
        frames[anchor.identifier] = anchor.transform
        return Plane(worldFromReceiver: anchor.transform, outline: vertices.map { Vector2($0.x, $0.z) })
    }

    /// The part of a plane around the objects on it; nil without objects.
    private static func piece(of plane: Plane, under casters: [Caster]) -> Piece? {
        let areas = casters.compactMap { area(of: $0, on: plane.worldFromReceiver) }
        guard let first = areas.first else { return nil }
        let whole = areas.dropFirst().reduce(first) { $0.union($1) }
        let outline = whole.clip(plane.outline)
        return outline.count >= 3 ? Piece(surface: Surface(worldFromReceiver: plane.worldFromReceiver, area: whole), outline: outline) : nil
    }

    private static func contains(_ plane: Plane, _ caster: Caster) -> Bool {
        let center = plane.worldFromReceiver.affineInverse.transform(point: caster.bounds.center)
        return Polygon.contains(plane.outline, Vector2(center.x, center.z))
    }

    /// The area that a caster's shadow may reach on a plane, in the plane's x and z; nil if the object does not stand on it.
    private static func area(of caster: Caster, on worldFromReceiver: Matrix4) -> Rectangle? {
        let local = caster.bounds.transformed(by: worldFromReceiver.affineInverse)
        guard local.minimum.y > -tolerance - local.size.y / 2, local.minimum.y < tolerance else { return nil }
        // For light from above, a shadow extends about as far as the object is high. In steps of 5 cm, for stability.
        let margin = max(local.maximum.y, 0) * 1.2 + max(local.size.x, local.size.z) * 0.25
        let low = (Vector2(local.minimum.x, local.minimum.z) - margin) / 0.05
        let high = (Vector2(local.maximum.x, local.maximum.z) + margin) / 0.05
        let (from, to) = (low.rounded(.down) * 0.05, high.rounded(.up) * 0.05)
        return Rectangle(origin: from, size: to - from)
    }

    /// The edges of an outline that are not the border of the receiver's area: there the plane ends, not the shadow.
    private static func edges(_ piece: Piece) -> [Vector2] {
        let area = piece.surface.area
        func isBorder(_ a: Vector2, _ b: Vector2) -> Bool {
            (0..<2).contains { axis in
                [area.minimum[axis], area.maximum[axis]].contains { abs(a[axis] - $0) < 1e-4 && abs(b[axis] - $0) < 1e-4 }
            }
        }
        return piece.outline.indices.flatMap { index -> [Vector2] in
            let (a, b) = (piece.outline[index], piece.outline[(index + 1) % piece.outline.count])
            return isBorder(a, b) ? [] : [a, b]
        }
    }

    /// Triangulates an outline; empty without area.
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
        let node = Node(name: "shadow receiver", mesh: mesh)
        node.castsShadow = false
        node.isHidden = true
        let center = Vector3(surface.area.center.x, 0, surface.area.center.y)
        let rotation = Matrix4(Matrix3(Quaternion(angle: .degrees(-90), axis: .right)), translation: center)
        node.transform = surface.worldFromReceiver * rotation * Matrix4(scale: Vector3(surface.area.size.x, surface.area.size.y, 1))
        return node
    }
}

extension ShadowReceivers.Surface {
    /// The corners of a part in the world.
    func corners(of part: Rectangle) -> [Vector3] { part.corners.map { worldFromReceiver.transform(point: Vector3($0.x, 0, $0.y)) } }
}

extension Rectangle {
    var corners: [Vector2] { [minimum, Vector2(maximum.x, minimum.y), maximum, Vector2(minimum.x, maximum.y)] }

    /// Clips a polygon to the rectangle (Sutherland and Hodgman 1974). Parts of a concave polygon may stay connected along an edge.
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
