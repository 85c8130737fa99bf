import VitrineMath

/// Removes noise from the shadows on receivers, which are the image's alpha: means over neighbouring pixels of the receivers in wider and wider steps, as
/// `Denoiser`. Noise is measured by the differences of adjacent pixels, which slow changes of a shadow do not increase.
struct ShadowDenoiser {
    struct Pixel {
        /// The share of light that is blocked, 0…1.
        var shadow: Float
        /// The share of the pixel's samples that lie on receivers.
        var share: Float
    }

    private let width, height: Int

    init(width: Int, height: Int) { (self.width, self.height) = (width, height) }

    /// The shadow of each pixel.
    func filtered(_ pixels: [Pixel]) -> [Float] {
        var shadows = pixels.map { $0.shadow }
        guard pixels.contains(where: { $0.share > 0 }) else { return shadows }
        var variances = variances(pixels)
        for step in Denoiser.steps { (shadows, variances) = pass(pixels, shadows, variances, step) }
        return shadows
    }

    /// Returns the variance of each shadow: the mean over 5 × 5 pixels of half the squared difference from the next pixel, right and below.
    private func variances(_ pixels: [Pixel]) -> [Float] {
        func difference(_ a: Int, _ b: Int) -> Float? {
            guard pixels[a].share > 0.5, pixels[b].share > 0.5 else { return nil }
            let d = pixels[a].shadow - pixels[b].shadow
            return d * d / 2
        }
        var own = [(sum: Float, count: Float)](repeating: (0, 0), count: width * height)
        for y in 0..<height {
            for x in 0..<width {
                let index = y * width + x
                for other in [x + 1 < width ? index + 1 : nil, y + 1 < height ? index + width : nil] {
                    guard let other, let d = difference(index, other) else { continue }
                    own[index].sum += d
                    own[index].count += 1
                }
            }
        }
        return (0..<width * height).map { index in
            let (x, y) = (index % width, index / width)
            var (sum, count): (Float, Float) = (0, 0)
            for v in max(y - 2, 0)...min(y + 2, height - 1) {
                for u in max(x - 2, 0)...min(x + 2, width - 1) {
                    sum += own[v * width + u].sum
                    count += own[v * width + u].count
                }
            }
            return count > 0 ? sum / count : 0
        }
    }

    private func pass(_ pixels: [Pixel], _ shadows: [Float], _ variances: [Float], _ step: Int) -> ([Float], [Float]) {
        var (result, left) = (shadows, variances)
        for y in 0..<height {
            for x in 0..<width where pixels[y * width + x].share > 0 {
                let index = y * width + x
                let scale = 1 / (Denoiser.tolerance * max(variances[index], 0).squareRoot() + 2e-3)
                var (sum, variance, weights): (Float, Float, Float) = (0, 0, 0)
                Denoiser.forEachNeighbour(x: x, y: y, step: step, width: width, height: height) { other, kernelWeight in
                    guard pixels[other].share > 0 else { return }
                    let difference = abs(shadows[other] - shadows[index]) * scale
                    let weight = kernelWeight * pixels[other].share * exp(-min(difference, 40))
                    sum += shadows[other] * weight
                    variance += variances[other] * weight * weight
                    weights += weight
                }
                result[index] = sum / weights
                left[index] = variance / (weights * weights)
            }
        }
        return (result, left)
    }
}
