#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Writes reports as indented JSON with sorted keys in snake case.
enum JSONReport {
    static func text(_ value: some Encodable) throws -> String { String(decoding: try data(value), as: UTF8.self) }

    static func print(_ value: some Encodable) throws { StandardOutput.write(try text(value) + "\n") }

    /// Returns a value as JSON text.
    ///
    /// - Parameter convertsKeys: Whether to convert keys to snake case.
    static func data(_ value: some Encodable, convertsKeys: Bool = true) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        if convertsKeys { encoder.keyEncodingStrategy = .convertToSnakeCase }
        return try encoder.encode(value)
    }
}
