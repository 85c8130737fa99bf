/// The tokens of a WGSL source with their positions, without comments.
struct ShaderTokens {
    struct Token {
        let text: ArraySlice<UInt8>
        let location: ShaderLocation
        let isWord: Bool

        func reads(_ word: StaticString) -> Bool { word.withUTF8Buffer { text.elementsEqual($0) } }

        var string: String { String(decoding: text, as: UTF8.self) }
    }

    private(set) var tokens: [Token] = []
    /// The working space of a comment: `// working-space: linear`.
    private(set) var workingSpace: ShaderEffect.WorkingSpace?
    private let text: [UInt8]
    private var at = 0
    private var location = ShaderLocation(line: 1, column: 1)

    init(_ source: String) throws(ShaderSourceError) {
        text = Array(source.utf8)
        while at < text.count {
            if try skipComment() { continue }
            let byte = text[at]
            guard byte > 0x20 else {
                advance()
                continue
            }
            let (start, startLocation) = (at, location)
            let isWord = Self.beginsWord(byte)
            advance()
            if isWord || Self.isDigit(byte) { while at < text.count, Self.continuesWord(text[at]) { advance() } }
            tokens.append(Token(text: text[start..<at], location: startLocation, isWord: isWord))
        }
    }

    private mutating func advance() {
        if text[at] == UInt8(ascii: "\n") {
            location = ShaderLocation(line: location.line + 1, column: 1)
        } else if at + 1 == text.count || text[at + 1] & 0xC0 != 0x80 {
            // Columns count characters, not continuation bytes.
            location.column += 1
        }
        at += 1
    }

    /// Skips a comment. Returns whether there was one.
    private mutating func skipComment() throws(ShaderSourceError) -> Bool {
        guard startsWith("/", "/") || startsWith("/", "*") else { return false }
        let startLocation = location
        if startsWith("/", "/") {
            let start = at + 2
            while at < text.count, text[at] != UInt8(ascii: "\n") { advance() }
            try readDirective(text[start..<at], at: startLocation)
            return true
        }
        // Block comments nest.
        var depth = 0
        while at < text.count {
            let step = startsWith("/", "*") ? 1 : startsWith("*", "/") ? -1 : 0
            depth += step
            advance()
            if step != 0 { advance() }
            if depth == 0 { return true }
        }
        throw ShaderSourceError(startLocation, .syntax("a comment begins here and does not end"))
    }

    /// Reads the directive of a comment.
    ///
    /// - Parameter comment: The text after the two slashes.
    private mutating func readDirective(_ comment: ArraySlice<UInt8>, at location: ShaderLocation) throws(ShaderSourceError) {
        let key = "working-space:"
        let content = comment.drop { $0 <= 0x20 }
        guard content.starts(with: key.utf8) else { return }
        let word = content.dropFirst(key.utf8.count).split { $0 <= 0x20 }
        guard word.count == 1, let space = ShaderEffect.WorkingSpace(word: word[0]) else {
            throw ShaderSourceError(
                location, .syntax("a working-space comment must be '// working-space: sRGB' or '// working-space: linear'"))
        }
        if let workingSpace, workingSpace != space {
            throw ShaderSourceError(location, .syntax("the source specifies two different working spaces: specify one"))
        }
        workingSpace = space
    }

    private func startsWith(_ first: Unicode.Scalar, _ second: Unicode.Scalar) -> Bool {
        at + 1 < text.count && text[at] == UInt8(ascii: first) && text[at + 1] == UInt8(ascii: second)
    }

    /// Returns whether a word can begin with the byte: ASCII letters, underscores, and all non-ASCII characters. The compiler checks which of them are
    /// valid in names.
    private static func beginsWord(_ byte: UInt8) -> Bool {
        (byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z")) || byte == UInt8(ascii: "_") || byte >= 0x80
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }
    private static func continuesWord(_ byte: UInt8) -> Bool { beginsWord(byte) || isDigit(byte) }
}

/// A line and a column of a shader's source, both from 1; columns count characters.
struct ShaderLocation: Equatable {
    var line, column: Int
}

/// An error in a shader's source, without its file.
struct ShaderSourceError: Error {
    let location: ShaderLocation
    let reason: ShaderError.Reason

    init(_ location: ShaderLocation, _ reason: ShaderError.Reason) { (self.location, self.reason) = (location, reason) }
}
