import Foundation

extension CommandOption {
    /// `--allow-folder DIR`, which may be given several times.
    static func allowFolder(_ add: @escaping @Sendable (inout Settings, URL) -> Void) -> CommandOption {
        CommandOption(
            "--allow-folder", value: "DIR",
            help: "Also reads files that the model names in this folder and below, such as layers at ../. May be given several times. "
                + "Without it, only the model's own folder is read, and links that lead out of it are refused."
        ) { (settings, text) throws(UsageError) in
            guard !text.isEmpty else { throw UsageError("DIR is empty") }
            add(&settings, URL(fileURLWithPath: text))
        }
    }
}
