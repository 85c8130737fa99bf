import VitrineMath
import VitrineVision

/// The mapping of the reference's pixels to a source's pixels.
///
/// A surface patch is the plane whose inverse depth 1/z is linear in the reference's pixel coordinates. A pixel p = (x, y, 1) of inverse depth w
/// maps to q / q.z with q = M p + w b, where M = K' R K⁻¹ and b = K' t; q.z is the ratio of the depths in the two cameras.
/// Pixel coordinates here have (0, 0) at the centre of the first pixel.
package struct StereoGeometry {
    /// M's columns and b; the fourth lane is 0.
    package var mx, my, m1, b: SIMD4<Float>

    init(from reference: PosedCamera, to source: PosedCamera) {
        let relative = source.cameraFromWorld * reference.cameraFromWorld.inverse
        let (k, kSource) = (StereoGeometry.matrix(reference.intrinsics), StereoGeometry.matrix(source.intrinsics))
        let m = kSource * relative.rotation * k.inverse
        let offset = kSource * relative.translation
        func lanes(_ v: Vector3d) -> SIMD4<Float> { SIMD4(Float(v.x), Float(v.y), Float(v.z), 0) }
        (mx, my, m1, b) = (lanes(m.x), lanes(m.y), lanes(m.z), lanes(offset))
    }

    /// K for pixel coordinates that are 0 at the first pixel's centre.
    static func matrix(_ intrinsics: CameraIntrinsics) -> Matrix3d {
        Matrix3d(
            Vector3d(intrinsics.focal.x, 0, 0), Vector3d(0, intrinsics.focal.y, 0),
            Vector3d(intrinsics.center.x - 0.5, intrinsics.center.y - 0.5, 1))
    }

    /// The product M p: the projection of the pixel at infinite depth.
    @inline(__always) func atInfinity(_ x: Float, _ y: Float) -> SIMD4<Float> { mx * x + my * y + m1 }
}

extension PosedCamera {
    /// The camera of the image of `StereoImage.halved`.
    var halved: PosedCamera {
        var result = self
        result.intrinsics.width = max(1, intrinsics.width / 2)
        result.intrinsics.height = max(1, intrinsics.height / 2)
        result.intrinsics.focal = intrinsics.focal / 2
        result.intrinsics.center = intrinsics.center / 2
        return result
    }
}
