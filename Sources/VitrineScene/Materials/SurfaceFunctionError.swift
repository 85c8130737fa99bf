/// The reason why a surface function is invalid, with file and line of its source.
public struct SurfaceFunctionError: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Reason: Equatable, Sendable {
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
    /// The line, from 1.
    public let line: Int
    /// The column, from 1; 0 for the whole line.
    public let column: Int
    package let reason: Reason

    package init(file: String, line: Int, column: Int = 0, _ reason: Reason) {
        (self.file, self.line, self.column, self.reason) = (file, line, column, reason)
    }

    /// The reason, without the position.
    public var message: String {
        switch reason {
        case .noFunction(let name, let found):
            "the surface function has no 'fn \(name)(in: SurfaceInput, s: ptr<function, Surface>)'; it has \(Self.list(found))"
        case .invalidName(let name): "'\(name)' is not a valid name in WGSL"
        case .noUniform(let name, let found): "the surface function has no uniform '\(name)'; it has \(Self.list(found))"
        case .uniformType(let name, let expected, let actual): "uniform '\(name)' is a \(expected), not a \(actual)"
        case .compiler(let text): text
        }
    }

    /// The error in the form `FILE:LINE:COLUMN: MESSAGE`.
    public var description: String { column > 0 ? "\(file):\(line):\(column): \(message)" : "\(file):\(line): \(message)" }

    private static func list(_ names: [String]) -> String {
        var text = names.isEmpty ? "none" : ""
        for name in names { text += (text.isEmpty ? "'" : ", '") + name + "'" }
        return text
    }
}
