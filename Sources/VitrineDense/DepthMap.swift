import VitrineMath
import VitrineVision

/// How far one photo's pixels are, with the surface's direction there: what `DepthEstimator` makes of a photo and its neighbours.
///
/// The map is as large as `camera.intrinsics` say: usually smaller than the photo.
package struct DepthMap: Equatable, Sendable {
    /// `PhotoView.photo` of the reference photo.
    package let photo: Int
    /// The photo's camera, its intrinsics resized to the map.
    package let camera: PosedCamera
    /// z in the camera's frame (the world's unit) at the centre of each pixel, rows from the top. 0 where nothing is known.
    package var depths: [Float]
    /// The surface's outward direction in the camera's frame (x right, y down, z forward: those that face the camera have z < 0), packed by
    /// `packNormal`. Meaningless where the depth is 0.
    package var normals: [UInt32]
    /// 0…255: how well the photos agree. 0 where the depth is 0.
    package var confidences: [UInt8]

    package var width: Int { camera.intrinsics.width }
    package var height: Int { camera.intrinsics.height }

    /// A map in which nothing is known.
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

    /// The share of pixels that have a depth.
    package var coverage: Double {
        depths.isEmpty ? 0 : Double(depths.reduce(into: 0) { $0 += $1 > 0 ? 1 : 0 }) / Double(depths.count)
    }

    /// A unit vector in 32 bits: the octahedral map (Cigolle et al. 2014), 16 bits an axis; the error stays under 0.01°.
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

    /// The unit vector that `packNormal` packed.
    package static func unpackNormal(_ packed: UInt32) -> Vector3 {
        let u = Float(Int32(packed & 0xFFFF) - 32768) * (1 / 32767)
        let v = Float(Int32(packed >> 16) - 32768) * (1 / 32767)
        let z = 1 - abs(u) - abs(v)
        let folded = max(-z, 0)
        return normalize(Vector3(u < 0 ? u + folded : u - folded, v < 0 ? v + folded : v - folded, z))
    }
}
