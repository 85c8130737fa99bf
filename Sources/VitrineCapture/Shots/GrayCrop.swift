import VitrineAR
import VitrineVision

/// A rectangle of an image's luma, reduced by whole pixels.
struct GrayCrop: Sendable {
    /// 0…1, in full range.
    let plane: GrayPlane
    /// The rectangle's first pixel.
    let origin: SIMD2<Int>
    /// Pixels of the image for a pixel of the crop.
    let step: Int

    /// Crops and reduces a part of an image's luma.
    ///
    /// - Parameters:
    ///   - rectangle: A rectangle within the image.
    ///   - side: The longer side at most, pixels.
    init(_ image: CapturedImage, in rectangle: PixelRectangle, side: Int) {
        step = max(1, (max(rectangle.width, rectangle.height) + side - 1) / side)
        origin = SIMD2(rectangle.x, rectangle.y)
        let (width, height, step, origin) = (rectangle.width / step, rectangle.height / step, step, origin)
        let isFull = image.range == .full
        let (stride, luma) = (image.width, image.luma.values)
        let scale = 1 / Float(step * step)
        let values = [Float](unsafeUninitializedCapacity: width * height) { target, count in
            luma.withUnsafeBufferPointer { luma in
                for y in 0..<height {
                    for x in 0..<width {
                        var sum = 0
                        for row in 0..<step {
                            let start = (origin.y + y * step + row) * stride + origin.x + x * step
                            for column in 0..<step { sum += Int(luma[start + column]) }
                        }
                        let mean = Float(sum) * scale
                        target[y * width + x] = min(max(isFull ? mean / 255 : (mean - 16) / 219, 0), 1)
                    }
                }
            }
            count = width * height
        }
        plane = GrayPlane(width: width, height: height, values: values)
    }

    /// The pixel of the image at a position in the crop.
    func pixel(_ position: SIMD2<Float>) -> Vector2d {
        Vector2d(Double(origin.x), Double(origin.y)) + Vector2d(Double(position.x), Double(position.y)) * Double(step)
    }
}
