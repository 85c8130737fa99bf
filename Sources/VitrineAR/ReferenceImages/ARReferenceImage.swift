import VitrineGeometry
import VitrineImageFiles
import VitrineMath
import VitrineScene
import VitrineTracking

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A flat image of known size that a session detects and tracks: a poster, a page, a painting.
///
/// ```swift
/// let poster = try ARReferenceImage(contentsOf: file, physicalWidth: 0.3)
/// session.run(ARWorldTrackingConfiguration(detectionImages: [poster]))
/// ```
///
/// Images with many details of high contrast are detected best, from about 100 pixels of width in the camera's image and up to about 60° from the
/// side; regular patterns and gradients are not detected.
public struct ARReferenceImage: Equatable, Sendable {
    /// A name for the app. Default: the name of the file.
    public var name: String?
    /// The width and height of the image in metres.
    public let physicalSize: Vector2
    /// Identifies the image: equal for copies, different for images that were made separately.
    let identity: ObjectIdentity
    package let target: ImageTarget

    /// A class for identity: comparing images by their features would be slow.
    final class ObjectIdentity: Sendable {}

    /// Reads an image: PNG, JPEG or another format of `Image(contentsOf:)`.
    ///
    /// - Parameter physicalWidth: The width of the image in metres.
    /// - Throws: `ARError` with `.invalidReferenceImage` if the file cannot be read, the width is not between 1 mm and 100 m, or the image has too
    ///   few details.
    public init(contentsOf file: URL, physicalWidth: Double) throws(ARError) {
        let image: Image
        do {
            image = try Image(contentsOf: file)
        } catch {
            throw ARError(.invalidReferenceImage, "\(error)")
        }
        try self.init(image, physicalWidth: physicalWidth, name: file.deletingPathExtension().lastPathComponent, source: file.relativePath)
    }

    /// Uses an image in memory.
    ///
    /// - Parameter physicalWidth: The width of the image in metres.
    /// - Throws: `ARError` with `.invalidReferenceImage` if the width is not between 1 mm and 100 m, or the image has too few details.
    public init(_ image: Image, physicalWidth: Double, name: String? = nil) throws(ARError) {
        try self.init(
            image, physicalWidth: physicalWidth, name: name, source: name ?? (image.name.isEmpty ? "the reference image" : image.name))
    }

    /// Checks an image and extracts its features.
    ///
    /// - Parameter source: The file or image that errors name.
    private init(_ image: Image, physicalWidth: Double, name: String?, source: String) throws(ARError) {
        guard physicalWidth >= 0.001, physicalWidth <= 100 else {
            throw ARError(.invalidReferenceImage, "\(source): a width of \(physicalWidth) m is not between 1 mm and 100 m")
        }
        guard let target = ImageTarget(CapturedImage(image).luma, width: physicalWidth) else {
            throw ARError(
                .invalidReferenceImage, "\(source): has too few details to be detected: \(ImageTarget.minimumFeatures) features are needed")
        }
        (self.name, self.target, identity) = (name, target, ObjectIdentity())
        physicalSize = Vector2(Float(target.width), Float(target.height))
    }

    /// Whether both are the same image with the same name.
    public static func == (a: ARReferenceImage, b: ARReferenceImage) -> Bool { a.identity === b.identity && a.name == b.name }
}
