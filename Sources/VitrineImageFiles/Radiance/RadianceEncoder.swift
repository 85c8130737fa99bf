import VitrineScene

extension ImageFile {
    static func encodeRadiance(_ image: Image) throws(ImageFileError) -> [UInt8] {
        guard image.format == .rgba32Float else {
            throw ImageFileError(file: image.name, reason: .unsupported("HDR stores linear floats, but the image is \(image.format)"))
        }
        guard image.isOpaque else {
            throw ImageFileError(file: image.name, reason: .unsupported("HDR stores no alpha, but the image is not opaque"))
        }
        var encoder = RadianceEncoder(image)
        return try encoder.encode()
    }
}

/// Encodes RGBE scanlines with the new run lengths where the format allows them (8 to 32,767 pixels), otherwise flat.
private struct RadianceEncoder {
    let image: Image
    private var file: [UInt8]

    /// The shortest run: shorter ones need as many bytes as their pixels.
    private static let shortestRun = 4

    init(_ image: Image) {
        self.image = image
        file = Array("#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y \(image.height) +X \(image.width)\n".utf8)
    }

    mutating func encode() throws(ImageFileError) -> [UInt8] {
        let width = image.width
        var scanline = [UInt8](repeating: 0, count: 4 * width)
        for y in 0..<image.height {
            try pack(row: y, into: &scanline)
            guard (8..<32_768).contains(width) else {
                // No pixel equals a run (1,1,1,n) or the start of a new scanline (2,2,below 128), because the largest mantissa is 128 or more.
                file += scanline
                continue
            }
            file += [2, 2, UInt8(width >> 8), UInt8(width & 255)]
            for component in 0..<4 { appendRuns((0..<width).map { scanline[4 * $0 + component] }) }
        }
        return file
    }

    private func pack(row y: Int, into scanline: inout [UInt8]) throws(ImageFileError) {
        var bad: Int?
        let width = image.width
        image.bytes.withUnsafeBytes { raw in
            let pixels = raw.bindMemory(to: Float.self)
            for x in 0..<width {
                let first = 4 * (y * width + x)
                guard let packed = Self.pack(pixels[first], pixels[first + 1], pixels[first + 2]) else {
                    bad = x
                    return
                }
                (scanline[4 * x], scanline[4 * x + 1], scanline[4 * x + 2], scanline[4 * x + 3]) = packed
            }
        }
        guard let x = bad else { return }
        throw ImageFileError(
            file: image.name, reason: .unsupported("HDR stores only finite values of at least 0, but the pixel (\(x), \(y)) has others"),
            row: y)
    }

    /// Rounds mantissas to the nearest, with a common exponent for which the largest is 128…255.
    private static func pack(_ red: Float, _ green: Float, _ blue: Float) -> (UInt8, UInt8, UInt8, UInt8)? {
        let largest = max(red, green, blue)
        guard red >= 0, green >= 0, blue >= 0, largest.isFinite else { return nil }
        guard largest > 1e-38 else { return (0, 0, 0, 0) }
        var exponent = Int(largest.exponent) + 1
        if (largest * unit(exponent)).rounded() > 255 { exponent += 1 }
        guard exponent <= 127 else { return nil }
        guard exponent > -128 else { return (0, 0, 0, 0) }
        let scale = unit(exponent)
        func mantissa(_ value: Float) -> UInt8 { UInt8((value * scale).rounded()) }
        return (mantissa(red), mantissa(green), mantissa(blue), UInt8(exponent + 128))
    }

    /// Returns 2^(8 - exponent), the factor that scales a value below 2^exponent to below 256.
    private static func unit(_ exponent: Int) -> Float { Float(sign: .plus, exponent: 8 - exponent, significand: 1) }

    private mutating func appendRuns(_ values: [UInt8]) {
        var position = 0
        while position < values.count {
            let run = runLength(values, from: position)
            if run >= Self.shortestRun {
                file += [UInt8(128 + run), values[position]]
                position += run
                continue
            }
            let start = position
            while position < values.count, position - start < 128, runLength(values, from: position) < Self.shortestRun { position += 1 }
            file.append(UInt8(position - start))
            file += values[start..<position]
        }
    }

    private func runLength(_ values: [UInt8], from start: Int) -> Int {
        var end = start + 1
        while end < values.count, end - start < 127, values[end] == values[start] { end += 1 }
        return end - start
    }
}
