import CCodecs

extension ImageFile {
    /// The codec libraries in use, with their versions.
    public static var libraryVersions: [(name: String, version: String)] {
        let length = 32
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4 * length) { texts in
            guard let start = texts.baseAddress else { return [] }
            vitrine_codec_versions(start, start + length, start + 2 * length, start + 3 * length)
            let names = ["libpng", "libjpeg", "libwebp", "OpenEXR"]
            return names.enumerated().map { ($1, String(cString: start + $0 * length)) }
        }
    }
}
