import VitrineGPU

/// The GPU to render on if a machine has several.
public enum RenderAdapter: Equatable, Sendable {
    /// The fastest adapter: discrete GPUs before integrated ones, and those before software.
    case automatic
    /// The fastest adapter that is not a software renderer.
    case hardware
    /// A software renderer: slower, with the same images in every run.
    case software
    /// The fastest one whose name, vendor, driver or backend contains this text, ignoring case.
    case named(String)

    /// Parses `auto` (or an empty text), `hardware`, `software`, or a part of a name.
    public init(parsing text: String) {
        switch GPUAdapterChoice(parsing: text) {
        case .automatic: self = .automatic
        case .hardware: self = .hardware
        case .software: self = .software
        case .named(let name): self = .named(name)
        }
    }

    /// The WebGPU module's name for it.
    package var choice: GPUAdapterChoice {
        switch self {
        case .automatic: .automatic
        case .hardware: .hardware
        case .software: .software
        case .named(let name): .named(name)
        }
    }
}
