import VitrineMath

/// The nine numbers of Brown and Conrady's lens, unpacked for inner loops.
struct LensParameters: Sendable {
    var fx, fy, cx, cy, k1, k2, k3, p1, p2: Double

    init(_ intrinsics: CameraIntrinsics) {
        (fx, fy, cx, cy) = (intrinsics.focal.x, intrinsics.focal.y, intrinsics.center.x, intrinsics.center.y)
        (k1, k2, k3) = (intrinsics.radial.x, intrinsics.radial.y, intrinsics.radial.z)
        (p1, p2) = (intrinsics.tangential.x, intrinsics.tangential.y)
    }

    /// Where a point of the camera's frame falls, in pixels.
    @inline(__always) func project(_ point: Vector3d) -> Vector2d {
        let (u, v) = (point.x / point.z, point.y / point.z)
        let s = u * u + v * v
        let factor = 1 + s * (k1 + s * (k2 + s * k3))
        let du = u * factor + 2 * p1 * u * v + p2 * (s + 2 * u * u)
        let dv = v * factor + p1 * (s + 2 * v * v) + 2 * p2 * u * v
        return Vector2d(fx * du + cx, fy * dv + cy)
    }
}

/// A projection and its derivatives.
struct ProjectionJacobian {
    var pixel: Vector2d
    /// d(pixel.x), d(pixel.y) by the point in the camera's frame.
    var byPointX, byPointY: Vector3d
    /// By the lens's parameters in `BundleProblem.Lens`'s order; the rest is 0.
    var byLensX, byLensY: SIMD16<Double>

    @inline(__always) init(_ lens: LensParameters, _ point: Vector3d) {
        let inverseDepth = 1 / point.z
        let (u, v) = (point.x * inverseDepth, point.y * inverseDepth)
        let s = u * u + v * v
        let factor = 1 + s * (lens.k1 + s * (lens.k2 + s * lens.k3))
        let (uv2, su, sv) = (2 * u * v, s + 2 * u * u, s + 2 * v * v)
        let du = u * factor + lens.p1 * uv2 + lens.p2 * su
        let dv = v * factor + lens.p1 * sv + lens.p2 * uv2
        pixel = Vector2d(lens.fx * du + lens.cx, lens.fy * dv + lens.cy)

        // d factor / d s, times two for d s / d u = 2 u.
        let slope = 2 * (lens.k1 + s * (2 * lens.k2 + 3 * lens.k3 * s))
        let cross = slope * u * v + 2 * (lens.p1 * u + lens.p2 * v)
        let xu = lens.fx * (factor + slope * u * u + 2 * lens.p1 * v + 6 * lens.p2 * u) * inverseDepth
        let xv = lens.fx * cross * inverseDepth
        let yu = lens.fy * cross * inverseDepth
        let yv = lens.fy * (factor + slope * v * v + 6 * lens.p1 * v + 2 * lens.p2 * u) * inverseDepth
        byPointX = Vector3d(xu, xv, -(xu * u + xv * v))
        byPointY = Vector3d(yu, yv, -(yu * u + yv * v))

        let (fu, fv) = (lens.fx * u, lens.fy * v)
        byLensX = SIMD16(du, fu * s, fu * s * s, 1, 0, 0, lens.fx * uv2, lens.fx * su, fu * s * s * s, 0, 0, 0, 0, 0, 0, 0)
        byLensY = SIMD16(dv, fv * s, fv * s * s, 0, 1, dv, lens.fy * sv, lens.fy * uv2, fv * s * s * s, 0, 0, 0, 0, 0, 0, 0)
    }
}

extension CameraIntrinsics {
    /// In `BundleProblem.Lens`'s order: f, k1, k2, cx, cy, fy − fx, p1, p2, k3.
    var parameters: SIMD16<Double> {
        SIMD16(
            focal.x, radial.x, radial.y, center.x, center.y, focal.y - focal.x, tangential.x, tangential.y, radial.z, 0, 0, 0, 0, 0, 0, 0)
    }

    /// Adds a step in `BundleProblem.Lens`'s order of parameters.
    mutating func add(_ step: SIMD16<Double>) {
        focal += Vector2d(step[0], step[0] + step[5])
        center += Vector2d(step[3], step[4])
        radial += Vector3d(step[1], step[2], step[8])
        tangential += Vector2d(step[6], step[7])
    }
}
