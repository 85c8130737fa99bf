import VitrineGPU

/// An error of simulating or drawing particles.
public enum ParticleError: Error, CustomStringConvertible {
    /// A field of `ParticleSettings` is out of its range.
    case invalidSetting(name: String, reason: String)
    /// The update function does not compile: line and column from 1, in the user's own file; column 0: the whole line.
    case function(file: String, line: Int, column: Int, message: String)
    case gpu(GPUError, doing: String)

    public var description: String {
        switch self {
        case .invalidSetting(let name, let reason): "particles: \(name) \(reason)"
        case .function(let file, let line, let column, let message): "\(file):\(line)\(column > 0 ? ":\(column)" : ""): \(message)"
        case .gpu(let error, let doing): "\(doing): \(error.description)"
        }
    }
}
