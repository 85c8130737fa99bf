import VitrineImageFiles

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Font {
    /// Returns an installed font.
    ///
    /// ```swift
    /// let bold = try Font.system(named: "DejaVuSans-Bold")
    /// ```
    ///
    /// - Parameter name: The file name without extension; case, spaces, hyphens and underscores do not matter. nil: the first installed of
    ///   DejaVu Sans, Liberation Sans, Noto Sans, FreeSans, Helvetica and Arial, otherwise the first font by path.
    /// - Throws: `.noFont` with the folders that were searched; `.file`, `.notAFont`.
    public static func system(named name: String? = nil) throws(TextError) -> Font {
        let files = installedFiles()
        let wanted = name.map { [$0] } ?? preferred
        for candidate in wanted {
            if let file = files.first(where: { plain($0.deletingPathExtension().lastPathComponent) == plain(candidate) }) {
                return try Font(contentsOf: file)
            }
        }
        guard name == nil, let first = files.first else { throw .noFont(named: name, searched: folders) }
        return try Font(contentsOf: first)
    }

    private static let preferred = [
        "DejaVuSans", "LiberationSans-Regular", "NotoSans-Regular", "FreeSans", "Helvetica", "Arial",
    ]

    private static let folders: [String] = {
        let home = ProcessInfo.processInfo.environment["HOME"]
        let own = home.map { ["\($0)/.local/share/fonts", "\($0)/.fonts", "\($0)/Library/Fonts"] } ?? []
        return own + ["/usr/local/share/fonts", "/usr/share/fonts", "/Library/Fonts", "/System/Library/Fonts"]
    }()

    private static func plain(_ name: String) -> String { name.lowercased().filter { $0 != " " && $0 != "-" && $0 != "_" } }

    /// Font files, folder by folder, sorted by path within each.
    static func installedFiles() -> [URL] {
        var files: [URL] = []
        for folder in folders { collect(URL(fileURLWithPath: folder), depth: 0, into: &files) }
        return files
    }

    private static let extensions: Set<String> = ["ttf", "otf", "ttc", "otc"]

    private static func collect(_ folder: URL, depth: Int, into files: inout [URL]) {
        guard depth < 6, files.count < 20_000 else { return }
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
        for name in names {
            let entry = folder.appendingPathComponent(name)
            if extensions.contains(entry.pathExtension.lowercased()) {
                files.append(entry)
            } else if !name.contains(".") {
                collect(entry, depth: depth + 1, into: &files)
            }
        }
    }
}
