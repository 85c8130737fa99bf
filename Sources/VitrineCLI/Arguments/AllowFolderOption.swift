#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension CommandOption {
    /// `--allow-folder DIR`, repeatable.
    static func allowFolder(_ add: @escaping @Sendable (inout Settings, URL) -> Void) -> CommandOption {
        CommandOption(
            "--allow-folder", value: "DIR",
            help: "Also reads files of the model in this folder and below, such as layers at ../. By default only files in the "
                + "model's own folder are read, and links that leave it are refused. Repeatable."
        ) { (settings, text) throws(UsageError) in
            guard !text.isEmpty else { throw UsageError("DIR is empty") }
            add(&settings, URL(fileURLWithPath: text))
        }
    }
}
