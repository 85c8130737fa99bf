import VitrineMath
import VitrineVision

/// How a plane lies against gravity.
public enum PlaneAlignment: String, Equatable, Hashable, Sendable, CaseIterable { case horizontal, vertical }

/// What a plane probably is. Guessed from heights and sizes alone (`PlaneFinder.Settings` has the rules): nothing looks at the picture, and
/// nothing is called a window or a door.
public enum PlaneClassification: String, Equatable, Hashable, Sendable, CaseIterable {
    /// Not known.
    case none
    case wall, floor, ceiling, table, seat, window, door
}

/// The smallest rectangle around a plane's outline, centred at the plane's `center`.
@frozen public struct PlaneRectangle: Equatable, Sendable {
    /// Metres along the rectangle's own x and z.
    public var width, height: Double
    /// Radians about the plane's y axis, right-handed, from the plane's axes to the rectangle's.
    public var rotationOnYAxis: Double

    @inlinable public init(width: Double = 0, height: Double = 0, rotationOnYAxis: Double = 0) {
        (self.width, self.height, self.rotationOnYAxis) = (width, height, rotationOnYAxis)
    }
}

/// A flat surface that `PlaneFinder` has found.
///
/// A session tells it as an `ARPlaneAnchor`, which shares alignment and classification with it. They aren't one type: this is a value in double
/// precision in the tracker's world, that one an object with an identity, in the world that the app sees.
public struct FoundPlane: Equatable, Sendable, Identifiable {
    /// Never used again for another plane of the same finder.
    public let id: Int
    public let alignment: PlaneAlignment
    /// The plane's frame: y is the normal, towards where the camera was. A horizontal plane's x and z are the world's when it faces up; a
    /// vertical plane's x is level and its z points down, so that −z is up on a wall. Stays put: `PlaneFinder` says when it is corrected.
    public internal(set) var worldFromPlane: RigidTransform
    /// The middle of `rectangle`, in the plane's frame; y is 0.
    public internal(set) var center: Vector3d = .zero
    public internal(set) var rectangle = PlaneRectangle()
    /// The outline's corners (x, z) in the plane's frame, at most `Settings.outlineLimit`, counterclockwise as seen from where the normal
    /// points. Simple, not always convex.
    public internal(set) var outline: [Vector2d] = []
    public internal(set) var classification = PlaneClassification.none

    /// The outline's area in square metres.
    public var area: Double { Outline.area(outline) }
    /// A unit vector in the world.
    public var normal: Vector3d { worldFromPlane.rotation.y }
    /// The signed distance of a point of the world from the infinite plane in metres.
    public func distance(to point: Vector3d) -> Double { dot(normal, point - worldFromPlane.translation) }
    /// `center` in the world.
    public var worldCenter: Vector3d { worldFromPlane * center }

    /// Whether a place (x, z) in the plane's frame lies inside the outline.
    public func contains(_ place: Vector2d) -> Bool { Outline.contains(outline, place) }

    /// The outline as triangles: indices into `outline`, three a triangle, counterclockwise as seen from where the normal points.
    public var triangles: [Int] { Outline.triangles(outline) }
}

/// What an update changed, each list by rising id.
public struct PlaneChanges: Equatable, Sendable {
    /// A plane that is no more.
    public struct Removal: Equatable, Sendable {
        public let id: Int
        /// The plane that took it in, or nil where it lost its support.
        public let mergedInto: Int?
    }

    public internal(set) var added: [FoundPlane] = []
    public internal(set) var updated: [FoundPlane] = []
    public internal(set) var removed: [Removal] = []

    public var isEmpty: Bool { added.isEmpty && updated.isEmpty && removed.isEmpty }
}
