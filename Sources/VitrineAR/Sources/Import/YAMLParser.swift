/// Parses the subset of YAML in the calibration files of Kalibr, EuRoC and OpenCV: mappings and lists by indentation, `[a, b]` over any number of
/// lines, plain and quoted words, comments. Anchors, multi-line texts and `{…}` are errors that name the line; tags (`!!…`) are skipped.
struct YAMLParser {
    private struct Line {
        let number: Int
        let indent: Int
        /// The text of the line, without comment and surrounding blanks.
        let text: Substring
    }

    private let name: String
    private var lines: [Line] = []
    private var index = 0
    private var count = 0

    private static let (depthLimit, valueLimit) = (16, 100_000)

    static func parse(_ bytes: [UInt8], name: String) throws(SourceError) -> YAMLValue {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .broken("\(name): is no UTF-8 text") }
        var parser = YAMLParser(name: name)
        try parser.split(text)
        guard let first = parser.lines.first else { throw .broken("\(name): is empty") }
        let value = try parser.block(indent: first.indent, depth: 0)
        if parser.index < parser.lines.count {
            throw parser.failure(parser.lines[parser.index].number, "is indented less than the first line")
        }
        return value
    }

    private init(name: String) { self.name = name }

    private func failure(_ line: Int, _ reason: String) -> SourceError { .broken("\(name):\(line): \(reason)") }

    private mutating func split(_ text: String) throws(SourceError) {
        // "\r\n" is one Character in Swift.
        for (number, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let content = Self.withoutComment(line)
            let trimmed = Self.trimmed(content)
            guard !trimmed.isEmpty, trimmed != "---", trimmed != "...", !(lines.isEmpty && trimmed.hasPrefix("%")) else { continue }
            let indent = content.prefix { $0 == " " }.count
            if content.dropFirst(indent).first == "\t" { throw failure(number + 1, "a tab where blanks indent") }
            lines.append(Line(number: number + 1, indent: indent, text: trimmed))
        }
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop { $0 == " " || $0 == "\t" }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return text
    }

    /// A `#` starts a comment at the start of the line and after a blank, outside of quotes.
    private static func withoutComment(_ line: Substring) -> Substring {
        var (quote, previous): (Character?, Character) = (nil, " ")
        for index in line.indices {
            let character = line[index]
            if let open = quote {
                if character == open { quote = nil }
            } else if character == "\"" || character == "'" {
                quote = character
            } else if character == "#", previous == " " || previous == "\t" {
                return line[..<index]
            }
            previous = character
        }
        return line
    }

    // MARK: Blocks

    /// Parses the lines from the current one that are indented by `indent`.
    private mutating func block(indent: Int, depth: Int) throws(SourceError) -> YAMLValue {
        let line = lines[index]
        guard depth < Self.depthLimit else { throw failure(line.number, "values are nested too deep") }
        let isList = line.text == "-" || line.text.hasPrefix("- ")
        return isList ? try list(indent, depth) : try members(indent, depth)
    }

    private mutating func list(_ indent: Int, _ depth: Int) throws(SourceError) -> YAMLValue {
        let start = lines[index].number
        var values: [YAMLValue] = []
        while index < lines.count, lines[index].indent == indent, lines[index].text == "-" || lines[index].text.hasPrefix("- ") {
            let line = lines[index]
            let rest = Self.trimmed(line.text.dropFirst())
            index += 1
            values.append(try value(rest, line.number, parentIndent: indent, depth))
        }
        try checkEnd(indent)
        return YAMLValue(content: .list(values), line: start)
    }

    private mutating func members(_ indent: Int, _ depth: Int) throws(SourceError) -> YAMLValue {
        let start = lines[index].number
        var members: [YAMLValue.Member] = []
        while index < lines.count, lines[index].indent == indent {
            let line = lines[index]
            guard let colon = Self.colon(in: line.text) else { throw failure(line.number, "expected \"name: value\"") }
            let key = Self.unquoted(Self.trimmed(line.text[..<colon]))
            let rest = Self.trimmed(line.text[line.text.index(after: colon)...])
            index += 1
            members.append(YAMLValue.Member(name: key, value: try value(rest, line.number, parentIndent: indent, depth)))
        }
        try checkEnd(indent)
        return YAMLValue(content: .members(members), line: start)
    }

    private func checkEnd(_ indent: Int) throws(SourceError) {
        if index < lines.count, lines[index].indent > indent {
            throw failure(lines[index].number, "is indented more than the lines before it")
        }
    }

    /// The colon that ends a name.
    private static func colon(in text: Substring) -> Substring.Index? {
        text.indices.first { text[$0] == ":" && (text.index(after: $0) == text.endIndex || text[text.index(after: $0)] == " ") }
    }

    /// Parses the value after a name or a dash: on the same line, or indented below.
    private mutating func value(_ rest: Substring, _ number: Int, parentIndent: Int, _ depth: Int) throws(SourceError) -> YAMLValue {
        count += 1
        guard count <= Self.valueLimit else { throw failure(number, "there are more than \(Self.valueLimit) values") }
        var rest = rest
        if rest.hasPrefix("!!") { rest = Self.trimmed(rest.drop { $0 != " " }) }
        guard let first = rest.first else {
            // A list may have the same indentation as its name.
            guard index < lines.count,
                lines[index].indent > parentIndent || (lines[index].indent == parentIndent && lines[index].text.hasPrefix("- "))
            else { return YAMLValue(content: .scalar(""), line: number) }
            return try block(indent: lines[index].indent, depth: depth + 1)
        }
        switch first {
        case "[": return try flow(rest, number, depth + 1)
        case "{", "&", "*", "|", ">": throw failure(number, "'\(first)' is not supported here")
        default: return YAMLValue(content: .scalar(Self.unquoted(rest)), line: number)
        }
    }

    private static func unquoted(_ text: Substring) -> String {
        guard text.count >= 2, let first = text.first, first == "\"" || first == "'", text.last == first else { return String(text) }
        return String(text.dropFirst().dropLast())
    }

    // MARK: [a, b]

    /// Parses a list in brackets, which may continue on the next lines.
    private mutating func flow(_ text: Substring, _ number: Int, _ depth: Int) throws(SourceError) -> YAMLValue {
        var open: [[YAMLValue]] = []
        var (rest, number) = (text, number)
        let start = number
        while true {
            while let character = rest.first {
                switch character {
                case "[":
                    guard open.count + depth < Self.depthLimit else { throw failure(number, "values are nested too deep") }
                    open.append([])
                    rest = rest.dropFirst()
                case "]":
                    rest = Self.trimmed(rest.dropFirst())
                    let value = YAMLValue(content: .list(open.removeLast()), line: start)
                    guard !open.isEmpty else {
                        guard rest.isEmpty else { throw failure(number, "unexpected text after ']'") }
                        return value
                    }
                    open[open.count - 1].append(value)
                case ",", " ", "\t": rest = rest.dropFirst()
                case "{", "&", "*", "}": throw failure(number, "'\(character)' is not supported here")
                default:
                    let word = rest.prefix { $0 != "," && $0 != "]" && $0 != "[" }
                    count += 1
                    guard count <= Self.valueLimit else { throw failure(number, "there are more than \(Self.valueLimit) values") }
                    open[open.count - 1].append(YAMLValue(content: .scalar(Self.unquoted(Self.trimmed(word))), line: number))
                    rest = rest[word.endIndex...]
                }
            }
            guard index < lines.count else { throw failure(start, "'[' without ']'") }
            (rest, number) = (lines[index].text, lines[index].number)
            index += 1
        }
    }
}
