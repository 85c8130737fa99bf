extension Matrix4 {
    /// Camera at `eye`, looking along its −Z at `target`: the camera's pose, `worldFromCamera`.
    ///
    /// When the view is parallel to `up`, any perpendicular is used instead.
    public static func lookAt(eye: Vector3, target: Vector3, up: Vector3 = .up) -> Matrix4 {
        var back = normalize(eye - target)
        if back == Vector3(repeating: 0) { back = Vector3(0, 0, 1) }
        var right = normalize(cross(up, back))
        if right == Vector3(repeating: 0) { right = anyPerpendicular(back) }
        return Matrix4(Matrix3(right, cross(back, right), back), translation: eye)
    }

    /// Perspective projection to WebGPU's clip space (x, y in −w…w with y up, depth 0 at `near` and 1 at `far`).
    ///
    /// `far` may be infinite. Depth is *reversed* when `near` > `far`: pass them swapped for a reversed depth buffer.
    public static func perspective(fieldOfViewY: Angle, aspectRatio: Float, near: Float, far: Float) -> Matrix4 {
        let f = 1 / tan(fieldOfViewY.radians / 2)
        let (a, b): (Float, Float)
        if far == .infinity {
            (a, b) = (-1, -near)
        } else if near == .infinity {
            (a, b) = (0, far)
        } else {
            (a, b) = (far / (near - far), near * far / (near - far))
        }
        return Matrix4(Vector4(f / aspectRatio, 0, 0, 0), Vector4(0, f, 0, 0), Vector4(0, 0, a, -1), Vector4(0, 0, b, 0))
    }

    /// Orthographic projection of a box `width` × `height` around the view axis to WebGPU's clip space; swap `near` and `far` to reverse depth.
    public static func orthographic(width: Float, height: Float, near: Float, far: Float) -> Matrix4 {
        let d = 1 / (near - far)
        return Matrix4(Vector4(2 / width, 0, 0, 0), Vector4(0, 2 / height, 0, 0), Vector4(0, 0, d, 0), Vector4(0, 0, near * d, 1))
    }
}

extension Matrix4 {
    /// Whether every element is within `tolerance` of the other's, relative to the greater of 1 and the column's length.
    public func isClose(to other: Matrix4, tolerance: Float = 1e-5) -> Bool {
        func close(_ a: Vector4, _ b: Vector4) -> Bool { length(a - b) <= tolerance * max(1, length(b)) }
        return close(x, other.x) && close(y, other.y) && close(z, other.z) && close(w, other.w)
    }
}
