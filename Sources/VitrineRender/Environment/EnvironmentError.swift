import VitrineGPU

/// Why light can't be made from a picture.
public enum EnvironmentError: Error, Sendable, CustomStringConvertible {
    /// An equirectangular picture is twice as wide as high.
    case notEquirectangular(name: String, width: Int, height: Int)
    /// The device's textures are smaller than the picture.
    case tooLarge(name: String, width: Int, height: Int, limit: Int)
    case gpu(GPUError)

    public var description: String {
        switch self {
        case .notEquirectangular(let name, let width, let height):
            "\(name): \(width) × \(height) is not twice as wide as high, as an equirectangular environment must be"
        case .tooLarge(let name, let width, let height, let limit):
            "\(name): \(width) × \(height) is more than this GPU's \(limit) texels a side"
        case .gpu(let error): error.description
        }
    }
}
