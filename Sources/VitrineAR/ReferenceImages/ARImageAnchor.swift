import VitrineMath

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// Unchecked for the same reason as `ARAnchor`.
/// A reference image that was detected in the world.
///
/// In its frame, the origin is the image's centre, x points right, y out of the image and z down.
public final class ARImageAnchor: ARAnchor, @unchecked Sendable {
    /// The reference image that was detected.
    public let referenceImage: ARReferenceImage
    /// Whether the image was observed in the frame; otherwise `transform` is where it was observed last.
    public let isTracked: Bool

    /// Creates an image anchor; sessions do this for detected images.
    public init(transform: Matrix4, identifier: UUID = UUID(), referenceImage: ARReferenceImage, isTracked: Bool = true) {
        (self.referenceImage, self.isTracked) = (referenceImage, isTracked)
        super.init(name: referenceImage.name, transform: transform, identifier: identifier)
    }

    override var isSavedInMaps: Bool { false }

    override func with(transform: Matrix4) -> ARImageAnchor {
        ARImageAnchor(transform: transform, identifier: identifier, referenceImage: referenceImage, isTracked: isTracked)
    }

    override func isSame(as other: ARAnchor) -> Bool {
        guard let other = other as? ARImageAnchor, super.isSame(as: other) else { return false }
        return referenceImage == other.referenceImage && isTracked == other.isTracked
    }
}
