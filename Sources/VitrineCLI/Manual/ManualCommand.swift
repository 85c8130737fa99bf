import Vitrine
import VitrineImageFiles

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Command {
    static let manual = Command(
        name: "manual", summary: "Writes manual pages for 'man vitrine'.",
        help: { ManualSettings.table.help(command: "manual", summary: ManualSettings.summary, examples: ManualSettings.examples) },
        run: { arguments in
            var settings = ManualSettings()
            let folder = URL(fileURLWithPath: try ManualSettings.table.parse(arguments, into: &settings)[0])
            do {
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            } catch {
                throw CommandError(file: folder.relativePath, reason: "the folder cannot be created: \(describe(error))")
            }
            for page in ManualPage.all {
                try AtomicFile.write(Array(page.text.utf8), to: folder.appendingPathComponent(page.fileName))
            }
        }, relatedWords: ["man", "manpages"])
}

private struct ManualSettings {
    static let summary = "Writes a manual page for vitrine and for each of its commands into FOLDER, in the format of man."
    static let examples = ["vitrine manual ~/.local/share/man/man1", "man vitrine-render"]
    static let table = ArgumentTable<ManualSettings>(operands: ["FOLDER"], sections: [])
}
