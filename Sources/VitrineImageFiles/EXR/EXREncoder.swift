import CCodecs
import VitrineScene

extension ImageFile {
    package static func encodeEXR(
        _ image: Image, precision: EXRPrecision = .automatic, compression: EXRCompression = .zip
    ) throws(ImageFileError) -> [UInt8] {
        guard image.format == .rgba32Float else {
            throw ImageFileError(file: image.name, reason: .unsupported("EXR stores linear floats, but the image is \(image.format)"))
        }
        let isOpaque = image.isOpaque
        let pixels = premultipliedFloats(of: image, isOpaque: isOpaque)
        let tooLarge = precision == .float ? nil : pixels.firstIndex { $0.isFinite && abs($0) >= 65_520 }
        if precision == .half, let index = tooLarge {
            let (x, y) = (index / 4 % image.width, index / 4 / image.width)
            let reason = "\(pixels[index]) at (\(x), \(y)) exceeds the largest 16-bit float: write EXR with float precision"
            throw ImageFileError(file: image.name, reason: .unsupported(reason), row: y)
        }
        let isHalf = precision != .float && tooLarge == nil
        var encoded = vitrine_encoded()
        var error = vitrine_codec_error()
        let done = vitrine_exr_encode(
            pixels, UInt32(image.width), UInt32(image.height), isOpaque ? 0 : 1, isHalf ? 1 : 0, compression.rawValue,
            &encoded, &error)
        guard done == 1 else { throw ImageFileError(error, file: image.name) }
        return takeOver(encoded)
    }

    /// Premultiplies colours. Where alpha is 0, keeps the colour, as the decoder does.
    private static func premultipliedFloats(of image: Image, isOpaque: Bool) -> [Float] {
        var pixels = image.bytes.withUnsafeBytes { [Float]($0.bindMemory(to: Float.self)) }
        if isOpaque { return pixels }
        for index in stride(from: 0, to: pixels.count, by: 4) {
            let alpha = pixels[index + 3]
            guard alpha > 0, alpha != 1 else { continue }
            for channel in index..<(index + 3) { pixels[channel] *= alpha }
        }
        return pixels
    }
}
