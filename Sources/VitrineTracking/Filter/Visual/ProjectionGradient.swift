import VitrineMath
import VitrineVision

/// A projection with its derivatives by the point and by the estimated parameters of the camera.
struct ProjectionGradient {
    var pixel: Vector2d
    /// Gradients of the pixel's x and y by the point in the camera's frame.
    var byPoint: (Vector3d, Vector3d)
    /// Gradients by focal lengths, principal point and `LensDistortion.fourCoefficients`.
    var byCamera: (SIMD8<Double>, SIMD8<Double>)

    /// nil if the point is not in front of the camera.
    @inline(__always) init?(_ camera: CameraIntrinsics, _ point: Vector3d) {
        guard point.z > 1e-3, point.z < 1e9 else { return nil }
        let tangent = Vector2d(point.x, point.y) / point.z
        guard lengthSquared(tangent) < 100 else { return nil }
        let derivatives = camera.derivatives(point)
        (pixel, byPoint) = (derivatives.pixel, (derivatives.xByPoint, derivatives.yByPoint))
        // f moves both focal lengths, fy − fx only the second one.
        let (x, y) = (derivatives.xByParameters, derivatives.yByParameters)
        byCamera = (
            SIMD8(lowHalf: SIMD4(x[0], x[5], x[3], x[4]), highHalf: SIMD4(x[1], x[2], x[6], x[7])),
            SIMD8(lowHalf: SIMD4(y[0] - y[5], y[5], y[3], y[4]), highHalf: SIMD4(y[1], y[2], y[6], y[7]))
        )
    }
}
