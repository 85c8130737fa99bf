import VitrineMath

extension Image {
    /// Returns a tileable normal map of noise, for sparkle.
    ///
    /// Heights are two octaves of gradient noise (Perlin 1985, with the fade of Perlin 2002) on a periodic lattice with a random offset. Normals
    /// follow from the differences of the heights, scaled so that the root mean square of the slope is `steepness`.
    ///
    /// - Parameters:
    ///   - size: The width and height in pixels, clamped to 4…4,096.
    ///   - grain: The period of the coarser octave in pixels, at least 2.
    ///   - steepness: The root mean square of the slope; 0 for a flat map.
    ///   - seed: The seed of the lattice's directions and offset.
    /// - Returns: A linear image of 8 bits: red, green and blue 0…1 for x, y and z −1…1, with +y up in the image; alpha is 1. The same seed gives
    ///   the same bytes.
    public static func noiseNormalMap(size: Int = 1024, grain: Float = 4, steepness: Float = 0.5, seed: UInt64 = 0) -> Image {
        let size = clamp(size, 4, 4096)
        let cells = clamp(Int((Float(size) / (grain >= 2 ? grain : 2)).rounded()), 1, size / 2)
        let heights = NoiseField(cells: cells, seed: seed).heights(size: size)
        let slopes = NoiseField.slopes(of: heights, size: size)
        var square = 0.0
        for slope in slopes { square += Double(dot(slope, slope)) }
        let meanSlope = Float((square / Double(slopes.count)).squareRoot())
        let scale = meanSlope > 0 && steepness > 0 && steepness.isFinite ? steepness / meanSlope : 0
        var bytes: [UInt8] = []
        bytes.reserveCapacity(size * size * 4)
        for slope in slopes {
            let normal = normalize(Vector3(-slope.x * scale, -slope.y * scale, 1))
            for component in 0..<3 { bytes.append(UInt8(((normal[component] * 0.5 + 0.5) * 255).rounded())) }
            bytes.append(255)
        }
        return made(width: size, height: size, bytes: bytes, name: "sparkle")
    }
}

/// Gradient noise that repeats after `cells` in both directions.
private struct NoiseField {
    let cells: Int
    private let offset: Vector2
    private let seed: UInt64

    init(cells: Int, seed: UInt64) {
        var random = SplitMix64(seed: seed)
        (self.cells, self.seed) = (cells, random.next())
        let steps = 1 << 16
        offset = Vector2(Float(random.below(steps)), Float(random.below(steps))) / Float(steps) * Float(cells)
    }

    func heights(size: Int) -> [Float] {
        let coarse = Octave(cells: cells, offset: offset, seed: seed)
        let fine = Octave(cells: cells * 2, offset: offset * 2, seed: seed &+ 1)
        var heights: [Float] = []
        heights.reserveCapacity(size * size)
        for row in 0..<size {
            for column in 0..<size {
                let uv = Vector2(Float(column) + 0.5, Float(row) + 0.5) / Float(size)
                heights.append(coarse.value(at: uv) + fine.value(at: uv) / 2)
            }
        }
        return heights
    }

    /// Returns the slopes along x to the right and y up, by central differences that wrap around the edges.
    static func slopes(of heights: [Float], size: Int) -> [Vector2] {
        var slopes: [Vector2] = []
        slopes.reserveCapacity(heights.count)
        for row in 0..<size {
            let (above, below) = ((row + size - 1) % size * size, (row + 1) % size * size)
            for column in 0..<size {
                let (left, right) = ((column + size - 1) % size, (column + 1) % size)
                slopes.append(
                    Vector2(heights[row * size + right] - heights[row * size + left], heights[above + column] - heights[below + column]))
            }
        }
        return slopes
    }
}

/// One lattice of random directions.
private struct Octave {
    private let cells: Int
    private let offset: Vector2
    /// The directions of the lattice, row by row.
    private var directions: [Vector2] = []

    init(cells: Int, offset: Vector2, seed: UInt64) {
        (self.cells, self.offset) = (cells, offset)
        var random = SplitMix64(seed: seed)
        directions.reserveCapacity(cells * cells)
        for _ in 0..<cells * cells {
            let angle = Float(random.below(4096)) / 4096 * 2 * .pi
            directions.append(Vector2(cos(angle), sin(angle)))
        }
    }

    /// Returns the noise at a point of the image.
    ///
    /// - Parameter uv: 0…1 across the image.
    func value(at uv: Vector2) -> Float {
        let inLattice = uv * Float(cells) + offset
        let corner = inLattice.rounded(.down)
        let (column, row) = (Int(corner.x) % cells, Int(corner.y) % cells)
        let inCell = inLattice - corner
        let fade = inCell * inCell * inCell * (inCell * (inCell * 6 - 15) + 10)
        let (right, below) = ((column + 1) % cells, (row + 1) % cells)
        let top = mix(
            dot(directions[row * cells + column], inCell), dot(directions[row * cells + right], inCell - Vector2(1, 0)), fade.x)
        let bottom = mix(
            dot(directions[below * cells + column], inCell - Vector2(0, 1)), dot(directions[below * cells + right], inCell - Vector2(1, 1)),
            fade.x)
        return mix(top, bottom, fade.y)
    }
}
