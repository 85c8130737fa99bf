import VitrineMath
import VitrineScene

extension ImageFile {
    /// Decodes an image whose header was checked against the limits.
    static func decodeRadiance(_ bytes: [UInt8], name: String) throws(ImageFileError) -> Image {
        let header = try RadianceHeader(bytes, name: name)
        var failure: ImageFileError?
        let count = header.width * header.height * PixelFormat.rgba32Float.bytesPerPixel
        let pixels = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            bytes.withUnsafeBufferPointer { source in
                var decoder = RadianceDecoder(header: header, source: source, name: name)
                do throws(ImageFileError) {
                    try decoder.decode(into: UnsafeMutableRawPointer(buffer.baseAddress!).bindMemory(to: Float.self, capacity: count / 4))
                    initialized = count
                } catch {
                    failure = error
                }
            }
        }
        if let failure { throw failure }
        return try image(header.header, bytes: pixels, name: name)
    }
}

/// Decodes RGBE scanlines: flat, old run lengths (a pixel 1,1,1,n repeats the previous one), new run lengths (per component).
private struct RadianceDecoder {
    let header: RadianceHeader
    let source: UnsafeBufferPointer<UInt8>
    let name: String
    var offset: Int
    /// The RGBE pixels of the current scanline, and for each exponent the value of a component of 1.
    private var scanline: [UInt8]
    private let scale: [Float]

    init(header: RadianceHeader, source: UnsafeBufferPointer<UInt8>, name: String) {
        (self.header, self.source, self.name) = (header, source, name)
        offset = header.pixelOffset
        scanline = [UInt8](repeating: 0, count: 4 * (header.orientation.scanlinesAreColumns ? header.height : header.width))
        // Exponent 0 is black. The mantissa's 8 bits and the bias of 128 make 2^(e - 136).
        scale = (0..<256).map { $0 == 0 ? 0 : Float(exp2(Float($0 - 136)) / header.exposure) }
    }

    mutating func decode(into pixels: UnsafeMutablePointer<Float>) throws(ImageFileError) {
        let (width, height, orientation) = (header.width, header.height, header.orientation)
        let (count, length) = orientation.scanlinesAreColumns ? (width, height) : (height, width)
        for index in 0..<count {
            try readScanline(index, length: length)
            // The address of the first pixel and the distance to the next one, in pixels.
            let start: Int
            let step: Int
            if orientation.scanlinesAreColumns {
                let x = orientation.rightFirst ? width - 1 - index : index
                start = (orientation.bottomFirst ? height - 1 : 0) * width + x
                step = orientation.bottomFirst ? -width : width
            } else {
                let y = orientation.bottomFirst ? height - 1 - index : index
                start = y * width + (orientation.rightFirst ? width - 1 : 0)
                step = orientation.rightFirst ? -1 : 1
            }
            store(length, into: pixels + 4 * start, step: 4 * step)
        }
    }

    private func store(_ length: Int, into pixels: UnsafeMutablePointer<Float>, step: Int) {
        scanline.withUnsafeBufferPointer { scanline in
            scale.withUnsafeBufferPointer { scale in
                var (from, to) = (scanline.baseAddress!, pixels)
                for _ in 0..<length {
                    let unit = scale[Int(from[3])]
                    to[0] = Float(from[0]) * unit
                    to[1] = Float(from[1]) * unit
                    to[2] = Float(from[2]) * unit
                    to[3] = 1
                    (from, to) = (from + 4, to + step)
                }
            }
        }
        guard header.gamma != 1 else { return }
        for index in 0..<length {
            for channel in 0..<3 { pixels[index * step + channel] = pow(pixels[index * step + channel], header.gamma) }
        }
    }

    private func failure(_ reason: ImageFileError.Reason, _ row: Int) -> ImageFileError {
        ImageFileError(file: name, reason: reason, offset: offset, row: row)
    }

    private func truncated(_ row: Int) -> ImageFileError { failure(.truncated("the pixels end early"), row) }

    private mutating func readScanline(_ row: Int, length: Int) throws(ImageFileError) {
        guard source.count - offset >= 4 else { throw truncated(row) }
        let isNew = length >= 8 && length < 32_768 && source[offset] == 2 && source[offset + 1] == 2 && source[offset + 2] < 128
        guard isNew else { return try readOld(row, length: length) }
        guard Int(source[offset + 2]) << 8 | Int(source[offset + 3]) == length else {
            throw failure(.malformed("a scanline has another length than the image"), row)
        }
        offset += 4
        for component in 0..<4 { try readComponent(component, row, length: length) }
    }

    private mutating func readComponent(_ component: Int, _ row: Int, length: Int) throws(ImageFileError) {
        let source = source
        var position = 0
        while position < length {
            guard offset < source.count else { throw truncated(row) }
            let code = Int(source[offset])
            let count = code > 128 ? code - 128 : code
            guard count > 0, count <= length - position else { throw failure(.malformed("a run exceeds its scanline"), row) }
            let isRun = code > 128
            guard source.count - offset > (isRun ? 1 : count) else { throw truncated(row) }
            let first = offset + 1
            scanline.withUnsafeMutableBufferPointer { scanline in
                var to = scanline.baseAddress! + 4 * position + component
                for index in 0..<count {
                    to.pointee = source[isRun ? first : first + index]
                    to += 4
                }
            }
            offset = first + (isRun ? 1 : count)
            position += count
        }
    }

    private mutating func readOld(_ row: Int, length: Int) throws(ImageFileError) {
        var position = 0
        var shift = 0
        while position < length {
            guard source.count - offset >= 4 else { throw truncated(row) }
            if source[offset] == 1, source[offset + 1] == 1, source[offset + 2] == 1 {
                // Consecutive runs are the digits of one count, lowest first.
                guard shift <= 16, position > 0 else { throw failure(.malformed("a run has no pixel to repeat"), row) }
                let count = Int(source[offset + 3]) << shift
                guard count <= length - position else { throw failure(.malformed("a run exceeds its scanline"), row) }
                repeatPixel(at: position, count: count)
                position += count
                shift += 8
            } else {
                for channel in 0..<4 { scanline[4 * position + channel] = source[offset + channel] }
                position += 1
                shift = 0
            }
            offset += 4
        }
    }

    private mutating func repeatPixel(at position: Int, count: Int) {
        for index in (4 * position)..<(4 * (position + count)) { scanline[index] = scanline[index - 4] }
    }
}
