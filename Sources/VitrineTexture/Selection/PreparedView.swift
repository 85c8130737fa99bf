import VitrineMath
import VitrineVision

/// A photo with the depth buffer of the mesh in its camera.
struct PreparedView: Sendable {
    let projection: Projection
    /// The surface's vertices: (x z, y z, z), x and y in pixels.
    let points: [Vector3]
    let depth: DepthBuffer
    let trust: TrustMap
    /// sRGB-encoded, three bytes per pixel, of the projection's size.
    let color: [UInt8]
    /// The camera's direction in the world.
    let direction: Vector3

    /// The approximate size of the view in memory, in bytes.
    var byteCount: Int {
        points.count * MemoryLayout<Vector3>.stride + depth.inverse.count * MemoryLayout<Float>.stride + trust.values.count + color.count
    }

    /// nil for an invalid camera or image.
    ///
    /// - Parameter reduction: The factor by which the photo is reduced, by averaging.
    init?(_ photo: PhotoView, _ surface: SurfaceTopology, reduction: Int) {
        let intrinsics = photo.camera.intrinsics
        guard !intrinsics.isDistorted, photo.color.width >= 8 * reduction, photo.color.height >= 8 * reduction else { return nil }
        let (width, height) = (photo.color.width / reduction, photo.color.height / reduction)
        // The camera's own size may differ from the image's.
        let whole = PosedCamera(
            intrinsics: intrinsics.resized(width: photo.color.width, height: photo.color.height),
            cameraFromWorld: photo.camera.cameraFromWorld)
        var cropped = whole
        (cropped.intrinsics.width, cropped.intrinsics.height) = (width * reduction, height * reduction)
        let projection = Projection(cropped, width: width, height: height)
        guard projection.center.isFinite, projection.focal.isFinite, projection.focal > 0 else { return nil }
        self.projection = projection
        direction = Vector3(photo.camera.cameraFromWorld.rotation.transpose.z)
        points = surface.positions.map { projection.homogeneous($0) }
        depth = DepthBuffer(surface, points, width: width, height: height)
        let mask = photo.mask.flatMap { $0.width == photo.color.width && $0.height == photo.color.height ? $0 : nil }
        trust = TrustMap(
            depth, mask: mask.map { Self.reduced($0, reduction) }, focal: projection.focal, ramp: max(4, max(width, height) / 160))
        color = reduction == 1 ? photo.color.values : Self.reduced(photo.color, reduction)
    }

    private static func reduced(_ plane: ColorPlane, _ factor: Int) -> [UInt8] {
        let (width, height) = (plane.width / factor, plane.height / factor)
        var result = [UInt8](repeating: 0, count: width * height * 3)
        let half = factor * factor / 2
        plane.values.withUnsafeBufferPointer { source in
            for y in 0..<height {
                for x in 0..<width {
                    var sum = SIMD3<Int>(repeating: half)
                    for v in y * factor..<(y + 1) * factor {
                        for u in x * factor..<(x + 1) * factor {
                            let slot = 3 * (v * plane.width + u)
                            sum &+= SIMD3(Int(source[slot]), Int(source[slot + 1]), Int(source[slot + 2]))
                        }
                    }
                    let slot = 3 * (y * width + x)
                    for k in 0..<3 { result[slot + k] = UInt8(sum[k] / (factor * factor)) }
                }
            }
        }
        return result
    }

    /// The reduced mask: masked if any of the pixels is masked.
    private static func reduced(_ plane: MaskPlane, _ factor: Int) -> [UInt8] {
        guard factor > 1 else { return plane.values }
        let (width, height) = (plane.width / factor, plane.height / factor)
        var result = [UInt8](repeating: 255, count: width * height)
        for y in 0..<height * factor {
            for x in 0..<width * factor where plane.values[y * plane.width + x] == 0 { result[y / factor * width + x / factor] = 0 }
        }
        return result
    }

    /// Adds the mean colour of the 3 × 3 pixels around a point, if it is visible to the camera.
    @inline(__always)
    func sample(_ point: Vector3, _ inverse: UnsafeBufferPointer<Float>, _ tolerance: Float, _ sum: inout SampleSum) {
        sum.count += 1
        let (px, py) = (point.x / point.z, point.y / point.z)
        guard px >= 1, py >= 1, px < Float(projection.width - 1), py < Float(projection.height - 1) else { return }
        let (x, y) = (Int(px), Int(py))
        let slot = y * projection.width + x
        let weight = Float(trust.values[slot]) / 255
        guard weight > 0, DepthBuffer.isVisible(inverse, at: slot, depth: point.z, tolerance: tolerance) else { return }
        color.withUnsafeBufferPointer { color in
            var total = SIMD3<Int32>(repeating: 0)
            var (low, high) = (Int32.max, Int32.min)
            for row in -1...1 {
                var index = 3 * (slot + row * projection.width - 1)
                for _ in 0..<3 {
                    let c = SIMD3(Int32(color[index]), Int32(color[index + 1]), Int32(color[index + 2]))
                    total &+= c
                    let luma = c.x &+ 2 &* c.y &+ c.z
                    (low, high) = (min(low, luma), max(high, luma))
                    index += 3
                }
            }
            let mean = Vector3(total) / 9
            sum.color += Vector4(mean.x, mean.y, mean.z, Float(high - low) / 4) * weight
        }
        sum.trust += weight
    }
}
