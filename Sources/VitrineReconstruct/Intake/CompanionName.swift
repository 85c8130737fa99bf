#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The role of a file by its name: a photo, or a companion of one: a mask, a depth map, or the record of a capture session.
struct CompanionName: Hashable, Sendable {
    enum Role: Sendable { case photo, mask, depth, record }

    let role: Role
    /// The common name of a photo, its mask and its depth map: `a_mask.png`, `a.color.jpg`, `a.jpg.png`, `depth_a.png` and `a.png` all give `a`.
    let stem: String

    private static let photoWords: Set<String> = ["color", "colour", "rgb", "image"]
    private static let maskWords: Set<String> = ["mask", "masks"]
    private static let depthWords: Set<String> = ["depth", "depths"]
    static let imageExtensions: Set<String> = ["jpg", "jpeg", "png", "webp", "heic", "heif", "avif"]
    private static let marks: Set<Character> = ["_", ".", "-"]

    init(_ url: URL) {
        let fileExtension = url.pathExtension.lowercased()
        var name = url.deletingPathExtension().lastPathComponent
        if Self.imageExtensions.contains(name.pathExtension.lowercased()) {
            name = name.deletingPathExtension
        }
        let (word, rest) = Self.word(of: name)
        stem = rest
        // Photos are not stored as EXR; lossy formats cannot store depth.
        let mayBeDepth = fileExtension == "png" || !Self.imageExtensions.contains(fileExtension)
        let isDepth = fileExtension == "exr" || mayBeDepth && Self.depthWords.contains(word)
        role = fileExtension == "json" ? .record : Self.maskWords.contains(word) ? .mask : isDepth ? .depth : .photo
    }

    /// The word before or behind the rest of a name that names the kind of image; empty if there is none.
    private static func word(of name: String) -> (word: String, rest: String) {
        func isKnown(_ word: String) -> Bool { photoWords.contains(word) || maskWords.contains(word) || depthWords.contains(word) }
        if let mark = name.lastIndex(where: { marks.contains($0) }), mark > name.startIndex {
            let word = name[name.index(after: mark)...].lowercased()
            if isKnown(word) { return (word, String(name[..<mark])) }
        }
        if let mark = name.firstIndex(where: { marks.contains($0) }), name.index(after: mark) < name.endIndex {
            let word = name[..<mark].lowercased()
            let rest = name[name.index(after: mark)...]
            // `depth_0012` has a number, `mask-of-gold` describes the subject of a photo.
            if isKnown(word), rest.contains(where: \.isNumber) { return (word, String(rest)) }
        }
        return ("", name)
    }

    /// The name with its numbers as numbers: `view_007` gives `view_7`.
    static func plainNumbers(_ stem: String) -> String {
        var result = ""
        var (isInNumber, isZero) = (false, false)
        for character in stem {
            let isDigit = character.isASCII && character.isNumber
            // Leading zeros are skipped.
            if isDigit, isZero { result.removeLast() }
            isZero = isDigit && character == "0" && (isZero || !isInNumber)
            isInNumber = isDigit
            result.append(character)
        }
        return result
    }
}
