/// Glow around bright areas: light that the lens and the eye scatter (`RenderOptions.bloom`).
///
/// A share of every pixel's light is spread around it and subtracted from the pixel, so that the image keeps its energy and no threshold
/// is needed; bright pixels glow because their share is large. Light that leaves the image is lost; beyond its edge the image
/// continues with the colour of the edge. The spread is a sum of wider and wider blurs, up to the size of the image
/// (Jiménez 2014).
public struct Bloom: Equatable, Sendable {
    /// The share that is scattered, 0…1. Default 0.06.
    public var intensity: Float
    /// How much wider the widest blurs weigh, 0…1: each blur's weight over that of the one half as wide. Default 0.75.
    public var spread: Float
    /// Exposed radiance below which nothing is scattered; 0: everything is. Default 0.
    public var threshold: Float

    /// Makes a bloom; the default is that of a good lens.
    public init(intensity: Float = 0.06, spread: Float = 0.75, threshold: Float = 0) {
        (self.intensity, self.spread, self.threshold) = (intensity, spread, threshold)
    }

    func validate() throws(RenderError) {
        guard intensity >= 0, intensity <= 1 else { throw .invalidOption(name: "bloom.intensity", reason: "must lie in 0…1") }
        guard spread >= 0, spread <= 1 else { throw .invalidOption(name: "bloom.spread", reason: "must lie in 0…1") }
        guard threshold >= 0, threshold.isFinite else { throw .invalidOption(name: "bloom.threshold", reason: "must be 0 or more") }
    }
}
