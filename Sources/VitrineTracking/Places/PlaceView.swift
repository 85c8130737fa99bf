import VitrineMath
import VitrineVision

/// What one picture shows of a place, before it is known where it was taken from.
struct PlaceView: Sendable {
    /// On the camera's clock.
    var time: Double
    var isForKeeping: Bool
    var isForFinding: Bool
    /// Of the features that are followed, rising.
    private(set) var ids: [Int]
    /// In the tracked picture's pixels: of the features, then of other corners.
    private(set) var corners: [SIMD2<Float>]
    /// How many of the camera's pixels one of the tracked picture's is wide.
    private(set) var scale: Float
    /// The picture by half and by a quarter.
    private let pictures: [ImagePyramid.Level]

    /// Sizes of surroundings, as the blur in pixels of the tracked picture: views are kept in the outer two. A picture that is to be found
    /// has all three, which together fit views from half to twice the distance.
    static let sizes: [Float] = [2, 2.83, 4]
    /// Which of a kept view's looks (0: small, 1: large) are compared with which of a new picture's.
    static let pairs = [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]

    /// - Parameter others: corners beside the features, which a picture that is to be found is compared by too.
    init(
        _ tracks: [FeatureTracker.Track], _ pyramid: ImagePyramid, others: [SIMD2<Float>], time: Double, isForKeeping: Bool,
        isForFinding: Bool
    ) {
        (self.time, self.isForKeeping, self.isForFinding) = (time, isForKeeping, isForFinding)
        (ids, corners) = (tracks.map(\.id), tracks.map(\.place) + others)
        (scale, pictures) = (Float(pyramid.scale), Array(pyramid.levels.dropFirst().prefix(2)))
    }

    /// Describes the features, or some of the corners, as seen upright.
    func described(
        at pose: RigidTransform, camera: CameraIntrinsics, sizes: [Float], _ range: Range<Int>? = nil
    ) -> [PlaceDescriptors] {
        let range = range ?? 0..<ids.count
        let angles = range.map { Self.upright(corners[$0] * scale, pose, camera) }
        var describer = CornerDescriber()
        return sizes.map { size in
            // The picture that is halved so often that it has about the blur asked for.
            let level = min(pictures.count - 1, size < 4 ? 0 : 1)
            guard level >= 0 else { return PlaceDescriptors() }
            let factor = 1 / Float(2 << level)
            let source = pictures[level]
            let (owners, set) = source.values.withUnsafeBufferPointer {
                describer.describe(
                    $0.baseAddress! + source.origin, width: source.width, height: source.height, stride: source.stride,
                    corners: corners[range].map { $0 * factor }, angles: angles, scale: size * factor)
            }
            return PlaceDescriptors(owners: owners.map { $0 + Int32(range.lowerBound) }, set: set)
        }
    }

    /// Which way the world's down runs in the picture at a pixel, as an angle; nil where one looks nearly straight up or down.
    private static func upright(_ pixel: SIMD2<Float>, _ pose: RigidTransform, _ camera: CameraIntrinsics) -> Float? {
        let down = pose.rotation.transpose * Vector3d(0, -1, 0)
        let normalized = camera.normalized(Vector2d(pixel))
        let ray = normalize(Vector3d(normalized.x, normalized.y, 1))
        let across = down - ray * dot(ray, down)
        let size = length(across)
        guard size > 0.2 else { return nil }
        let moved = camera.project(ray + across * (0.01 / size)) - camera.project(ray)
        // An upright surrounding is turned by nothing: its down is +y.
        return Float(atan2(moved.y, moved.x) - Double.pi / 2)
    }
}
