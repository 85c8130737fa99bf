import VitrineMath
import VitrineVision

/// The weight of a photo's pixels: 0 unusable, 255 fully trusted.
///
/// The outlines of the mesh and the photo never agree to the pixel: near outlines and depth steps the colour may be that of the background.
/// Trust increases from there over some pixels, so that the weights of photos are smooth too. Pixels beside masked ones count as masked.
struct TrustMap: Sendable {
    private(set) var values: [UInt8]

    /// Distances are in thirds of a pixel (the 3-4 chamfer metric, Borgefors 1986).
    private static let unit: UInt16 = 3

    /// Computes the trust of each pixel from its distance to edges of the mask and steps in depth.
    ///
    /// - Parameters:
    ///   - mask: A mask of the same size; 0 is masked.
    ///   - focal: The focal length in pixels, which separates a step in depth from a slope.
    ///   - ramp: The number of pixels over which trust increases.
    init(_ depth: DepthBuffer, mask: [UInt8]?, focal: Float, ramp: Int) {
        let (width, height) = (depth.width, depth.height)
        var steps = [UInt16](repeating: .max - 8, count: width * height)
        let jump = 8 / focal
        depth.inverse.withUnsafeBufferPointer { inverse in
            for y in 0..<height {
                for x in 0..<width {
                    let slot = y * width + x
                    let w = inverse[slot]
                    if w == 0 || x == 0 || y == 0 || x == width - 1 || y == height - 1 {
                        steps[slot] = 0
                        continue
                    }
                    let limit = jump * w
                    if abs(inverse[slot + 1] - w) > limit { steps[slot] = 0 }
                    if abs(inverse[slot - 1] - w) > limit { steps[slot] = 0 }
                    if abs(inverse[slot + width] - w) > limit { steps[slot] = 0 }
                    if abs(inverse[slot - width] - w) > limit { steps[slot] = 0 }
                }
            }
        }
        if let mask { for slot in mask.indices where mask[slot] == 0 { steps[slot] = 0 } }
        Self.spread(&steps, width, height)
        values = steps.map { step in
            // From one pixel beside the step to `ramp` more; 1 for a pixel without a better one.
            let pixels = Float(step) / Float(Self.unit) - 1
            return UInt8(max(1, min(255, pixels / Float(ramp) * 255)))
        }
        guard let mask else { return }
        for y in 0..<height {
            for x in 0..<width where mask[y * width + x] == 0 {
                for v in max(0, y - 1)...min(height - 1, y + 1) {
                    for u in max(0, x - 1)...min(width - 1, x + 1) { values[v * width + u] = 0 }
                }
            }
        }
    }

    private static func spread(_ steps: inout [UInt16], _ width: Int, _ height: Int) {
        steps.withUnsafeMutableBufferPointer { steps in
            guard width > 2, height > 2 else { return }
            for y in 1..<height {
                for x in 1..<width - 1 {
                    let slot = y * width + x
                    let straight = min(steps[slot - 1], steps[slot - width]) &+ 3
                    let oblique = min(steps[slot - width - 1], steps[slot - width + 1]) &+ 4
                    steps[slot] = min(steps[slot], min(straight, oblique))
                }
            }
            for y in (0..<height - 1).reversed() {
                for x in (1..<width - 1).reversed() {
                    let slot = y * width + x
                    let straight = min(steps[slot + 1], steps[slot + width]) &+ 3
                    let oblique = min(steps[slot + width - 1], steps[slot + width + 1]) &+ 4
                    steps[slot] = min(steps[slot], min(straight, oblique))
                }
            }
        }
    }
}
