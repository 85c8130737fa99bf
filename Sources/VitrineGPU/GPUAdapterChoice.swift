/// Selects an adapter on a machine with several.
public enum GPUAdapterChoice: Sendable, Equatable {
    /// The fastest adapter: discrete GPUs before integrated ones, and those before software.
    case automatic
    /// The fastest hardware adapter; never a software renderer.
    case hardware
    /// A software renderer: slower, with the same images on every run.
    case software
    /// The fastest adapter whose name, vendor, driver or backend contains this text; upper and lower case are equal.
    case named(String)

    /// Parses a choice: `auto` (or an empty text), `hardware`, `software`, otherwise a part of an adapter's name.
    ///
    /// Programs usually get the text from an option or from the environment variable `VITRINE_ADAPTER`; this module reads no environment.
    public init(parsing text: String) {
        let word = Array(ErrorText.lowercased(text).utf8)
        if word.isEmpty || word.elementsEqual("auto".utf8) || word.elementsEqual("automatic".utf8) {
            self = .automatic
        } else if word.elementsEqual("hardware".utf8) {
            self = .hardware
        } else if word.elementsEqual("software".utf8) {
            self = .software
        } else {
            self = .named(text)
        }
    }

    /// The text from which `init(parsing:)` creates this choice.
    public var description: String {
        switch self {
        case .automatic: "auto"
        case .hardware: "hardware"
        case .software: "software"
        case .named(let text): text
        }
    }

    /// Returns the best of `adapters` with compute shaders for this choice, the first of several with the same rank.
    func best(of adapters: [GPUAdapter]) -> GPUAdapter? {
        var best: GPUAdapter?
        for adapter in adapters where adapter.info.hasComputeShaders && allows(adapter.info) {
            if best == nil || adapter.info.rank > best!.info.rank { best = adapter }
        }
        return best
    }

    private func allows(_ info: GPUAdapterInfo) -> Bool {
        switch self {
        case .automatic: return true
        case .hardware: return info.kind != .software
        case .software: return info.kind == .software
        case .named(let part):
            let part = ErrorText.lowercased(part)
            for text in [info.name, info.vendor, info.driver, info.backend.name]
            where ErrorText.contains(ErrorText.lowercased(text), part) { return true }
            return false
        }
    }
}
