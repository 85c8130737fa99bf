import Vitrine
import VitrineAR
import VitrineVision

/// Accumulates light on a simulated sensor and reads it out as a camera image.
struct SensorExposure {
    let width, height: Int
    /// The sum of the linear RGB of each pixel over `exposures`.
    private var light: [SIMD4<Float>]
    private var exposures = 0

    init(width: Int, height: Int) {
        (self.width, self.height) = (width, height)
        light = Array(repeating: .zero, count: width * height)
    }

    /// Adds the images of the lens's pinhole faces (rgba8, sRGB-encoded) to the rows of a warp.
    ///
    /// - Parameter rowTurn: The rotation vector of the camera, on its axes, from the first row of the image to the last: a row is exposed later than
    ///   the middle of the warp's rows by its share of that.
    mutating func expose(_ faces: [Image], through warp: LensWarp, rowTurn: Vector3d = .zero) {
        let parallel = Parallel()
        let (width, height, faceBytes, widths) = (width, height, faces.map(\.bytes), faces.map(\.width))
        let (rows, turn) = (warp.rows, SIMD3<Float>(rowTurn))
        let middle = Float(rows.lowerBound + rows.upperBound) / 2
        light.withUnsafeMutableBufferPointer { light in
            nonisolated(unsafe) let light = light
            parallel.forEach(rows.count) { index in
                let row = rows.lowerBound + index
                let share = turn * ((Float(row) + 0.5 - middle) / Float(height))
                for column in 0..<width {
                    let source = index * width + column
                    guard warp.face[source] >= 0 else { continue }
                    let face = Int(warp.face[source])
                    let position = turn == .zero ? warp.position[source] : warp.position(source, turnedBy: share)
                    light[row * width + column] += Self.sample(faceBytes[face], widths[face], position)
                }
            }
        }
    }

    /// Ends the exposure.
    mutating func finish(exposures: Int) { self.exposures = exposures }

    /// Bilinear interpolation in linear light.
    private static func sample(_ bytes: [UInt8], _ width: Int, _ position: SIMD2<Float>) -> SIMD4<Float> {
        let (x, y) = (Int(position.x), Int(position.y))
        let (s, t) = (position.x - Float(x), position.y - Float(y))
        return bytes.withUnsafeBufferPointer { bytes in
            let upper = 4 * (y * width + x)
            let lower = upper + 4 * width
            let at = { (index: Int) -> SIMD4<Float> in
                SIMD4(
                    SensorCurve.linear[Int(bytes[index])], SensorCurve.linear[Int(bytes[index + 1])],
                    SensorCurve.linear[Int(bytes[index + 2])],
                    0)
            }
            let above = at(upper) * (1 - s) + at(upper + 4) * s
            let below = at(lower) * (1 - s) + at(lower + 4) * s
            return above * (1 - t) + below * t
        }
    }

    /// The parameters of a read-out.
    struct ReadOut {
        /// The factor of the light, as from exposure.
        var gain: Float = 1
        /// The share of light lost in the corners (vignetting).
        var falloff: Float = 0
        /// The standard deviation of luma in levels of 255; half of it for chroma.
        var noise: Float = 0
        var seed: UInt64 = 0
        var isGray = false
    }

    /// Reads out the camera image: BT.601, full range.
    func captured(_ reading: ReadOut) -> CapturedImage {
        let (chromaWidth, chromaHeight) = ((width + 1) / 2, (height + 1) / 2)
        // Two rows at a time share their chroma.
        let strips = Parallel().map(chromaHeight) { strip(2 * $0, reading) }
        let chroma = reading.isGray ? nil : strips.flatMap(\.chroma)
        precondition(chroma == nil || chroma?.count == 2 * chromaWidth * chromaHeight)
        return CapturedImage(luma: Plane(width: width, height: height, values: strips.flatMap(\.luma)), chroma: chroma)
    }

    private func strip(_ first: Int, _ reading: ReadOut) -> (luma: [UInt8], chroma: [UInt8]) {
        // Each strip has its own seed, independent of the thread.
        var noise = SensorNoise(seed: reading.seed &* 4_099 &+ UInt64(first), deviation: reading.noise)
        var luma: [UInt8] = []
        let chromaWidth = (width + 1) / 2
        var sums = [SIMD3<Float>](repeating: .zero, count: chromaWidth)
        let scale = reading.gain / Float(max(exposures, 1))
        let middle = SIMD2(Float(width), Float(height)) / 2
        for row in first..<min(first + 2, height) {
            for column in 0..<width {
                let off = SIMD2(Float(column) + 0.5, Float(row) + 0.5) - middle
                let shade = 1 - reading.falloff * lengthSquared(off) / lengthSquared(middle)
                let color = SensorCurve.encoded(light[row * width + column] * (scale * shade))
                let y = 0.299 * color.x + 0.587 * color.y + 0.114 * color.z
                luma.append(Self.level(y + noise.next()))
                sums[column / 2] += SIMD3((color.z - y) / 1.772, (color.x - y) / 1.402, 1)
            }
        }
        guard !reading.isGray else { return (luma, []) }
        let chroma = sums.flatMap { sum in
            let blue = Self.level(128 + sum.x / sum.z + noise.next() / 2)
            return [blue, Self.level(128 + sum.y / sum.z + noise.next() / 2)]
        }
        return (luma, chroma)
    }

    private static func level(_ value: Float) -> UInt8 { UInt8(clamp(value.rounded(), 0, 255)) }
}

/// The sRGB transfer function by tables.
private enum SensorCurve {
    /// The linear value of an encoded byte, 0…1.
    static let linear: [Float] = (0..<256).map { byte in
        let x = Float(byte) / 255
        return x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4)
    }

    private static let steps = 4095
    /// The encoded level of linear light 0…1.
    private static let table: [Float] = (0...steps).map { index in
        let x = Float(index) / Float(steps)
        return 255 * (x <= 0.0031308 ? 12.92 * x : 1.055 * pow(x, 1 / 2.4) - 0.055)
    }

    /// Encodes light in levels of 255.
    static func encoded(_ light: SIMD4<Float>) -> SIMD4<Float> {
        let position = light.clamped(lowerBound: .zero, upperBound: .one) * Float(steps)
        var result = SIMD4<Float>.zero
        for channel in 0..<3 {
            let low = min(Int(position[channel]), steps - 1)
            result[channel] = mix(table[low], table[low + 1], position[channel] - Float(low))
        }
        return result
    }
}

/// Fast normally distributed numbers from a table, for every pixel.
private struct SensorNoise {
    private static let table: [Float] = {
        var random = GaussianGenerator(seed: 0x5EED)
        return (0..<8192).map { _ in Float(random.next()) }
    }()
    private var random: SplitMix64
    private var bits: UInt64 = 0
    private var left = 0
    let deviation: Float

    init(seed: UInt64, deviation: Float) { (random, self.deviation) = (SplitMix64(seed: seed), deviation) }

    mutating func next() -> Float {
        guard deviation > 0 else { return 0 }
        if left == 0 { (bits, left) = (random.next(), 4) }
        let number = Self.table[Int(bits & 8191)]
        (bits, left) = (bits >> 13, left - 1)
        return number * deviation
    }
}
