import VitrineMath
import VitrineVision

extension ARPlaneAnchor.Alignment {
    /// The alignment of a surface with this unit normal, within the angle of the given sine; nil for a slanted surface.
    package init?(normal: Vector3d, within sine: Double) {
        if abs(normal.y) < sine {
            self = .vertical
        } else if normal.y * normal.y > 1 - sine * sine {
            self = .horizontal
        } else {
            return nil
        }
    }
}

/// The smallest rectangle around a plane's outline, centred at the plane's `center`.
package struct PlaneRectangle: Equatable, Sendable {
    /// The size in metres along the rectangle's own x and z axes.
    package var width, height: Double
    /// The rotation in radians about the plane's y axis, right-handed, from the plane's axes to the rectangle's.
    package var rotationOnYAxis: Double

    package init(width: Double = 0, height: Double = 0, rotationOnYAxis: Double = 0) {
        (self.width, self.height, self.rotationOnYAxis) = (width, height, rotationOnYAxis)
    }
}

/// A flat surface that `PlaneDetector` detected, in double precision in the tracker's world. A session reports it as an `ARPlaneAnchor`.
package struct DetectedPlane: Equatable, Sendable, Identifiable {
    /// The plane's identifier, unique in the detector.
    package let id: Int
    package let alignment: ARPlaneAnchor.Alignment
    /// The plane's frame: y is the normal, towards the camera. The x and z axes of a plane that faces up are the world's; on a vertical plane x
    /// is horizontal and z points down. It stays fixed except for corrections: see `PlaneDetector`.
    package internal(set) var worldFromPlane: RigidTransform
    /// The centre of `rectangle` in the plane's frame; y is 0.
    package internal(set) var center: Vector3d = .zero
    package internal(set) var rectangle = PlaneRectangle()
    /// The outline's corners (x, z) in the plane's frame, at most `Settings.maximumOutlineCorners`, counterclockwise as seen from the side of
    /// the normal. A simple polygon, not always convex.
    package internal(set) var outline: [Vector2d] = []
    package internal(set) var classification = ARPlaneAnchor.Classification.none

    /// The area of the outline in m².
    package var area: Double { Polygon.area(outline) }
    /// The unit normal in the world.
    package var normal: Vector3d { worldFromPlane.rotation.y }
    /// The signed distance of a world point from the infinite plane in metres.
    package func distance(to point: Vector3d) -> Double { dot(normal, point - worldFromPlane.translation) }
    /// The position of `center` in the world.
    package var worldCenter: Vector3d { worldFromPlane * center }

    /// Whether a point (x, z) in the plane's frame lies inside the outline.
    package func contains(_ point: Vector2d) -> Bool { Polygon.contains(outline, point) }

    /// A triangulation of the outline: three indices into `outline` per triangle, counterclockwise as seen from the side of the normal.
    package var triangles: [Int] { Outline.triangles(outline) }

    /// Whether a point in the plane's frame lies over `rectangle` grown by `margin` metres on every side.
    func isNearRectangle(_ local: Vector3d, margin: Double) -> Bool {
        let (sine, cosine) = (sin(rectangle.rotationOnYAxis), cos(rectangle.rotationOnYAxis))
        let offset = local - center
        return abs(offset.x * cosine - offset.z * sine) <= rectangle.width / 2 + margin
            && abs(offset.x * sine + offset.z * cosine) <= rectangle.height / 2 + margin
    }
}

/// The changes of an update, each list by increasing id.
package struct PlaneChanges: Equatable, Sendable {
    /// A plane that no longer exists.
    package struct Removal: Equatable, Sendable {
        package let id: Int
        /// The plane that absorbed it; nil if it lost its support.
        package let mergedInto: Int?
    }

    package internal(set) var added: [DetectedPlane] = []
    package internal(set) var updated: [DetectedPlane] = []
    package internal(set) var removed: [Removal] = []

    package var isEmpty: Bool { added.isEmpty && updated.isEmpty && removed.isEmpty }
}
