import VitrineImageFiles

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The files of a foreign recording.
struct ImportFiles {
    let directory: URL

    init(_ directory: URL) { self.directory = directory }

    static func exists(_ directory: URL, _ name: String) -> Bool {
        FileManager.default.fileExists(atPath: directory.path + "/" + name)
    }

    func yaml(_ name: String) throws(SourceError) -> YAMLValue { try YAMLParser.parse(try bytes(name, limit: 1 << 20), name: name) }

    func bytes(_ name: String, limit: Int) throws(SourceError) -> [UInt8] {
        do throws(FileError) {
            return try FileBytes.read(directory.appendingPathComponent(name), limit: limit)
        } catch {
            throw .broken(error.description)
        }
    }

    /// Reads the rows of a table; skips a heading.
    ///
    /// - Parameter body: Returns the problem of an unusable row, which is counted; nil for a valid row.
    func rows(
        _ name: String, atLeast fields: Int, _ problems: inout SourceProblems,
        _ body: (FieldTable.Row) throws(SourceError) -> String?
    ) throws(SourceError) {
        var isFirst = true
        try FieldTable.forEachRow(directory.appendingPathComponent(name), name: name) { row throws(SourceError) in
            defer { isFirst = false }
            if isFirst, NumberText.double(row.fields[0]) == nil { return }
            guard row.fields.count >= fields else {
                problems.add("\(row.location): \(row.fields.count) values instead of \(fields)")
                return
            }
            if let reason = try body(row) { problems.add("\(row.location): \(reason)") }
        }
    }

    /// The names in a folder, sorted; empty if it does not exist.
    func names(in folder: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: directory.appendingPathComponent(folder).path)) ?? []).sorted()
    }
}
