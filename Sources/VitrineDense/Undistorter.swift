import VitrineMath
import VitrineVision

/// Removes the lens distortion of photos and reduces them to the pinhole images of the dense stages.
package struct Undistorter: Sendable {
    /// The calibrated camera of the photo, with its lens distortion.
    package let source: PosedCamera
    /// The undistorted pinhole camera: the same pose, with the focal length and the principal point scaled.
    package let target: PosedCamera

    /// Creates an undistorter for a camera.
    ///
    /// - Parameter maximumSide: The longer side of the pinhole image at most, pixels. The image is never larger than the photo.
    package init(camera: PosedCamera, maximumSide: Int) {
        source = camera
        let size = camera.intrinsics
        let factor = min(1, Double(max(1, maximumSide)) / Double(max(size.width, size.height, 1)))
        let width = max(1, Int((Double(size.width) * factor).rounded()))
        let height = max(1, Int((Double(size.height) * factor).rounded()))
        let pinhole = size.resized(width: width, height: height).undistorted
        target = PosedCamera(intrinsics: pinhole, cameraFromWorld: camera.cameraFromWorld)
    }

    /// Returns the undistorted photo. Each pixel is the mean of the area that it covers. Pixels outside the photo are black and masked.
    ///
    /// - Parameters:
    ///   - color: The photo, of the size of `source`.
    ///   - mask: The photo's mask, of any size, stretched over the photo.
    ///   - depthRange: See `PhotoView.depthRange`.
    /// - Throws: `DenseError.malformedView` if the photo has another size than the camera.
    package func view(
        photo: Int, color: ColorPlane, mask: MaskPlane? = nil, depthRange: ClosedRange<Float>, in context: StageContext = StageContext()
    ) throws(DenseError) -> PhotoView {
        let (from, to) = (source.intrinsics, target.intrinsics)
        guard color.width == from.width, color.height == from.height, from.width > 0, from.height > 0 else {
            throw .malformedView(
                photo: photo, "the photo has \(color.width) × \(color.height) pixels and its camera \(from.width) × \(from.height)")
        }
        let isSame = !from.isDistorted && from.width == to.width && from.height == to.height
        let pixels = isSame ? color : resampled(color, context.parallel)
        let fitted = resampledMask(mask, context.parallel)
        return PhotoView(photo: photo, camera: target, color: pixels, mask: fitted, depthRange: depthRange)
    }

    /// Undistorts a depth map of the photo by nearest-neighbour sampling, because depths must not be mixed at edges.
    ///
    /// - Parameter depths: z for each pixel of the photo, of any size; 0 where unknown.
    /// - Returns: The map unchanged if the lens has no distortion, otherwise of the size of `target`.
    package func depths(_ depths: Plane<Float>) -> Plane<Float> {
        guard source.intrinsics.isDistorted, depths.width > 0, depths.height > 0 else { return depths }
        let (width, height) = (target.intrinsics.width, target.intrinsics.height)
        let depthFromPhoto = Vector2d(
            Double(depths.width) / Double(source.intrinsics.width), Double(depths.height) / Double(source.intrinsics.height))
        var result = Plane<Float>(width: width, height: height, repeating: 0)
        for y in 0..<height {
            for x in 0..<width {
                let pixel = sourcePixel(Double(x) + 0.5, Double(y) + 0.5) * depthFromPhoto
                guard pixel.x >= 0, pixel.y >= 0, pixel.x < Double(depths.width), pixel.y < Double(depths.height) else { continue }
                result[x, y] = depths[Int(pixel.x), Int(pixel.y)]
            }
        }
        return result
    }

    /// The position in the photo of the centre of a part of a target pixel, in pixels.
    private func sourcePixel(_ x: Double, _ y: Double) -> Vector2d {
        let normalized = (Vector2d(x, y) - target.intrinsics.center) / target.intrinsics.focal
        return source.intrinsics.project(Vector3d(normalized.x, normalized.y, 1))
    }

    /// The number of samples across a target pixel that cover every pixel of the photo.
    private var samplesAcross: Int {
        let factor = Double(source.intrinsics.width) / Double(target.intrinsics.width)
        return min(16, max(1, Int((factor - 1e-6).rounded(.up))))
    }

    private func resampled(_ color: ColorPlane, _ parallel: Parallel) -> ColorPlane {
        let (width, height, samples) = (target.intrinsics.width, target.intrinsics.height, samplesAcross)
        var result = [UInt8](repeating: 0, count: width * height * 3)
        result.withUnsafeMutableBufferPointer { buffer in
            // Each row writes its own part only.
            nonisolated(unsafe) let output = buffer
            parallel.forEach(height) { y in
                color.values.withUnsafeBufferPointer { input in
                    for x in 0..<width {
                        var (sum, count) = (SIMD3<Float>.zero, Float(0))
                        for part in 0..<samples * samples {
                            let offset = Vector2d(Double(part % samples) + 0.5, Double(part / samples) + 0.5) / Double(samples)
                            let pixel = sourcePixel(Double(x) + offset.x, Double(y) + offset.y)
                            guard let value = bilinear(input, width: color.width, height: color.height, pixel) else { continue }
                            (sum, count) = (sum + value, count + 1)
                        }
                        guard count > 0 else { continue }
                        let mean = (sum / count).rounded(.toNearestOrAwayFromZero)
                        for channel in 0..<3 { output[(y * width + x) * 3 + channel] = UInt8(clamp(mean[channel], 0, 255)) }
                    }
                }
            }
        }
        return ColorPlane(width: width, height: height, values: result)
    }

    /// The bilinear colour; nil outside the photo.
    private func bilinear(_ pixels: UnsafeBufferPointer<UInt8>, width: Int, height: Int, _ pixel: Vector2d) -> SIMD3<Float>? {
        guard pixel.x >= 0, pixel.y >= 0, pixel.x <= Double(width), pixel.y <= Double(height) else { return nil }
        let (x, y) = (clamp(pixel.x - 0.5, 0, Double(width - 1)), clamp(pixel.y - 0.5, 0, Double(height - 1)))
        let (left, top) = (Int(x), Int(y))
        let (right, bottom) = (min(left + 1, width - 1), min(top + 1, height - 1))
        let (fx, fy) = (Float(x - Double(left)), Float(y - Double(top)))
        func at(_ x: Int, _ y: Int) -> SIMD3<Float> {
            let index = (y * width + x) * 3
            return SIMD3(Float(pixels[index]), Float(pixels[index + 1]), Float(pixels[index + 2]))
        }
        let above = at(left, top) * (1 - fx) + at(right, top) * fx
        let below = at(left, bottom) * (1 - fx) + at(right, bottom) * fx
        return above * (1 - fy) + below * fy
    }

    /// The mask at the target's pixels (object if most of the pixel is object), without the part outside the photo; nil if
    /// nothing is masked.
    private func resampledMask(_ mask: MaskPlane?, _ parallel: Parallel) -> MaskPlane? {
        guard mask != nil || source.intrinsics.isDistorted else { return nil }
        if let mask, mask.width <= 0 || mask.height <= 0 { return nil }
        let (width, height) = (target.intrinsics.width, target.intrinsics.height)
        let size = Vector2d(Double(source.intrinsics.width), Double(source.intrinsics.height))
        let rows = parallel.map(height) { y -> [UInt8] in
            (0..<width).map { x in
                var inside = 0
                for part in 0..<4 {
                    let pixel = sourcePixel(Double(x) + 0.25 + 0.5 * Double(part % 2), Double(y) + 0.25 + 0.5 * Double(part / 2))
                    guard pixel.x >= 0, pixel.y >= 0, pixel.x < size.x, pixel.y < size.y else { continue }
                    guard let mask else {
                        inside += 1
                        continue
                    }
                    let scaled = pixel / size * Vector2d(Double(mask.width), Double(mask.height))
                    if mask[min(mask.width - 1, Int(scaled.x)), min(mask.height - 1, Int(scaled.y))] != 0 { inside += 1 }
                }
                return inside >= 2 ? 255 : 0
            }
        }
        let values = rows.flatMap { $0 }
        return mask == nil && values.allSatisfy { $0 != 0 } ? nil : MaskPlane(width: width, height: height, values: values)
    }
}
