import VitrineMath

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A flat surface that was found.
///
/// Its frame: the y axis is the plane's normal, out of the surface; x and z lie in it. `transform` stays as it was when the plane was found,
/// so that what was attached to it stays: as more of the plane is seen, `center`, `planeExtent` and `geometry` move.
///
/// Where two turn out to be the same, one is removed while the other grows.
// Unchecked for the reason that `ARAnchor` gives.
public final class ARPlaneAnchor: ARAnchor, @unchecked Sendable {
    public typealias Alignment = PlaneAlignment
    public typealias Classification = PlaneClassification

    public let alignment: Alignment
    /// The middle of the extent, in the anchor's frame; y is 0.
    public let center: Vector3
    /// The rectangle around the outline.
    public let planeExtent: ARPlaneExtent
    /// The outline.
    public let geometry: ARPlaneGeometry
    public let classification: Classification

    public init(
        name: String? = nil, transform: Matrix4, identifier: UUID = UUID(), alignment: Alignment, center: Vector3 = .zero,
        planeExtent: ARPlaneExtent, geometry: ARPlaneGeometry, classification: Classification = .none
    ) {
        (self.alignment, self.center, self.planeExtent) = (alignment, center, planeExtent)
        (self.geometry, self.classification) = (geometry, classification)
        super.init(name: name, transform: transform, identifier: identifier)
    }

    /// Width, 0 and height: `planeExtent` without its turn.
    @available(*, deprecated, renamed: "planeExtent")
    public var extent: Vector3 { Vector3(planeExtent.width, 0, planeExtent.height) }

    override func with(transform: Matrix4) -> ARPlaneAnchor {
        ARPlaneAnchor(
            name: name, transform: transform, identifier: identifier, alignment: alignment, center: center, planeExtent: planeExtent,
            geometry: geometry, classification: classification)
    }

    override func isSame(as other: ARAnchor) -> Bool {
        guard let other = other as? ARPlaneAnchor, super.isSame(as: other) else { return false }
        return alignment == other.alignment && center == other.center && planeExtent == other.planeExtent
            && geometry == other.geometry && classification == other.classification
    }
}

/// A rectangle in a plane anchor's frame, around its `center`.
public struct ARPlaneExtent: Equatable, Sendable {
    /// Metres along x, before the turn.
    public let width: Float
    /// Metres along z, before the turn.
    public let height: Float
    /// How far the rectangle is turned about the anchor's y axis, in radians, right-handed.
    public let rotationOnYAxis: Float

    public init(width: Float, height: Float, rotationOnYAxis: Float = 0) {
        (self.width, self.height, self.rotationOnYAxis) = (width, height, rotationOnYAxis)
    }
}

/// A plane's outline.
public struct ARPlaneGeometry: Equatable, Sendable {
    /// A simple polygon in the anchor's frame, y is 0, counter-clockwise as seen from where the normal points to; not closed by a repeated vertex.
    public let boundaryVertices: [Vector3]

    public init(boundaryVertices: [Vector3]) { self.boundaryVertices = boundaryVertices }
}
