import VitrineScene

extension ImageFile {
    static func headerOfTGA(_ bytes: [UInt8], name: String) throws(ImageFileError) -> Header {
        guard let header = TGAHeader(bytes) else { throw ImageFileError(file: name, reason: .unrecognized) }
        return header.header
    }

    /// Decodes an image whose header was checked against the limits.
    static func decodeTGA(_ bytes: [UInt8], name: String) throws(ImageFileError) -> Image {
        guard let header = TGAHeader(bytes) else { throw ImageFileError(file: name, reason: .unrecognized) }
        let decoder = TGADecoder(header: header, source: bytes, name: name)
        return try image(header.header, bytes: try decoder.decode(), name: name)
    }
}

/// Decodes the pixels of a TGA file to straight RGBA, top row first.
private struct TGADecoder {
    let header: TGAHeader
    let source: [UInt8]
    let name: String

    private typealias Pixel = SIMD4<UInt8>

    func decode() throws(ImageFileError) -> [UInt8] {
        let count = header.width * header.height
        try checkLength(pixels: count)
        let map = try colorMap()
        var failure: ImageFileError?
        var pixels = [UInt8](unsafeUninitializedCapacity: 4 * count) { buffer, initialized in
            // The memory of an array has the alignment of pixels.
            let target = UnsafeMutableRawBufferPointer(buffer).bindMemory(to: Pixel.self)
            do throws(ImageFileError) {
                try unpack(into: target, map: map)
                initialized = 4 * count
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        applyAlpha(to: &pixels)
        orient(&pixels)
        return pixels
    }

    /// Rejects a file that is too short for its pixels before allocating memory for them: a run of 128 pixels needs one stored pixel.
    private func checkLength(pixels: Int) throws(ImageFileError) {
        let needed = header.isRunLength ? (pixels + 127) / 128 * (1 + header.pixelBytes) : pixels * header.pixelBytes
        guard source.count - header.pixelOffset >= needed else {
            throw ImageFileError(
                file: name,
                reason: .truncated("\(header.width) × \(header.height) pixels need \(header.pixelOffset + needed) bytes"),
                offset: source.count)
        }
    }

    // MARK: Colours

    private func color(at offset: Int, depth: Int) -> Pixel {
        switch depth {
        case 8: return Pixel(source[offset], source[offset], source[offset], 255)
        case 24: return Pixel(source[offset + 2], source[offset + 1], source[offset], 255)
        case 32: return Pixel(source[offset + 2], source[offset + 1], source[offset], source[offset + 3])
        default:
            let word = UInt16(source[offset]) | UInt16(source[offset + 1]) << 8
            func channel(_ shift: UInt16) -> UInt8 {
                let five = UInt8(truncatingIfNeeded: word >> shift & 31)
                return five << 3 | five >> 2
            }
            return Pixel(channel(10), channel(5), channel(0), word & 0x8000 == 0 ? 0 : 255)
        }
    }

    private func colorMap() throws(ImageFileError) -> [Pixel] {
        guard header.coding == .mapped else { return [] }
        return (0..<header.mapCount).map { color(at: header.mapOffset + $0 * header.mapEntryBytes, depth: header.mapDepth) }
    }

    /// Returns the stored pixel at a byte offset; nil for an index that the colour map does not contain.
    private func pixel(at offset: Int, map: [Pixel]) -> Pixel? {
        switch header.coding {
        case .mapped:
            let index =
                (header.pixelBytes == 1 ? Int(source[offset]) : Int(source[offset]) | Int(source[offset + 1]) << 8) - header.mapFirst
            return map.indices.contains(index) ? map[index] : nil
        case .color: return color(at: offset, depth: header.depth)
        case .gray:
            let alpha = header.depth == 16 ? source[offset + 1] : 255
            return Pixel(source[offset], source[offset], source[offset], alpha)
        }
    }

    // MARK: Pixels

    private func unpack(into target: UnsafeMutableBufferPointer<Pixel>, map: [Pixel]) throws(ImageFileError) {
        guard header.isRunLength else { return try copy(target.count, from: header.pixelOffset, to: 0, of: target, map: map) }
        var (offset, position) = (header.pixelOffset, 0)
        while position < target.count {
            guard offset < source.count else { throw truncated(offset, position) }
            let packet = source[offset]
            // A packet may continue in the next row. Ignores data beyond the last pixel.
            let count = min(Int(packet & 127) + 1, target.count - position)
            let stored = packet & 128 != 0 ? 1 : count
            guard source.count - offset > stored * header.pixelBytes else { throw truncated(offset, position) }
            if packet & 128 != 0 {
                let value = try value(at: offset + 1, position, map)
                for index in position..<position + count { target[index] = value }
            } else {
                try copy(count, from: offset + 1, to: position, of: target, map: map)
            }
            offset += 1 + stored * header.pixelBytes
            position += count
        }
    }

    private func copy(
        _ count: Int, from offset: Int, to position: Int, of target: UnsafeMutableBufferPointer<Pixel>, map: [Pixel]
    ) throws(ImageFileError) {
        for index in 0..<count {
            target[position + index] = try value(at: offset + index * header.pixelBytes, position + index, map)
        }
    }

    @inline(__always)
    private func value(at offset: Int, _ position: Int, _ map: [Pixel]) throws(ImageFileError) -> Pixel {
        guard let pixel = pixel(at: offset, map: map) else {
            throw failure(.malformed("a color index exceeds the \(header.mapCount) entries of the color map"), offset, position)
        }
        return pixel
    }

    private func truncated(_ offset: Int, _ position: Int) -> ImageFileError {
        failure(.truncated("the pixels end early"), min(offset, source.count), position)
    }

    private func failure(_ reason: ImageFileError.Reason, _ offset: Int, _ position: Int) -> ImageFileError {
        let row = position / header.width
        return ImageFileError(file: name, reason: reason, offset: offset, row: header.isTopFirst ? row : header.height - 1 - row)
    }

    // MARK: Alpha and orientation

    private func applyAlpha(to pixels: inout [UInt8]) {
        let alphas = stride(from: 3, to: pixels.count, by: 4)
        var isOpaque = header.alpha == .none
        if header.alpha == .undeclared { isOpaque = alphas.allSatisfy { pixels[$0] == 0 } }
        if isOpaque {
            for index in alphas { pixels[index] = 255 }
        } else if header.alpha == .premultiplied {
            for index in alphas where pixels[index] > 0 && pixels[index] < 255 {
                let alpha = Int(pixels[index])
                for channel in index - 3..<index { pixels[channel] = UInt8(min((Int(pixels[channel]) * 255 + alpha / 2) / alpha, 255)) }
            }
        }
    }

    /// Reorders rows from the top and pixels from the left.
    private func orient(_ pixels: inout [UInt8]) {
        let (width, height) = (header.width, header.height)
        pixels.withUnsafeMutableBytes { raw in
            let pixels = raw.bindMemory(to: Pixel.self)
            if !header.isTopFirst {
                for y in 0..<height / 2 {
                    let (top, bottom) = (y * width, (height - 1 - y) * width)
                    for x in 0..<width { pixels.swapAt(top + x, bottom + x) }
                }
            }
            if header.isRightFirst {
                for y in 0..<height {
                    for x in 0..<width / 2 { pixels.swapAt(y * width + x, y * width + width - 1 - x) }
                }
            }
        }
    }
}
