#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Settings of the user's desktop.
public enum Desktop {
    /// Whether the user prefers reduced motion. Read once per process.
    ///
    /// In this order: the environment variable `VITRINE_REDUCE_MOTION` (1 or 0), KDE's `AnimationDurationFactor=0` in `kdeglobals`, and
    /// `gtk-enable-animations=0` in GTK's `settings.ini`, each in `$XDG_CONFIG_HOME` or `~/.config`. GNOME's setting, which is stored in a
    /// database, is not read.
    public static let reducesMotion = reducesMotion(
        variable: variable("VITRINE_REDUCE_MOTION"),
        configuration: configurationDirectory.map { directory in { text("\(directory)/\($0)") } })

    /// - Parameter configuration: Returns the text of a file in the directory of settings; nil if there is no such file.
    static func reducesMotion(variable: String?, configuration: ((String) -> String?)?) -> Bool {
        if let variable, !variable.isEmpty { return variable != "0" }
        guard let configuration else { return false }
        if let factor = setting("AnimationDurationFactor", in: configuration("kdeglobals")) { return Double(factor) == 0 }
        for version in ["gtk-4.0", "gtk-3.0"] {
            if let value = setting("gtk-enable-animations", in: configuration("\(version)/settings.ini")) {
                return value == "0" || value.lowercased() == "false"
            }
        }
        return false
    }

    /// The value of `name=value` in an INI file.
    private static func setting(_ name: String, in text: String?) -> String? {
        for line in text?.split(whereSeparator: \.isNewline) ?? [] {
            let parts = line.split(separator: "=", maxSplits: 1).map { $0.filter { $0 != " " && $0 != "\t" } }
            if parts.count == 2, parts[0] == name { return parts[1] }
        }
        return nil
    }

    private static var configurationDirectory: String? {
        variable("XDG_CONFIG_HOME").flatMap { $0.isEmpty ? nil : $0 } ?? variable("HOME").map { "\($0)/.config" }
    }

    private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    /// Returns at most the first 64 KiB; nil if there is no such file.
    private static func text(_ path: String) -> String? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes[..<count], as: UTF8.self)
    }
}
