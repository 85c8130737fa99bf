/// The files that a COLLADA document refers to: other documents (each parsed once) and textures. All must be in the first document's folder or
/// below, or in an allowed folder. For other paths, a file with the same base name in the model's folder is used, because models are moved
/// between machines.
final class COLLADAFiles {
    private let resources: ModelResources
    private var documents: [String: XMLTree?] = [:]
    /// The total size of other documents in bytes, which is limited because documents may refer to each other.
    private var documentCount = 0
    private static let maximumDocuments = 64
    let main: XMLTree
    /// The name of the first document, to detect references to it from other documents.
    private let name: String
    /// The warnings about the document and its files, in the order of reading.
    private(set) var warnings: [ModelWarning] = []
    private var warningCounts: [String: Int] = [:]
    private static let maximumWarnings = 512

    init(main: XMLTree, name: String, resources: ModelResources) {
        (self.main, self.name, self.resources) = (main, name, resources)
        documents[name] = main
    }

    /// Adds a warning. Of each kind, at most three are added, the last with a note that there are more.
    func warn(_ element: XMLElement?, _ message: String, kind: String? = nil) {
        let count = warningCounts[kind ?? message, default: 0]
        warningCounts[kind ?? message] = count + 1
        guard count < 4, warnings.count < Self.maximumWarnings else { return }
        let location = element.map { $0.tree === main ? $0.location : "\($0.tree.file):\($0.location)" } ?? ""
        warnings.append(ModelWarning(location: location, message: count < 3 ? message : message + " (and more of this)"))
    }

    // MARK: Paths

    /// Returns a URI as a path relative to the first document's folder, or an absolute one; nil if it is not a path.
    static func path(_ uri: String, folder: String) -> String? {
        let clean = unescaped(uri)
        guard !clean.contains(":") else { return nil }
        let path = ResourcePath.resolved(clean, from: folder)
        return path.isEmpty || path == "/" ? nil : path
    }

    /// Decodes percent escapes, replaces backslashes and removes the scheme `file:`.
    static func unescaped(_ uri: String) -> String {
        var text = PercentEscapes.decoded(uri)
        text = String(text.map { $0 == "\\" ? "/" : $0 })
        if text.lowercased().hasPrefix("file://") {
            text = String(text.dropFirst(7))
        } else if text.lowercased().hasPrefix("file:") {
            text = String(text.dropFirst(5))
        }
        return text
    }

    /// Returns the text after the last slash.
    static func baseName(_ uri: String) -> String {
        let text = unescaped(uri)
        return String(text[(text.lastIndex { $0 == "/" || $0 == ":" }.map { text.index(after: $0) } ?? text.startIndex)...])
    }

    /// Returns the paths to try, the most likely first.
    private func candidates(_ uri: String, folder: String) -> [String] {
        var paths: [String] = []
        func add(_ path: String?) {
            if let path, !path.isEmpty, !paths.contains(path) { paths.append(path) }
        }
        add(Self.path(uri, folder: folder))
        // Some programs write paths with percent signs without escaping them.
        if uri.contains("%"), !uri.contains(":"), !uri.hasPrefix("/") { add(uri) }
        // A path like "../models/a.png" from a folder named "models": the rest of the path may exist in the model's folder.
        let parts = Self.unescaped(uri).split(separator: "/").drop { $0 == ".." || $0 == "." }
        if parts.count > 1, Self.unescaped(uri).hasPrefix(".") { add(parts.dropFirst().joined(separator: "/")) }
        add(folder + Self.baseName(uri))
        add(Self.baseName(uri))
        return paths
    }

    // MARK: Images

    /// Returns the bytes of an image and the path at which it was found.
    func image(_ uri: String, from element: XMLElement) -> (bytes: [UInt8], path: String)? {
        var reason: String?
        let paths = candidates(uri, folder: element.tree.folder)
        for (number, path) in paths.enumerated() {
            do throws(FileError) {
                let bytes = try resources.bytes(path)
                if number > 0 || Self.path(uri, folder: element.tree.folder) == nil {
                    warn(
                        element,
                        "the texture \"\(uri.prefix(200))\" was not read (\(reason ?? "is not a path of this system")): \"\(path.prefix(200))\" is used"
                    )
                }
                return (bytes, path)
            } catch {
                reason = reason ?? error.reason
            }
        }
        warn(element, "the texture \"\(uri.prefix(200))\" was omitted: \(reason ?? "is not a path")")
        return nil
    }

    // MARK: References

    /// Returns the target of a URI with a fragment: `#id` or `file.dae#id`, or a bare id, which some programs write.
    func resolve(_ uri: String?, from element: XMLElement) throws(ModelFileError) -> XMLElement? {
        guard let uri, !uri.isEmpty else { return nil }
        guard let hash = uri.firstIndex(of: "#") else { return element.tree.element(id: uri) }
        let fragment = String(uri[uri.index(after: hash)...])
        let file = String(uri[..<hash])
        let id = PercentEscapes.decoded(fragment)
        if file.isEmpty { return element.tree.element(id: fragment) ?? element.tree.element(id: id) }
        guard let tree = try document(file, from: element) else { return nil }
        return tree.element(id: fragment) ?? tree.element(id: id)
    }

    private func document(_ uri: String, from element: XMLElement) throws(ModelFileError) -> XMLTree? {
        let paths = candidates(uri, folder: element.tree.folder)
        for path in paths { if let known = documents[path], let known { return known } }
        var reason: String?
        for path in paths {
            if documents[path] != nil { continue }
            guard documentCount < Self.maximumDocuments else { throw element.failure("refers to more than \(Self.maximumDocuments) files") }
            let bytes: [UInt8]
            do throws(FileError) {
                bytes = try resources.bytes(path)
            } catch {
                reason = reason ?? error.reason
                documents[path] = .some(nil)
                continue
            }
            documentCount += 1
            let tree = try XMLTree.parse(bytes, file: path, folder: ResourcePath.folder(of: path))
            guard tree.root.name == "COLLADA" else { throw ModelFileError(file: path, reason: .malformed("is not a COLLADA document")) }
            documents[path] = tree
            return tree
        }
        warn(element, "the file \"\(uri.prefix(200))\" was omitted\(reason.map { ": \($0)" } ?? "")")
        return nil
    }
}
