import VitrineMath
import VitrineVision

/// A flat reference image of known size, prepared for detection and tracking.
///
/// Frame: origin at the centre, x right, y up, z out of the image towards its viewer, metres.
package struct ImageTarget: Sendable {
    /// The fewest features of a usable image.
    package static let minimumFeatures = 25

    /// The physical size in metres.
    package let width, height: Double
    /// The features' positions, and their descriptors.
    let points: [Vector3d]
    let descriptors: DescriptorSet
    /// Reductions of the image by half, and the corners of each whose patches are tracked, the best of each part of the image first.
    let pyramid: ImagePyramid
    let corners: [[SIMD2<Float>]]
    /// The image size in pixels.
    private let imageSize: Vector2d

    /// The features were detected at this size at most.
    private static let maximumSide = 640

    /// Extracts the features of a reference image.
    ///
    /// - Parameters:
    ///   - image: Luma, rows from the top; at least 16 pixels wide and high.
    ///   - width: The physical width in metres.
    /// - Returns: nil for an image with too few features.
    package init?(_ image: Plane<UInt8>, width: Double) {
        guard image.width >= 16, image.height >= 16, width > 0, width.isFinite else { return nil }
        let height = width * Double(image.height) / Double(image.width)
        (self.width, self.height) = (width, height)
        imageSize = Vector2d(Double(image.width), Double(image.height))
        var detector = FeatureDetector()
        (detector.options.maximumCount, detector.options.maximumSide, detector.options.doublingSide) = (1500, Self.maximumSide, 0)
        let features = detector.detect(in: GrayPlane(image))
        guard features.count >= Self.minimumFeatures else { return nil }
        points = features.positions.map {
            Vector3d((Double($0.x) / Double(image.width) - 0.5) * width, (0.5 - Double($0.y) / Double(image.height)) * height, 0)
        }
        descriptors = DescriptorSet(features.descriptors)
        var pyramid = ImagePyramid()
        pyramid.build(image, maximumWidth: Self.maximumSide, levels: 6)
        self.pyramid = pyramid
        corners = pyramid.levels.map(Self.corners)
    }

    private static func corners(_ level: ImagePyramid.Level) -> [SIMD2<Float>] {
        let cell = max(16, max(level.width, level.height) / 8)
        var detector = CornerDetector(side: cell)
        var found: [(rank: Int, corner: CornerDetector.Corner)] = []
        for y in stride(from: 0, to: level.height, by: cell) {
            for x in stride(from: 0, to: level.width, by: cell) {
                let corners = detector.corners(level, x: x, y: y, margin: 4, minimumStrength: 10, distance: 8, count: 4)
                found += corners.enumerated().map { ($0, $1) }
            }
        }
        let order = found.indices.sorted {
            (found[$0].rank, found[$1].corner.strength, $0) < (found[$1].rank, found[$0].corner.strength, $1)
        }
        return order.map { found[$0].corner.position }
    }

    /// The point of the image at a position on a level of the pyramid.
    func point(_ position: SIMD2<Float>, level: Int) -> Vector3d {
        let size = levelSize(level)
        return Vector3d((Double(position.x) / size.x - 0.5) * width, (0.5 - Double(position.y) / size.y) * height, 0)
    }

    /// The position on a level of the pyramid of a point in the image's plane.
    func position(_ point: Vector3d, level: Int) -> SIMD2<Float> {
        let size = levelSize(level)
        return SIMD2(Float((point.x / width + 0.5) * size.x), Float((0.5 - point.y / height) * size.y))
    }

    /// The size of the whole image in pixels of a level: halving drops the last pixel of an odd number.
    private func levelSize(_ level: Int) -> Vector2d { imageSize / Double(pyramid.scale << level) }

}
