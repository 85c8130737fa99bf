import VitrineGPU
import VitrineRender

/// Why a frame can't be drawn.
public enum ARDrawError: Error, CustomStringConvertible {
    /// The GPU refused; `doing` says what for.
    case gpu(GPUError, doing: String)
    case render(RenderError)

    public var description: String {
        switch self {
        case .gpu(let error, let doing): "\(doing): \(error.description)"
        case .render(let error): error.description
        }
    }
}
