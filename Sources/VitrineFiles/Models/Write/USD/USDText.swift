/// Writes a USD layer as text (`.usda`), with the same content as the binary form.
enum USDText {
    static func write(_ layer: USDLayer) -> [UInt8] {
        var text = "#usda 1.0\n"
        text += fields(layer.metadata.sorted { $0.name < $1.name }, indent: "") + "\n"
        // Prims to open, and prims to close.
        var stack: [(prim: Int, isEnd: Bool)] = layer.roots.reversed().map { ($0, false) }
        var depth = 0
        while let (index, isEnd) = stack.popLast() {
            let prim = layer.prims[index]
            if isEnd {
                depth -= 1
                text += indent(depth) + "}\n"
                continue
            }
            text += "\n" + open(prim, indent(depth))
            depth += 1
            for property in prim.properties { text += line(property, indent(depth)) }
            stack.append((index, true))
            stack += prim.children.reversed().map { ($0, false) }
        }
        return Array(text.utf8)
    }

    private static func indent(_ depth: Int) -> String { String(repeating: "    ", count: depth) }

    private static func open(_ prim: USDPrim, _ indent: String) -> String {
        var metadata = prim.metadata.map { (name: $0.name, text: $0.name + " = " + literal($0.value)) }
        if let reference = prim.reference { metadata.insert(("", "prepend references = <\(reference)>"), at: 0) }
        if prim.isInstance { metadata.insert(("", "instanceable = true"), at: 0) }
        if !prim.apiSchemas.isEmpty { metadata.insert(("", "prepend apiSchemas = " + literal(.tokens(prim.apiSchemas))), at: 0) }
        let lines = metadata.map { "\(indent)    \($0.text)\n" }.joined()
        let keyword = prim.specifier == .class ? "class" : "def"
        let type = prim.typeName.isEmpty ? "" : prim.typeName + " "
        return "\(indent)\(keyword) \(type)\"\(prim.name)\"" + (lines.isEmpty ? "" : " (\n\(lines)\(indent))") + "\n\(indent){\n"
    }

    private static func fields(_ metadata: [(name: String, value: USDValue)], indent: String) -> String {
        guard !metadata.isEmpty else { return "" }
        let lines = metadata.map { name, value in
            // The comment of the layer is written without a name.
            "\(indent)    " + (name == "documentation" ? "doc = " : "\(name) = ") + literal(value) + "\n"
        }
        return "(\n" + lines.joined() + "\(indent))"
    }

    private static func line(_ property: USDProperty, _ indent: String) -> String {
        if property.targets.count == 1 { return "\(indent)rel \(property.name) = <\(property.targets[0])>\n" }
        if !property.targets.isEmpty {
            return "\(indent)rel \(property.name) = [" + property.targets.map { "<\($0)>" }.joined(separator: ", ") + "]\n"
        }
        let declaration = "\(indent)\(property.isUniform ? "uniform " : "")\(property.typeName) \(property.name)"
        if let connection = property.connection { return "\(declaration).connect = <\(connection)>\n" }
        if !property.samples.isEmpty {
            let lines = property.samples.map { "\(indent)    \(number($0.time)): \(literal($0.value)),\n" }.joined()
            return "\(declaration).timeSamples = {\n\(lines)\(indent)}\n"
        }
        let value = property.value.map { " = " + literal($0) } ?? ""
        var fields = property.elementSize.map { ["\(indent)    elementSize = \($0)\n"] } ?? []
        if let interpolation = property.interpolation { fields.append("\(indent)    interpolation = \"\(interpolation)\"\n") }
        let metadata = fields.isEmpty ? "" : " (\n" + fields.joined() + "\(indent))"
        return declaration + value + metadata + "\n"
    }

    private static func literal(_ value: USDValue) -> String {
        switch value {
        case .bool(let value): value ? "1" : "0"
        case .float(let value): number(value)
        case .double(let value): number(value)
        case .token(let text), .string(let text): quoted(text)
        case .asset(let path): "@\(path)@"
        case .float2(let x, let y): tuple([x, y])
        case .float3(let x, let y, let z): tuple([x, y, z])
        case .float4(let x, let y, let z, let w): tuple([x, y, z, w])
        case .matrix4(let rows): matrix(rows)
        case .quaternion(let values): tuple(realFirst(values))
        case .tokens(let texts): "[" + texts.map(quoted).joined(separator: ", ") + "]"
        case .integers(let values): "[" + values.map { "\($0)" }.joined(separator: ", ") + "]"
        case .floats(let values): "[" + values.map(number).joined(separator: ", ") + "]"
        case .float2s(let values): tuples(values, 2)
        case .float3s(let values), .half3s(let values): tuples(values, 3)
        case .quaternions(let v): tuples(realFirst(v), 4)
        case .matrices(let rows):
            "[" + stride(from: 0, to: rows.count, by: 16).map { matrix(Array(rows[$0..<$0 + 16])) }.joined(separator: ", ") + "]"
        }
    }

    /// Moves a quaternion's w before x, y, z, as the text form requires.
    private static func realFirst(_ values: [Float]) -> [Float] {
        var result: [Float] = []
        for first in stride(from: 0, to: values.count, by: 4) {
            result.append(values[first + 3])
            result += values[first..<first + 3]
        }
        return result
    }

    private static func matrix(_ rows: [Double]) -> String {
        "( "
            + stride(from: 0, to: 16, by: 4).map { row in "(" + rows[row..<row + 4].map(number).joined(separator: ", ") + ")" }
            .joined(separator: ", ") + " )"
    }

    private static func number(_ value: Float) -> String { value == value.rounded() && abs(value) < 1e7 ? "\(Int(value))" : "\(value)" }
    private static func number(_ value: Double) -> String { value == value.rounded() && abs(value) < 1e7 ? "\(Int(value))" : "\(value)" }

    private static func tuple(_ values: some Sequence<Float>) -> String { "(" + values.map(number).joined(separator: ", ") + ")" }

    private static func tuples(_ values: [Float], _ width: Int) -> String {
        "[" + stride(from: 0, to: values.count, by: width).map { tuple(values[$0..<$0 + width]) }.joined(separator: ", ") + "]"
    }

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for character in text.unicodeScalars {
            switch character {
            case "\"", "\\": result += "\\\(character)"
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            default: result.unicodeScalars.append(character.value < 0x20 ? " " : character)
            }
        }
        return result + "\""
    }
}
