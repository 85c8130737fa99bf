/// Shader text whose parts depend on names: lines between `#if NAME` and `#endif` stay where the name is defined, those after `#else`
/// where it is not; `#if !NAME` the other way round. They nest. No other line begins with `#`.
enum ShaderText {
    static func assemble(_ pieces: [String], defining names: [String]) -> String {
        var output: [UInt8] = []
        // Whether each open #if lets lines through.
        var open: [Bool] = []
        for piece in pieces {
            let text = Array(piece.utf8)
            var start = 0
            while start < text.count {
                var end = start
                while end < text.count, text[end] != newline { end += 1 }
                let line = text[start..<end]
                if let directive = directive(line) {
                    follow(directive, names, &open)
                } else if !open.contains(false) {
                    output += line
                    output.append(newline)
                }
                start = end + 1
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    private static let newline = UInt8(ascii: "\n")
    private static let space = UInt8(ascii: " ")

    /// The line without indentation and `#`, where it begins with one.
    private static func directive(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let rest = line.drop { $0 == space }
        return rest.first == UInt8(ascii: "#") ? rest.dropFirst() : nil
    }

    private static func follow(_ directive: ArraySlice<UInt8>, _ names: [String], _ open: inout [Bool]) {
        if directive.starts(with: "endif".utf8) {
            precondition(!open.isEmpty, "a shader has #endif without #if")
            open.removeLast()
        } else if directive.starts(with: "else".utf8) {
            open[open.count - 1].toggle()
        } else {
            precondition(directive.starts(with: "if ".utf8), "a shader has an unknown directive")
            var name = directive.dropFirst(3)
            let isNegated = name.first == UInt8(ascii: "!")
            if isNegated { name = name.dropFirst() }
            open.append(names.contains { $0.utf8.elementsEqual(name) } != isNegated)
        }
    }
}
