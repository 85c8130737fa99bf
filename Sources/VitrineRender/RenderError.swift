import VitrineGPU
import VitrineScene

/// An error of preparing or rendering a frame.
public enum RenderError: Error, CustomStringConvertible {
    /// The GPU reported an error; `doing` names the operation.
    case device(message: String, doing: String)
    /// A field of `RenderOptions` or `View` is out of range.
    case invalidOption(name: String, reason: String)
    /// The environment's image is neither equirectangular nor a cube map.
    case environmentLayout(name: String, width: Int, height: Int)
    /// The environment's image exceeds the GPU's texture size.
    case environmentTooLarge(name: String, width: Int, height: Int, limit: Int)
    /// A texture that is still compressed: decode it before it is drawn.
    case encodedTexture(name: String)
    /// An image that exceeds the GPU's texture size.
    case textureTooLarge(name: String, width: Int, height: Int, limit: Int)
    /// A material whose maps use more sets of texture coordinates than can be drawn at once.
    case tooManyTextureCoordinateSets(material: String, count: Int, limit: Int)
    /// A material's surface function is invalid.
    case surfaceFunction(SurfaceFunctionError)
    /// The scene has more objects of this kind than one frame supports.
    case tooMany(what: String, count: Int, limit: Int)
    /// The caller cancelled the work.
    case cancelled

    public var description: String {
        switch self {
        case .device(let message, let doing): "\(doing): \(message)"
        case .invalidOption(let name, let reason): "\(name) \(reason)"
        case .environmentLayout(let name, let width, let height):
            "environment: \(name): \(width) × \(height) is not an environment: use 2:1 (equirectangular), or a cube map as 6:1, 1:6, 4:3 or 3:4"
        case .environmentTooLarge(let name, let width, let height, let limit):
            "environment: \(name): \(width) × \(height) exceeds this GPU's \(limit) texels per side"
        case .encodedTexture(let name): "texture '\(name)' is still compressed: decode it before it is drawn"
        case .textureTooLarge(let name, let width, let height, let limit):
            "texture '\(name)' has \(width) × \(height) pixels, this GPU takes \(limit) × \(limit): "
                + "load the model with maximumTextureSide \(limit) (--texture-size \(limit))"
        case .tooManyTextureCoordinateSets(let material, let count, let limit):
            "material '\(material)' uses \(count) sets of texture coordinates, at most \(limit) can be drawn"
        case .surfaceFunction(let error): error.description
        case .tooMany(let what, let count, let limit): "\(count) \(what), at most \(limit) can be drawn"
        case .cancelled: "stopped"
        }
    }
}

extension RenderError {
    package static func gpu(_ error: GPUError, doing: String) -> RenderError { .device(message: error.description, doing: doing) }
}

/// Runs GPU calls; errors name their purpose.
func attempting<Result: ~Copyable>(_ doing: String, _ body: () throws(GPUError) -> Result) throws(RenderError) -> Result {
    do throws(GPUError) { return try body() } catch { throw .gpu(error, doing: doing) }
}
