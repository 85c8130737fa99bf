import VitrineGeometry
import VitrineMath

/// The samples of a stopped render as bytes, so that a later process can continue it.
///
/// ```
/// 8 bytes  "VTRPATH1"
/// UInt32   width, height, tile size, number of bounces, seed, probes across, probes down
/// Float    4 for each probe: radiance and alpha of the first sample of a pixel
/// Int32    samples of each tile
/// Float    24 for each pixel: its sums
/// ```
/// All little-endian. The probes are rendered again when the state is restored: they differ for another scene, view or light.
extension PathTracer {
    private static let signature = [UInt8]("VTRPATH1".utf8)
    private static let headerCount = 7
    private static let largestProbeGrid = 64

    /// The samples so far.
    package func savedState() -> [UInt8] {
        let probes = probes()
        var bytes = Self.signature
        bytes.reserveCapacity(Self.stateSize(width: width, height: height, tiles: tiles.count, probes: probes.count))
        func append(_ value: UInt32) { withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) } }
        func append(_ vector: Vector4) { for lane in 0..<4 { append(vector[lane].bitPattern) } }
        header.forEach(append)
        probes.forEach(append)
        for tile in 0..<tiles.count { append(UInt32(tiles.samples(of: tile))) }
        for index in 0..<width * height { for vector in tiles.pixels[index].vectors { append(vector) } }
        return bytes
    }

    /// Continues from the samples of an earlier render of the same scene, view and size. Later samples continue the sequence: the image has the same
    /// bytes as that of an uninterrupted render.
    ///
    /// - Throws: `PathTracerError.state` if the bytes are not a state of this render; the current samples are kept.
    package func restore(_ bytes: [UInt8]) throws(PathTracerError) {
        let probes = probes()
        let size = Self.stateSize(width: width, height: height, tiles: tiles.count, probes: probes.count)
        guard bytes.starts(with: Self.signature) else { throw .state(reason: "has no samples of a path traced image") }
        var offset = Self.signature.count
        func next() -> UInt32 {
            defer { offset += 4 }
            return bytes.withUnsafeBytes { UInt32(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self)) }
        }
        func nextVector() -> Vector4 {
            var vector = Vector4(repeating: 0)
            for lane in 0..<4 { vector[lane] = Float(bitPattern: next()) }
            return vector
        }
        guard bytes.count >= offset + 4 * Self.headerCount else { throw .state(reason: "is cut off") }
        let (foundWidth, foundHeight) = (next(), next())
        guard foundWidth == UInt32(width), foundHeight == UInt32(height) else {
            throw .state(reason: "belongs to an image of \(foundWidth) × \(foundHeight) pixels, not \(width) × \(height)")
        }
        for expected in header.dropFirst(2) where next() != expected { throw .state(reason: "belongs to a render with other settings") }
        guard bytes.count == size else { throw .state(reason: "has \(bytes.count) bytes, not \(size)") }
        for probe in probes {
            let found = nextVector()
            for lane in 0..<4 where found[lane].bitPattern != probe[lane].bitPattern {
                throw .state(reason: "belongs to another scene, view or light")
            }
        }
        var counts: [Int] = []
        for _ in 0..<tiles.count { counts.append(Int(next())) }
        guard counts.allSatisfy({ $0 <= Self.mostSamples }) else { throw .state(reason: "has counts of samples out of range") }
        var pixels: [PixelSums] = []
        pixels.reserveCapacity(width * height)
        for _ in 0..<width * height {
            var vectors: [Vector4] = []
            for _ in 0..<PixelSums.vectorCount { vectors.append(nextVector()) }
            guard let sums = PixelSums(vectors: vectors) else { throw .state(reason: "has samples that are not numbers") }
            pixels.append(sums)
        }
        tiles.replace(pixels, counts)
    }

    private var header: [UInt32] {
        let grid = probeGrid
        return [
            UInt32(width), UInt32(height), UInt32(Self.tileSize), UInt32(integrator.maximumBounces), integrator.seed, UInt32(grid.columns),
            UInt32(grid.rows),
        ]
    }

    private static func stateSize(width: Int, height: Int, tiles: Int, probes: Int) -> Int {
        signature.count + 4 * (headerCount + tiles) + 16 * (probes + PixelSums.vectorCount * width * height)
    }

    private var probeGrid: (columns: Int, rows: Int) { (min(width, Self.largestProbeGrid), min(height, Self.largestProbeGrid)) }

    /// The first sample of pixels all over the image.
    private func probes() -> [Vector4] {
        var integrator = integrator
        let stack = TraversalStack()
        defer { stack.deallocate() }
        integrator.stack = stack
        let grid = probeGrid
        return (0..<grid.columns * grid.rows).map { index in
            let (column, row) = (index % grid.columns, index / grid.columns)
            let sample = integrator.sample(
                x: (2 * column + 1) * width / (2 * grid.columns), y: (2 * row + 1) * height / (2 * grid.rows), index: 0)
            return Vector4(sample.radiance, sample.alpha)
        }
    }
}

extension PixelSums {
    static let vectorCount = 6

    var vectors: [Vector4] { [color, caughtColor, half, caught, albedo, normal] }

    /// nil if a number is not finite.
    init?(vectors: [Vector4]) {
        guard vectors.count == Self.vectorCount, vectors.allSatisfy({ v in (0..<4).allSatisfy { v[$0].isFinite } }) else { return nil }
        (color, caughtColor, half) = (vectors[0], vectors[1], vectors[2])
        (caught, albedo, normal) = (vectors[3], vectors[4], vectors[5])
    }
}
