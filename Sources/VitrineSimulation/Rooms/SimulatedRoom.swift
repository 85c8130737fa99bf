import Vitrine
import VitrineAR
import VitrineVision

/// A procedural furnished room for simulated cameras: for tests, tuning, and AR development without a camera.
///
/// The lighting is diffuse and baked once, so that frames render fast.
public struct SimulatedRoom {
    /// The style of a room.
    public enum Style: String, Sendable, CaseIterable {
        /// Wooden floor, brick and papered walls, bookshelves, a desk, posters: rich in texture.
        case study
        /// A machine hall: concrete, corrugated metal, crates, control panels.
        case hall
        /// White walls and a plain floor: little texture.
        case bare
    }

    /// A rectangular surface of the room.
    package struct Face: Equatable, Sendable, Codable {
        /// The upper left corner as seen from the front, in metres.
        package var origin: Vector3
        /// The edges from left to right and from top to bottom.
        package var across, down: Vector3

        /// The unit normal towards the front.
        package var normal: Vector3 { normalize(cross(down, across)) }
    }

    /// The scene to render.
    public let scene: Scene
    /// The bounds of the walls in metres.
    public let bounds: BoundingBox
    /// All surfaces of a procedural room: ground truth for planes. Empty for a model.
    package let faces: [Face]

    /// Creates a room around a path.
    ///
    /// - Parameters:
    ///   - path: Camera positions in metres, +Y up. The floor is at y = 0 if that is slightly below the path, otherwise below the path;
    ///     furniture does not block it.
    ///   - markerEdge: The width in metres of the black square of a marker (AprilTag 36h11, id 0) in the centre of the floor. Default nil: none.
    ///   - table: A table in the room, for objects to capture. Default nil: none.
    ///   - seed: The seed of furniture and surfaces. Default 1.
    public init(_ style: Style, around path: [Vector3d], markerEdge: Double? = nil, table: SimulatedTable? = nil, seed: UInt64 = 1) {
        let points = path.map { Vector3(Float($0.x), Float($0.y), Float($0.z)) }
        let bounds = Self.bounds(style, points)
        var furnisher = RoomFurnisher(
            style: style, bounds: bounds, path: points, markerEdge: markerEdge.map(Float.init), table: table,
            seed: seed)
        furnisher.furnish()
        let panels = furnisher.builder.panels
        faces = panels.map { Face(origin: $0.origin, across: $0.across, down: $0.down) }
        let spacing = max(0.12, length(bounds.size) / 90)
        scene = furnisher.builder.scene(light: RoomLighting(panels), spacing: spacing, seed: seed)
        self.bounds = bounds
    }

    /// Adds an object to the room, for example on a table. Its materials lose their shading: a base colour with its own light and shadow.
    ///
    /// - Parameters:
    ///   - object: Its origin is the middle of its base.
    ///   - position: The position of the object's origin in metres.
    ///   - rotation: About the object's origin. Default: none.
    public func add(_ object: Node, at position: Vector3, rotatedBy rotation: Quaternion = .identity) {
        object.forSubtree { node in
            for part in node.mesh?.parts ?? [] { part.material.lightingModel = .constant }
        }
        let stand = Node(name: "object")
        stand.position = position
        stand.orientation = rotation
        stand.addChildNode(object)
        scene.rootNode.addChildNode(stand)
    }

    /// Uses a scene with its own lights as a room.
    public init(_ scene: Scene) {
        (self.scene, bounds, faces) = (scene, scene.bounds, [])
    }

    private static func bounds(_ style: Style, _ path: [Vector3]) -> BoundingBox {
        var box = BoundingBox.empty
        for point in path { box.formUnion(point) }
        if box.isEmpty { box.formUnion(Vector3(0, 1.5, 0)) }
        let margin: Float = style == .hall ? 2.4 : 1.3
        let side = { (low: Float, high: Float) in
            let missing = max(0, (style == .hall ? 5 : 4) - (high - low) - 2 * margin) / 2
            return (low - margin - missing, high + margin + missing)
        }
        let (x, z) = (side(box.minimum.x, box.maximum.x), side(box.minimum.z, box.maximum.z))
        let floor = box.minimum.y > 0.15 && box.minimum.y < 2 ? 0 : box.minimum.y - 0.6
        let ceiling = max(floor + (style == .hall ? 5 : 2.7), box.maximum.y + 0.8)
        return BoundingBox(minimum: Vector3(x.0, floor, z.0), maximum: Vector3(x.1, ceiling, z.1))
    }
}

/// A table in a simulated room.
public struct SimulatedTable: Equatable, Sendable {
    /// The middle of the top, metres.
    public var center: Vector3
    /// The lengths of the top along x and z, metres.
    public var size: Vector2
    /// Whether the top is white, without texture.
    public var isPlain: Bool

    /// Creates a table. Default: of wood, 1 × 0.8 m and 0.74 m high, in the room's centre.
    public init(center: Vector3 = Vector3(0, 0.74, 0), size: Vector2 = Vector2(1, 0.8), isPlain: Bool = false) {
        (self.center, self.size, self.isPlain) = (center, size, isPlain)
    }
}
