/// Paths of the files of a model: with slashes, relative to the model's folder, or absolute.
enum ResourcePath {
    /// Returns `path` resolved against `folder`, with `.` and `..` removed as far as possible. A result outside the model's folder begins with `../` or
    /// `/`. Backslashes count as slashes.
    static func resolved(_ path: String, from folder: String = "") -> String {
        let text = String(path.map { $0 == "\\" ? "/" : $0 })
        let isAbsolute = text.hasPrefix("/") || folder.hasPrefix("/")
        var parts: [Substring] = []
        for part in (text.hasPrefix("/") ? text : folder + "/" + text).split(separator: "/") where part != "." {
            guard part == ".." else {
                parts.append(part)
                continue
            }
            if let last = parts.last, last != ".." {
                parts.removeLast()
            } else if !isAbsolute {
                parts.append("..")
            }
        }
        return (isAbsolute ? "/" : "") + parts.joined(separator: "/")
    }

    /// Returns whether a result of `resolved` is outside the model's folder.
    static func leadsOutside(_ path: String) -> Bool { path.hasPrefix("/") || path == ".." || path.hasPrefix("../") }

    /// Returns the part before the last slash, with a slash at its end; empty for the model's folder.
    static func folder(of path: String) -> String { path.lastIndex(of: "/").map { String(path[...$0]) } ?? "" }
}
