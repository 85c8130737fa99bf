extension USDTextParser {
    /// A value of a type.
    mutating func value(_ type: USDValueType) throws(ModelFileError) -> USDField {
        let byte = lexer.peekByte()
        if byte == UInt8(ascii: "N"), case .name(let name) = try peek(), name == "None" {
            _ = try lexer.next()
            return .blocked
        }
        if type.kind == .dictionary, !type.isArray { return try dictionary() }
        if type.kind == .unknown {
            guard byte != UInt8(ascii: "<") else { throw failure("a path is no attribute's value") }
            return try anything()
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

    /// Numbers in brackets, matrices with brackets around their rows.
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

    /// Takes the comma after an item.
    ///
    /// - Returns: Whether it was the last.
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

    /// Held within 32 bits.
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
