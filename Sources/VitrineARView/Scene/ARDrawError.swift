import VitrineGPU
import VitrineRender

/// Why drawing a frame failed.
public enum ARDrawError: Error, CustomStringConvertible {
    /// A GPU error during an operation.
    case gpu(GPUError, doing: String)
    /// An error of the scene renderer.
    case render(RenderError)

    public var description: String {
        switch self {
        case .gpu(let error, let doing): "\(doing): \(error.description)"
        case .render(let error): error.description
        }
    }
}
