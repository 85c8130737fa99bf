import CCodecs

extension ImageFile {
    /// The codec libraries in use, with their versions.
    public static var libraryVersions: [(name: String, version: String)] {
        let length = 32
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 5 * length) { texts in
            guard let start = texts.baseAddress else { return [] }
            vitrine_codec_versions(start, start + length, start + 2 * length, start + 3 * length, start + 4 * length)
            let names = ["libpng", "libjpeg", "libwebp", "OpenEXR", "libheif"]
            return names.enumerated().map { ($1, String(cString: start + $0 * length)) }
        }
    }
}
