import VitrineGPU

/// Why a shader can't be used, with the place in the file that holds its text.
public struct ShaderError: Error, Sendable, CustomStringConvertible {
    public enum Reason: Sendable {
        /// `found`: those that effects can call, the nearest first.
        case noFunction(name: String, found: [String])
        /// The function is there, but isn't of the kind that is asked for.
        case wrongKind(function: String, expected: String, actual: String)
        /// `expected`: names and types of the parameters that arguments are for.
        case argumentCount(function: String, expected: [String], actual: Int)
        /// `index` counts the caller's arguments, from 1.
        case argumentType(function: String, index: Int, parameter: String, expected: String, actual: String)
        /// A parameter of a type that no argument has.
        case parameterType(function: String, parameter: String, type: String)
        /// NaN or infinite.
        case notFinite(function: String, index: Int, parameter: String)
        /// A name that the text around the function has already.
        case reservedName(String)
        /// Something that belongs to the pass around the function.
        case notAllowed(String)
        /// Metal, GLSL or HLSL instead of WGSL, with what to write.
        case otherLanguage(name: String, advice: String)
        case syntax(String)
        /// The compiler's words.
        case compiler(String)
        /// An effect's `maxSampleOffset` that is no distance, or makes a picture that no texture holds.
        case sampleOffset(function: String, problem: String)
        case tooManyImages(function: String, count: Int, limit: Int)
        case tooMuchData(bytes: Int, limit: Int)
        case file(String)
        /// The GPU refused; `doing` says what for.
        case gpu(GPUError, doing: String)
    }

    public let file: String
    /// From 1; 0: it is about no place of the file.
    public let line: Int
    /// From 1; 0: the whole line.
    public let column: Int
    public let reason: Reason

    public init(file: String, line: Int, column: Int = 0, _ reason: Reason) {
        (self.file, self.line, self.column, self.reason) = (file, line, column, reason)
    }

    static func gpu(_ error: GPUError, doing: String) -> ShaderError { ShaderError(file: "", line: 0, .gpu(error, doing: doing)) }

    /// `FILE:LINE:COLUMN: TEXT`.
    public var description: String {
        var place = file
        if line > 0 { place += ":\(line)" }
        if line > 0, column > 0 { place += ":\(column)" }
        return (place.isEmpty ? "" : place + ": ") + reason.description
    }
}

extension ShaderError.Reason: CustomStringConvertible {
    public var description: String {
        switch self {
        case .noFunction(let name, let found):
            "there is no function '\(name)' for effects" + (found.isEmpty ? ", nor any other" : ": there is " + list(found))
        case .wrongKind(let function, let expected, let actual): "'\(function)' is no \(expected): it is '\(actual)'"
        case .argumentCount(let function, let expected, let actual):
            "'\(function)' takes \(expected.count) argument\(expected.count == 1 ? "" : "s")"
                + (expected.isEmpty ? "" : " (" + joined(expected) + ")") + ", not \(actual)"
        case .argumentType(let function, let index, let parameter, let expected, let actual):
            "argument \(index) of '\(function)' ('\(parameter)') must be \(expected), not \(actual)"
        case .parameterType(let function, let parameter, let type):
            "parameter '\(parameter)' of '\(function)' is a \(type), which no argument can be: "
                + "f32, vec2f, vec3f, vec4f, FloatArray, ColorArray, Data and Image can"
        case .notFinite(let function, let index, let parameter):
            "argument \(index) of '\(function)' ('\(parameter)') is not a finite number"
        case .reservedName(let name): "'\(name)' is a name that effects have already: choose another"
        case .otherLanguage(let name, let advice): "this is \(name), and effects are written in WGSL: \(advice)"
        case .notAllowed(let what): "a shader library can't have \(what)"
        case .syntax(let text), .compiler(let text), .file(let text): text
        case .sampleOffset(let function, let problem): "maxSampleOffset of '\(function)' \(problem)"
        case .tooManyImages(let function, let count, let limit): "'\(function)' takes \(count) images, this GPU binds \(limit)"
        case .tooMuchData(let bytes, let limit): "an effect's arguments take \(bytes) bytes, this GPU binds \(limit)"
        case .gpu(let error, let doing): "\(doing): \(error.description)"
        }
    }

    private func list(_ names: [String]) -> String { joined(names.map { "'\($0)'" }) }

    private func joined(_ parts: [String]) -> String {
        var text = ""
        for part in parts { text += (text.isEmpty ? "" : ", ") + part }
        return text
    }
}

/// `names`, those first that take the fewest edits from `name`; equal ones in the given order.
func namesNearest(to name: String, of names: [String]) -> [String] {
    // What is longer than a name ever is counts by its beginning.
    let wanted = Array(name.utf8.prefix(64))
    let distances = names.map { editDistance(wanted, Array($0.utf8.prefix(64))) }
    return names.indices.sorted { (distances[$0], $0) < (distances[$1], $1) }.map { names[$0] }
}

/// The number of bytes to insert, remove or replace to get from `a` to `b` (Levenshtein 1966).
private func editDistance(_ a: [UInt8], _ b: [UInt8]) -> Int {
    var row = Array(0...b.count)
    for i in a.indices {
        var diagonal = row[0]
        row[0] = i + 1
        for j in b.indices {
            let replaced = diagonal + (a[i] == b[j] ? 0 : 1)
            diagonal = row[j + 1]
            row[j + 1] = min(replaced, row[j] + 1, row[j + 1] + 1)
        }
    }
    return row[b.count]
}
