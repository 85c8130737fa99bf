import Dispatch
import VitrineMath

/// Removes noise from light that was collected for the texels of a texture, and keeps its edges: means over neighbours on the same side of the surface, in
/// wider and wider steps, as `Denoiser`. Texels of other charts count only where they lie close by in space.
package struct CollectedLightFilter: Sendable {
    /// A texel that shows a surface.
    package struct Texel: Sendable {
        package var position: Vector3
        package var normal: Vector3
        package var light: CollectedLight

        package init(position: Vector3, normal: Vector3, light: CollectedLight) {
            (self.position, self.normal, self.light) = (position, normal, light)
        }
    }

    private let size: Int
    /// The size of a texel in space.
    private let spacing: Float

    /// Creates a filter for a square texture.
    ///
    /// - Parameters:
    ///   - size: The width and height of the texture.
    ///   - spacing: The distance between adjacent texels in space.
    package init(size: Int, spacing: Float) { (self.size, self.spacing) = (size, spacing) }

    /// Returns the light of each texel.
    ///
    /// - Parameter texelIndices: The index into `texels` for each texel of the texture; −1 for nothing.
    package func filtered(_ texels: [Texel], texelIndices: [Int32]) -> [CollectedLight] {
        var lights = texels.map { $0.light }
        for step in Denoiser.steps.dropLast() {
            let source = lights
            lights.withUnsafeMutableBufferPointer { out in
                // Each texel belongs to one row, and each row to one piece of work.
                nonisolated(unsafe) let out = out
                DispatchQueue.concurrentPerform(iterations: size) { y in
                    for x in 0..<size {
                        let texelIndex = texelIndices[y * size + x]
                        if texelIndex >= 0 { out[Int(texelIndex)] = filtered(Int(texelIndex), x, y, step, texels, source, texelIndices) }
                    }
                }
            }
        }
        return lights
    }

    private func filtered(
        _ texelIndex: Int, _ x: Int, _ y: Int, _ step: Int, _ texels: [Texel], _ lights: [CollectedLight], _ texelIndices: [Int32]
    ) -> CollectedLight {
        let (own, center) = (texels[texelIndex], lights[texelIndex])
        let brightness = luminance(center.radiance)
        let lightScale = 1 / (Denoiser.tolerance * center.variance.squareRoot() + 1e-6 + 2e-3 * brightness)
        let skyScale = 1 / (Denoiser.tolerance * center.opennessVariance.squareRoot() + 4e-3)
        let reach = 1 / (2.5 * Float(step) * spacing)
        var result = CollectedLight()
        var (lightWeights, skyWeights): (Float, Float) = (0, 0)
        Denoiser.forEachNeighbour(x: x, y: y, step: step, width: size, height: size) { index, kernel in
            let other = Int(texelIndices[index])
            guard other >= 0, lights[other].validity > 0 else { return }
            let (texel, light) = (texels[other], lights[other])
            let normal = texel.normal - own.normal
            let offset = (texel.position - own.position) * reach
            let apart = dot(normal, normal) * 20 + max(dot(offset, offset) - 1, 0) * 4
            guard apart < 20 else { return }
            let weight = kernel * light.validity * exp(-apart)
            let w = weight * exp(-min(abs(luminance(light.radiance) - brightness) * lightScale, 40))
            result.radiance += light.radiance * w
            result.variance += light.variance * w * w
            lightWeights += w
            let o = weight * exp(-min(abs(light.openness - center.openness) * skyScale, 40))
            result.openness += light.openness * o
            result.opennessVariance += light.opennessVariance * o * o
            skyWeights += o
        }
        guard lightWeights > 0, skyWeights > 0 else { return center }
        result.radiance *= 1 / lightWeights
        result.variance *= 1 / (lightWeights * lightWeights)
        result.openness *= 1 / skyWeights
        result.opennessVariance *= 1 / (skyWeights * skyWeights)
        result.validity = center.validity
        return result
    }
}
