import VitrineGLTF

extension USDTextParser {
    /// An attribute or a relationship, its first word taken.
    mutating func readProperty(_ first: String, of path: String, edit: String? = nil) throws(ModelFileError) {
        try spend()
        var (word, edit) = (first, edit)
        var (isCustom, isUniform) = (false, false)
        while true {
            switch word {
            case "custom": isCustom = true
            case "uniform", "config": isUniform = true
            case "varying": break
            case "add", "append", "prepend", "delete", "reorder":
                guard !isCustom else { throw failure("\"\(word)\" stands before \"custom\"") }
                guard edit == nil else { throw failure("\"\(edit ?? "")\" and \"\(word)\"") }
                edit = word
            default:
                if word == "rel" { return try readRelationship(of: path, edit: edit) }
                return try readAttribute(word, of: path, isUniform: isUniform, edit: edit)
            }
            word = try self.word("a type or \"rel\"")
        }
    }

    /// Splits a name at the dot.
    private func split(_ name: String) -> (name: String, part: String) {
        let parts = name.split(separator: ".", maxSplits: 1)
        return (String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
    }

    private func change(
        _ name: String, of path: String, _ body: (inout USDDocument.Property) throws(ModelFileError) -> Void
    ) throws(ModelFileError) {
        var property = document.prims[path]?.properties[name]
        if property == nil {
            document.prims[path]?.propertyNames.append(name)
            property = USDDocument.Property()
        }
        guard var property else { return }
        try body(&property)
        document.prims[path]?.properties[name] = property
    }

    // MARK: Relationships

    private mutating func readRelationship(of path: String, edit: String?) throws(ModelFileError) {
        let (name, part) = split(try word("the relationship's name"))
        guard part.isEmpty || part == "default" else { throw failure("\"\(MessageText.name(part))\" of a relationship is not read") }
        var edits: USDListEdits<String>?
        if lexer.take("=") { edits = try pathEdits(edit, from: path) }
        var fields: [String: USDField] = [:]
        if lexer.take("(") { fields = try metadata() }
        guard part.isEmpty else { return }
        try change(name, of: path) { (property) throws(ModelFileError) in
            property.isRelationship = true
            property.fields.merge(fields) { _, new in new }
            if let edits { property.fields["targetPaths"] = .paths(Self.merged(property.fields["targetPaths"], edits)) }
        }
    }

    /// Several statements edit the same list.
    private static func merged(_ known: USDField?, _ edits: USDListEdits<String>) -> USDListEdits<String> {
        guard case .paths(var result)? = known, edits.explicit == nil else { return edits }
        result.added += edits.added
        result.prepended += edits.prepended
        result.appended += edits.appended
        result.deleted += edits.deleted
        if !edits.ordered.isEmpty { result.ordered = edits.ordered }
        return result
    }

    /// `<path>`, `[<path>, …]` or `None`.
    func edits<Item>(_ items: [Item], _ edit: String?) -> USDListEdits<Item> {
        var result = USDListEdits<Item>()
        switch edit {
        case "add": result.added = items
        case "prepend": result.prepended = items
        case "append": result.appended = items
        case "delete": result.deleted = items
        case "reorder": result.ordered = items
        default: result.explicit = items
        }
        return result
    }

    mutating func pathEdits(_ edit: String?, from prim: String) throws(ModelFileError) -> USDListEdits<String> {
        edits(try pathList(from: prim), edit)
    }

    private mutating func pathList(from prim: String) throws(ModelFileError) -> [String] {
        if lexer.take("[") {
            var result: [String] = []
            while !lexer.take("]") {
                try spend()
                result.append(try path(from: prim))
                if !lexer.take(",") {
                    try lexer.expect("]")
                    break
                }
            }
            return result
        }
        if USDTextLexer.isName(lexer.peekByte()) {
            guard try word("a path") == "None" else { throw failure("a path expected") }
            return []
        }
        return [try path(from: prim)]
    }

    /// With an empty `prim`, returns a path of metadata unchanged.
    mutating func path(from prim: String) throws(ModelFileError) -> String {
        guard case .path(let text) = try lexer.next() else { throw failure("a path in \"<>\" expected") }
        guard let path = USDPath.absolute(text, from: prim) else {
            throw failure("<\(MessageText.name(text, limit: 200))> is no path from here")
        }
        return path
    }

    // MARK: Attributes

    private mutating func readAttribute(
        _ type: String, of path: String, isUniform: Bool, edit: String?
    ) throws(ModelFileError) {
        var typeName = type
        guard !type.contains(".") else { throw failure("\"\(MessageText.name(type))\" is no type") }
        if lexer.take("[") {
            try lexer.expect("]")
            typeName += "[]"
        }
        let (name, part) = split(try word("the attribute's name"))
        guard edit == nil || part == "connect" else { throw failure("\"\(edit ?? "")\" is for lists, not for an attribute's value") }
        let valueType = USDValueType(typeName)
        var found: [String: USDField] = [:]
        var connections: USDListEdits<String>?
        switch part {
        case "", "default":
            guard lexer.take("=") else { break }
            if lexer.peekByte() == UInt8(ascii: "<") {
                connections = try pathEdits(edit, from: path)
                warn("\(MessageText.name(name)): a path is not a value; it was read as a connection")
            } else {
                found["default"] = try sound(name) { (parser) throws(ModelFileError) in try parser.value(valueType) }
            }
        case "timeSamples":
            try lexer.expect("=")
            found["timeSamples"] = try sound(name) { (parser) throws(ModelFileError) in .samples(try parser.samples(valueType)) }
        case "connect":
            try lexer.expect("=")
            connections = try pathEdits(edit, from: path)
        case "spline":
            try lexer.expect("=")
            try skipBraces()
            warn("\(MessageText.name(name)): splines are not read")
        default: throw failure("\"\(MessageText.name(part))\" of an attribute is not known")
        }
        if part != "timeSamples", lexer.take("(") { found.merge(try metadata()) { old, _ in old } }
        try change(name, of: path) { (property) throws(ModelFileError) in
            guard !property.isRelationship else { throw lexer.failure("\(MessageText.name(name)) is a relationship already") }
            if property.typeName.isEmpty { property.typeName = typeName }
            property.isUniform = property.isUniform || isUniform
            property.fields.merge(found) { _, new in new }
            if let connections { property.fields["connectionPaths"] = .paths(Self.merged(property.fields["connectionPaths"], connections)) }
        }
    }

    /// A value; nil, with a warning, for one that doesn't fit its type but ends where a value would.
    private mutating func sound(
        _ name: String, _ read: (inout USDTextParser) throws(ModelFileError) -> USDField
    ) throws(ModelFileError) -> USDField? {
        let (start, startDepth) = (lexer, depth)
        do throws(ModelFileError) {
            return try read(&self)
        } catch {
            let line = lexer.line
            (lexer, depth) = (start, startDepth)
            guard (try? skipValue()) != nil else { throw error }
            warn("\(MessageText.name(name)): \(error.reason); the value was left out", line: line)
            return nil
        }
    }

    /// One word, or everything up to the bracket that closes the first.
    private mutating func skipValue() throws(ModelFileError) {
        var open: [UInt8] = []
        repeat {
            switch try lexer.next() {
            case .mark(UInt8(ascii: "[")): open.append(UInt8(ascii: "]"))
            case .mark(UInt8(ascii: "(")): open.append(UInt8(ascii: ")"))
            case .mark(UInt8(ascii: "{")): open.append(UInt8(ascii: "}"))
            case .mark(let mark) where mark == open.last: open.removeLast()
            case .mark(UInt8(ascii: ",")), .mark(UInt8(ascii: ":")), .mark(UInt8(ascii: ";")), .mark(UInt8(ascii: "=")):
                if open.isEmpty { throw failure("a value expected") }
            case .mark, .end: throw failure("a value expected")
            default: break
            }
            // Numbers stand in brackets; anything deeper is not a value.
            guard open.count <= Self.maximumDepth else { throw failure("nested more than \(Self.maximumDepth) deep") }
        } while !open.isEmpty
    }

    /// `{ time: value, … }`, sorted by time.
    private mutating func samples(_ type: USDValueType) throws(ModelFileError) -> [USDSample] {
        try lexer.expect("{")
        var result: [USDSample] = []
        skipSeparators()
        while !lexer.take("}") {
            try spend()
            guard case .number(let time) = try lexer.next(), time.isFinite else { throw failure("a time expected") }
            try lexer.expect(":")
            result.append(USDSample(time: time, value: try value(type)))
            skipSeparators()
        }
        let order = result.indices.sorted { result[$0].time != result[$1].time ? result[$0].time < result[$1].time : $0 < $1 }
        return order.map { result[$0] }
    }

    /// Everything up to the matching brace.
    mutating func skipBraces() throws(ModelFileError) {
        try lexer.expect("{")
        var open = 1
        while open > 0 {
            switch try lexer.next() {
            case .mark(UInt8(ascii: "{")): open += 1
            case .mark(UInt8(ascii: "}")): open -= 1
            case .end: throw failure("\"}\" expected")
            default: break
            }
        }
    }
}
