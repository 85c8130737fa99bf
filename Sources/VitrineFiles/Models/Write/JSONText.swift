/// A JSON value to be written: members keep their order, and numbers have the shortest text that gives the same value.
enum JSONText {
    case object([(String, JSONText)])
    case array([JSONText])
    case string(String)
    case integer(Int)
    case float(Float)
    case double(Double)
    case boolean(Bool)

    static func floats(_ values: [Float]) -> JSONText { .array(values.map { .float($0) }) }
    static func integers(_ values: [Int]) -> JSONText { .array(values.map { .integer($0) }) }

    var utf8: [UInt8] {
        var output: [UInt8] = []
        append(to: &output)
        return output
    }

    /// The path of the first number that JSON cannot represent, such as `materials/0/alphaCutoff`; nil if there is none.
    var locationOfUnwritable: String? {
        switch self {
        case .object(let members):
            for (name, value) in members {
                if let location = value.locationOfUnwritable { return location.isEmpty ? name : "\(name)/\(location)" }
            }
            return nil
        case .array(let elements):
            for (index, value) in elements.enumerated() {
                if let location = value.locationOfUnwritable { return location.isEmpty ? "\(index)" : "\(index)/\(location)" }
            }
            return nil
        case .float(let value): return value.isFinite ? nil : ""
        case .double(let value): return value.isFinite ? nil : ""
        case .string, .integer, .boolean: return nil
        }
    }

    private func append(to output: inout [UInt8]) {
        switch self {
        case .object(let members):
            Self.list(members, "{", "}", &output) { member, output in
                Self.quote(member.0, &output)
                output.append(UInt8(ascii: ":"))
                member.1.append(to: &output)
            }
        case .array(let elements): Self.list(elements, "[", "]", &output) { $0.append(to: &$1) }
        case .string(let text): Self.quote(text, &output)
        case .integer(let value): output += "\(value)".utf8
        case .float(let value): output += Self.number(value, Double(value)).utf8
        case .double(let value): output += Self.number(value, value).utf8
        case .boolean(let value): output += "\(value)".utf8
        }
    }

    private static func list<Element>(
        _ elements: [Element], _ open: String, _ close: String, _ output: inout [UInt8], _ body: (Element, inout [UInt8]) -> Void
    ) {
        output += open.utf8
        for (index, element) in elements.enumerated() {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            body(element, &output)
        }
        output += close.utf8
    }

    /// Returns a number as JSON text.
    ///
    /// - Precondition: The number is finite, as JSON requires.
    private static func number(_ value: some CustomStringConvertible, _ double: Double) -> String {
        precondition(double.isFinite)
        return double == double.rounded() && abs(double) < 1e7 ? "\(Int(double))" : value.description
    }

    private static func quote(_ text: String, _ output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): output += [UInt8(ascii: "\\"), byte]
            case 0..<0x20: output += "\\u00\(byte < 16 ? "0" : "")\(String(byte, radix: 16))".utf8
            default: output.append(byte)
            }
        }
        output.append(UInt8(ascii: "\""))
    }
}
