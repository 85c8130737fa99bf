/// The reason for which a scene cannot be path traced.
package enum PathTracerError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A material has custom WGSL, which runs on a GPU only.
    case surfaceFunction(material: String)
    /// A texture's image has not been decoded.
    case undecodedTexture(name: String)
    /// The environment's image has none of the layouts of `Environment`.
    case environmentLayout(name: String, width: Int, height: Int)
    /// A value is out of range.
    case invalidOption(name: String, reason: String)
    /// Bytes are not the samples of this render.
    case state(reason: String)

    package var description: String {
        switch self {
        case .surfaceFunction(let material):
            "material '\(material)' has a surface function (WGSL), which the path tracer cannot run"
        case .undecodedTexture(let name): "texture '\(name)' is not decoded"
        case .environmentLayout(let name, let width, let height):
            "environment '\(name)': \(width) × \(height) is neither 2:1 nor a cube map"
        case .invalidOption(let name, let reason): "\(name) \(reason)"
        case .state(let reason): reason
        }
    }
}
