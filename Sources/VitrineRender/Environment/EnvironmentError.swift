import VitrineGPU

/// Why an image is not a valid environment.
public enum EnvironmentError: Error, Sendable, CustomStringConvertible {
    /// Neither equirectangular nor a cube map: see `EnvironmentLayout`.
    case unknownLayout(name: String, width: Int, height: Int)
    /// The image exceeds the device's texture size.
    case tooLarge(name: String, width: Int, height: Int, limit: Int)
    /// The GPU reported an error.
    case device(message: String)

    /// A message for people.
    public var description: String {
        switch self {
        case .unknownLayout(let name, let width, let height):
            "\(name): \(width) × \(height) is not an environment: use 2:1 (equirectangular), or a cube map as 6:1, 1:6, 4:3 or 3:4"
        case .tooLarge(let name, let width, let height, let limit):
            "\(name): \(width) × \(height) exceeds this GPU's \(limit) texels per side"
        case .device(let message): message
        }
    }

    static func gpu(_ error: GPUError) -> EnvironmentError { .device(message: error.description) }
}
