import Foundation

/// The files of a folder of photos: what is a photo, and what goes with one.
struct PhotoFolder: Sendable {
    /// A file that may be a photo, with its companions.
    struct Entry: Sendable {
        let url: URL
        var mask: URL?
        var depth: URL?
    }

    /// By name, as a person would sort them: `img2` before `img10`.
    let entries: [Entry]

    /// - Parameter masks: a folder of masks; nil: only those beside the photos, as `NAME_mask.png`.
    /// - Throws: `PhotogrammetrySession.Error.invalidImages`.
    init(_ folder: URL, masks: URL?) throws {
        var files = try PhotoFolder.files(in: folder)
        var place = folder
        // Data sets keep their photos one folder down.
        let inner = folder.appendingPathComponent("images")
        if !files.contains(where: { PhotoFolder.hasPictureName($0) }), let found = try? PhotoFolder.files(in: inner), !found.isEmpty {
            (files, place) = (found, inner)
        }
        guard !files.isEmpty else { throw PhotogrammetrySession.Error.invalidImages(folder) }
        let maskFiles = try masks.map { PhotoFolder.byStem(try PhotoFolder.files(in: $0)) }
        let depthFolders = ["depth", "depths"].flatMap { name in
            [place.appendingPathComponent(name), place.deletingLastPathComponent().appendingPathComponent(name)]
        }
        var depthFiles: [String: URL] = [:]
        for folder in depthFolders where depthFiles.isEmpty {
            depthFiles = PhotoFolder.byStem((try? PhotoFolder.files(in: folder)) ?? [])
        }
        entries = PhotoFolder.pair(files, masks: maskFiles, depths: depthFiles)
    }

    private static func pair(_ files: [URL], masks: [String: URL]?, depths: [String: URL]) -> [Entry] {
        let stems = Set(files.filter { role(of: $0) == .photo }.map { stem($0) })
        var (besideMasks, besideDepths): ([String: URL], [String: URL]) = ([:], [:])
        var photos: [URL] = []
        for file in files {
            let role = role(of: file)
            if role != .photo, stems.contains(stem(file)) {
                if role == .mask { besideMasks[stem(file)] = file } else { besideDepths[stem(file)] = file }
            } else {
                photos.append(file)
            }
        }
        return photos.map { photo in
            let key = stem(photo)
            return Entry(url: photo, mask: masks?[key] ?? besideMasks[key], depth: besideDepths[key] ?? depths[key])
        }
    }

    /// Regular files that aren't hidden.
    private static func files(in folder: URL) throws -> [URL] {
        let manager = FileManager.default
        var isDirectory: ObjCBool = false
        guard manager.fileExists(atPath: folder.path, isDirectory: &isDirectory), isDirectory.boolValue,
            let names = try? manager.contentsOfDirectory(atPath: folder.path)
        else { throw PhotogrammetrySession.Error.invalidImages(folder) }
        return names.filter { !$0.hasPrefix(".") }.sorted(by: precedes).map { folder.appendingPathComponent($0) }.filter {
            var isDirectory: ObjCBool = false
            return manager.fileExists(atPath: $0.path, isDirectory: &isDirectory) && !isDirectory.boolValue
        }
    }

    private static func hasPictureName(_ url: URL) -> Bool {
        ["jpg", "jpeg", "png", "webp", "heic", "heif"].contains(url.pathExtension.lowercased())
    }

    private enum Role { case photo, mask, depth }

    /// Depth maps and masks say so in their names, between the photo's name and the extension.
    private static func role(of url: URL) -> Role {
        if url.pathExtension.lowercased() == "exr" { return .depth }
        switch split(url.deletingPathExtension().lastPathComponent).suffix {
        case "mask", "masks": return .mask
        case "depth": return .depth
        default: return .photo
        }
    }

    /// The name that a photo, its mask and its depth map share: `a_mask.png`, `a.color.jpg`, `a.jpg.png` and `a.png` all give `a`.
    private static func stem(_ url: URL) -> String {
        var name = url.deletingPathExtension().lastPathComponent
        let second = (name as NSString).pathExtension.lowercased()
        if ["jpg", "jpeg", "png", "webp", "heic"].contains(second) { name = (name as NSString).deletingPathExtension }
        return split(name).base
    }

    private static func split(_ name: String) -> (base: String, suffix: String) {
        guard let mark = name.lastIndex(where: { $0 == "_" || $0 == "." || $0 == "-" }) else { return (name, "") }
        let suffix = name[name.index(after: mark)...].lowercased()
        return ["mask", "masks", "depth", "color", "colour", "rgb"].contains(suffix) ? (String(name[..<mark]), suffix) : (name, "")
    }

    private static func byStem(_ files: [URL]) -> [String: URL] {
        Dictionary(files.map { (stem($0), $0) }) { first, _ in first }
    }

    /// Numbers in names count as numbers; else by their characters.
    static func precedes(_ a: String, _ b: String) -> Bool {
        var (left, right) = (Substring(a), Substring(b))
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
