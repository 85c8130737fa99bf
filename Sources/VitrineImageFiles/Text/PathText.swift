/// Parts of paths.
extension String {
    /// The last component of the path: "b.png" for "a/b.png" and for "a/b.png/".
    package var lastPathComponent: String {
        var path = self[...]
        while path.last == "/" { path.removeLast() }
        if path.isEmpty { return isEmpty ? "" : "/" }
        return String(path.suffix(from: path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex))
    }

    /// The extension of the last component, without its dot: "gz" of "a.tar.gz", "" of ".profile".
    package var pathExtension: String {
        let name = lastPathComponent
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return "" }
        return String(name[name.index(after: dot)...])
    }

    /// The path without the extension of its last component.
    package var deletingPathExtension: String {
        let tail = pathExtension
        return tail.isEmpty ? self : String(dropLast(tail.count + 1))
    }

    /// The folder of the last component: "a" of "a/b.png", "" of "b.png".
    package var deletingLastPathComponent: String {
        var path = self[...]
        while path.last == "/" { path.removeLast() }
        while let last = path.last, last != "/" { path.removeLast() }
        while path.last == "/" { path.removeLast() }
        return path.isEmpty && hasPrefix("/") ? "/" : String(path)
    }
}
