import VitrineGeometry

/// Sample positions in a pixel of a still image: denser near the centre, as a reconstruction filter weighs them, so that their
/// plain mean is the filtered pixel (filter importance sampling, Ernst, Stamminger and Greiner 2006).
///
/// The filter is the Blackman–Harris window, 3 pixels wide from end to end (half of its weight lies within 0.4 pixels of the middle), in both
/// directions: sharp, with hardly any ringing or staircase left.
enum PixelFilter {
    static let width: Float = 3

    /// `count` offsets from a pixel's middle, in pixels, the same on every run.
    static func offsets(count: Int) -> [Vector2] {
        guard count > 1 else { return [Vector2(0, 0)] }
        // Hammersley's points: well spread for any count.
        return (0..<count).map { index in
            Vector2(quantile((Float(index) + 0.5) / Float(count)), quantile(radicalInverse(UInt32(index)) + 0.5 / Float(count)))
        }
    }

    /// The offset below which a share `p` (0…1) of the window's area lies.
    static func quantile(_ p: Float) -> Float {
        var (low, high): (Float, Float) = (0, 1)
        for _ in 0..<24 {
            let middle = (low + high) / 2
            if area(upTo: middle) < p { low = middle } else { high = middle }
        }
        return ((low + high) / 2 - 0.5) * width
    }

    /// The window's area from its left end to `x` (0…1), as a share of all of it.
    private static func area(upTo x: Float) -> Float {
        let (a0, a1, a2, a3): (Float, Float, Float, Float) = (0.358_75, 0.488_29, 0.141_28, 0.011_68)
        let turn = 2 * Float.pi
        return (a0 * x - a1 * sin(turn * x) / turn + a2 * sin(2 * turn * x) / (2 * turn) - a3 * sin(3 * turn * x) / (3 * turn)) / a0
    }

    private static func radicalInverse(_ index: UInt32) -> Float {
        var bits = index
        var result: Float = 0
        var digit: Float = 0.5
        while bits != 0 {
            if bits & 1 == 1 { result += digit }
            bits >>= 1
            digit /= 2
        }
        return result
    }
}
