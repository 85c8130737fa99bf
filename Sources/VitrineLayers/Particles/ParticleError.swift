import VitrineGPU

/// An error of simulating or drawing particles.
public enum ParticleError: Error, CustomStringConvertible {
    /// A field of `ParticleSettings` is out of its range.
    case invalidSetting(name: String, reason: String)
    /// The update function does not compile: line and column from 1, in the user's own file; column 0: the whole line.
    case function(file: String, line: Int, column: Int, message: String)
    /// The GPU reported an error; `doing` names the operation.
    case device(message: String, doing: String)

    public var description: String {
        switch self {
        case .invalidSetting(let name, let reason): "particles: \(name) \(reason)"
        case .function(let file, let line, let column, let message): "\(file):\(line)\(column > 0 ? ":\(column)" : ""): \(message)"
        case .device(let message, let doing): "\(doing): \(message)"
        }
    }

    package static func gpu(_ error: GPUError, doing: String) -> ParticleError { .device(message: error.description, doing: doing) }
}
