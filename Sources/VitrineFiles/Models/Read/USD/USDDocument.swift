/// One USD layer: prims by path with their opinions, without composition.
///
/// Paths: `/A/B`; inside a variant `/A{set=choice}`, `/A{set=choice}B`.
final class USDDocument {
    struct Prim {
        enum Specifier { case define, over, `class` }

        var specifier = Specifier.over
        var typeName = ""
        var fields: [String: USDField] = [:]
        /// The names of the children, in the file's order.
        var children: [String] = []
        var properties: [String: Property] = [:]
        var propertyNames: [String] = []
        /// The variant sets with content, and their choices, in the file's order.
        var variants: [(set: String, choices: [String])] = []
    }

    struct Property {
        var isRelationship = false
        var typeName = ""
        var isUniform = false
        var fields: [String: USDField] = [:]
    }

    /// The parsed contents of a layer.
    struct Contents {
        /// The fields of the layer.
        var fields: [String: USDField] = [:]
        /// The names of the root prims, in the file's order.
        var roots: [String] = []
        var prims: [String: Prim] = [:]
        var warnings: [ModelWarning] = []
    }

    /// The location of the layer; see `USDResources`.
    let location: String
    private let contents: Contents

    init(location: String, _ contents: Contents) { (self.location, self.contents) = (location, contents) }

    /// The fields of the layer.
    var fields: [String: USDField] { contents.fields }
    /// The names of the root prims, in the file's order.
    var roots: [String] { contents.roots }
    var prims: [String: Prim] { contents.prims }
    var warnings: [ModelWarning] { contents.warnings }

    /// The paths of prims with composition arcs, the only ones that need composition.
    private(set) lazy var arcPaths: Set<String> = {
        let fields = ["inheritPaths", "variantSetNames", "references", "payload", "specializes"]
        return Set(prims.lazy.filter { prim in fields.contains { prim.value.fields[$0] != nil } }.map(\.key))
    }()

    /// Returns the children of a prim, or of the root `/`.
    func children(of path: String) -> [String] { path == "/" ? roots : prims[path]?.children ?? [] }

    var timeCodesPerSecond: Double {
        let rate = fields["timeCodesPerSecond"]?.number ?? fields["framesPerSecond"]?.number ?? 24
        return rate.isFinite && rate > 0 ? rate : 24
    }
}

/// Functions of paths of prims and properties, which are texts.
enum USDPath {
    static func child(_ name: String, of path: String) -> String {
        path == "/" || path.hasSuffix("}") ? path + name : path + "/" + name
    }

    /// Removes variants: `/A{v=x}B` is `/A/B`.
    static func withoutVariants(_ path: String) -> String {
        guard path.utf8.contains(UInt8(ascii: "{")) else { return path }
        var (result, isInside, isAfter) = ("", false, false)
        for character in path {
            switch character {
            case "{": isInside = true
            case "}": (isInside, isAfter) = (false, true)
            default:
                guard !isInside else { continue }
                if isAfter, character != "/", character != "." { result.append("/") }
                isAfter = false
                result.append(character)
            }
        }
        return result
    }

    /// Returns the parent prim; "/" for a top-level prim.
    static func parent(_ path: String) -> String {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
        return String(path[..<slash])
    }

    static func name(_ path: String) -> String { path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path }

    /// Returns the prim and the property of `/A/B.name`; the property is empty for the path of a prim.
    static func split(_ path: String) -> (prim: String, property: String) {
        let start = path.lastIndex(of: "/") ?? path.startIndex
        guard let dot = path[start...].firstIndex(of: ".") else { return (path, "") }
        return (String(path[..<dot]), String(path[path.index(after: dot)...]))
    }

    /// Returns `path` with the leading `prefix` replaced; nil if the path does not start with it.
    static func replacing(_ prefix: String, by other: String, in path: String) -> String? {
        if path == prefix { return other }
        if prefix == "/" { return path.hasPrefix("/") ? (other == "/" ? path : other + path) : nil }
        guard path.hasPrefix(prefix) else { return nil }
        let rest = path.dropFirst(prefix.count)
        guard rest.first == "/" || rest.first == "." else { return nil }
        return other == "/" ? String(rest) : other + rest
    }

    /// Resolves a path relative to a prim; nil if it leaves the root, or a step up follows a name.
    static func absolute(_ path: String, from prim: String) -> String? {
        if path.hasPrefix("/") { return path.contains("..") ? nil : path }
        var (base, rest) = (withoutVariants(prim), Substring(path))
        while rest.hasPrefix("..") {
            guard base != "/" else { return nil }
            base = parent(base)
            rest = rest.dropFirst(2)
            guard rest.isEmpty || rest.first == "/" || rest.first == "." else { return nil }
            if rest.first == "/" { rest = rest.dropFirst() }
        }
        guard !rest.contains("..") else { return nil }
        if rest.isEmpty || rest == "." { return base }
        guard !rest.hasPrefix("./") else { return nil }
        if rest.first == "." { return base + rest }
        return base == "/" ? "/" + rest : base + "/" + rest
    }
}
