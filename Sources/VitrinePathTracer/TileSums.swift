import VitrineMath

/// The samples of a pixel, added up.
struct PixelSums: BitwiseCopyable {
    /// Radiance and alpha; and of the samples that a shadow receiver lies before.
    var color = Vector4(repeating: 0)
    var caughtColor = Vector4(repeating: 0)
    /// Radiance of every second sample, for the estimate of noise.
    var half = Vector4(repeating: 0)
    /// Irradiance on receivers, the blocked part, number of samples.
    var caught = Vector4(repeating: 0)
    var albedo = Vector4(repeating: 0)
    var normal = Vector4(repeating: 0)

    @inline(__always) mutating func add(_ sample: PathSample, index: Int) {
        let value = Vector4(sample.radiance, sample.alpha)
        if sample.isCaught {
            caughtColor += value
            caught += Vector4(sample.irradiance, sample.blocked, 1, 0)
        } else {
            color += value
        }
        if index & 1 == 1 { half += value }
        albedo += Vector4(sample.albedo, 0)
        normal += Vector4(sample.normal, 0)
    }

    /// The share of light that is blocked on the receivers; 0 without receivers.
    var shadow: Float { caught.x > 0 ? saturate(caught.y / caught.x) : 0 }

    /// Premultiplied radiance and alpha.
    ///
    /// - Parameter shadow: Replaces the pixel's own.
    func value(samples: Int, shadow: Float? = nil) -> Vector4 {
        var sum = color
        if caught.z > 0 {
            // Black, with the share of blocked light as its alpha, over the background.
            let share = shadow ?? self.shadow
            sum += caughtColor * (1 - share) + Vector4(0, 0, 0, share * caught.z)
        }
        return sum * (1 / Float(samples))
    }

    /// Returns the variance of the mean luminance, computed from the difference between two halves of the samples.
    func variance(samples: Int) -> Float {
        let (odd, even) = (samples / 2, samples - samples / 2)
        guard odd > 0 else { return 1e6 }
        let difference = luminance(half.xyz) / Float(odd) - luminance(color.xyz + caughtColor.xyz - half.xyz) / Float(even)
        return difference * difference / 4
    }

    /// Standard error of the pixel as a share of its brightness, by the difference between two halves of its samples.
    func noise(samples: Int) -> Float {
        let (odd, even) = (samples / 2, samples - samples / 2)
        guard odd > 0 else { return .infinity }
        let first = half.xyz * (1 / Float(odd))
        let second = (color.xyz + caughtColor.xyz - half.xyz) * (1 / Float(even))
        let mean = luminance(first + second) / 2
        let difference = first - second
        // Perceived brightness: an offset of a fiftieth of white limits the weight of dark pixels.
        let error = ((difference.x * difference.x + difference.y * difference.y + difference.z * difference.z) / 3).squareRoot() / 2
        return min(error, 4) / (min(mean, 4) + 0.02)
    }
}

/// The sums of all pixels, and the number of samples of each tile.
///
/// Unchecked Sendable: during a pass one thread takes each tile, and it alone reads and writes the tile's pixels, count and noise. Everything that
/// reads several tiles runs on the calling thread between passes.
final class TileSums: @unchecked Sendable {
    let width, height: Int
    let columns, rows: Int
    let pixels: UnsafeMutablePointer<PixelSums>
    private let counts: UnsafeMutablePointer<Int32>
    private let noises: UnsafeMutablePointer<Float>

    init(width: Int, height: Int) {
        (self.width, self.height) = (width, height)
        (columns, rows) = (
            (width + PathTracer.tileSize - 1) / PathTracer.tileSize, (height + PathTracer.tileSize - 1) / PathTracer.tileSize
        )
        pixels = .allocate(capacity: width * height)
        pixels.initialize(repeating: PixelSums(), count: width * height)
        counts = .allocate(capacity: columns * rows)
        counts.initialize(repeating: 0, count: columns * rows)
        noises = .allocate(capacity: columns * rows)
        noises.initialize(repeating: .infinity, count: columns * rows)
    }

    deinit {
        pixels.deallocate()
        counts.deallocate()
        noises.deallocate()
    }

    /// Number of tiles.
    var count: Int { columns * rows }

    func area(of tile: Int) -> (columns: Range<Int>, rows: Range<Int>) {
        let (x, y) = (tile % columns * PathTracer.tileSize, tile / columns * PathTracer.tileSize)
        return (x..<min(x + PathTracer.tileSize, width), y..<min(y + PathTracer.tileSize, height))
    }

    func samples(of tile: Int) -> Int { Int(counts[tile]) }

    func samples(ofPixel index: Int) -> Int {
        let (x, y) = (index % width, index / width)
        return samples(of: y / PathTracer.tileSize * columns + x / PathTracer.tileSize)
    }

    func finish(_ tile: Int, samples: Int) {
        counts[tile] = Int32(samples)
        let (columns, rows) = area(of: tile)
        var sum: Float = 0
        for y in rows { for x in columns { sum += pixels[y * width + x].noise(samples: samples) } }
        noises[tile] = sum / Float(columns.count * rows.count)
    }

    /// Replaces all sums and counts by those of an earlier render.
    func replace(_ sums: [PixelSums], _ samples: [Int]) {
        for (index, sum) in sums.enumerated() { pixels[index] = sum }
        for (tile, count) in samples.enumerated() { finish(tile, samples: count) }
    }

    /// The number of samples from which a tile's noise is used.
    private static let leastSamples = 16

    func isFinished(_ tile: Int, below limit: Float) -> Bool { samples(of: tile) >= Self.leastSamples && noises[tile] <= limit }

    func finishedShare(below limit: Float) -> Double {
        Double((0..<count).reduce(0) { $0 + (isFinished($1, below: limit) ? 1 : 0) }) / Double(count)
    }

    var leastSamples: Int { (0..<count).reduce(Int.max) { min($0, samples(of: $1)) } }

    var meanSamples: Double {
        var sum = 0.0
        for tile in 0..<count {
            let (columns, rows) = area(of: tile)
            sum += Double(samples(of: tile)) * Double(columns.count * rows.count)
        }
        return sum / Double(width * height)
    }

    /// nil before each tile has two samples.
    var meanNoise: Float? {
        var sum: Float = 0
        for tile in 0..<count {
            guard samples(of: tile) > 1 else { return nil }
            sum += noises[tile]
        }
        return sum / Float(count)
    }
}
