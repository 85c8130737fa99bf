#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Assigns masks, depth maps and records of a capture session to photos by their names.
struct Companions {
    private(set) var entries: [PhotoFolder.Entry] = []
    private(set) var warnings: [String] = []
    /// The stems of `entries`, in their order.
    private var stems: [String] = []

    /// Assigns files to photos.
    ///
    /// - Parameter files: The files of the photos' folder, in order.
    init(_ files: [URL]) {
        let names = files.map { CompanionName($0) }
        let photos = Set(names.filter { $0.role == .photo }.map(\.stem))
        var (masks, depths, records): ([String: URL], [String: URL], [String: URL]) = ([:], [:], [:])
        for (file, name) in zip(files, names) {
            if name.role != .photo, photos.contains(name.stem) {
                switch name.role {
                case .mask: masks[name.stem] = file
                case .record: records[name.stem] = file
                case .depth, .photo: depths[name.stem] = file
                }
            } else {
                // If all files have such names, they are photos.
                let isOrphan = [.mask, .depth].contains(name.role) && !photos.isEmpty
                entries.append(PhotoFolder.Entry(url: file, refusal: isOrphan ? Self.refusal(of: name) : nil))
                stems.append(isOrphan ? "" : name.stem)
            }
        }
        for index in entries.indices {
            let stem = stems[index]
            (entries[index].mask, entries[index].depth, entries[index].record) = (masks[stem], depths[stem], records[stem])
        }
        if !masks.isEmpty { noteMissing("mask", in: "the folder") { $0.mask } }
        if !depths.isEmpty { noteMissing("depth map", in: "the folder") { $0.depth } }
    }

    private static func refusal(of name: CompanionName) -> String {
        "has the name of a \(name.role == .mask ? "mask" : "depth map"), but there is no photo '\(name.stem)'"
    }

    /// Adds the masks of a separate folder, which replace those beside the photos.
    mutating func add(masks files: [URL], of folder: URL) {
        let found = match(files, of: folder, kind: "mask")
        for index in entries.indices { if let file = found[stems[index]] { entries[index].mask = file } }
        if !found.isEmpty { noteMissing("mask", in: folder.lastPathComponent) { $0.mask } }
    }

    /// Adds the depth maps of a separate folder; those beside the photos have precedence.
    mutating func add(depths files: [URL], of folder: URL) {
        let found = match(files, of: folder, kind: "depth map")
        for index in entries.indices where entries[index].depth == nil { entries[index].depth = found[stems[index]] }
        if !found.isEmpty { noteMissing("depth map", in: folder.lastPathComponent) { $0.depth } }
    }

    /// The files by the stems of photos; files without a photo give a warning.
    private mutating func match(_ files: [URL], of folder: URL, kind: String) -> [String: URL] {
        let wanted = Set(stems)
        // Data sets number masks `025` and photos `000025`: without equal names, numbers are compared. Ambiguous numbers match no photo.
        let numbered = Dictionary(stems.map { (CompanionName.plainNumbers($0), $0) }) { _, _ in "" }
        let isExact = files.contains { wanted.contains(CompanionName($0).stem) }
        var found: [String: URL] = [:]
        var strangers: [String] = []
        for file in files {
            let own = CompanionName(file).stem
            let stem = isExact ? own : numbered[CompanionName.plainNumbers(own)] ?? ""
            if !stem.isEmpty, wanted.contains(stem), found[stem] == nil {
                found[stem] = file
            } else {
                strangers.append(file.lastPathComponent)
            }
        }
        if found.isEmpty {
            warnings.append("\(folder.lastPathComponent): no file of \(files.count) has the name of a photo: no \(kind) is used")
        } else if !strangers.isEmpty {
            warnings.append("\(folder.lastPathComponent): there is no photo for \(NameList.short(strangers))")
        }
        return found
    }

    private mutating func noteMissing(_ kind: String, in location: String, _ companion: (PhotoFolder.Entry) -> URL?) {
        let missing = entries.filter { $0.refusal == nil && companion($0) == nil && PhotoFolder.hasImageName($0.url) }
        guard !missing.isEmpty else { return }
        warnings.append("no \(kind) in \(location) for \(NameList.short(missing.map(\.url.lastPathComponent)))")
    }
}

/// Names in a message.
enum NameList {
    /// `a, b, c and 5 more`.
    static func short(_ names: [String]) -> String {
        names.count <= 6 ? names.joined(separator: ", ") : names.prefix(5).joined(separator: ", ") + " and \(names.count - 5) more"
    }
}
