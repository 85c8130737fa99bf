import VitrineVision

/// A photo's camera in a file.
package struct NamedCamera: Equatable, Sendable {
    /// The photo's path in the file, with `/`; often relative to a folder that the file does not name.
    package var name: String
    package var camera: PosedCamera

    package init(name: String, camera: PosedCamera) { (self.name, self.camera) = (name, camera) }
}

extension [NamedCamera] {
    /// The cameras in the order of `photos`, nil for photos without one.
    ///
    /// Names agree when their last components do, as much of the folders before them as both have, and, where one has no extension, without
    /// it. Among several the longest agreement wins.
    ///
    /// - Throws: The photo's name, where two cameras agree equally well.
    package func matched(to photos: [String]) throws(AmbiguousCameraName) -> [PosedCamera?] {
        let all = map { Self.components($0.name) }
        // Looked up by the last component without its extension: a set has hundreds of photos.
        var byStem: [String: [Int]] = [:]
        for (index, components) in all.enumerated() { byStem[components.stem, default: []].append(index) }
        var result: [PosedCamera?] = []
        for photo in photos {
            let wanted = Self.components(photo)
            let scored = (byStem[wanted.stem] ?? []).compactMap { index in wanted.agreement(with: all[index]).map { (index, $0) } }
            let best = scored.map(\.1).max()
            let winners = scored.filter { $0.1 == best }
            guard winners.count <= 1 else { throw AmbiguousCameraName(photo: photo, cameras: winners.map { self[$0.0].name }) }
            result.append(winners.first.map { self[$0.0].camera })
        }
        return result
    }

    private static func components(_ path: String) -> PathEnd {
        var parts = path.split(whereSeparator: { $0 == "/" || $0 == "\\" }).map(String.init).filter { $0 != "." }
        let last = parts.popLast() ?? ""
        let dot = last.lastIndex(of: ".").flatMap { $0 == last.startIndex ? nil : $0 }
        return PathEnd(
            folders: parts.reversed(), stem: dot.map { String(last[..<$0]) } ?? last, ending: dot.map { last[$0...].lowercased() } ?? "")
    }
}

/// Two cameras of a file match one photo equally well.
package struct AmbiguousCameraName: Error, Equatable, Sendable, CustomStringConvertible {
    package let photo: String
    package let cameras: [String]

    package var description: String {
        "\(cameras.count) cameras could be those of \(photo): " + cameras.prefix(4).joined(separator: ", ")
            + (cameras.count > 4 ? ", …" : "")
    }
}

/// A path from its end.
private struct PathEnd {
    /// The nearest first.
    let folders: [String]
    let stem: String
    /// The extension of the name with its dot, in lower case.
    let ending: String

    /// The number of equal components; nil if they contradict each other.
    func agreement(with other: PathEnd) -> Int? {
        guard stem == other.stem, ending == other.ending || ending.isEmpty || other.ending.isEmpty else { return nil }
        let shared = zip(folders, other.folders).prefix { $0 == $1 }.count
        return 2 * shared + (ending == other.ending ? 1 : 0)
    }
}
