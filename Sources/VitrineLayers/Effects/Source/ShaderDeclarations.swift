/// The declarations of a WGSL source at module scope. Bodies are not parsed.
struct ShaderDeclarations {
    /// A name and its type in the source, without spaces.
    struct Parameter {
        let name, type: String
    }

    struct Function {
        let name: String
        let parameters: [Parameter]
        /// The result type; empty if the function has no result.
        let result: String
        let location: ShaderLocation
    }

    private(set) var functions: [Function] = []
    private(set) var names: [(name: String, location: ShaderLocation)] = []
    /// The working space that a comment specifies.
    let workingSpace: ShaderEffect.WorkingSpace?
    private var aliases: [(name: String, type: String)] = []

    private let tokens: [ShaderTokens.Token]
    private var at = 0

    /// Parses the declarations of a source.
    ///
    /// - Throws: `ShaderSourceError` if the source contains entry points, bindings, overrides or directives.
    init(_ source: String) throws(ShaderSourceError) {
        let read = try ShaderTokens(source)
        (tokens, workingSpace) = (read.tokens, read.workingSpace)
        while let token = peek {
            if token.reads("fn") {
                try function()
            } else if token.reads("@") {
                try attribute()
            } else if token.reads("struct") {
                declareNext()
                skip(past: "}", orSemicolon: false)
            } else if token.reads("alias") {
                alias()
            } else if token.reads("const") {
                declareNext()
                skip(past: ";")
            } else if token.reads("var") {
                try variable()
            } else {
                try refuseDirectives(token)
                if let fault = ForeignShader(tokens).fault(at: at) { throw fault }
                at += 1
            }
        }
    }

    /// Returns the canonical type of a parameter: aliases are resolved, `vec2<f32>` is `vec2f`.
    func resolved(_ type: String) -> String {
        var type = type
        // The compiler reports recursive aliases.
        for _ in 0..<16 {
            guard let next = aliases.first(where: { $0.name.utf8.elementsEqual(type.utf8) }) else { break }
            type = next.type
        }
        for (long, short) in Self.shortNames where long.utf8.elementsEqual(type.utf8) { return short }
        return type
    }

    private static let shortNames = [
        ("vec2<f32>", "vec2f"), ("vec3<f32>", "vec3f"), ("vec4<f32>", "vec4f"), ("texture_2d<f32>", "Image"),
    ]

    // MARK: Declarations

    private mutating func function() throws(ShaderSourceError) {
        at += 1
        guard let name = peek, name.isWord else { return }
        at += 1
        names.append((name.string, name.location))
        let parameters = try parameters()
        functions.append(Function(name: name.string, parameters: parameters, result: result(), location: name.location))
        skip(past: "}", orSemicolon: false)
    }

    private mutating func parameters() throws(ShaderSourceError) -> [Parameter] {
        guard let open = peek, open.reads("(") else { return [] }
        at += 1
        var parameters: [Parameter] = []
        while let token = peek, !token.reads(")"), !token.reads("{") {
            if token.reads("@") {
                try attribute()
            } else if token.isWord, at + 1 < tokens.count, tokens[at + 1].reads(":") {
                at += 2
                parameters.append(Parameter(name: token.string, type: type()))
            } else {
                at += 1
            }
        }
        if peek?.reads(")") == true { at += 1 }
        return parameters
    }

    private mutating func result() -> String {
        guard at + 1 < tokens.count, tokens[at].reads("-"), tokens[at + 1].reads(">") else { return "" }
        at += 2
        return type()
    }

    /// Parses a type, up to a comma, brace, semicolon or closing parenthesis outside it.
    private mutating func type() -> String {
        var text: [UInt8] = []
        var depth = 0
        while let token = peek, !token.reads("{"), !token.reads(";") {
            if token.reads("<") || token.reads("(") { depth += 1 }
            if depth == 0, token.reads(",") || token.reads(")") { break }
            if token.reads(">") || token.reads(")") { depth -= 1 }
            text += token.text
            at += 1
        }
        return String(decoding: text, as: UTF8.self)
    }

    private mutating func alias() {
        declareNext()
        let name = names.last?.name ?? ""
        guard peek?.reads("=") == true else { return }
        at += 1
        aliases.append((name, type()))
    }

    private mutating func variable() throws(ShaderSourceError) {
        let location = tokens[at].location
        at += 1
        guard peek?.reads("<") == true, at + 1 < tokens.count, tokens[at + 1].reads("private") else {
            throw ShaderSourceError(location, .notAllowed("a variable that is not var<private>: pass values as parameters of the function"))
        }
        while let token = peek, !token.reads(">") { at += token.reads(";") ? tokens.count : 1 }
        declareNext()
        skip(past: ";")
    }

    /// Records the next word as a declared name.
    private mutating func declareNext() {
        at += 1
        guard let name = peek, name.isWord else { return }
        names.append((name.string, name.location))
        at += 1
    }

    // MARK: Errors

    private mutating func attribute() throws(ShaderSourceError) {
        let location = tokens[at].location
        at += 1
        guard let name = peek else { return }
        for stage: StaticString in ["vertex", "fragment", "compute"] where name.reads(stage) {
            throw ShaderSourceError(location, .notAllowed("an entry point: write a function, around which the pass is generated"))
        }
        for binding: StaticString in ["group", "binding", "id"] where name.reads(binding) {
            throw ShaderSourceError(location, .notAllowed("a binding or override: pass values as parameters of the function"))
        }
        at += 1
    }

    private func refuseDirectives(_ token: ShaderTokens.Token) throws(ShaderSourceError) {
        if token.reads("override") {
            throw ShaderSourceError(token.location, .notAllowed("an override constant: use a const, or a parameter"))
        }
        for directive: StaticString in ["enable", "requires", "diagnostic"] where token.reads(directive) {
            throw ShaderSourceError(token.location, .notAllowed("a directive (\(directive)): the generated module contains the directives"))
        }
    }

    // MARK: Traversal

    private var peek: ShaderTokens.Token? { at < tokens.count ? tokens[at] : nil }

    /// Skips to the token after the closing bracket, or after a semicolon outside brackets.
    private mutating func skip(past end: StaticString, orSemicolon: Bool = true) {
        var depth = 0
        while let token = peek {
            at += 1
            if token.reads("{") { depth += 1 }
            if token.reads("}") { depth -= 1 }
            if depth <= 0, token.reads(end) || (orSemicolon && token.reads(";")) { return }
        }
    }
}
