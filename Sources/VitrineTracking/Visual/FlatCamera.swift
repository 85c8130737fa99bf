import VitrineMath
import VitrineVision

/// A camera as if its lens bent nothing: what the geometry of several views is done in, whatever the lens.
///
/// Places are in "flat" pixels: about as large as the camera's own in the middle of the picture, larger towards the edges of a wide lens.
struct FlatCamera: Sendable {
    /// Where a feature lies, and how exactly that is known.
    struct Sight: Sendable, Equatable {
        var place: Vector2d
        /// 1 / variance, in units of a pixel in the middle of the picture.
        var information: Double
    }

    let camera: CameraIntrinsics
    /// A pinhole with one focal length.
    let intrinsics: CameraIntrinsics

    /// Beyond this tangent of the angle off the axis (66°) a plane is no picture any more.
    private static let widest = 2.25

    init(_ camera: CameraIntrinsics) {
        self.camera = camera
        let focal = 0.5 * (camera.focal.x + camera.focal.y)
        intrinsics = CameraIntrinsics(
            width: camera.width, height: camera.height, focal: Vector2d(focal, focal),
            center: Vector2d(Double(camera.width), Double(camera.height)) / 2)
    }

    var focal: Double { intrinsics.focal.x }

    /// Nil where the pixel lies too far outside for a flat picture.
    func sight(_ pixel: Vector2d, information: Double = 1) -> Sight? {
        let normalized = camera.normalized(pixel)
        let squared = lengthSquared(normalized)
        guard squared < Self.widest * Self.widest else { return nil }
        // A fish-eye's pixels are stretched outwards by the tangent's slope.
        var stretch = 1.0
        if camera.distortion.isFisheye { stretch = 1 + squared }
        return Sight(place: normalized * focal + intrinsics.center, information: information / (stretch * stretch))
    }

    /// The camera's own pixel of a flat place.
    func pixel(_ place: Vector2d) -> Vector2d {
        camera.distortion.distort((place - intrinsics.center) / focal) * camera.focal + camera.center
    }

    /// The unit direction of a flat place, in the camera's frame.
    func ray(_ place: Vector2d) -> Vector3d {
        let p = (place - intrinsics.center) / focal
        return normalize(Vector3d(p.x, p.y, 1))
    }

    @inline(__always) func project(_ point: Vector3d) -> Vector2d {
        Vector2d(point.x, point.y) * (focal / point.z) + intrinsics.center
    }
}
