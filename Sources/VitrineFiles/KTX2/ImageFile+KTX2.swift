import VitrineScene

/// KTX2 pictures, as KHR_texture_basisu has them, unpacked to eight bits a channel.
extension ImageFile {
    static func headerOfKTX2(_ bytes: [UInt8], name: String) throws(ImageFileError) -> Header {
        let file = try KTX2File(bytes, name: name)
        return Header(kind: .ktx2, width: file.width, height: file.height, format: .rgba8)
    }

    static func decodeKTX2(_ bytes: [UInt8], header: Header, name: String) throws(ImageFileError) -> Image {
        let file = try KTX2File(bytes, name: name)
        var pixels =
            switch file.model {
            case .etc1s: try pixelsOfETC1S(file)
            case .uastc: try pixelsOfUASTC(file)
            }
        if file.channels != .colour {
            for pixel in stride(from: 0, to: pixels.count, by: 4) {
                pixels[pixel + 1] = file.channels == .two ? pixels[pixel + 3] : 0
                (pixels[pixel + 2], pixels[pixel + 3]) = (0, 255)
            }
        }
        return try image(header, bytes: pixels, name: name)
    }

    /// Colour from the first slice; alpha, where there is a second one, is its green.
    private static func pixelsOfETC1S(_ file: KTX2File) throws(ImageFileError) -> [UInt8] {
        let codebooks = try BasisLZ(file)
        let (width, columns, rows) = (file.width, (file.width + 3) / 4, (file.height + 3) / 4)
        guard columns * rows / 64 <= file.bytes.count else {
            throw ImageFileError(file: file.name, reason: .malformed("\(file.width) × \(file.height) pixels in \(file.bytes.count) bytes"))
        }
        guard let colour = ETC1SBlocks(codebooks, slice: file.bytes[codebooks.first], columns: columns, rows: rows) else {
            throw ImageFileError(file: file.name, reason: .malformed("the colour slice is broken"), offset: codebooks.first.lowerBound)
        }
        var pixels = [UInt8](repeating: 255, count: width * file.height * 4)
        pixels.withUnsafeMutableBufferPointer { pixels in
            colour.forEachPixel(width: width, height: file.height) { x, y, red, green, blue in
                let place = (y * width + x) * 4
                (pixels[place], pixels[place + 1], pixels[place + 2]) = (red, green, blue)
            }
        }
        guard let second = codebooks.second else { return pixels }
        guard let alpha = ETC1SBlocks(codebooks, slice: file.bytes[second], columns: columns, rows: rows) else {
            throw ImageFileError(file: file.name, reason: .malformed("the alpha slice is broken"), offset: second.lowerBound)
        }
        pixels.withUnsafeMutableBufferPointer { pixels in
            alpha.forEachPixel(width: width, height: file.height) { x, y, _, green, _ in pixels[(y * width + x) * 4 + 3] = green }
        }
        return pixels
    }

    private static func pixelsOfUASTC(_ file: KTX2File) throws(ImageFileError) -> [UInt8] {
        let blocks = try file.unpackedLevel()
        let (width, height, columns) = (file.width, file.height, (file.width + 3) / 4)
        var broken: Int?
        let pixels = [UInt8](unsafeUninitializedCapacity: width * height * 4) { pixels, initialized in
            blocks.withUnsafeBufferPointer { blocks in
                for number in 0..<blocks.count / 16 {
                    guard let block = UASTCBlock(UnsafeBufferPointer(rebasing: blocks[number * 16..<number * 16 + 16])) else {
                        broken = broken ?? number
                        return
                    }
                    let (left, top) = (number % columns * 4, number / columns * 4)
                    for y in 0..<min(4, height - top) {
                        for x in 0..<min(4, width - left) {
                            for channel in 0..<4 {
                                pixels[((top + y) * width + left + x) * 4 + channel] = block.pixels[(y * 4 + x) * 4 + channel]
                            }
                        }
                    }
                }
                initialized = width * height * 4
            }
        }
        if let broken {
            throw ImageFileError(file: file.name, reason: .malformed("block \(broken) has no UASTC mode"), row: broken / columns * 4)
        }
        return pixels
    }
}
