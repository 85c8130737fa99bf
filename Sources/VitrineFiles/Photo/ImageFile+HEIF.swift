import CCodecs

extension ImageFile {
    /// The EXIF data of a HEIF file, its own length field taken off; nil where it has none, or is broken.
    static func exifOfHEIF(_ bytes: [UInt8]) -> ArraySlice<UInt8>? {
        var encoded = vitrine_encoded()
        var error = vitrine_codec_error()
        let done = bytes.withUnsafeBufferPointer { vitrine_heif_exif($0.baseAddress!, $0.count, &encoded, &error) }
        guard done == 1, encoded.count > 4 else { return nil }
        let item = takeOver(encoded)
        // Four bytes say how far behind them the TIFF stream begins.
        let start = item[..<4].reduce(0) { $0 << 8 | Int($1) } + 4
        return EXIFLocator.tiff(item[min(start, item.count)...])
    }
}
