import VitrineGLTF

extension USDTextParser {
    /// The field names of keywords.
    private static let fieldNames = [
        "inherits": "inheritPaths", "variants": "variantSelection", "variantSets": "variantSetNames", "doc": "documentation",
    ]

    /// Parses metadata up to `)`, after `(`.
    mutating func metadata() throws(ModelFileError) -> [String: USDField] {
        try enter()
        var fields: [String: USDField] = [:]
        skipSeparators()
        while !lexer.take(")") {
            switch try lexer.next() {
            // A comment.
            case .string: break
            case .name(let word): try readField(word, into: &fields)
            default: throw failure("metadata or \")\" expected")
            }
            skipSeparators()
        }
        depth -= 1
        return fields
    }

    private mutating func readField(_ first: String, into fields: inout [String: USDField]) throws(ModelFileError) {
        var (key, edit): (String, String?) = (first, nil)
        if ["add", "append", "prepend", "delete", "reorder"].contains(first) {
            edit = first
            key = try word("what to \(first)")
        }
        let name = Self.fieldNames[key] ?? key
        try lexer.expect("=")
        switch key {
        case "references", "payload":
            let edits = edits(try notEmpty(try references(), edit), edit)
            if case .references(let known)? = fields[name] {
                fields[name] = .references(Self.joined(known, edits))
            } else {
                fields[name] = .references(edits)
            }
        case "inherits", "specializes":
            let edits = edits(try notEmpty(try paths(), edit), edit)
            if case .paths(let known)? = fields[name] {
                fields[name] = .paths(Self.joined(known, edits))
            } else {
                fields[name] = .paths(edits)
            }
        case "variantSets", "apiSchemas":
            let edits = edits(try textList(), edit)
            if case .textEdits(let known)? = fields[name] {
                fields[name] = .textEdits(Self.joined(known, edits))
            } else {
                fields[name] = .textEdits(edits)
            }
        case "subLayers": try readSubLayers(into: &fields)
        case "relocates":
            try skipBraces()
            warn("relocates are not supported")
        default: fields[name] = try metadataValue()
        }
    }

    private func notEmpty<Item>(_ items: [Item], _ edit: String?) throws(ModelFileError) -> [Item] {
        if let edit, items.isEmpty { throw failure("there is nothing to \(edit)") }
        return items
    }

    private static func joined<Item>(_ known: USDListEdits<Item>, _ edits: USDListEdits<Item>) -> USDListEdits<Item> {
        guard edits.explicit == nil else { return edits }
        var result = known
        result.added += edits.added
        result.prepended += edits.prepended
        result.appended += edits.appended
        result.deleted += edits.deleted
        result.ordered += edits.ordered
        return result
    }

    /// Parses a text, or several in brackets.
    mutating func textList() throws(ModelFileError) -> [String] {
        guard lexer.take("[") else {
            switch try lexer.next() {
            case .string(let text): return [text]
            case .name("None"): return []
            default: throw failure("a text in quotes expected")
            }
        }
        var result: [String] = []
        while !lexer.take("]") {
            try spend()
            result.append(try quoted("a text"))
            if !lexer.take(",") {
                try lexer.expect("]")
                break
            }
        }
        return result
    }

    // MARK: Other prims and layers

    private mutating func list<Item>(_ item: (inout USDTextParser) throws(ModelFileError) -> Item) throws(ModelFileError) -> [Item] {
        if USDTextLexer.isName(lexer.peekByte()) {
            guard try word("a list") == "None" else { throw failure("a list expected") }
            return []
        }
        guard lexer.take("[") else { return [try item(&self)] }
        var result: [Item] = []
        while !lexer.take("]") {
            try spend()
            result.append(try item(&self))
            if !lexer.take(",") {
                try lexer.expect("]")
                break
            }
        }
        return result
    }

    private mutating func paths() throws(ModelFileError) -> [String] {
        try list { (parser) throws(ModelFileError) in try parser.path(from: "/") }
    }

    private mutating func references() throws(ModelFileError) -> [USDReference] {
        try list { (parser) throws(ModelFileError) in
            var reference = USDReference(asset: "", path: "")
            switch try parser.lexer.next() {
            case .asset(let asset):
                reference.asset = asset
                if parser.lexer.peekByte() == UInt8(ascii: "<") { reference.path = try parser.primPath() }
            case .path(let path): reference.path = try parser.checked(path)
            default: throw parser.failure("a layer in \"@\" or a path in \"<>\" expected")
            }
            if parser.lexer.take("(") { reference.offset = try parser.offset() }
            return reference
        }
    }

    private mutating func primPath() throws(ModelFileError) -> String {
        guard case .path(let text) = try lexer.next() else { throw failure("a path expected") }
        return try checked(text)
    }

    private func checked(_ path: String) throws(ModelFileError) -> String {
        guard path.isEmpty || path.hasPrefix("/") else {
            throw failure("<\(MessageText.name(path, limit: 200))> does not begin at the root")
        }
        return path
    }

    private mutating func offset() throws(ModelFileError) -> USDTimeOffset {
        let fields = try metadata()
        let offset = USDTimeOffset(offset: fields["offset"]?.number ?? 0, scale: fields["scale"]?.number ?? 1)
        guard offset.isUsable else { throw failure("an offset or scale of times is invalid") }
        return offset
    }

    private mutating func readSubLayers(into fields: inout [String: USDField]) throws(ModelFileError) {
        guard lexer.peekByte() == UInt8(ascii: "[") else { throw failure("subLayers must be a list in \"[]\"") }
        let layers = try list { (parser) throws(ModelFileError) -> (String, USDTimeOffset) in
            guard case .asset(let asset) = try parser.lexer.next() else { throw parser.failure("a layer in \"@\" expected") }
            return (asset, parser.lexer.take("(") ? try parser.offset() : USDTimeOffset())
        }
        fields["subLayers"] = .assets(layers.map(\.0))
        fields["subLayerOffsets"] = .offsets(layers.map(\.1))
    }

    // MARK: Values of any kind

    /// Parses `{ type name = value … }`.
    mutating func dictionary() throws(ModelFileError) -> USDField {
        try enter()
        try lexer.expect("{")
        var result: [String: USDField] = [:]
        skipSeparators()
        while !lexer.take("}") {
            try spend()
            var typeName = try word("a type")
            if lexer.take("[") {
                try lexer.expect("]")
                typeName += "[]"
            }
            let name: String
            switch try lexer.next() {
            case .string(let text), .name(let text): name = text
            case .number(let value): name = "\(value)"
            default: throw failure("an entry's name expected")
            }
            try lexer.expect("=")
            result[name] = try value(USDValueType(typeName))
            skipSeparators()
        }
        depth -= 1
        return .dictionary(result)
    }

    /// Parses a value of unknown type.
    mutating func metadataValue() throws(ModelFileError) -> USDField {
        switch lexer.peekByte() {
        case UInt8(ascii: "{"): return try dictionary()
        case UInt8(ascii: "["), UInt8(ascii: "("): return try sequence()
        // `symmetryFunction =` may stand without a value.
        case UInt8(ascii: ")"): return .other
        default: break
        }
        switch try lexer.next() {
        case .string(let text): return .text(text)
        case .asset(let path): return .asset(path)
        case .number(let value): return .number(value)
        case .path: return .other
        case .name("None"): return .blocked
        case .name("true"), .name("True"): return .bool(true)
        case .name("false"), .name("False"): return .bool(false)
        case .name(let text): return .text(text)
        case .mark, .end: throw failure("a value expected")
        }
    }

    /// Parses a flat sequence of texts or numbers.
    private mutating func sequence() throws(ModelFileError) -> USDField {
        try enter()
        let isTuple = lexer.take("(")
        if !isTuple { try lexer.expect("[") }
        let end: Character = isTuple ? ")" : "]"
        var (numbers, texts): ([Double], [String]) = ([], [])
        while !lexer.take(end) {
            try spend()
            switch try metadataValue() {
            case .number(let value): numbers.append(value)
            case .numbers(let values): numbers += values
            case .text(let text), .asset(let text): texts.append(text)
            case .texts(let values): texts += values
            default: break
            }
            if !lexer.take(",") {
                try lexer.expect(end)
                break
            }
        }
        depth -= 1
        return texts.isEmpty ? .numbers(numbers) : .texts(texts)
    }
}

extension USDTextParser {
    /// Parses a value of a type.
    mutating func value(_ type: USDValueType) throws(ModelFileError) -> USDField {
        let byte = lexer.peekByte()
        if byte == UInt8(ascii: "N"), case .name(let name) = try peek(), name == "None" {
            _ = try lexer.next()
            return .blocked
        }
        if type.kind == .dictionary, !type.isArray { return try dictionary() }
        if type.kind == .unknown {
            guard byte != UInt8(ascii: "<") else { throw failure("a path must not be the value of an attribute") }
            return try metadataValue()
        }
        if type.isArray { return try array(type) }
        switch type.kind {
        case .text:
            guard case .string(let text) = try lexer.next() else { throw failure("a text in quotes expected") }
            return .text(text)
        case .asset:
            switch try lexer.next() {
            case .asset(let path), .string(let path): return .asset(path)
            default: throw failure("the path of a file in \"@\" expected")
            }
        case .bool:
            let value = try self.bool()
            return .bool(value)
        default:
            if type.width == 1 { return .number(try number()) }
            var values: [Double] = []
            try tuple(width: type.width, into: &values)
            return .numbers(type.isQuaternion ? [values[1], values[2], values[3], values[0]] : values)
        }
    }

    private func peek() throws(ModelFileError) -> USDTextLexer.Token {
        var copy = lexer
        return try copy.next()
    }

    private mutating func bool() throws(ModelFileError) -> Bool {
        switch try lexer.next() {
        case .number(let value): return value != 0
        case .name(let name) where ["true", "True", "yes", "on"].contains(name): return true
        case .name(let name) where ["false", "False", "no", "off"].contains(name): return false
        default: throw failure("true or false expected")
        }
    }

    private mutating func number() throws(ModelFileError) -> Double {
        switch try lexer.next() {
        case .number(let value): return value
        case .name("inf"): return .infinity
        case .name("nan"): return .nan
        case .name("true"), .name("True"): return 1
        case .name("false"), .name("False"): return 0
        default: throw failure("a number expected")
        }
    }

    /// Parses numbers in brackets; matrices have brackets around their rows.
    private mutating func tuple(width: Int, into values: inout [Double]) throws(ModelFileError) {
        let start = values.count
        try lexer.expect("(")
        while !lexer.take(")") {
            if lexer.peekByte() == UInt8(ascii: "(") {
                guard width == 4 || width == 9 || width == 16 else { throw failure("a number expected") }
                try tuple(width: width == 4 ? 2 : width == 9 ? 3 : 4, into: &values)
            } else {
                values.append(try number())
            }
            guard values.count - start <= width else { throw failure("more than \(width) numbers") }
            if !lexer.take(",") {
                try lexer.expect(")")
                break
            }
        }
        guard values.count - start == width else { throw failure("\(width) numbers expected, found \(values.count - start)") }
    }

    // MARK: Arrays

    private mutating func array(_ type: USDValueType) throws(ModelFileError) -> USDField {
        try lexer.expect("[")
        switch type.kind {
        case .text, .asset:
            var texts: [String] = []
            while !lexer.take("]") {
                switch (type.kind, try lexer.next()) {
                case (.text, .string(let text)), (.asset, .asset(let text)), (.asset, .string(let text)): texts.append(text)
                default: throw failure("a text expected")
                }
                if try endsItem() { break }
            }
            return type.kind == .text ? .texts(texts) : .assets(texts)
        case .integer, .bool: return .integers(try integers(width: type.width, isBool: type.kind == .bool))
        case .dictionary, .unknown, .real: return .floats(try floats(type))
        }
    }

    /// Consumes the comma after an item.
    ///
    /// - Returns: Whether the item was the last.
    private mutating func endsItem() throws(ModelFileError) -> Bool {
        if lexer.take(",") { return false }
        try lexer.expect("]")
        return true
    }

    private mutating func integers(width: Int, isBool: Bool) throws(ModelFileError) -> [Int32] {
        var (result, item): ([Int32], [Double]) = ([], [])
        while !lexer.take("]") {
            if width > 1 {
                item.removeAll(keepingCapacity: true)
                try tuple(width: width, into: &item)
                for value in item { result.append(Self.whole(value)) }
            } else if isBool {
                result.append(try bool() ? 1 : 0)
            } else {
                result.append(Self.whole(try number()))
            }
            if try endsItem() { break }
        }
        return result
    }

    /// Converts a number to an integer, clamped to 32 bits.
    static func whole(_ value: Double) -> Int32 { value.isNaN ? 0 : Int32(max(-2_147_483_648, min(2_147_483_647, value))) }

    private mutating func floats(_ type: USDValueType) throws(ModelFileError) -> [Float] {
        var (result, item): ([Float], [Double]) = ([], [])
        while !lexer.take("]") {
            if type.width == 1 {
                result.append(Float(try number()))
            } else {
                item.removeAll(keepingCapacity: true)
                try tuple(width: type.width, into: &item)
                if type.isQuaternion { item.append(item.removeFirst()) }
                for value in item { result.append(Float(value)) }
            }
            if try endsItem() { break }
        }
        return result
    }
}
