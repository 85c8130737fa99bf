import VitrineGPU

/// Why an image is not a valid environment.
public enum EnvironmentError: Error, Sendable, CustomStringConvertible {
    /// Neither equirectangular nor a cube: see `EnvironmentLayout`.
    case unknownLayout(name: String, width: Int, height: Int)
    /// The image exceeds the device's texture size.
    case tooLarge(name: String, width: Int, height: Int, limit: Int)
    case gpu(GPUError)

    public var description: String {
        switch self {
        case .unknownLayout(let name, let width, let height):
            "\(name): \(width) × \(height) is no environment: 2:1 (all around), or a cube as 6:1, 1:6, 4:3 or 3:4"
        case .tooLarge(let name, let width, let height, let limit):
            "\(name): \(width) × \(height) is more than this GPU's \(limit) texels a side"
        case .gpu(let error): error.description
        }
    }
}
