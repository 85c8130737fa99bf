import CCodecs
import VitrineScene

/// A picture's samples as its file holds them: what cameras give has no need of a detour by RGB, and grey none of four channels.
public enum StoredImage: Sendable {
    /// `width * height` values.
    case gray(width: Int, height: Int, [UInt8])
    case gray16(width: Int, height: Int, [UInt16])
    /// A JPEG's Y, Cb, Cr by turns, BT.601 in full range: `3 * width * height` values.
    case yCbCr(width: Int, height: Int, [UInt8])
    /// Everything else.
    case color(Image)
}

extension ImageFile {
    /// Decodes a whole file without converting its samples where that can be avoided: grey PNG and JPEG, YCbCr JPEG; others as `decode`.
    ///
    /// - Throws: as `decode`.
    public static func decodeStored(_ bytes: [UInt8], name: String = "", limits: ImageLimits = ImageLimits()) throws(ImageFileError)
        -> StoredImage
    {
        let header = try header(of: bytes, name: name)
        try limits.check(header, name: name)
        let stored: StoredImage? =
            switch header.kind {
            case .png: try storedPNG(bytes, header, name)
            case .jpeg: try storedJPEG(bytes, header, name)
            default: nil
            }
        if let stored { return stored }
        return .color(try decode(bytes, name: name, limits: limits))
    }

    /// A grey PNG of 8 bits, bit for bit.
    ///
    /// - Precondition: `values` has `width * height` elements, more than none.
    public static func encodeGray(_ values: [UInt8], width: Int, height: Int, speed: PNGSpeed = .balanced) throws(ImageFileError) -> [UInt8]
    {
        precondition(values.count == width * height && !values.isEmpty)
        return try encodeGray(values, vitrine_image_header(width: UInt32(width), height: UInt32(height), bytes_per_channel: 1), speed)
    }

    /// A grey PNG of 16 bits, bit for bit: depth in millimetres.
    ///
    /// - Precondition: `values` has `width * height` elements, more than none.
    public static func encodeGray16(_ values: [UInt16], width: Int, height: Int, speed: PNGSpeed = .balanced) throws(ImageFileError)
        -> [UInt8]
    {
        precondition(values.count == width * height && !values.isEmpty)
        let bytes = [UInt8](unsafeUninitializedCapacity: 2 * values.count) { buffer, count in
            for (index, value) in values.enumerated() {
                buffer[2 * index] = UInt8(truncatingIfNeeded: value)
                buffer[2 * index + 1] = UInt8(value >> 8)
            }
            count = 2 * values.count
        }
        return try encodeGray(bytes, vitrine_image_header(width: UInt32(width), height: UInt32(height), bytes_per_channel: 2), speed)
    }

    private static func encodeGray(_ bytes: [UInt8], _ header: vitrine_image_header, _ speed: PNGSpeed) throws(ImageFileError) -> [UInt8] {
        var header = header
        var encoded = vitrine_encoded()
        var error = vitrine_codec_error()
        let done = bytes.withUnsafeBufferPointer { vitrine_png_encode_grey($0.baseAddress!, &header, speed.level, &encoded, &error) }
        guard done == 1 else { throw ImageFileError(error, file: "") }
        return takeOver(encoded)
    }

    /// nil: no grey picture.
    private static func storedPNG(_ bytes: [UInt8], _ header: Header, _ name: String) throws(ImageFileError) -> StoredImage? {
        let isWide = header.format == .rgba16
        let pixels = header.width * header.height
        var error = vitrine_codec_error()
        func decode(_ target: UnsafeMutableRawPointer, _ count: Int) -> Bool {
            bytes.withUnsafeBufferPointer {
                vitrine_png_decode_grey($0.baseAddress!, $0.count, target.assumingMemoryBound(to: UInt8.self), count, &error) == 1
            }
        }
        if isWide {
            let values = [UInt16](unsafeUninitializedCapacity: pixels) { buffer, count in
                guard decode(buffer.baseAddress!, 2 * pixels) else { return }
                for index in 0..<pixels { buffer[index] = UInt16(littleEndian: buffer[index]) }
                count = pixels
            }
            if values.count == pixels { return .gray16(width: header.width, height: header.height, values) }
        } else {
            let values = [UInt8](unsafeUninitializedCapacity: pixels) { buffer, count in
                if decode(buffer.baseAddress!, pixels) { count = pixels }
            }
            if values.count == pixels { return .gray(width: header.width, height: header.height, values) }
        }
        if error.failure == vitrine_codec_unsupported { return nil }
        throw ImageFileError(error, file: name)
    }

    /// nil: neither grey nor YCbCr.
    private static func storedJPEG(_ bytes: [UInt8], _ header: Header, _ name: String) throws(ImageFileError) -> StoredImage? {
        let pixels = header.width * header.height
        var error = vitrine_codec_error()
        var channels: UInt32 = 0
        let values = [UInt8](unsafeUninitializedCapacity: 3 * pixels) { buffer, count in
            let done = bytes.withUnsafeBufferPointer {
                vitrine_jpeg_decode_planes($0.baseAddress!, $0.count, buffer.baseAddress!, 3 * pixels, &channels, &error)
            }
            if done == 1 { count = Int(channels) * pixels }
        }
        if !values.isEmpty {
            return channels == 1
                ? .gray(width: header.width, height: header.height, values) : .yCbCr(width: header.width, height: header.height, values)
        }
        if error.failure == vitrine_codec_unsupported { return nil }
        throw ImageFileError(error, file: name)
    }
}
