/// The identifiers of WGSL source without comments: the functions that it declares and the members that it accesses.
struct ShaderWords {
    private(set) var functions: [String] = []
    /// The identifiers after dots.
    private(set) var members: [[UInt8]] = []

    init(_ source: String) {
        let text = Array(source.utf8)
        var (at, previous) = (0, [UInt8]())
        var followsDot = false
        while at < text.count {
            if let end = Self.comment(text, at) {
                at = end
                continue
            }
            let byte = text[at]
            guard Self.isLetter(byte) else {
                if byte > 0x20 {
                    followsDot = byte == UInt8(ascii: ".")
                    previous = []
                }
                at += 1
                continue
            }
            let start = at
            while at < text.count, Self.isLetter(text[at]) || Self.isDigit(text[at]) { at += 1 }
            let word = Array(text[start..<at])
            if previous.elementsEqual("fn".utf8) { functions.append(String(decoding: word, as: UTF8.self)) }
            if followsDot { members.append(word) }
            (previous, followsDot) = (word, false)
        }
    }

    /// Returns the end of the comment that begins at this position, or nil.
    private static func comment(_ text: [UInt8], _ start: Int) -> Int? {
        let slash = UInt8(ascii: "/")
        let star = UInt8(ascii: "*")
        guard text[start] == slash, start + 1 < text.count else { return nil }
        var at = start + 2
        if text[start + 1] == slash {
            while at < text.count, text[at] != UInt8(ascii: "\n") { at += 1 }
            return at
        }
        guard text[start + 1] == star else { return nil }
        // WGSL comments nest.
        var depth = 1
        while at < text.count, depth > 0 {
            let pair = at + 1 < text.count ? (text[at], text[at + 1]) : (text[at], 0)
            if pair == (star, slash) || pair == (slash, star) {
                depth += pair.0 == slash ? 1 : -1
                at += 1
            }
            at += 1
        }
        return at
    }

    /// Returns whether the name consists of letters, digits and underscores, without a leading digit.
    static func isName(_ name: String) -> Bool {
        var bytes = name.utf8.makeIterator()
        guard let first = bytes.next(), isLetter(first) else { return false }
        while let byte = bytes.next() { if !isLetter(byte), !isDigit(byte) { return false } }
        return !name.utf8.starts(with: "__".utf8) && !name.utf8.elementsEqual("_".utf8)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z")) || byte == UInt8(ascii: "_")
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }
}
