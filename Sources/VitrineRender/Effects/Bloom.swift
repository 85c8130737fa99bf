/// Glow around bright areas: light that the lens and the eye scatter (`RenderOptions.bloom`).
///
/// A share of every pixel's light is spread around it and subtracted from the pixel: this conserves energy and needs no threshold. Light that leaves
/// the image is lost; the image is extended by the colours at its edges. The spread is a sum of wider and wider blurs, up to the size of the image
/// (Jiménez 2014).
public struct Bloom: Equatable, Sendable {
    /// The share that is scattered, 0…1. Default 0.06.
    public var intensity: Float
    /// The ratio of each blur's weight to that of the blur half as wide, 0…1. Default 0.75.
    public var spread: Float
    /// The exposed radiance below which light is not scattered. 0 scatters all light. Default 0.
    public var threshold: Float

    /// Creates a bloom; the default is that of a good lens.
    public init(intensity: Float = 0.06, spread: Float = 0.75, threshold: Float = 0) {
        (self.intensity, self.spread, self.threshold) = (intensity, spread, threshold)
    }

    func validate() throws(RenderError) {
        guard intensity >= 0, intensity <= 1 else { throw .invalidOption(name: "bloom.intensity", reason: "must lie in 0…1") }
        guard spread >= 0, spread <= 1 else { throw .invalidOption(name: "bloom.spread", reason: "must lie in 0…1") }
        guard threshold >= 0, threshold.isFinite else { throw .invalidOption(name: "bloom.threshold", reason: "must be 0 or more") }
    }
}
