import VitrineGPU
import VitrineRender

/// Why layers can't be drawn.
public enum LayerError: Error, CustomStringConvertible {
    /// The GPU refused; `doing` says what for.
    case gpu(GPUError, doing: String)
    /// A size or an option is out of range.
    case invalidOption(name: String, reason: String)
    /// A 3D scene in a layer can't be drawn.
    case scene(RenderError)
    /// An effect of a layer, at its place in the shader's file.
    case shader(ShaderError)
    case particles(ParticleError)
    /// The picture to draw into can't be made or read.
    case target(RenderError)
    /// A layer has what can't be drawn: `layer` is its name, `what` says why.
    case unsupported(layer: String, what: String)
    /// Layers lie on each other deeper than this.
    case tooDeep(limit: Int)

    public var description: String {
        switch self {
        case .gpu(let error, let doing): "\(doing): \(error.description)"
        case .invalidOption(let name, let reason): "\(name) \(reason)"
        case .scene(let error): "a scene in a layer: \(error.description)"
        case .shader(let error): error.description
        case .particles(let error): error.description
        case .target(let error): error.description
        case .unsupported(let layer, let what): "layer '\(layer)': \(what)"
        case .tooDeep(let limit): "layers lie on each other more than \(limit) deep"
        }
    }
}

/// Runs GPU calls and says what they were for when they fail.
func attempting<Result: ~Copyable>(_ doing: String, _ body: () throws(GPUError) -> Result) throws(LayerError) -> Result {
    do throws(GPUError) { return try body() } catch { throw .gpu(error, doing: doing) }
}
