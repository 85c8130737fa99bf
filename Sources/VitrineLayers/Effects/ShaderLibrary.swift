/// Functions in WGSL that effects call.
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
/// Which functions there are is read off the text at once; the compiler sees them when an effect is first drawn, or before (`compile(on:)`).
/// Whatever is wrong is a `ShaderError` with your own file and line. docs/guide/effects.md tells what a function may take and call.
@dynamicMemberLookup
public struct ShaderLibrary: Equatable, Sendable {
    let code: ShaderCode
    /// The working space of effects that set none themselves.
    public var workingSpace: ShaderEffect.WorkingSpace

    /// - Parameters:
    ///   - source: at most a mebibyte of WGSL: functions, structures, constants, aliases and `var<private>`.
    ///   - workingSpace: of the library's functions. nil: the one that a comment in the text names (`// working-space: linear`), else sRGB.
    ///   - name: of the file that holds the text, for errors.
    ///   - line: the line on which its literal opens, so that the first line is the next; 0 for a file of its own.
    /// - Throws: where the text holds what belongs to the pass around it (entry points, bindings, overrides, directives), or takes a name
    ///   that is there already.
    public init(
        source: String, workingSpace: ShaderEffect.WorkingSpace? = nil, name: String = #fileID, line: Int = #line
    ) throws(ShaderError) {
        code = try ShaderCode(source, file: name, line: line)
        self.workingSpace = workingSpace ?? code.workingSpace ?? .sRGB
    }

    /// A function by its name; whether there is one is seen when it is used.
    public subscript(dynamicMember name: String) -> ShaderFunction { ShaderFunction(library: self, name: name) }

    /// A function by its name; whether there is one is seen when it is used.
    public subscript(name: String) -> ShaderFunction { ShaderFunction(library: self, name: name) }

    /// A function of the built-in library: `ShaderLibrary.ripple` is `ShaderLibrary.default.ripple`.
    public static subscript(dynamicMember name: String) -> ShaderFunction { ShaderFunction(library: .default, name: name) }

    /// The file that holds the text.
    public var name: String { code.file }

    /// The functions that effects can call, in the order of the text.
    public var functions: [ShaderFunction.Declaration] {
        code.signatures.filter { !$0.kinds.isEmpty }.map { ShaderFunction.Declaration($0, line: code.line + $0.place.line) }
    }
}

/// The text of a library, read once, shared by all functions and shaders made of it.
final class ShaderCode: Sendable {
    let source: String
    let file: String
    /// The line before the text's first.
    let line: Int
    let signatures: [ShaderSignature]
    /// Everything that the text declares.
    let names: [String]
    /// The one that a comment in the text names.
    let workingSpace: ShaderEffect.WorkingSpace?
    private let fingerprint: UInt64

    static let sizeLimit = 1 << 20

    init(_ source: String, file: String, line: Int) throws(ShaderError) {
        (self.source, self.file, self.line) = (source, file, line)
        // FNV-1a.
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in source.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        fingerprint = hash
        do throws(ShaderFault) {
            guard source.utf8.count <= Self.sizeLimit else {
                throw ShaderFault(ShaderPlace(line: 1, column: 1), .syntax("the text has more than \(Self.sizeLimit) bytes"))
            }
            let declarations = try ShaderDeclarations(source)
            try EffectSource.checkNames(declarations)
            signatures = declarations.functions.map { ShaderSignature($0, in: declarations) }
            names = declarations.names.map { $0.name }
            workingSpace = declarations.workingSpace
        } catch {
            throw ShaderError(file: file, line: line + error.place.line, column: error.place.column, error.reason)
        }
    }

    /// - Throws: names those there are, the nearest first.
    func signature(of name: String) throws(ShaderError) -> ShaderSignature {
        if let found = signatures.first(where: { $0.name.utf8.elementsEqual(name.utf8) }) { return found }
        let names = signatures.filter { !$0.kinds.isEmpty }.map { $0.name }
        throw ShaderError(file: file, line: 0, .noFunction(name: name, found: namesNearest(to: name, of: names)))
    }

    /// At the declaration of a function.
    func error(_ signature: ShaderSignature, _ reason: ShaderError.Reason) -> ShaderError {
        ShaderError(file: file, line: line + signature.place.line, column: signature.place.column, reason)
    }
}

extension ShaderCode: Hashable {
    static func == (a: ShaderCode, b: ShaderCode) -> Bool {
        // The place counts: messages of the compiler name it.
        a === b
            || (a.fingerprint == b.fingerprint && a.line == b.line && a.source.utf8.elementsEqual(b.source.utf8)
                && a.file.utf8.elementsEqual(b.file.utf8))
    }

    func hash(into hasher: inout Hasher) { hasher.combine(fingerprint) }
}
