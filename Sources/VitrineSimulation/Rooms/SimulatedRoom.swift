import Vitrine
import VitrineAR
import VitrineVision

/// A furnished room made in code, in which a camera can be carried along a path: for tests, for tuning, for trying out AR without a camera.
///
/// The light is worked out once and painted onto the surfaces, so that a frame costs little; nothing shines or mirrors.
public struct SimulatedRoom {
    public enum Style: String, Sendable, CaseIterable {
        /// Wooden floor, brick and papered walls, shelves of books, a desk, posters: plenty to see everywhere.
        case study
        /// A machine hall: concrete, corrugated metal, crates, control panels.
        case hall
        /// White walls and a plain floor with next to nothing on them.
        case bare
    }

    /// A flat rectangle that the room is made of.
    public struct Face: Equatable, Sendable, Codable {
        /// The upper left corner as it is seen, in metres.
        public var origin: Vector3
        /// From left to right, and from the top down.
        public var across, down: Vector3

        /// Towards where it is seen from.
        public var normal: Vector3 { normalize(cross(down, across)) }
    }

    public let scene: Scene
    /// Of the walls, in metres.
    public let bounds: BoundingBox
    /// All that there is, where the room was made in code: the truth for planes. Empty for a model.
    public let faces: [Face]

    /// A room that a path fits into.
    ///
    /// - Parameters:
    ///   - path: places of the camera in metres, +Y up. The floor is at y = 0 where that is a little below the path, else below the path; no
    ///     furniture stands in its way.
    ///   - markerEdge: a marker (AprilTag 36h11, number 0) lies on the floor in the middle, its black square so many metres wide; nil: none does.
    ///   - seed: of the furniture and its surfaces.
    public init(_ style: Style, around path: [Vector3d], markerEdge: Double? = nil, seed: UInt64 = 1) {
        let points = path.map { Vector3(Float($0.x), Float($0.y), Float($0.z)) }
        let bounds = Self.bounds(style, points)
        var furnisher = RoomFurnisher(style: style, bounds: bounds, path: points, markerEdge: markerEdge.map(Float.init), seed: seed)
        furnisher.furnish()
        let panels = furnisher.builder.panels
        faces = panels.map { Face(origin: $0.origin, across: $0.across, down: $0.down) }
        let spacing = max(0.12, length(bounds.size) / 90)
        scene = furnisher.builder.scene(light: RoomLight(panels), spacing: spacing, seed: seed)
        self.bounds = bounds
    }

    /// Any scene as a room: a model with its own lights.
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
