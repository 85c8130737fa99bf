import CHarfBuzz

extension Font {
    /// The version of HarfBuzz, which reads fonts and shapes lines.
    public static var libraryVersion: String { String(cString: hb_version_string()) }
}
