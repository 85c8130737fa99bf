import VitrineGPU
import VitrineRender

/// An error of rendering layers.
public enum LayerError: Error, CustomStringConvertible {
    /// The GPU reported an error; `doing` names the operation.
    case device(message: String, doing: String)
    /// A size, an option or a field of `ParticleSettings` is out of its range.
    case invalidOption(name: String, reason: String)
    /// A 3D scene in a layer cannot be rendered.
    case scene(RenderError)
    /// An effect or a particle function has an error, with its position in your source.
    case shader(ShaderError)
    /// The target of an image cannot be created or read.
    case target(RenderError)
    /// A layer has an unsupported property: `layer` is its name, `what` the reason.
    case unsupported(layer: String, what: String)
    /// The tree is deeper than this limit.
    case tooDeep(limit: Int)

    public var description: String {
        switch self {
        case .device(let message, let doing): "\(doing): \(message)"
        case .invalidOption(let name, let reason): "\(name) \(reason)"
        case .scene(let error): "a scene in a layer: \(error.description)"
        case .shader(let error): error.description
        case .target(let error): error.description
        case .unsupported(let layer, let what): "layer '\(layer)': \(what)"
        case .tooDeep(let limit): "layers are nested more than \(limit) deep"
        }
    }
}

extension LayerError {
    package static func gpu(_ error: GPUError, doing: String) -> LayerError { .device(message: error.description, doing: doing) }
}

/// Runs GPU calls and adds the operation to their errors.
func attempting<Result: ~Copyable>(_ doing: String, _ body: () throws(GPUError) -> Result) throws(LayerError) -> Result {
    do throws(GPUError) { return try body() } catch { throw .gpu(error, doing: doing) }
}
