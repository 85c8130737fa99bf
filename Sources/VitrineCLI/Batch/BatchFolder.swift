import Vitrine
import VitrineMath
import VitrineReconstruct

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The objects of a batch: each subfolder with photos and each video of a folder.
struct BatchFolder {
    struct Object {
        /// The folder's name, or the video's without extension: the value of `{name}`.
        let name: String
        let path: String
        let isVideo: Bool
        /// The number of files with the name of an image, for estimates of the time; a video counts as 80.
        let photos: Int
        /// Changes when a file is added, removed or written.
        let fingerprint: UInt64
    }

    /// The objects, ordered by name; numbers in names are compared as numbers.
    let objects: [Object]
    /// Images that lie beside the subfolders and belong to no object.
    let strayImages: Int

    private static let videoExtensions: Set = ["mp4", "m4v", "mov", "webm", "mkv", "avi"]

    /// Searches a folder for objects.
    ///
    /// - Throws: `CommandError` if there is no object, or two of them have the same name.
    init(_ path: String) throws {
        guard FileStatus.isFolder(path) else {
            throw CommandError(file: path, reason: "is not a folder: --batch needs a folder of folders")
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: path).filter { !$0.hasPrefix(".") }
        var objects: [Object] = []
        var strays = 0
        for name in names.sorted(by: PhotogrammetrySession.precedes) {
            let entryPath = path + (path.hasSuffix("/") ? "" : "/") + name
            guard let status = FileStatus(path: entryPath) else { continue }
            let suffix = name.pathExtension.lowercased()
            if status.kind == .folder {
                objects.append(Self.folder(name, entryPath))
            } else if Self.videoExtensions.contains(suffix) {
                var hash = FNVHash()
                hash.combine(separated: "\(name) \(status.size) \(status.modified)")
                objects.append(
                    Object(
                        name: String(name.dropLast(suffix.count + 1)), path: entryPath, isVideo: true, photos: 80, fingerprint: hash.value))
            } else if PhotogrammetrySession.hasImageName(entryPath) {
                strays += 1
            }
        }
        guard !objects.isEmpty else {
            throw CommandError(
                file: path, reason: strays > 0 ? "has photos, but no folders of photos: remove --batch" : "has no folders of photos")
        }
        var seen: Set<String> = []
        for object in objects where !seen.insert(object.name).inserted {
            throw CommandError(file: path, reason: "a folder and a video are both named \(object.name)")
        }
        (self.objects, strayImages) = (objects, strays)
    }

    private static func folder(_ name: String, _ path: String) -> Object {
        var (hash, photos) = (FNVHash(), 0)
        // Photos lie in the folder, in `images`, or in one folder for each pass.
        var folders = [path]
        var depth = 0
        while !folders.isEmpty, depth < 3 {
            var inner: [String] = []
            for parent in folders {
                for file in ((try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []).sorted() where !file.hasPrefix(".") {
                    guard let status = FileStatus(path: parent + "/" + file) else { continue }
                    if status.kind == .folder {
                        inner.append(parent + "/" + file)
                    } else {
                        hash.combine(separated: "\(parent.dropFirst(path.count))/\(file) \(status.size) \(status.modified)")
                        photos += PhotogrammetrySession.hasImageName(file) ? 1 : 0
                    }
                }
            }
            (folders, depth) = (inner, depth + 1)
        }
        return Object(name: name, path: path, isVideo: false, photos: photos, fingerprint: hash.value)
    }
}

extension FNVHash {
    /// Adds a text and a byte that no UTF-8 has, so that "a" and "b" differ from "ab".
    mutating func combine(separated text: String) {
        combine(text)
        combine(0xFF)
    }
}
