/// A small JSON value: a line of a recording, or its header. Members keep their order.
///
/// Numbers are written as the shortest text that reads back the same, so that a recording holds every bit.
enum JSONItem: Equatable {
    case null
    case boolean(Bool)
    case number(Double)
    case text(String)
    case list([JSONItem])
    case members([Member])

    struct Member: Equatable {
        let name: String
        let value: JSONItem
    }

    static func object(_ members: KeyValuePairs<String, JSONItem?>) -> JSONItem {
        .members(members.compactMap { name, value in value.map { Member(name: name, value: $0) } })
    }

    static func numbers(_ values: [Double]) -> JSONItem { .list(values.map { .number($0) }) }

    // MARK: This value as …

    subscript(name: String) -> JSONItem? {
        guard case .members(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    var number: Double? {
        guard case .number(let value) = self else { return nil }
        return value
    }

    var text: String? {
        guard case .text(let value) = self else { return nil }
        return value
    }

    var boolean: Bool? {
        guard case .boolean(let value) = self else { return nil }
        return value
    }

    /// A whole number that fits.
    var integer: Int? { number.flatMap { Int(exactly: $0) } }

    /// A list of exactly so many numbers; `null` stands for one that isn't a number, which JSON can't spell.
    func numbers(_ count: Int) -> [Double]? {
        guard case .list(let items) = self, items.count == count else { return nil }
        var values: [Double] = []
        for item in items {
            switch item {
            case .number(let value): values.append(value)
            case .null: values.append(.nan)
            default: return nil
            }
        }
        return values
    }

    // MARK: As text

    /// On one line, without blanks.
    var line: String {
        switch self {
        case .null: return "null"
        case .boolean(let value): return value ? "true" : "false"
        case .number(let value): return Self.spelled(value)
        case .text(let value): return Self.quoted(value)
        case .list(let items): return "[" + items.map(\.line).joined(separator: ",") + "]"
        case .members(let members): return "{" + members.map { Self.quoted($0.name) + ":" + $0.value.line }.joined(separator: ",") + "}"
        }
    }

    /// With a member of the outermost object a line.
    var lines: String {
        guard case .members(let members) = self else { return line + "\n" }
        return "{\n" + members.map { "  " + Self.quoted($0.name) + ": " + $0.value.line }.joined(separator: ",\n") + "\n}\n"
    }

    private static func spelled(_ value: Double) -> String {
        guard value.isFinite else { return "null" }
        if let whole = Int(exactly: value), abs(whole) < 1 << 53, !(whole == 0 && value.sign == .minus) { return "\(whole)" }
        return "\(value)"
    }

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\u{0}"..<" ":
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
