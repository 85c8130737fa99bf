import VitrineMath
import VitrineVision

/// A tracked feature's position in a frame.
package struct TrackedCorner: Sendable {
    /// Identifies the feature over all frames.
    package var id: Int
    /// In working pixels: those of the pyramid's level 0.
    package var position: SIMD2<Float>

    package init(id: Int, position: SIMD2<Float>) { (self.id, self.position) = (id, position) }
}

/// A frame's features and image, for a keyframe or as a relocalization query.
struct FrameFeatures: Sendable {
    /// On the camera's clock.
    var time: Double
    var isKeyframe: Bool
    var isQuery: Bool
    /// Identifiers of the tracked features, ascending.
    private(set) var ids: [Int]
    /// In working pixels: the features, then other corners.
    private(set) var corners: [SIMD2<Float>]
    /// Width of a working pixel in image pixels.
    private(set) var scale: Float
    /// The image at half and quarter size.
    private let levels: [ImagePyramid.Level]

    /// Patch sizes, as the blur in working pixels. Keyframes have the first and the last; a query has all three, which covers half to twice the
    /// distance.
    static let sizes: [Float] = [2, 2.83, 4]
    /// Pairs of a keyframe's descriptors (0: small, 1: large) and a query's, which are matched.
    static let descriptorPairs = [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]

    /// - Parameter others: Corners without a feature, for a query.
    init(
        _ features: [TrackedCorner], _ pyramid: ImagePyramid, others: [SIMD2<Float>], time: Double, isKeyframe: Bool,
        isQuery: Bool
    ) {
        (self.time, self.isKeyframe, self.isQuery) = (time, isKeyframe, isQuery)
        (ids, corners) = (features.map(\.id), features.map(\.position) + others)
        (scale, levels) = (Float(pyramid.scale), Array(pyramid.levels.dropFirst().prefix(2)))
    }

    /// Computes descriptors of the features, or of a range of corners, with the gravity direction as orientation.
    func described(
        at pose: RigidTransform, camera: CameraIntrinsics, sizes: [Float], _ range: Range<Int>? = nil
    ) -> [LandmarkDescriptors] {
        let range = range ?? 0..<ids.count
        let angles = range.map { Self.upright(corners[$0] * scale, pose, camera) }
        var describer = CornerDescriber()
        return sizes.map { size in
            // The level with about the requested blur.
            let level = min(levels.count - 1, size < 4 ? 0 : 1)
            guard level >= 0 else { return LandmarkDescriptors() }
            let factor = 1 / Float(2 << level)
            let source = levels[level]
            let (owners, set) = source.values.withUnsafeBufferPointer {
                describer.describe(
                    $0.baseAddress! + source.origin, width: source.width, height: source.height, stride: source.stride,
                    corners: corners[range].map { $0 * factor }, angles: angles, scale: size * factor)
            }
            return LandmarkDescriptors(owners: owners.map { $0 + Int32(range.lowerBound) }, set: set)
        }
    }

    /// The angle of the gravity direction in the image at a pixel; nil for nearly vertical viewing directions.
    private static func upright(_ pixel: SIMD2<Float>, _ pose: RigidTransform, _ camera: CameraIntrinsics) -> Float? {
        let down = pose.rotation.transpose * Vector3d(0, -1, 0)
        let normalized = camera.normalized(Vector2d(pixel))
        let ray = normalize(Vector3d(normalized.x, normalized.y, 1))
        let across = down - ray * dot(ray, down)
        let size = length(across)
        guard size > 0.2 else { return nil }
        let moved = camera.project(ray + across * (0.01 / size)) - camera.project(ray)
        // The angle is 0 if gravity points along +y.
        return Float(atan2(moved.y, moved.x) - Double.pi / 2)
    }
}
