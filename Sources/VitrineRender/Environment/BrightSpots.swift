import VitrineMath
import VitrineScene

/// The suns and bright lights of an environment: spots so bright that sampling would miss or exaggerate them.
///
/// Their excess over a limit is removed from the sampled image and added to the filtered levels in closed form, spot by spot.
struct BrightSpots: Sendable {
    struct Spot: Sendable {
        /// Unit vector to the middle of its light.
        let direction: Vector3
        /// Radiance times solid angle.
        let flux: Vector3
        /// The mean square of the angle from the middle, in square radians.
        let spread: Float
    }

    static let maximumCount = 64
    /// The image is divided into squares of 1.4°; the bright pixels of one square are one spot.
    private static let blocksAcross = 256
    /// Times the image's mean.
    private static let initialLimit: Float = 32

    /// Largest component of the image without its spots.
    let limit: Float
    let spots: [Spot]

    /// The value without bright spots.
    static let none = BrightSpots(limit: .greatestFiniteMagnitude, spots: [])

    private init(limit: Float, spots: [Spot]) { (self.limit, self.spots) = (limit, spots) }

    /// Extracts the bright spots of an image.
    ///
    /// - Parameter floats: rows of red, green, blue, alpha, all finite and not negative.
    init(width: Int, height: Int, floats: UnsafeRawBufferPointer) {
        let mean = Self.mean(width: width, height: height, floats)
        var limit = max(mean * Self.initialLimit, .leastNormalMagnitude)
        var spots = Self.spots(width: width, height: height, floats, limit: limit)
        while spots.count > Self.maximumCount {
            limit *= 2
            spots = Self.spots(width: width, height: height, floats, limit: limit)
        }
        self.init(limit: limit, spots: spots)
    }

    /// The mean over the sphere of the largest component.
    private static func mean(width: Int, height: Int, _ floats: UnsafeRawBufferPointer) -> Float {
        var sum: Double = 0
        var weights: Double = 0
        for y in 0..<height {
            var row = SIMD4<Float>()
            for x in 0..<width { row += floats.loadUnaligned(fromByteOffset: (y * width + x) * 16, as: SIMD4<Float>.self) }
            let weight = sin((Double(y) + 0.5) / Double(height) * Double.pi)
            sum += weight * Double(max(row.x, row.y, row.z)) / Double(width)
            weights += weight
        }
        return Float(sum / weights)
    }

    private static func spots(
        width: Int, height: Int, _ floats: UnsafeRawBufferPointer, limit: Float
    ) -> [Spot] {
        var spots: [Spot] = []
        let block = max(width / blocksAcross, 1)
        let texel = 2 * Float.pi / Float(width)
        for top in stride(from: 0, to: height, by: block) {
            for left in stride(from: 0, to: width, by: block) {
                let part = (x: left..<min(left + block, width), y: top..<min(top + block, height))
                guard isBright(part, width: width, floats, limit: limit) else { continue }
                var flux = Vector3()
                var moment = Vector3()
                for y in part.y {
                    for x in part.x {
                        let value = floats.loadUnaligned(fromByteOffset: (y * width + x) * 16, as: SIMD4<Float>.self).xyz
                        let peak = value.max()
                        guard peak > limit else { continue }
                        let (direction, solidAngle) = geometry(x: x, y: y, width: width, height: height)
                        let excess = value * ((1 - limit / peak) * solidAngle)
                        flux += excess
                        moment += direction * excess.sum()
                    }
                }
                let together = length(moment) / flux.sum()
                // A single texel also has an extent: it is drawn as a tent two texels wide.
                let spread = max(1 - together * together, 0) + texel * texel / 3
                spots.append(Spot(direction: normalize(moment), flux: flux, spread: spread))
            }
        }
        return spots
    }

    private static func isBright(
        _ part: (x: Range<Int>, y: Range<Int>), width: Int, _ floats: UnsafeRawBufferPointer, limit: Float
    ) -> Bool {
        var peak = SIMD4<Float>()
        for y in part.y {
            for x in part.x {
                peak = greater(peak, floats.loadUnaligned(fromByteOffset: (y * width + x) * 16, as: SIMD4<Float>.self))
            }
        }
        return max(peak.x, peak.y, peak.z) > limit
    }

    private static func geometry(x: Int, y: Int, width: Int, height: Int) -> (direction: Vector3, solidAngle: Float) {
        let step = Double.pi / Double(height)
        let polar = (Double(y) + 0.5) * step
        let azimuth = ((Double(x) + 0.5) / Double(width) - 0.5) * 2 * Double.pi
        let direction = SIMD3(sin(polar) * cos(azimuth), cos(polar), sin(polar) * sin(azimuth))
        return (Vector3(direction), Float(2 * sin(polar) * sin(step / 2) * 2 * Double.pi / Double(width)))
    }
}
