import CCodecs
import VitrineScene

extension ImageFile {
    /// Decodes an image and reduces it, so that its longest side is at most `maximumSide` pixels; a smaller image does not change.
    ///
    /// Each pixel of the result is the mean of the area that it covers, in the encoding of the file. A JPEG is decoded at a half, a quarter or an
    /// eighth of its size if that is enough, which saves the time and memory of the full image; the limits apply to the decoded image.
    public static func decode(
        _ bytes: [UInt8], name: String = "", maximumSide: Int, limits: ImageLimits = ImageLimits()
    ) throws(ImageFileError) -> Image {
        let header = try header(of: bytes, name: name)
        let longest = max(header.width, header.height)
        guard maximumSide > 0 else { throw ImageFileError(file: name, reason: .unsupported("a longest side of \(maximumSide) pixels")) }
        guard longest > maximumSide else { return try decode(bytes, name: name, limits: limits) }
        let image =
            header.kind == .jpeg
            ? try decodeJPEG(bytes, header: header, maximumSide: maximumSide, limits: limits, name: name)
            : try decode(bytes, name: name, limits: limits)
        return try AreaResampler.resample(
            image, width: reduced(header.width, longest: longest, to: maximumSide),
            height: reduced(header.height, longest: longest, to: maximumSide))
    }

    /// Returns a side of an image whose longest side becomes `maximumSide`.
    package static func reduced(_ side: Int, longest: Int, to maximumSide: Int) -> Int {
        max(1, (side * maximumSide + longest / 2) / longest)
    }

    /// Decodes at the smallest of 1/8, 1/4, 1/2 and 1 that still has the requested size.
    private static func decodeJPEG(
        _ bytes: [UInt8], header: Header, maximumSide: Int, limits: ImageLimits, name: String
    ) throws(ImageFileError) -> Image {
        let longest = max(header.width, header.height)
        let eighths = [1, 2, 4].first { (longest * $0 + 7) / 8 >= maximumSide } ?? 8
        let (width, height) = ((header.width * eighths + 7) / 8, (header.height * eighths + 7) / 8)
        try limits.check(width: width, height: height, format: .rgba8, name: name)
        var error = vitrine_codec_error()
        var decoded = vitrine_image_header()
        let count = width * height * 4
        let pixels = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            let done = bytes.withUnsafeBufferPointer {
                vitrine_jpeg_decode_scaled($0.baseAddress!, $0.count, UInt32(eighths), buffer.baseAddress!, count, &decoded, &error)
            }
            initialized = done == 1 && Int(decoded.width) == width && Int(decoded.height) == height ? count : 0
        }
        guard pixels.count == count else { throw ImageFileError(error, file: name) }
        return try image(Header(kind: .jpeg, width: width, height: height, format: .rgba8), bytes: pixels, name: name)
    }
}

/// Reduces images to the mean of the area below each pixel: rows first, then columns.
package enum AreaResampler {
    /// Resamples an image to a smaller size.
    ///
    /// - Precondition: The result is not larger than the image.
    package static func resample(_ image: Image, width: Int, height: Int) throws(ImageFileError) -> Image {
        guard width != image.width || height != image.height else { return image }
        let bytes: [UInt8] =
            switch image.format {
            case .rgba8: resample(image, UInt8.self, width, height)
            case .rgba16: resample(image, UInt16.self, width, height)
            case .rgba32Float: resample(image, Float.self, width, height)
            }
        do throws(ImageError) {
            return try Image(width: width, height: height, format: image.format, bytes: bytes, name: image.name)
        } catch {
            throw ImageFileError(file: image.name, reason: .malformed("an image of \(width) × \(height) pixels"))
        }
    }

    private static func resample<Channel: ResampledChannel>(
        _ image: Image, _ type: Channel.Type, _ width: Int, _ height: Int
    ) -> [UInt8] {
        let across = Coverage(from: image.width, to: width)
        let down = Coverage(from: image.height, to: height)
        var sums = [SIMD4<Float>](repeating: .zero, count: width)
        var result = [UInt8](repeating: 0, count: width * height * image.format.bytesPerPixel)
        image.bytes.withUnsafeBytes { raw in
            let source = raw.bindMemory(to: SIMD4<Channel>.self)
            result.withUnsafeMutableBytes { raw in
                let target = raw.bindMemory(to: SIMD4<Channel>.self)
                sums.withUnsafeMutableBufferPointer { sums in
                    for y in 0..<height {
                        for x in 0..<width { sums[x] = .zero }
                        for (row, weight) in down[y] { across.add(source[(row * image.width)...], weight: weight, to: sums) }
                        for x in 0..<width {
                            target[y * width + x] = Channel.stored(sums[x])
                        }
                    }
                }
            }
        }
        return result
    }

    /// The source pixels below each target pixel and their weights, which sum to 1.
    private struct Coverage {
        private var first: [Int] = []
        private var weights: [[Float]] = []

        init(from source: Int, to target: Int) {
            for index in 0..<target {
                // In units of 1 / target source pixels, so that the edges are exact.
                let (start, end) = (index * source, (index + 1) * source)
                let pixels = start / target..<(end + target - 1) / target
                first.append(pixels.lowerBound)
                weights.append(
                    pixels.map { pixel in
                        Float(min(end, (pixel + 1) * target) - max(start, pixel * target)) / Float(source)
                    })
            }
        }

        subscript(index: Int) -> [(Int, Float)] { weights[index].enumerated().map { (first[index] + $0.offset, $0.element) } }

        func add<Channel: ResampledChannel>(
            _ row: Slice<UnsafeBufferPointer<SIMD4<Channel>>>, weight: Float, to sums: UnsafeMutableBufferPointer<SIMD4<Float>>
        ) {
            let base = row.startIndex
            let source = row.base
            for x in 0..<sums.count {
                var sum = SIMD4<Float>.zero
                var pixel = base + first[x]
                for share in weights[x] {
                    sum += Channel.floats(source[pixel]) * share
                    pixel += 1
                }
                sums[x] += sum * weight
            }
        }
    }
}

/// A type of channel that `AreaResampler` supports.
private protocol ResampledChannel: SIMDScalar, Codable, Hashable {
    static func floats(_ pixel: SIMD4<Self>) -> SIMD4<Float>
    static func stored(_ mean: SIMD4<Float>) -> SIMD4<Self>
}

extension UInt8: ResampledChannel {
    fileprivate static func floats(_ pixel: SIMD4<UInt8>) -> SIMD4<Float> { SIMD4<Float>(pixel) }
    fileprivate static func stored(_ mean: SIMD4<Float>) -> SIMD4<UInt8> { SIMD4<UInt8>(mean.rounded(upTo: 255)) }
}

extension UInt16: ResampledChannel {
    fileprivate static func floats(_ pixel: SIMD4<UInt16>) -> SIMD4<Float> { SIMD4<Float>(pixel) }
    fileprivate static func stored(_ mean: SIMD4<Float>) -> SIMD4<UInt16> { SIMD4<UInt16>(mean.rounded(upTo: 65_535)) }
}

extension Float: ResampledChannel {
    fileprivate static func floats(_ pixel: SIMD4<Float>) -> SIMD4<Float> { pixel }
    fileprivate static func stored(_ mean: SIMD4<Float>) -> SIMD4<Float> { mean }
}

extension SIMD4<Float> {
    /// Returns the values for conversion by truncation.
    fileprivate func rounded(upTo limit: Float) -> SIMD4<Float> {
        (self + 0.5).clamped(lowerBound: .zero, upperBound: SIMD4(repeating: limit))
    }
}
