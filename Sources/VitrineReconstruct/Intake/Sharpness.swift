import VitrineVision

/// The sharpness of a photo: the fraction of its fine detail that a small blur removes.
///
/// After Crété-Roffet et al. 2007 ("The blur effect"): a sharp photo loses much of the difference between neighbours when it is blurred, a
/// blurred one little. Independent of contrast, but not entirely of content: photos of one set are comparable, sets less so.
package enum Sharpness {
    /// The sharpness, 0…1, at the given size; 0 for sides under 16 pixels.
    package static func score(of plane: GrayPlane) -> Float {
        let (width, height) = (plane.width, plane.height)
        guard width >= 16, height >= 16 else { return 0 }
        return plane.values.withUnsafeBufferPointer { values in
            let across = ratio(values, lines: height, length: width, lineStride: width, stride: 1)
            let down = ratio(values, lines: width, length: height, lineStride: 1, stride: width)
            return min(across, down)
        }
    }

    /// 1 minus the share of the differences along the lines that remains after a mean of nine.
    private static func ratio(_ values: UnsafeBufferPointer<Float>, lines: Int, length: Int, lineStride: Int, stride: Int) -> Float {
        var (before, lost): (Double, Double) = (0, 0)
        for line in 0..<lines {
            let base = line &* lineStride
            var sum: Float = 0
            for index in 0..<9 { sum += values[base &+ index &* stride] }
            for index in 5..<length - 4 {
                let previous = sum
                sum += values[base &+ (index &+ 4) &* stride] - values[base &+ (index &- 5) &* stride]
                let sharp = abs(values[base &+ index &* stride] - values[base &+ (index &- 1) &* stride])
                let blurred = abs(sum - previous) * (1 / 9)
                before += Double(sharp)
                lost += Double(max(0, sharp - blurred))
            }
        }
        return before > 1e-6 ? Float(lost / before) : 0
    }
}
