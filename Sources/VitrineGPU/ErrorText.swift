/// The parsed text of a wgpu-native error:
///
///     Validation Error
///
///     Caused by:
///       In wgpuDeviceCreateBuffer, label = 'vertices'
///         Buffer size 8 is greater than …
struct ErrorText {
    /// The label of the resource; empty if the text has none.
    var label = ""
    /// The message without its preamble; lines are joined by "; " unless they quote source code.
    var body = ""
    /// Whether the call failed because the device is lost.
    var reportsDeviceLoss = false

    init(_ text: String) {
        for line in Self.lines(text) {
            let trimmed = Self.trimmed(line)
            if trimmed.isEmpty || Self.isPreamble(trimmed) { continue }
            if Self.starts(trimmed, with: "In wgpu") {
                label = Self.quoted(trimmed) ?? label
                continue
            }
            body += (body.isEmpty ? "" : "; ") + Self.string(trimmed)
        }
        if body.isEmpty { body = text }
        reportsDeviceLoss = Self.contains(text, "device is lost")
    }

    private static func isPreamble(_ line: ArraySlice<UInt8>) -> Bool {
        starts(line, with: "Validation Error") || starts(line, with: "Caused by:") || starts(line, with: "Out of Memory")
            || starts(line, with: "Internal Error")
    }

    /// The text between the first and the last apostrophe.
    private static func quoted(_ line: ArraySlice<UInt8>) -> String? {
        let quote = UInt8(ascii: "'")
        guard let first = line.firstIndex(of: quote), let last = line.lastIndex(of: quote), first < last else { return nil }
        return string(line[(first + 1)..<last])
    }
}

// Compares bytes, not Characters: comparing Strings links Unicode tables into programs that do not need them.
extension ErrorText {
    static func lines(_ text: String) -> [ArraySlice<UInt8>] {
        Array(text.utf8).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    }

    static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var line = line
        while let first = line.first, first == 0x20 || first == 0x09 { line.removeFirst() }
        while let last = line.last, last == 0x20 || last == 0x09 || last == 0x0D { line.removeLast() }
        return line
    }

    static func string(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

    static func starts(_ bytes: ArraySlice<UInt8>, with prefix: StaticString) -> Bool {
        prefix.withUTF8Buffer { bytes.starts(with: $0) }
    }

    static func contains(_ text: String, _ part: String) -> Bool {
        let text = Array(text.utf8)
        let part = Array(part.utf8)
        if part.count > text.count { return false }
        for start in 0...(text.count - part.count) where text[start..<(start + part.count)].elementsEqual(part) { return true }
        return false
    }

    /// Converts ASCII capitals to lower case; other bytes are unchanged.
    static func lowercased(_ text: String) -> String {
        String(decoding: text.utf8.map { $0 >= 0x41 && $0 <= 0x5A ? $0 + 0x20 : $0 }, as: UTF8.self)
    }
}
