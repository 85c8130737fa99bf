import Dispatch
import VitrineMath

/// Removes noise from a path traced image and keeps edges: means over neighbours of similar normal, albedo and brightness, in increasing steps
/// (à-trous wavelets, Dammertz et al. 2010), where the measured noise decides which differences of brightness are noise (Schied et al. 2017).
///
/// Light is filtered without the surface's colour, which textures change and noise does not. Sharp shadows, reflections
/// and refractions lose detail if there are few samples, because they do not differ from noise.
struct Denoiser {
    /// A pixel, in the order of rows.
    struct Pixel {
        /// Premultiplied radiance and alpha.
        var color: Vector4
        var albedo: Vector3
        var normal: Vector3
        /// The variance of the mean of the luminance.
        var variance: Float
    }

    /// Distances between the pixels that the passes read, and the weights of five in a row: a cubic B-spline. `ShadowDenoiser` uses them, too.
    static let steps = [1, 2, 4, 8]
    static let kernel: [Float] = [1.0 / 16, 1.0 / 4, 3.0 / 8, 1.0 / 4, 1.0 / 16]
    /// Standard errors by which equal pixels may differ.
    static let tolerance: Float = 3

    private let width, height: Int

    init(width: Int, height: Int) { (self.width, self.height) = (width, height) }

    /// Calls `body` for each pixel of the image that a pass reads around a pixel, with its index and its weight in the kernel.
    @inline(__always)
    static func forEachNeighbour(x: Int, y: Int, step: Int, width: Int, height: Int, _ body: (_ index: Int, _ weight: Float) -> Void) {
        for v in -2...2 {
            let row = y + v * step
            guard row >= 0, row < height else { continue }
            for u in -2...2 {
                let column = x + u * step
                guard column >= 0, column < width else { continue }
                body(row * width + column, kernel[u + 2] * kernel[v + 2])
            }
        }
    }

    /// Returns premultiplied radiance and alpha.
    func filtered(_ pixels: [Pixel]) -> [Vector4] {
        // Light without colour, and its variance in w.
        var light = pixels.map { pixel in
            let color = divisor(pixel.albedo)
            return Vector4(pixel.color.xyz / color, pixel.variance / max(luminance(color) * luminance(color), 1e-8))
        }
        smoothVariance(&light)
        for step in Self.steps {
            let source = light
            light.withUnsafeMutableBufferPointer { out in
                let rows = RowWriter(out.baseAddress.unsafelyUnwrapped)
                pixels.withUnsafeBufferPointer { pixels in
                    source.withUnsafeBufferPointer { source in
                        let input = RowReader(pixels: pixels, light: source)
                        DispatchQueue.concurrentPerform(iterations: height) { y in filterRow(y, step, input, rows) }
                    }
                }
            }
        }
        return zip(pixels, light).map { pixel, light in Vector4(light.xyz * divisor(pixel.albedo), pixel.color.w) }
    }

    /// Unchecked Sendable: threads only read the memory, and `filtered` keeps it until all have finished.
    private struct RowReader: @unchecked Sendable {
        let pixels: UnsafeBufferPointer<Pixel>
        let light: UnsafeBufferPointer<Vector4>
    }

    /// Unchecked Sendable: each thread writes the row that it filters, and none reads what another writes.
    private struct RowWriter: @unchecked Sendable {
        let base: UnsafeMutablePointer<Vector4>
        init(_ base: UnsafeMutablePointer<Vector4>) { self.base = base }
    }

    private func divisor(_ albedo: Vector3) -> Vector3 { pointwiseMax(albedo, Vector3(repeating: 0.02)) }

    /// The difference of two halves is itself noisy: a mean over 5 × 5 pixels.
    private func smoothVariance(_ light: inout [Vector4]) {
        let source = light
        for y in 0..<height {
            for x in 0..<width {
                var (sum, count): (Float, Float) = (0, 0)
                for v in max(y - 2, 0)...min(y + 2, height - 1) {
                    for u in max(x - 2, 0)...min(x + 2, width - 1) {
                        sum += source[v * width + u].w
                        count += 1
                    }
                }
                light[y * width + x].w = sum / count
            }
        }
    }

    private func filterRow(_ y: Int, _ step: Int, _ input: RowReader, _ output: RowWriter) {
        for x in 0..<width {
            let index = y * width + x
            let (own, center) = (input.pixels[index], input.light[index])
            let brightness = luminance(center.xyz)
            let scale = 1 / (Self.tolerance * max(center.w, 0).squareRoot() + 1e-6 + 1e-3 * brightness)
            var sum = Vector3(repeating: 0)
            var (variance, weights): (Float, Float) = (0, 0)
            Self.forEachNeighbour(x: x, y: y, step: step, width: width, height: height) { other, kernelWeight in
                let (pixel, light) = (input.pixels[other], input.light[other])
                let normal = pixel.normal - own.normal
                let albedo = pixel.albedo - own.albedo
                let alpha = pixel.color.w - own.color.w
                let difference = abs(luminance(light.xyz) - brightness) * scale
                let distance = dot(normal, normal) * 50 + dot(albedo, albedo) * 100 + alpha * alpha * 100 + difference
                let weight = kernelWeight * exp(-min(distance, 40))
                sum += light.xyz * weight
                variance += light.w * weight * weight
                weights += weight
            }
            output.base[index] = Vector4(sum / weights, variance / (weights * weights))
        }
    }
}

extension PathTracer {
    /// The image so far without most of its noise, as `radiance`: see `Denoiser` and `ShadowDenoiser`.
    package func denoisedRadiance() -> [Float] {
        let shadows = ShadowDenoiser(width: width, height: height).filtered(
            (0..<width * height).map { index in
                let count = tiles.samples(ofPixel: index)
                let sums = tiles.pixels[index]
                return ShadowDenoiser.Pixel(shadow: sums.shadow, share: count > 0 ? sums.caught.z / Float(count) : 0)
            })
        let pixels = (0..<width * height).map { index in
            let features = features(at: index)
            return Denoiser.Pixel(
                color: value(at: index, shadow: shadows[index]), albedo: features.albedo, normal: features.normal,
                variance: features.variance)
        }
        return Denoiser(width: width, height: height).filtered(pixels).flatMap { [$0.x, $0.y, $0.z, $0.w] }
    }
}
