import VitrineScene

/// Converts images of transparency to images of opacity.
enum OpacityImage {
    /// Returns whether an image can have alpha, which a JPEG cannot.
    static func mayHaveAlpha(_ bytes: [UInt8]) -> Bool {
        switch ImageFile.kind(of: bytes) {
        case .jpeg: return false
        case .png:
            // The colour type: 4 and 6 have alpha; others may define a transparent colour.
            guard bytes.count > 26 else { return false }
            return bytes[25] & 4 != 0 || bytes.prefix(4096).split(separator: 0).contains { $0.starts(with: "tRNS".utf8) || hasTRNS($0) }
        default: return true
        }
    }

    private static func hasTRNS(_ bytes: ArraySlice<UInt8>) -> Bool {
        let name = Array("tRNS".utf8)
        guard bytes.count >= 4 else { return false }
        return bytes.indices.dropLast(3).contains { Array(bytes[$0..<$0 + 4]) == name }
    }

    /// Returns a grey image of `opacity(red, green, blue, alpha)` for each pixel, all 0…1.
    static func make(_ bytes: [UInt8], name: String, opacity: (Float, Float, Float, Float) -> Float) -> Image? {
        guard let image = try? ImageFile.decode(bytes, name: name), image.format == .rgba8 else { return nil }
        var result = image.bytes
        for pixel in stride(from: 0, to: result.count - 3, by: 4) {
            func channel(_ index: Int) -> Float { Float(result[pixel + index]) / 255 }
            let value = min(max(opacity(channel(0), channel(1), channel(2), channel(3)), 0), 1)
            let byte = UInt8((value * 255).rounded())
            (result[pixel], result[pixel + 1], result[pixel + 2], result[pixel + 3]) = (byte, byte, byte, 255)
        }
        return try? Image(width: image.width, height: image.height, format: .rgba8, bytes: result)
    }

    /// Returns whether a bump image contains directions (mostly blue), not heights.
    static func isNormalMap(_ bytes: [UInt8], name: String) -> Bool {
        guard let image = try? ImageFile.decode(bytes, name: name), image.format == .rgba8, !image.bytes.isEmpty else { return false }
        var sums = SIMD3<Double>(repeating: 0)
        let step = max(image.bytes.count / 4 / 4096, 1) * 4
        var count = 0.0
        for pixel in stride(from: 0, to: image.bytes.count - 3, by: step) {
            sums += SIMD3(Double(image.bytes[pixel]), Double(image.bytes[pixel + 1]), Double(image.bytes[pixel + 2]))
            count += 1
        }
        let mean = sums / (count * 255)
        return mean.z > 0.75 && abs(mean.x - 0.5) < 0.15 && abs(mean.y - 0.5) < 0.15
    }
}
