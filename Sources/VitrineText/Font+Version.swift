import CHarfBuzz

extension Font {
    /// The version of the HarfBuzz library.
    public static var libraryVersion: String { String(cString: hb_version_string()) }
}
