import VitrineGLTF

/// Parses a layer in USD's text form (`.usda`), based on OpenUSD's "Crate and text file formats" and the files that it writes.
///
/// Errors have a line number. Prims and dictionaries may be nested up to `maximumDepth`.
struct USDTextParser {
    var lexer: USDTextLexer
    private let location: String
    private var contents = USDDocument.Contents()
    var depth = 0
    /// The remaining number of prims, properties and values.
    private var allowance = 1 << 22

    static let maximumDepth = 200

    /// - Parameter file: The name of the file, for errors.
    static func read(_ bytes: [UInt8], file: String, location: String) throws(ModelFileError) -> USDDocument {
        let head = bytes.prefix(6)
        guard head.elementsEqual("#usda ".utf8) else {
            throw ModelFileError(file: file, location: "1", reason: .malformed("the first line must be \"#usda 1.0\""))
        }
        var parser = USDTextParser(lexer: USDTextLexer(bytes, file: file, offset: 0, line: 1), location: location)
        try parser.readLayer()
        return USDDocument(location: location, parser.contents)
    }

    private init(lexer: USDTextLexer, location: String) { (self.lexer, self.location) = (lexer, location) }

    func failure(_ reason: String) -> ModelFileError { lexer.failure(reason) }

    /// Adds a warning.
    ///
    /// - Parameter line: The line of the warning; by default the current one.
    mutating func warn(_ message: String, line: Int? = nil) {
        guard contents.warnings.count < 100 else { return }
        contents.warnings.append(ModelWarning(location: "\(location):\(line ?? lexer.line)", message: message))
    }

    mutating func spend(_ count: Int = 1) throws(ModelFileError) {
        allowance -= count
        guard allowance > 0 else { throw failure("too many prims and properties") }
    }

    /// Counts a path against the same allowance: every prim repeats the names of those above it, so that a small file may need gigabytes.
    private mutating func spend(path: String) throws(ModelFileError) { try spend(path.utf8.count / 16) }

    mutating func enter() throws(ModelFileError) {
        depth += 1
        guard depth <= Self.maximumDepth else { throw failure("nested more than \(Self.maximumDepth) deep") }
    }

    /// Parses a name without namespaces.
    mutating func word(_ what: String) throws(ModelFileError) -> String {
        guard case .name(let text) = try lexer.next() else { throw failure("\(what) expected") }
        return text
    }

    mutating func quoted(_ what: String) throws(ModelFileError) -> String {
        guard case .string(let text) = try lexer.next() else { throw failure("\(what) in quotes expected") }
        return text
    }

    /// Skips separators between statements.
    mutating func skipSeparators() { while lexer.take(";") || lexer.take(",") {} }

    // MARK: Prims

    private mutating func readLayer() throws(ModelFileError) {
        if lexer.take("(") { contents.fields = try metadata() }
        skipSeparators()
        while lexer.peekByte() != 0 || lexer.offset < lexer.bytes.count {
            let keyword = try word("\"def\", \"over\" or \"class\"")
            if keyword == "reorder" {
                _ = try word("\"rootPrims\"")
                try lexer.expect("=")
                contents.fields["primOrder"] = .texts(try textList())
            } else {
                try readPrim(keyword, below: "/")
            }
            skipSeparators()
        }
    }

    private mutating func readPrim(_ keyword: String, below parent: String) throws(ModelFileError) {
        try spend()
        var prim = USDDocument.Prim()
        switch keyword {
        case "def": prim.specifier = .define
        case "over": prim.specifier = .over
        case "class": prim.specifier = .class
        default: throw failure("\"\(MessageText.name(keyword))\": only \"def\", \"over\" and \"class\" begin a prim")
        }
        if USDTextLexer.isName(lexer.peekByte()) { prim.typeName = try word("the prim's type") }
        let name = try quoted("the prim's name")
        guard Self.isIdentifier(name) else { throw failure("\"\(MessageText.name(name))\" is not a valid name of a prim") }
        let path = USDPath.child(name, of: parent)
        try spend(path: path)
        guard contents.prims[path] == nil else { throw failure("\(MessageText.name(path, limit: 200)) occurs twice") }
        contents.prims[path] = prim
        if parent == "/" { contents.roots.append(name) } else { contents.prims[parent]?.children.append(name) }
        if lexer.take("(") {
            let fields = try metadata()
            contents.prims[path]?.fields = fields
        }
        try lexer.expect("{")
        try readBody(of: path)
    }

    /// Returns whether the name consists of letters, digits, underscores and non-ASCII characters, without a leading digit.
    static func isIdentifier(_ name: String) -> Bool {
        guard let first = name.utf8.first, !(0x30...0x39).contains(first) else { return false }
        return name.utf8.allSatisfy { USDTextLexer.isName($0) }
    }

    /// Parses the body of a prim or a variant, after `{`.
    private mutating func readBody(of path: String) throws(ModelFileError) {
        try enter()
        skipSeparators()
        while !lexer.take("}") {
            let word = try word("a prim, a property or \"}\"")
            switch word {
            case "def", "over", "class": try readPrim(word, below: path)
            case "variantSet": try readVariantSet(of: path)
            default: try readStatement(word, of: path)
            }
            skipSeparators()
        }
        depth -= 1
    }

    private mutating func readVariantSet(of path: String) throws(ModelFileError) {
        let set = try quoted("the variant set's name")
        try lexer.expect("=")
        try lexer.expect("{")
        var choices: [String] = []
        skipSeparators()
        while !lexer.take("}") {
            let choice = try quoted("a variant's name")
            try spend()
            let variant = "\(path){\(set)=\(choice)}"
            try spend(path: variant)
            guard contents.prims[variant] == nil else { throw failure("the variant \"\(MessageText.name(choice))\" occurs twice") }
            contents.prims[variant] = USDDocument.Prim()
            choices.append(choice)
            if lexer.take("(") {
                let fields = try metadata()
                contents.prims[variant]?.fields = fields
            }
            try lexer.expect("{")
            try readBody(of: variant)
            skipSeparators()
        }
        contents.prims[path]?.variants.append((set, choices))
    }

    private mutating func readStatement(_ word: String, of path: String) throws(ModelFileError) {
        guard word == "reorder", USDTextLexer.isName(lexer.peekByte()) else { return try readProperty(word, of: path) }
        let next = try self.word("what to reorder")
        guard next == "nameChildren" || next == "properties" else { return try readProperty(next, of: path, edit: "reorder") }
        try lexer.expect("=")
        let names = try textList()
        if next == "nameChildren" { contents.prims[path]?.fields["primOrder"] = .texts(names) }
    }
}

extension USDTextParser {
    /// Parses an attribute or a relationship after its first word.
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
                guard !isCustom else { throw failure("\"\(word)\" must follow \"custom\"") }
                guard edit == nil else { throw failure("\"\(edit ?? "")\" and \"\(word)\" exclude each other") }
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

    private mutating func change(_ name: String, of path: String, _ body: (inout USDDocument.Property) -> Void) {
        var property = contents.prims[path]?.properties[name]
        if property == nil {
            contents.prims[path]?.propertyNames.append(name)
            property = USDDocument.Property()
        }
        guard var property else { return }
        body(&property)
        contents.prims[path]?.properties[name] = property
    }

    // MARK: Relationships

    private mutating func readRelationship(of path: String, edit: String?) throws(ModelFileError) {
        let (name, part) = split(try word("the relationship's name"))
        guard part.isEmpty || part == "default" else { throw failure("\"\(MessageText.name(part))\" of a relationship is not supported") }
        var edits: USDListEdits<String>?
        if lexer.take("=") { edits = try pathEdits(edit, from: path) }
        var fields: [String: USDField] = [:]
        if lexer.take("(") { fields = try metadata() }
        guard part.isEmpty else { return }
        change(name, of: path) { property in
            property.isRelationship = true
            property.fields.merge(fields) { _, new in new }
            if let edits { property.fields["targetPaths"] = .paths(Self.merged(property.fields["targetPaths"], edits)) }
        }
    }

    /// Merges edits of the same list by several statements.
    private static func merged(_ known: USDField?, _ edits: USDListEdits<String>) -> USDListEdits<String> {
        guard case .paths(var result)? = known, edits.explicit == nil else { return edits }
        result.added += edits.added
        result.prepended += edits.prepended
        result.appended += edits.appended
        result.deleted += edits.deleted
        if !edits.ordered.isEmpty { result.ordered = edits.ordered }
        return result
    }

    /// Parses `<path>`, `[<path>, …]` or `None`.
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

    /// Parses a path; with an empty `prim`, returns it unchanged.
    mutating func path(from prim: String) throws(ModelFileError) -> String {
        guard case .path(let text) = try lexer.next() else { throw failure("a path in \"<>\" expected") }
        guard let path = USDPath.absolute(text, from: prim) else {
            throw failure("<\(MessageText.name(text, limit: 200))> is not a valid path here")
        }
        return path
    }

    // MARK: Attributes

    private mutating func readAttribute(
        _ type: String, of path: String, isUniform: Bool, edit: String?
    ) throws(ModelFileError) {
        var typeName = type
        guard !type.contains(".") else { throw failure("\"\(MessageText.name(type))\" is not a type") }
        if lexer.take("[") {
            try lexer.expect("]")
            typeName += "[]"
        }
        let (name, part) = split(try word("the attribute's name"))
        guard edit == nil || part == "connect" else {
            throw failure("\"\(edit ?? "")\" applies only to lists, not to the value of an attribute")
        }
        let valueType = USDValueType(typeName)
        var found: [String: USDField] = [:]
        var connections: USDListEdits<String>?
        switch part {
        case "", "default":
            guard lexer.take("=") else { break }
            if lexer.peekByte() == UInt8(ascii: "<") {
                connections = try pathEdits(edit, from: path)
                warn("\(MessageText.name(name)): a path is not a value; it is used as a connection")
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
            warn("\(MessageText.name(name)): splines are not supported")
        default: throw failure("\"\(MessageText.name(part))\" of an attribute is unknown")
        }
        if part != "timeSamples", lexer.take("(") { found.merge(try metadata()) { old, _ in old } }
        if let known = contents.prims[path]?.properties[name], known.isRelationship {
            throw lexer.failure("\(MessageText.name(name)) is already a relationship")
        }
        change(name, of: path) { property in
            if property.typeName.isEmpty { property.typeName = typeName }
            property.isUniform = property.isUniform || isUniform
            property.fields.merge(found) { _, new in new }
            if let connections { property.fields["connectionPaths"] = .paths(Self.merged(property.fields["connectionPaths"], connections)) }
        }
    }

    /// Parses a value; returns nil, with a warning, if it does not match its type but ends where a value would.
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
            warn("\(MessageText.name(name)): \(error.reason); the value was ignored", line: line)
            return nil
        }
    }

    /// Skips one word, or everything up to the bracket that closes the first.
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
            // Numbers are in brackets; deeper nesting is not a value.
            guard open.count <= Self.maximumDepth else { throw failure("nested more than \(Self.maximumDepth) deep") }
        } while !open.isEmpty
    }

    /// Parses `{ time: value, … }`, sorted by time.
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

    /// Skips everything up to the matching brace.
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
