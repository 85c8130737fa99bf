/// Why a surface function is invalid, with file and line of its source.
public struct SurfaceFunctionError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Why the function is invalid.
    public enum Reason: Equatable, Sendable {
        /// The source has no function of the given name.
        case noFunction(name: String, found: [String])
        /// The name of a uniform or texture is not valid in WGSL.
        case invalidName(String)
        case noUniform(name: String, found: [String])
        case uniformType(name: String, expected: String, actual: String)
        /// The compiler's message.
        case compiler(String)
    }

    /// The file that contains the source.
    public let file: String
    /// From 1.
    public let line: Int
    /// From 1; 0: the whole line.
    public let column: Int
    /// Why the function is invalid.
    public let reason: Reason

    /// Makes an error at a position in a file.
    public init(file: String, line: Int, column: Int = 0, _ reason: Reason) {
        (self.file, self.line, self.column, self.reason) = (file, line, column, reason)
    }

    /// `FILE:LINE:COLUMN: TEXT`.
    public var description: String {
        let place = column > 0 ? "\(file):\(line):\(column): " : "\(file):\(line): "
        switch reason {
        case .noFunction(let name, let found):
            return place
                + "the surface function has no 'fn \(name)(in: SurfaceInput, s: ptr<function, Surface>)'; it has \(Self.list(found))"
        case .invalidName(let name): return place + "'\(name)' can't be a name in WGSL"
        case .noUniform(let name, let found): return place + "the surface function has no uniform '\(name)'; it has \(Self.list(found))"
        case .uniformType(let name, let expected, let actual): return place + "uniform '\(name)' is a \(expected), not a \(actual)"
        case .compiler(let text): return place + text
        }
    }

    private static func list(_ names: [String]) -> String {
        var text = names.isEmpty ? "none" : ""
        for name in names { text += (text.isEmpty ? "'" : ", '") + name + "'" }
        return text
    }
}
