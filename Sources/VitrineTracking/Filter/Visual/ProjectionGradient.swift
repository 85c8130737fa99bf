import VitrineMath
import VitrineVision

/// A projection with its derivatives by the point and the camera's intrinsics.
struct ProjectionGradient {
    var pixel: Vector2d
    /// Gradients of the pixel's x and y by the point in the camera's frame.
    var byPoint: (Vector3d, Vector3d)
    /// Gradients by focal lengths, principal point and the four distortion coefficients.
    var byCamera: (SIMD8<Double>, SIMD8<Double>)

    /// nil if the point is not in front of the camera.
    @inline(__always) init?(_ camera: CameraIntrinsics, _ point: Vector3d) {
        guard point.z > 1e-3, point.z < 1e9 else { return nil }
        let inverse = 1 / point.z
        let (u, v) = (point.x * inverse, point.y * inverse)
        let squared = u * u + v * v
        guard squared < 100 else { return nil }
        let distorted: Vector2d
        // ∂distorted/∂(u, v) is symmetric for both lens models.
        let (uu, uv, vv): (Double, Double, Double)
        let (lensX, lensY): (SIMD4<Double>, SIMD4<Double>)
        switch camera.distortion {
        case .brownConrady:
            let k = camera.distortion.fourCoefficients
            let factor = 1 + squared * (k.x + squared * k.y)
            let slope = 2 * (k.x + 2 * squared * k.y)
            distorted = Vector2d(
                u * factor + 2 * k.z * u * v + k.w * (squared + 2 * u * u), v * factor + k.z * (squared + 2 * v * v) + 2 * k.w * u * v)
            uu = factor + u * u * slope + 2 * k.z * v + 6 * k.w * u
            uv = u * v * slope + 2 * k.z * u + 2 * k.w * v
            vv = factor + v * v * slope + 6 * k.z * v + 2 * k.w * u
            lensX = SIMD4(u * squared, u * squared * squared, 2 * u * v, squared + 2 * u * u)
            lensY = SIMD4(v * squared, v * squared * squared, squared + 2 * v * v, 2 * u * v)
        case .kannalaBrandt(let k):
            let radius = max(squared.squareRoot(), 1e-9)
            let angle = atan2(radius, 1)
            let a2 = angle * angle
            let scale = LensDistortion.distortedAngle(angle, k) / radius
            let byAngle = LensDistortion.angleSlope(squared: a2, k)
            let slope = (byAngle / (1 + squared) - scale) / (radius * radius)
            distorted = Vector2d(u, v) * scale
            (uu, uv, vv) = (scale + u * u * slope, u * v * slope, scale + v * v * slope)
            let powers = SIMD4(a2, a2 * a2, a2 * a2 * a2, a2 * a2 * a2 * a2) * (angle / radius)
            (lensX, lensY) = (powers * u, powers * v)
        }
        let focal = camera.focal
        pixel = distorted * focal + camera.center
        byPoint = (
            Vector3d(uu, uv, -(uu * u + uv * v)) * (focal.x * inverse), Vector3d(uv, vv, -(uv * u + vv * v)) * (focal.y * inverse)
        )
        byCamera = (
            SIMD8(lowHalf: SIMD4(distorted.x, 0, 1, 0), highHalf: lensX * focal.x),
            SIMD8(lowHalf: SIMD4(0, distorted.y, 0, 1), highHalf: lensY * focal.y)
        )
    }
}
