import VitrineGPU
import VitrineMath
import VitrineScene

/// A validated environment image, prepared for the upload; cube maps are unrolled.
///
/// Takes a few milliseconds per million pixels and may run on any thread; pass it to `Renderer.adopt`.
package struct EnvironmentSource: Sendable {
    /// Values above this do not fit a half float.
    static let largestHalf: Float = 65_504
    /// The strongest scaling down: below it, dim corners would lose precision to a sun that is clamped anyway.
    static let largestExponent = 10

    /// The source image.
    let original: Image
    /// The image in equirectangular layout.
    let image: Image
    let format: GPUTextureFormat
    /// Replaces the image's own bytes.
    let replacement: [Float]?
    /// Values are stored times 2^-exponent, so that the brightest texel fits a half float.
    let exponent: Int
    /// The factor from the cubes' values to radiance.
    var scale: Float { Float(1 << exponent) }
    let warnings: [EnvironmentWarning]
    let spots: BrightSpots

    /// Prepares the image of an environment.
    ///
    /// - Parameter original: in any of the layouts of `EnvironmentLayout`.
    package init(_ original: Image) throws(RenderError) {
        guard EnvironmentLayout(width: original.width, height: original.height) != nil else {
            throw .environmentLayout(name: original.name, width: original.width, height: original.height)
        }
        let image = original.unrolledCube() ?? original
        (self.original, self.image) = (original, image)
        switch image.format {
        case .rgba8: (format, replacement, exponent, warnings, spots) = (.rgba8UnormSRGB, nil, 0, [], .none)
        case .rgba16: (format, replacement, exponent, warnings, spots) = (.rgba32Float, Self.linearFloats(image), 0, [], .none)
        case .rgba32Float:
            format = .rgba32Float
            let scan = Self.scan(image)
            exponent = Self.exponent(brightest: scan.brightest)
            let replacement = scan.invalid > 0 ? Self.cleaned(image) : nil
            self.replacement = replacement
            let (width, height) = (image.width, image.height)
            spots =
                replacement?.withUnsafeBytes { BrightSpots(width: width, height: height, floats: $0) }
                ?? image.bytes.withUnsafeBytes { BrightSpots(width: width, height: height, floats: $0) }
            let limit = Self.largestHalf * Float(1 << exponent)
            var warnings: [EnvironmentWarning] = []
            if scan.invalid > 0 { warnings.append(.invalidValues(count: scan.invalid)) }
            if scan.brightest > limit { warnings.append(.clamped(brightest: scan.brightest, limit: limit)) }
            self.warnings = warnings
        }
    }

    /// Creates a texture for the image, without its texels.
    func makeTexture(on device: GPUDevice) throws(RenderError) -> GPUTexture {
        let limit = device.limits.maxTextureDimension2D
        guard image.width <= limit else {
            throw .environmentTooLarge(name: image.name, width: image.width, height: image.height, limit: limit)
        }
        do throws(GPUError) {
            return try device.makeTexture(
                GPUTextureDescriptor(
                    "environment image", size: GPUExtent(image.width, image.height), format: format,
                    usage: [.textureBinding, .copyDestination]))
        } catch {
            throw .gpu(error, doing: "preparing an environment")
        }
    }

    /// Copies some rows of the image.
    func upload(_ rows: Range<Int>, to texture: GPUTexture) {
        let row = format.bytesPerRow(width: image.width)
        func write(_ bytes: UnsafeRawBufferPointer) {
            texture.device.queue.write(
                UnsafeRawBufferPointer(rebasing: bytes[rows.lowerBound * row..<rows.upperBound * row]),
                to: texture.copyInfo(y: rows.lowerBound), size: GPUExtent(image.width, rows.count))
        }
        if let replacement { replacement.withUnsafeBytes { write($0) } } else { image.bytes.withUnsafeBytes { write($0) } }
    }

    private static func exponent(brightest: Float) -> Int {
        var exponent = 0
        while exponent < largestExponent, brightest > largestHalf * Float(1 << exponent) { exponent += 1 }
        return exponent
    }

    /// The brightest finite component, and how many components are negative, infinite or not a number.
    private static func scan(_ image: Image) -> (brightest: Float, invalid: Int) {
        image.bytes.withUnsafeBytes { raw in
            var brightest = SIMD4<Float>(repeating: 0)
            var lowest = SIMD4<Float>(repeating: 0)
            // A sum of products with zero is zero, or NaN when any value was not finite.
            var zero = SIMD4<Float>(repeating: 0)
            for offset in stride(from: 0, to: raw.count, by: 16) {
                let value = raw.loadUnaligned(fromByteOffset: offset, as: SIMD4<Float>.self)
                brightest = pointwiseMax(brightest, value)
                lowest = pointwiseMin(lowest, value)
                zero += value * 0
            }
            if zero.x == 0, zero.y == 0, zero.z == 0, lowest.x >= 0, lowest.y >= 0, lowest.z >= 0 {
                return (max(brightest.x, brightest.y, brightest.z), 0)
            }
            return carefulScan(raw)
        }
    }

    private static func carefulScan(_ raw: UnsafeRawBufferPointer) -> (brightest: Float, invalid: Int) {
        var (brightest, invalid): (Float, Int) = (0, 0)
        for offset in stride(from: 0, to: raw.count, by: 4) where offset & 15 != 12 {
            let value = raw.loadUnaligned(fromByteOffset: offset, as: Float.self)
            if value.isFinite, value >= 0 { brightest = max(brightest, value) } else { invalid += 1 }
        }
        return (brightest, invalid)
    }

    /// Negative values and NaN become 0, infinity the largest number that can be kept.
    private static func cleaned(_ image: Image) -> [Float] {
        let limit = largestHalf * Float(1 << largestExponent)
        return image.bytes.withUnsafeBytes { raw in
            (0..<raw.count / 4).map { index in
                let value = raw.loadUnaligned(fromByteOffset: index * 4, as: Float.self)
                return value > 0 ? min(value, limit) : 0
            }
        }
    }

    private static func linearFloats(_ image: Image) -> [Float] {
        image.bytes.withUnsafeBytes { raw in
            (0..<raw.count / 2).map { index in
                linearFromSRGB(Float(UInt16(littleEndian: raw.loadUnaligned(fromByteOffset: index * 2, as: UInt16.self))) / 65_535)
            }
        }
    }
}

/// A change to the values of an environment's image.
package enum EnvironmentWarning: Sendable, Equatable, CustomStringConvertible {
    /// The image had this many components that were negative, infinite or not a number. They became 0, and infinity the largest finite
    /// number.
    case invalidValues(count: Int)
    /// Components above `limit` were cut.
    case clamped(brightest: Float, limit: Float)

    package var description: String {
        switch self {
        case .invalidValues(let count): "\(count) values of the environment are negative or not finite"
        case .clamped(let brightest, let limit): "the environment's brightest value \(Int(min(brightest, 1e18))) is cut at \(Int(limit))"
        }
    }
}
