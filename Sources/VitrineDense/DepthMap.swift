import VitrineMath
import VitrineVision

/// The depth, the normal and the confidence of each pixel of a photo: the output of `DepthEstimator`.
///
/// `camera.intrinsics` has the size of the map, which is usually smaller than the photo.
package struct DepthMap: Equatable, Sendable {
    /// `PhotoView.photo` of the reference photo.
    package let photo: Int
    /// The photo's camera, its intrinsics resized to the map.
    package let camera: PosedCamera
    /// The depths: z in the camera's frame (the world's unit) at the centre of each pixel, rows from the top. 0 where unknown.
    package var depths: [Float]
    /// The surface's outward direction in the camera's frame (x right, y down, z forward: those that face the camera have z < 0), packed by
    /// `packNormal`. Meaningless where the depth is 0.
    package var normals: [UInt32]
    /// The agreement of the photos at each pixel, 0…255; 0 where the depth is 0.
    package var confidences: [UInt8]

    package var width: Int { camera.intrinsics.width }
    package var height: Int { camera.intrinsics.height }

    /// Creates a map without depth.
    package init(photo: Int, camera: PosedCamera) {
        (self.photo, self.camera) = (photo, camera)
        let count = camera.intrinsics.width * camera.intrinsics.height
        depths = Array(repeating: 0, count: count)
        normals = Array(repeating: 0, count: count)
        confidences = Array(repeating: 0, count: count)
    }

    /// The unit normal at a pixel, in the camera's frame.
    package func normalInCamera(_ index: Int) -> Vector3 { DepthMap.unpackNormal(normals[index]) }

    /// The surface point at the centre of a pixel, in the world. Meaningless where the depth is 0.
    package func pointInWorld(x: Int, y: Int) -> Vector3d {
        let intrinsics = camera.intrinsics
        let depth = Double(depths[y * width + x])
        let ray = (Vector2d(Double(x) + 0.5, Double(y) + 0.5) - intrinsics.center) / intrinsics.focal
        return camera.cameraFromWorld.inverse * Vector3d(ray.x * depth, ray.y * depth, depth)
    }

    /// The fraction of pixels with a depth, 0…1.
    package var coverage: Double {
        depths.isEmpty ? 0 : Double(depths.reduce(into: 0) { $0 += $1 > 0 ? 1 : 0 }) / Double(depths.count)
    }

    /// Encodes a unit vector in 32 bits by the octahedral map (Cigolle et al. 2014), 16 bits per axis; the error is below 0.01°.
    package static func packNormal(_ normal: Vector3) -> UInt32 {
        let sum = abs(normal.x) + abs(normal.y) + abs(normal.z)
        guard sum > 0, sum.isFinite else { return 0 }
        var (u, v) = (normal.x / sum, normal.y / sum)
        if normal.z < 0 {
            (u, v) = ((1 - abs(v)) * (u < 0 ? -1 : 1), (1 - abs(u)) * (v < 0 ? -1 : 1))
        }
        let (a, b) = (Int32((u * 32767).rounded()), Int32((v * 32767).rounded()))
        return UInt32(a + 32768) | UInt32(b + 32768) << 16
    }

    /// Decodes a unit vector of `packNormal`.
    package static func unpackNormal(_ packed: UInt32) -> Vector3 {
        let u = Float(Int32(packed & 0xFFFF) - 32768) * (1 / 32767)
        let v = Float(Int32(packed >> 16) - 32768) * (1 / 32767)
        let z = 1 - abs(u) - abs(v)
        let folded = max(-z, 0)
        return normalize(Vector3(u < 0 ? u + folded : u - folded, v < 0 ? v + folded : v - folded, z))
    }
}
