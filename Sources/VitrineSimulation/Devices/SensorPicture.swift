import Vitrine
import VitrineAR
import VitrineVision

/// Light as it gathers on a simulated sensor, then its reading as a camera's picture.
struct SensorPicture {
    let width, height: Int
    /// Linear red, green and blue of every pixel, summed over `exposures`.
    private var light: [SIMD4<Float>]
    private var exposures = 0

    init(width: Int, height: Int) {
        (self.width, self.height) = (width, height)
        light = Array(repeating: .zero, count: width * height)
    }

    /// Adds what the lens shows of its faces' pictures (rgba8, sRGB-encoded).
    mutating func expose(_ faces: [Image], through warp: LensWarp) {
        exposures += 1
        let rows = Parallel()
        let (width, faceBytes, widths) = (width, faces.map(\.bytes), faces.map(\.width))
        light.withUnsafeMutableBufferPointer { light in
            nonisolated(unsafe) let light = light
            rows.forEach(height) { row in
                for pixel in (row * width)..<((row + 1) * width) where warp.face[pixel] >= 0 {
                    let face = Int(warp.face[pixel])
                    light[pixel] += Self.sample(faceBytes[face], widths[face], warp.place[pixel])
                }
            }
        }
    }

    /// Between four pixels, in linear light.
    private static func sample(_ bytes: [UInt8], _ width: Int, _ place: SIMD2<Float>) -> SIMD4<Float> {
        let (x, y) = (Int(place.x), Int(place.y))
        let (s, t) = (place.x - Float(x), place.y - Float(y))
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

    /// How the light is read.
    struct Reading {
        /// Multiplies the light, as exposure does.
        var gain: Float = 1
        /// The share of the light that the farthest corners lose.
        var falloff: Float = 0
        /// Standard deviation of luma in levels of 255; colour differences have half.
        var noise: Float = 0
        var seed: UInt64 = 0
        var isGray = false
    }

    /// The camera's picture: BT.601, full range.
    func captured(_ reading: Reading) -> CapturedImage {
        let (chromaWidth, chromaHeight) = ((width + 1) / 2, (height + 1) / 2)
        // Two rows at a time, which share their colour differences.
        let strips = Parallel().map(chromaHeight) { strip(2 * $0, reading) }
        let chroma = reading.isGray ? nil : strips.flatMap(\.chroma)
        precondition(chroma == nil || chroma?.count == 2 * chromaWidth * chromaHeight)
        return CapturedImage(luma: Plane(width: width, height: height, values: strips.flatMap(\.luma)), chroma: chroma)
    }

    private func strip(_ first: Int, _ reading: Reading) -> (luma: [UInt8], chroma: [UInt8]) {
        // Every strip has its own noise, whichever thread reads it.
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

/// The sRGB curve by tables.
private enum SensorCurve {
    /// Of an encoded byte, 0…1.
    static let linear: [Float] = (0..<256).map { byte in
        let x = Float(byte) / 255
        return x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4)
    }

    private static let steps = 4095
    /// Of linear light 0…1, in levels of 255.
    private static let table: [Float] = (0...steps).map { index in
        let x = Float(index) / Float(steps)
        return 255 * (x <= 0.0031308 ? 12.92 * x : 1.055 * pow(x, 1 / 2.4) - 0.055)
    }

    /// In levels of 255.
    static func encoded(_ light: SIMD4<Float>) -> SIMD4<Float> {
        let place = light.clamped(lowerBound: .zero, upperBound: .one) * Float(steps)
        var result = SIMD4<Float>.zero
        for channel in 0..<3 {
            let low = min(Int(place[channel]), steps - 1)
            result[channel] = mix(table[low], table[low + 1], place[channel] - Float(low))
        }
        return result
    }
}

/// Quick normal numbers out of a table, for every pixel of every picture.
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
