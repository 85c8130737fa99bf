/// A projection with its derivatives with respect to the point and to the intrinsics, for least-squares problems.
@frozen @usableFromInline package struct ProjectionDerivatives {
    @usableFromInline package var pixel: Vector2d
    /// The derivatives of pixel.x and pixel.y with respect to the point in the camera frame.
    @usableFromInline package var xByPoint, yByPoint: Vector3d
    /// The derivatives with respect to the parameters, in the order of `CameraIntrinsics.parameters`; the remaining lanes are 0.
    @usableFromInline package var xByParameters, yByParameters: SIMD16<Double>

    @inlinable @inline(__always) package init(
        pixel: Vector2d, xByPoint: Vector3d, yByPoint: Vector3d, xByParameters: SIMD16<Double>, yByParameters: SIMD16<Double>
    ) {
        (self.pixel, self.xByPoint, self.yByPoint) = (pixel, xByPoint, yByPoint)
        (self.xByParameters, self.yByParameters) = (xByParameters, yByParameters)
    }
}

extension CameraIntrinsics {
    /// The largest number of parameters: 9 of Brown and Conrady's model. A fisheye lens has 8.
    package static let maximumParameterCount = 9

    /// The number of parameters of this camera's projection.
    package var parameterCount: Int { distortion.isFisheye ? 8 : 9 }

    /// The intrinsics as a vector, ordered so that the simpler models of the family are prefixes of the richer ones:
    /// f, k1, k2, cx, cy, fy − fx, then p1, p2, k3 of Brown and Conrady or k3, k4 of a fisheye.
    package var parameters: SIMD16<Double> {
        switch distortion {
        case .brownConrady(let k, let p):
            SIMD16(focal.x, k.x, k.y, center.x, center.y, focal.y - focal.x, p.x, p.y, k.z, 0, 0, 0, 0, 0, 0, 0)
        case .kannalaBrandt(let k):
            SIMD16(focal.x, k.x, k.y, center.x, center.y, focal.y - focal.x, k.z, k.w, 0, 0, 0, 0, 0, 0, 0, 0)
        }
    }

    /// Adds a step to the parameters, in the order of `parameters`.
    package mutating func add(_ step: SIMD16<Double>) {
        focal += Vector2d(step[0], step[0] + step[5])
        center += Vector2d(step[3], step[4])
        switch distortion {
        case .brownConrady(let k, let p):
            distortion = .brownConrady(radial: k + Vector3d(step[1], step[2], step[8]), tangential: p + Vector2d(step[6], step[7]))
        case .kannalaBrandt(let k):
            distortion = .kannalaBrandt(k + SIMD4(step[1], step[2], step[6], step[7]))
        }
    }

    /// Projects a point in the camera frame and computes the derivatives. Requires z > 0, except for fisheye lenses.
    @inlinable @inline(__always) package func derivatives(_ pointInCamera: Vector3d) -> ProjectionDerivatives {
        switch distortion {
        case .brownConrady(let radial, let tangential): perspectiveDerivatives(pointInCamera, radial, tangential)
        case .kannalaBrandt(let k): fisheyeDerivatives(pointInCamera, k)
        }
    }

    @inlinable @inline(__always) package func perspectiveDerivatives(
        _ point: Vector3d, _ radial: Vector3d, _ tangential: Vector2d
    ) -> ProjectionDerivatives {
        let (k1, k2, k3) = (radial.x, radial.y, radial.z)
        let (p1, p2) = (tangential.x, tangential.y)
        let (fx, fy) = (focal.x, focal.y)
        let inverseDepth = 1 / point.z
        let (u, v) = (point.x * inverseDepth, point.y * inverseDepth)
        let s = u * u + v * v
        let factor = 1 + s * (k1 + s * (k2 + s * k3))
        let (uv2, su, sv) = (2 * u * v, s + 2 * u * u, s + 2 * v * v)
        let du = u * factor + p1 * uv2 + p2 * su
        let dv = v * factor + p1 * sv + p2 * uv2

        // d factor / d s, times 2, because d s / d u = 2 u.
        let slope = 2 * (k1 + s * (2 * k2 + 3 * k3 * s))
        let cross = slope * u * v + 2 * (p1 * u + p2 * v)
        let xu = fx * (factor + slope * u * u + 2 * p1 * v + 6 * p2 * u) * inverseDepth
        let xv = fx * cross * inverseDepth
        let yu = fy * cross * inverseDepth
        let yv = fy * (factor + slope * v * v + 6 * p1 * v + 2 * p2 * u) * inverseDepth
        let (fu, fv) = (fx * u, fy * v)
        return ProjectionDerivatives(
            pixel: Vector2d(fx * du + center.x, fy * dv + center.y),
            xByPoint: Vector3d(xu, xv, -(xu * u + xv * v)),
            yByPoint: Vector3d(yu, yv, -(yu * u + yv * v)),
            xByParameters: SIMD16(du, fu * s, fu * s * s, 1, 0, 0, fx * uv2, fx * su, fu * s * s * s, 0, 0, 0, 0, 0, 0, 0),
            yByParameters: SIMD16(dv, fv * s, fv * s * s, 0, 1, dv, fy * sv, fy * uv2, fv * s * s * s, 0, 0, 0, 0, 0, 0, 0))
    }

    /// Uses the angle θ from the axis, so that 90° is not a special case.
    @inlinable @inline(__always) package func fisheyeDerivatives(_ point: Vector3d, _ k: SIMD4<Double>) -> ProjectionDerivatives {
        let (fx, fy) = (focal.x, focal.y)
        let squaredRadius = point.x * point.x + point.y * point.y
        let squaredDistance = squaredRadius + point.z * point.z
        let radius = max(squaredRadius.squareRoot(), 1e-12 * squaredDistance.squareRoot())
        // The direction perpendicular to the axis, and θ.
        let (a, b) = (point.x / radius, point.y / radius)
        let angle = atan2(radius, point.z)
        let s = angle * angle
        let distorted = LensDistortion.distortedAngle(angle, k)
        let slope = LensDistortion.angleSlope(squared: s, k)
        let (du, dv) = (distorted * a, distorted * b)

        // ∂θ/∂radius = z / distance², ∂θ/∂z = −radius / distance². Perpendicular to the radius only the direction (a, b) rotates.
        let along = slope * point.z / squaredDistance
        let across = distorted / radius
        let depth = -slope * radius / squaredDistance
        let difference = along - across
        let (uu, uv, vv) = (across + difference * a * a, difference * a * b, across + difference * b * b)
        let (p1, p2) = (s * angle, s * s * angle)
        let (p3, p4) = (s * s * s * angle, s * s * s * s * angle)
        let (fa, fb) = (fx * a, fy * b)
        return ProjectionDerivatives(
            pixel: Vector2d(fx * du + center.x, fy * dv + center.y),
            xByPoint: Vector3d(uu, uv, depth * a) * fx,
            yByPoint: Vector3d(uv, vv, depth * b) * fy,
            xByParameters: SIMD16(du, fa * p1, fa * p2, 1, 0, 0, fa * p3, fa * p4, 0, 0, 0, 0, 0, 0, 0, 0),
            yByParameters: SIMD16(dv, fb * p1, fb * p2, 0, 1, dv, fb * p3, fb * p4, 0, 0, 0, 0, 0, 0, 0, 0))
    }
}
