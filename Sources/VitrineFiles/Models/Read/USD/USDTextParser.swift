import VitrineGLTF

/// Reads a layer in USD's text form (`.usda`), after OpenUSD's "Crate and text file formats" and the files that it writes.
///
/// Errors name the line. Prims below prims, and dictionaries in dictionaries, go `maximumDepth` deep.
struct USDTextParser {
    var lexer: USDTextLexer
    let document: USDDocument
    var depth = 0
    /// Prims, properties and values that may still come.
    private var allowance = 1 << 22

    static let maximumDepth = 200

    /// - Parameter file: for errors.
    static func read(_ bytes: [UInt8], file: String, location: String) throws(ModelFileError) -> USDDocument {
        let head = bytes.prefix(6)
        guard head.elementsEqual("#usda ".utf8) else {
            throw ModelFileError(file: file, place: "1", reason: .malformed("the first line must be \"#usda 1.0\""))
        }
        var parser = USDTextParser(
            lexer: USDTextLexer(bytes, file: file, offset: 0, line: 1), document: USDDocument(location: location))
        try parser.readLayer()
        return parser.document
    }

    private init(lexer: USDTextLexer, document: USDDocument) { (self.lexer, self.document) = (lexer, document) }

    func failure(_ reason: String) -> ModelFileError { lexer.failure(reason) }

    /// - Parameter line: Default: the line that is being read.
    mutating func warn(_ message: String, line: Int? = nil) {
        guard document.warnings.count < 100 else { return }
        document.warnings.append(ModelWarning(place: "\(document.location):\(line ?? lexer.line)", message: message))
    }

    mutating func spend() throws(ModelFileError) {
        allowance -= 1
        guard allowance > 0 else { throw failure("more prims and properties than are read") }
    }

    mutating func enter() throws(ModelFileError) {
        depth += 1
        guard depth <= Self.maximumDepth else { throw failure("nested more than \(Self.maximumDepth) deep") }
    }

    /// A name without namespaces.
    mutating func word(_ what: String) throws(ModelFileError) -> String {
        guard case .name(let text) = try lexer.next() else { throw failure("\(what) expected") }
        return text
    }

    mutating func quoted(_ what: String) throws(ModelFileError) -> String {
        guard case .string(let text) = try lexer.next() else { throw failure("\(what) in quotes expected") }
        return text
    }

    /// Between statements.
    mutating func skipSeparators() { while lexer.take(";") || lexer.take(",") {} }

    // MARK: Prims

    private mutating func readLayer() throws(ModelFileError) {
        if lexer.take("(") { document.fields = try metadata() }
        skipSeparators()
        while lexer.peekByte() != 0 || lexer.offset < lexer.bytes.count {
            let keyword = try word("\"def\", \"over\" or \"class\"")
            if keyword == "reorder" {
                _ = try word("\"rootPrims\"")
                try lexer.expect("=")
                document.fields["primOrder"] = .texts(try textList())
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
        guard Self.isIdentifier(name) else { throw failure("\"\(MessageText.name(name))\" is no name of a prim") }
        let path = USDPath.child(name, of: parent)
        guard document.prims[path] == nil else { throw failure("\(MessageText.name(path, limit: 200)) is there twice") }
        document.prims[path] = prim
        if parent == "/" { document.roots.append(name) } else { document.prims[parent]?.children.append(name) }
        if lexer.take("(") {
            let fields = try metadata()
            document.prims[path]?.fields = fields
        }
        try lexer.expect("{")
        try readBody(of: path)
    }

    /// Whether the name consists of letters, digits, underscores and non-ASCII characters, without a digit first.
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
            guard document.prims[variant] == nil else { throw failure("the variant \"\(MessageText.name(choice))\" is there twice") }
            document.prims[variant] = USDDocument.Prim()
            choices.append(choice)
            if lexer.take("(") {
                let fields = try metadata()
                document.prims[variant]?.fields = fields
            }
            try lexer.expect("{")
            try readBody(of: variant)
            skipSeparators()
        }
        document.prims[path]?.variants.append((set, choices))
    }

    private mutating func readStatement(_ word: String, of path: String) throws(ModelFileError) {
        guard word == "reorder", USDTextLexer.isName(lexer.peekByte()) else { return try readProperty(word, of: path) }
        let next = try self.word("what to reorder")
        guard next == "nameChildren" || next == "properties" else { return try readProperty(next, of: path, edit: "reorder") }
        try lexer.expect("=")
        let names = try textList()
        if next == "nameChildren" { document.prims[path]?.fields["primOrder"] = .texts(names) }
    }
}
