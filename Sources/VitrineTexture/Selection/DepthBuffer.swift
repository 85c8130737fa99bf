import VitrineMath
import VitrineVision

/// A pinhole camera in single precision, for the inner loops.
struct Projection: Sendable {
    let width, height: Int
    /// Rows of the 3×4 matrix from the world to (x z, y z, z), x and y in pixels.
    private let x, y, z: Vector4
    let center: Vector3
    /// The mean focal length in pixels.
    let focal: Float

    /// Creates the projection of a camera into an image of the given size in pixels.
    init(_ camera: PosedCamera, width: Int, height: Int) {
        let intrinsics = camera.intrinsics.resized(width: width, height: height)
        (self.width, self.height) = (width, height)
        let (r, t) = (camera.cameraFromWorld.rotation.transpose, camera.cameraFromWorld.translation)
        // r.x is the first row of the rotation.
        func row(_ v: Vector3d, _ w: Double) -> Vector4 { Vector4(Float(v.x), Float(v.y), Float(v.z), Float(w)) }
        let (f, c) = (intrinsics.focal, intrinsics.center)
        x = row(r.x * f.x + r.z * c.x, t.x * f.x + t.z * c.x)
        y = row(r.y * f.y + r.z * c.y, t.y * f.y + t.z * c.y)
        z = row(r.z, t.z)
        let center = camera.centerInWorld
        self.center = Vector3(Float(center.x), Float(center.y), Float(center.z))
        focal = Float((f.x + f.y) / 2)
    }

    /// (x z, y z, z) of a point in the world.
    @inline(__always)
    func homogeneous(_ p: Vector3) -> Vector3 {
        let q = Vector4(p.x, p.y, p.z, 1)
        return Vector3((x * q).sum(), (y * q).sum(), (z * q).sum())
    }
}

/// A camera's depth buffer of a mesh: the inverse depth at each pixel's centre; 0 where there is no mesh.
struct DepthBuffer: Sendable {
    let width, height: Int
    private(set) var inverse: [Float]

    /// Rasterizes the depth of a surface.
    ///
    /// - Parameter points: The surface's vertices as `Projection.homogeneous` gives them.
    init(_ surface: SurfaceTopology, _ points: [Vector3], width: Int, height: Int) {
        (self.width, self.height) = (width, height)
        inverse = Array(repeating: 0, count: width * height)
        inverse.withUnsafeMutableBufferPointer { buffer in
            for t in surface.triangles {
                guard let triangle = ProjectedTriangle(points[Int(t.x)], points[Int(t.y)], points[Int(t.z)]) else { continue }
                let (least, most) = (triangle.inverseDepths.min(), triangle.inverseDepths.max())
                triangle.scan(width: width, height: height) { y, xs in
                    var w = triangle.inverseDepth(x: xs.lowerBound, y: y)
                    for x in xs {
                        let slot = y &* width &+ x
                        let value = min(most, max(least, w))
                        if value > buffer[slot] { buffer[slot] = value }
                        w += triangle.slope.x
                    }
                }
            }
        }
    }

    /// Whether a point at a pixel (not rounded) with this depth is visible to the camera.
    ///
    /// - Parameter tolerance: The tolerance relative to the depth.
    @inline(__always)
    static func isVisible(_ inverse: UnsafeBufferPointer<Float>, at slot: Int, depth: Float, tolerance: Float) -> Bool {
        let w = inverse[slot]
        return w > 0 && w * depth <= 1 + tolerance
    }
}
