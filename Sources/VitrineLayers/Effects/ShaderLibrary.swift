import VitrineMath

/// A library of WGSL functions that effects call.
///
/// ```swift
/// let library = try ShaderLibrary(source: """
///     fn stripes(position: vec2f, color: vec4f, width: f32, tint: vec4f) -> vec4f {
///         return select(color, tint * color.a, fract(position.x / width) < 0.5);
///     }
///     """)
/// layer.effects = [.color(library.stripes(.float(8), .color(.white)))]
/// ```
///
/// The initializer parses the declarations. The functions are compiled when an effect is first drawn, or earlier by `compile(adapter:)`. Errors are
/// `ShaderError`s with the file and line of the source. docs/effects.md lists the parameters and functions of effects.
@dynamicMemberLookup
public struct ShaderLibrary: Equatable, Sendable {
    let code: ShaderCode
    /// The working space of effects that do not specify one.
    public var workingSpace: ShaderEffect.WorkingSpace

    /// Parses a library.
    ///
    /// - Parameters:
    ///   - source: At most 1 MiB of WGSL: functions, structures, constants, aliases and `var<private>`.
    ///   - workingSpace: The working space of the functions; nil for that of a comment in the source (`// working-space: linear`), otherwise sRGB.
    ///   - name: The name of the source file, for errors.
    ///   - line: The line of the opening quotes of the literal; 0 for a separate file.
    /// - Throws: `ShaderError` if the source contains entry points, bindings, overrides or directives, which only the generated pass may have, or
    ///   declares a reserved name.
    public init(
        source: String, workingSpace: ShaderEffect.WorkingSpace? = nil, name: String = #fileID, line: Int = #line
    ) throws(ShaderError) {
        code = try ShaderCode(source, file: name, line: line)
        self.workingSpace = workingSpace ?? code.workingSpace ?? .sRGB
    }

    /// Returns a function by its name. Its existence is checked when the function is used.
    public subscript(dynamicMember name: String) -> ShaderFunction { ShaderFunction(library: self, name: name) }

    /// Returns a function by its name. Its existence is checked when the function is used.
    public subscript(name: String) -> ShaderFunction { ShaderFunction(library: self, name: name) }

    /// Returns a function of the built-in library: `ShaderLibrary.ripple` is `ShaderLibrary.default.ripple`.
    public static subscript(dynamicMember name: String) -> ShaderFunction { ShaderFunction(library: .default, name: name) }

    /// The name of the source file.
    public var name: String { code.file }

    /// The functions that effects can call, in the order of the source.
    package var functions: [ShaderFunction.Declaration] {
        code.signatures.filter { !$0.kinds.isEmpty }.map { ShaderFunction.Declaration($0, line: code.line + $0.location.line) }
    }
}

/// The parsed source of a library, shared by its functions and shaders.
final class ShaderCode: Sendable {
    let source: String
    let file: String
    /// The line before the first line of the source.
    let line: Int
    let signatures: [ShaderSignature]
    /// All declared names.
    let names: [String]
    /// The working space of a comment in the source.
    let workingSpace: ShaderEffect.WorkingSpace?
    private let fingerprint: UInt64

    static let sizeLimit = 1 << 20

    init(_ source: String, file: String, line: Int) throws(ShaderError) {
        (self.source, self.file, self.line) = (source, file, line)
        var hash = FNVHash()
        hash.combine(source)
        fingerprint = hash.value
        do throws(ShaderSourceError) {
            guard source.utf8.count <= Self.sizeLimit else {
                throw ShaderSourceError(ShaderLocation(line: 1, column: 1), .syntax("the source has more than \(Self.sizeLimit) bytes"))
            }
            let declarations = try ShaderDeclarations(source)
            try EffectSource.checkNames(declarations)
            signatures = declarations.functions.map { ShaderSignature($0, in: declarations) }
            names = declarations.names.map { $0.name }
            workingSpace = declarations.workingSpace
        } catch {
            throw ShaderError(file: file, line: line + error.location.line, column: error.location.column, error.reason)
        }
    }

    /// Returns the signature of a function.
    ///
    /// - Throws: `.noFunction` with the existing functions, the most similar first.
    func signature(of name: String) throws(ShaderError) -> ShaderSignature {
        if let found = signatures.first(where: { $0.name.utf8.elementsEqual(name.utf8) }) { return found }
        let names = signatures.filter { !$0.kinds.isEmpty }.map { $0.name }
        throw ShaderError(file: file, line: 0, .noFunction(name: name, found: similarNames(to: name, of: names)))
    }

    /// Returns an error at the declaration of a function.
    func error(_ signature: ShaderSignature, _ reason: ShaderError.Reason) -> ShaderError {
        ShaderError(file: file, line: line + signature.location.line, column: signature.location.column, reason)
    }
}

extension ShaderCode: Hashable {
    static func == (a: ShaderCode, b: ShaderCode) -> Bool {
        // Compared by identity, because messages of the compiler contain the position.
        a === b
            || (a.fingerprint == b.fingerprint && a.line == b.line && a.source.utf8.elementsEqual(b.source.utf8)
                && a.file.utf8.elementsEqual(b.file.utf8))
    }

    func hash(into hasher: inout Hasher) { hasher.combine(fingerprint) }
}
