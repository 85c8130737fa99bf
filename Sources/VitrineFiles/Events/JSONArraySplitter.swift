/// Cuts a JSON array into its objects and says in which line each begins: decoders forget the lines.
struct JSONArraySplitter {
    private let bytes: [UInt8]
    private let file: String
    private var position = 0
    private var line = 1
    private var hasBegun = false
    private var isFirst = true

    init(bytes: [UInt8], file: String) { (self.bytes, self.file) = (bytes, file) }

    /// The next object with its braces; nil after the last one.
    mutating func next() throws(EventScriptError) -> (object: ArraySlice<UInt8>, line: Int)? {
        if !hasBegun {
            guard takeByte() == UInt8(ascii: "[") else { throw failure("a script is an array of events: [ {…}, … ]") }
            hasBegun = true
        }
        guard var byte = takeByte() else { throw failure("the array has no end") }
        if byte == UInt8(ascii: "]") {
            guard takeByte() == nil else { throw failure("something follows the array") }
            return nil
        }
        if !isFirst {
            guard byte == UInt8(ascii: ","), let following = takeByte() else { throw failure("a comma or ] is missing after an event") }
            byte = following
        }
        guard byte == UInt8(ascii: "{") else { throw failure("an event is an object: { \"time\": …, \"type\": … }") }
        isFirst = false
        let (start, startLine) = (position - 1, line)
        try skipObject()
        return (bytes[start..<position], startLine)
    }

    /// The next byte that isn't white; it counts as read.
    private mutating func takeByte() -> UInt8? {
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            if byte == 10 { line += 1 }
            if byte != 32, byte != 9, byte != 10, byte != 13 { return byte }
        }
        return nil
    }

    /// To behind the brace that closes the object whose opening brace was read.
    private mutating func skipObject() throws(EventScriptError) {
        let start = line
        var (depth, isInString) = (1, false)
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            if byte == 10 { line += 1 }
            switch byte {
            case UInt8(ascii: "\\") where isInString: position += 1
            case UInt8(ascii: "\""): isInString.toggle()
            case _ where isInString: break
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            default: break
            }
            // No event holds anything deeper; a decoder may recurse.
            if depth > 8 { throw failure("the event is nested too deep") }
            if depth == 0 { return }
        }
        throw EventScriptError(file: file, line: start, reason: "the event has no end")
    }

    private func failure(_ reason: String) -> EventScriptError { EventScriptError(file: file, line: line, reason: reason) }
}
