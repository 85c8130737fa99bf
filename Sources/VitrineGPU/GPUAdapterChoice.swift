/// Which adapter to use when a machine has several.
public enum GPUAdapterChoice: Sendable, Equatable {
    /// The strongest there is: discrete before integrated before software.
    case automatic
    /// As `automatic`, but never software.
    case hardware
    /// Only a software renderer: slower, with the same images on every run.
    case software
    /// The strongest whose name, vendor, driver or backend contains this text, in any case of letters.
    case named(String)

    /// The choice that a person writes: `auto` (or nothing), `hardware`, `software`, else a part of a name.
    ///
    /// A program reads it from a flag or from the environment variable `VITRINE_ADAPTER`; this module reads no environment.
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

    /// The text that `init(parsing:)` parses.
    public var description: String {
        switch self {
        case .automatic: "auto"
        case .hardware: "hardware"
        case .software: "software"
        case .named(let text): text
        }
    }

    /// The best of `adapters` for this choice; earlier ones win ties.
    func best(of adapters: [GPUAdapter]) -> GPUAdapter? {
        var best: GPUAdapter?
        for adapter in adapters where allows(adapter.info) {
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
