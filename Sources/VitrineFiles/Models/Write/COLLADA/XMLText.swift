/// An XML document that is written from start to end.
struct XMLText {
    private(set) var bytes: [UInt8] = Array("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n".utf8)
    private var openNames: [String] = []

    mutating func open(_ name: String, _ attributes: [(String, String)] = []) {
        begin(name, attributes)
        bytes += ">\n".utf8
        openNames.append(name)
    }

    mutating func close() {
        guard let name = openNames.popLast() else { return }
        indent()
        bytes += "</\(name)>\n".utf8
    }

    /// Adds an element without children.
    mutating func leaf(_ name: String, _ attributes: [(String, String)] = [], _ text: String = "") {
        begin(name, attributes)
        end(name, isEmpty: text.isEmpty) { $0.bytes += Self.escaped(text).utf8 }
    }

    mutating func leaf(_ name: String, _ attributes: [(String, String)] = [], floats: [Float]) {
        begin(name, attributes)
        end(name, isEmpty: floats.isEmpty) { text in
            for (index, value) in floats.enumerated() {
                if index > 0 { text.bytes.append(0x20) }
                text.add(value)
            }
        }
    }

    mutating func leaf(_ name: String, _ attributes: [(String, String)] = [], integers: some Sequence<Int>) {
        begin(name, attributes)
        bytes += ">".utf8
        var isFirst = true
        for value in integers {
            if !isFirst { bytes.append(0x20) }
            isFirst = false
            bytes += "\(value)".utf8
        }
        bytes += "</\(name)>\n".utf8
    }

    // MARK: Pieces

    private mutating func indent() { bytes += repeatElement(UInt8(0x20), count: openNames.count) }

    private mutating func begin(_ name: String, _ attributes: [(String, String)]) {
        indent()
        bytes += "<\(name)".utf8
        for (key, value) in attributes { bytes += " \(key)=\"\(Self.escaped(value))\"".utf8 }
    }

    private mutating func end(_ name: String, isEmpty: Bool, _ content: (inout XMLText) -> Void) {
        if isEmpty {
            bytes += "/>\n".utf8
            return
        }
        bytes += ">".utf8
        content(&self)
        bytes += "</\(name)>\n".utf8
    }

    private mutating func add(_ value: Float) {
        bytes += (value == value.rounded() && abs(value) < 1e7 ? "\(Int(value))" : "\(value)").utf8
    }

    /// Escapes a text; characters that XML 1.0 does not allow become question marks.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "\t", "\n", "\r": result += "&#\(scalar.value);"
            case "\u{FFFE}", "\u{FFFF}": result += "?"
            default:
                if scalar.value < 0x20 { result += "?" } else { result.unicodeScalars.append(scalar) }
            }
        }
        return result
    }
}
