import VitrineGeometry

/// A photo's features as two-view geometry needs them: for a fisheye lens, the positions that an undistorted pinhole camera would give.
///
/// Epipolar lines are straight in pinhole images only. Moderate distortion lies within the tolerance of the verification and is left alone; a
/// fisheye's is not.
struct RectifiedFeatures {
    var features: FeatureSet
    /// A pinhole with the photo's focal length, and an image that contains all positions.
    var guess: CameraGuess
    /// Rectified position minus position in the pinhole camera with the photo's principal point.
    var offset = Vector2d.zero

    /// The tangent of the widest angle off the axis that takes part, 75°: beyond, a pinhole image is stretched too far.
    private static let widest = 3.73

    init(_ features: FeatureSet, _ guess: CameraGuess) {
        (self.features, self.guess) = (features, guess)
        let camera = guess.intrinsics
        guard camera.distortion.isFisheye else { return }
        let size = Vector2d(Double(camera.width), Double(camera.height))
        let corners = [Vector2d.zero, Vector2d(size.x, 0), Vector2d(0, size.y), size]
        let tangent = min(Self.widest, corners.map { length(camera.normalized($0)) }.max() ?? Self.widest)
        let half = camera.focal * tangent
        offset = half - camera.center
        self.guess.intrinsics = CameraIntrinsics(
            width: Int((2 * half.x).rounded(.up)), height: Int((2 * half.y).rounded(.up)), focal: camera.focal, center: half)
        for index in features.positions.indices {
            var normalized = camera.normalized(Vector2d(features.positions[index]))
            let radius = length(normalized)
            if radius > tangent { normalized *= tangent / radius }
            self.features.positions[index] = SIMD2<Float>(normalized * camera.focal + half)
        }
    }

    private var rectifiedFromPinhole: Matrix3d {
        Matrix3d(rows: Vector3d(1, 0, offset.x), Vector3d(0, 1, offset.y), Vector3d(0, 0, 1))
    }

    /// Geometry between two rectified photos, in pixels of the undistorted pinhole cameras with the photos' own principal points.
    static func geometry(_ geometry: TwoViewGeometry, _ first: RectifiedFeatures, _ second: RectifiedFeatures) -> TwoViewGeometry {
        guard first.offset != .zero || second.offset != .zero else { return geometry }
        let (a, b) = (first.rectifiedFromPinhole, second.rectifiedFromPinhole)
        var result = geometry
        result.fundamental = (b.transpose * geometry.fundamental * a).unit ?? geometry.fundamental
        result.homography = geometry.homography.flatMap { (b.inverse * $0 * a).unit }
        return result
    }
}
