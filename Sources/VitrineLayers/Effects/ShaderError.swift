import VitrineGPU
import VitrineMath

/// An error in a shader library or an effect, with its position in the source file.
public struct ShaderError: Error, Sendable, CustomStringConvertible {
    /// The reason of a `ShaderError`.
    package enum Reason: Sendable {
        /// The library has no such function. `found` are the functions that effects can call, the most similar name first.
        case noFunction(name: String, found: [String])
        /// The function is not of the kind that the effect requires.
        case wrongKind(function: String, expected: String, actual: String)
        /// The number of arguments is wrong. `expected` are the names and types of the parameters that take arguments.
        case argumentCount(function: String, expected: [String], actual: Int)
        /// An argument has the wrong type. `index` counts the caller's arguments, from 1.
        case argumentType(function: String, index: Int, parameter: String, expected: String, actual: String)
        /// A parameter has a type that no argument has.
        case parameterType(function: String, parameter: String, type: String)
        /// An argument is NaN or infinite.
        case notFinite(function: String, index: Int, parameter: String)
        /// The library declares a name that the generated code already uses.
        case reservedName(String)
        /// The library contains a declaration that only the generated pass may have.
        case notAllowed(String)
        /// The source is Metal, GLSL or HLSL. `advice` is the WGSL replacement.
        case otherLanguage(name: String, advice: String)
        /// The text is not valid WGSL for a library.
        case syntax(String)
        /// A message of the WGSL compiler.
        case compiler(String)
        /// The effect's `maxSampleOffset` is not a distance, or requires a texture that is too large.
        case sampleOffset(function: String, problem: String)
        /// The effect has more images than the GPU can bind.
        case tooManyImages(function: String, count: Int, limit: Int)
        /// The arrays and data of the arguments exceed the GPU's limit.
        case tooMuchData(bytes: Int, limit: Int)
        /// The file cannot be read, or is not text.
        case file(String)
        /// The GPU reported an error; `doing` names the operation.
        case device(message: String, doing: String)
    }

    /// The name of the source file; empty if the error has no position.
    public let file: String
    /// The line, from 1; 0 if the error has no line.
    public let line: Int
    /// The column, from 1; 0 for the whole line.
    public let column: Int
    /// The reason for which the shader is rejected.
    package let reason: Reason

    package init(file: String, line: Int, column: Int = 0, _ reason: Reason) {
        (self.file, self.line, self.column, self.reason) = (file, line, column, reason)
    }

    static func gpu(_ error: GPUError, doing: String) -> ShaderError {
        ShaderError(file: "", line: 0, .device(message: error.description, doing: doing))
    }

    /// The text without the position.
    public var message: String { reason.description }

    /// The error in the form `FILE:LINE:COLUMN: MESSAGE`.
    public var description: String {
        var position = file
        if line > 0 { position += ":\(line)" }
        if line > 0, column > 0 { position += ":\(column)" }
        return (position.isEmpty ? "" : position + ": ") + reason.description
    }
}

extension ShaderError.Reason: CustomStringConvertible {
    package var description: String {
        switch self {
        case .noFunction(let name, let found):
            "there is no function '\(name)' for effects" + (found.isEmpty ? ": the library has none" : ": the library has " + list(found))
        case .wrongKind(let function, let expected, let actual): "'\(function)' is not a \(expected): its declaration is '\(actual)'"
        case .argumentCount(let function, let expected, let actual):
            "'\(function)' takes \(expected.count) argument\(expected.count == 1 ? "" : "s")"
                + (expected.isEmpty ? "" : " (" + joined(expected) + ")") + ", not \(actual)"
        case .argumentType(let function, let index, let parameter, let expected, let actual):
            "argument \(index) of '\(function)' ('\(parameter)') must be \(expected), not \(actual)"
        case .parameterType(let function, let parameter, let type):
            "parameter '\(parameter)' of '\(function)' has the type \(type), which no argument has: "
                + "use f32, vec2f, vec3f, vec4f, FloatArray, ColorArray, Data or Image"
        case .notFinite(let function, let index, let parameter):
            "argument \(index) of '\(function)' ('\(parameter)') is not a finite number"
        case .reservedName(let name): "'\(name)' is a reserved name of effects: choose another"
        case .otherLanguage(let name, let advice): "this is \(name), and effects are written in WGSL: \(advice)"
        case .notAllowed(let what): "a shader library must not contain \(what)"
        case .syntax(let text), .compiler(let text), .file(let text): text
        case .sampleOffset(let function, let problem): "maxSampleOffset of '\(function)' \(problem)"
        case .tooManyImages(let function, let count, let limit): "'\(function)' takes \(count) images; the GPU supports at most \(limit)"
        case .tooMuchData(let bytes, let limit): "the arguments of an effect take \(bytes) bytes; the GPU supports at most \(limit)"
        case .device(let message, let doing): "\(doing): \(message)"
        }
    }

    private func list(_ names: [String]) -> String { joined(names.map { "'\($0)'" }) }

    private func joined(_ parts: [String]) -> String {
        var text = ""
        for part in parts { text += (text.isEmpty ? "" : ", ") + part }
        return text
    }
}

/// Returns `names` by edit distance from `name`, the nearest first; equal distances keep the given order.
func similarNames(to name: String, of names: [String]) -> [String] {
    // Only the first 64 bytes of longer names are compared.
    let wanted = Array(name.utf8.prefix(64))
    let distances = names.map { editDistance(wanted, Array($0.utf8.prefix(64))) }
    return names.indices.sorted { (distances[$0], $0) < (distances[$1], $1) }.map { names[$0] }
}
