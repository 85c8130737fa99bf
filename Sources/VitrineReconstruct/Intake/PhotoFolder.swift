import VitrineFiles

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The files of a folder of photos: photos and their companions.
struct PhotoFolder: Sendable {
    /// A file that may be a photo, with its companions.
    struct Entry: Sendable {
        let url: URL
        var mask: URL?
        var depth: URL?
        /// The subfolder that the file lies in, if the folder has one for each scan pass.
        var pass: String?
        /// The JSON of a capture session: see `ShotRecord`.
        var record: URL?
        /// The reason why the file is not a photo, from its name only; nil for most files.
        var refusal: String?
    }

    /// The entries, ordered by name as a person would sort them: `img2` before `img10`.
    let entries: [Entry]
    /// Masks and depth maps without a photo, and photos without one if others have it: one line each.
    let warnings: [String]

    /// Lists the photos of a folder and the files that belong to them.
    ///
    /// - Parameter masks: a folder of masks; nil: only those beside the photos, as `NAME_mask.png`.
    /// - Throws: `PhotogrammetrySession.Error.invalidImages`; `ReconstructionError.invalidOption` for a folder of masks that is not there, or
    ///   has none for any of the photos.
    init(_ folder: URL, masks: URL?) throws {
        var files = try PhotoFolder.files(in: folder)
        var photoFolder = folder
        // Data sets keep their photos one folder down.
        let inner = folder.appendingPathComponent("images")
        if !files.contains(where: { PhotoFolder.hasImageName($0) }), let found = try? PhotoFolder.files(in: inner), !found.isEmpty {
            (files, photoFolder) = (found, inner)
        }
        if !files.contains(where: { PhotoFolder.hasImageName($0) }) {
            let passes = PhotoFolder.passes(in: folder) + PhotoFolder.passes(in: inner)
            if passes.count > 1, masks == nil {
                let all = passes.map { folder in (folder, Companions((try? PhotoFolder.files(in: folder)) ?? [])) }
                entries = all.flatMap { folder, companions in
                    companions.entries.map { entry in
                        var entry = entry
                        entry.pass = folder.lastPathComponent
                        return entry
                    }
                }
                warnings = all.flatMap { $0.1.warnings }
                return
            }
        }
        guard !files.isEmpty else { throw PhotogrammetrySession.Error.invalidImages(folder) }
        var companions = Companions(files)
        if let masks { companions.add(masks: try PhotoFolder.maskFiles(in: masks), of: masks) }
        let depthFolders = ["depth", "depths"].flatMap { name in
            [photoFolder.appendingPathComponent(name), photoFolder.deletingLastPathComponent().appendingPathComponent(name)]
        }
        for folder in depthFolders {
            guard let files = try? PhotoFolder.files(in: folder), !files.isEmpty else { continue }
            companions.add(depths: files, of: folder)
            break
        }
        entries = companions.entries
        warnings = companions.warnings
        if let masks, !entries.contains(where: { $0.mask?.deletingLastPathComponent().path == masks.path }) {
            throw ReconstructionError.invalidOption("\(masks.relativePath): none of its files has the name of a photo")
        }
    }

    /// The subfolders with photos, one for each pass; by name.
    private static func passes(in folder: URL) -> [URL] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        let others: Set = ["mask", "masks", "depth", "depths"]
        return names.filter { !$0.hasPrefix(".") && !others.contains($0.lowercased()) }.sorted(by: precedes)
            .map { folder.appendingPathComponent($0) }
            .filter { ((try? files(in: $0)) ?? []).contains { hasImageName($0) } }
    }

    private static func maskFiles(in folder: URL) throws -> [URL] {
        guard let files = try? files(in: folder), !files.isEmpty else {
            throw ReconstructionError.invalidOption("\(folder.relativePath): not a folder with masks")
        }
        return files
    }

    /// Regular files that are not hidden.
    private static func files(in folder: URL) throws -> [URL] {
        guard FileStatus.isFolder(folder.path), let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
        else { throw PhotogrammetrySession.Error.invalidImages(folder) }
        return names.filter { !$0.hasPrefix(".") }.sorted(by: precedes).map { folder.appendingPathComponent($0) }.filter {
            FileStatus(path: $0.path).map { $0.kind != .folder } == true
        }
    }

    static func hasImageName(_ url: URL) -> Bool { CompanionName.imageExtensions.contains(url.pathExtension.lowercased()) }

    /// Numbers in names count as numbers; otherwise by their characters, those of the extension last: `IMG.jpg` precedes its copy `IMG (1).jpg`.
    static func precedes(_ a: String, _ b: String) -> Bool {
        var (left, right) = (a.deletingPathExtension[...], b.deletingPathExtension[...])
        while let x = left.first, let y = right.first {
            if x.isASCII, x.isNumber, y.isASCII, y.isNumber {
                let (first, second) = (takeNumber(&left), takeNumber(&right))
                let (m, n) = (first.drop { $0 == "0" }, second.drop { $0 == "0" })
                if m.count != n.count { return m.count < n.count }
                if m != n { return m < n }
            } else {
                if x != y { return x < y }
                left.removeFirst()
                right.removeFirst()
            }
        }
        return left.count != right.count ? left.count < right.count : a < b
    }

    private static func takeNumber(_ text: inout Substring) -> Substring {
        let number = text.prefix { $0.isASCII && $0.isNumber }
        text = text.dropFirst(number.count)
        return number
    }
}

extension PhotogrammetrySession {
    /// Whether the name of a file is that of an image.
    package static func hasImageName(_ path: String) -> Bool { CompanionName.imageExtensions.contains(path.pathExtension.lowercased()) }

    /// Returns whether photo `a` precedes photo `b`. Numbers in names are compared as numbers.
    package static func precedes(_ a: String, _ b: String) -> Bool { PhotoFolder.precedes(a, b) }
}
