/// The prims of a USD layer as a tree with their own opinions: no other layer is brought in.
struct USDStage {
    struct Prim {
        let name: String
        let typeName: String
        let path: Int
        var children: [Int] = []
        /// By name: the attribute's or relationship's spec.
        var properties: [String: CrateFile.Spec] = [:]
        let spec: CrateFile.Spec
    }

    private(set) var crate: CrateFile
    private(set) var prims: [Prim] = []
    private(set) var roots: [Int] = []
    /// By path.
    private(set) var primOfPath: [Int: Int] = [:]
    private(set) var warnings: [ModelWarning] = []
    private let layer: CrateFile.Spec?

    init(_ crate: CrateFile) throws(ModelFileError) {
        self.crate = crate
        layer = crate.specs.first { $0.kind == 7 }
        for spec in crate.specs where spec.kind == 6 {
            let path = crate.paths[spec.path]
            guard !path.isProperty, primOfPath[spec.path] == nil else { continue }
            let typeName =
                try self.crate.rep(spec, "typeName").map { (rep) throws(ModelFileError) in try self.crate.value(rep).text ?? "" } ?? ""
            primOfPath[spec.path] = prims.count
            prims.append(Prim(name: path.name, typeName: typeName, path: spec.path, spec: spec))
        }
        for spec in crate.specs where spec.kind == 1 || spec.kind == 8 {
            let path = crate.paths[spec.path]
            guard path.isProperty, let prim = primOfPath[path.parent] else { continue }
            prims[prim].properties[path.name] = spec
        }
        try connect()
    }

    /// Children in the order that each prim gives them, else in the file's.
    private mutating func connect() throws(ModelFileError) {
        var children: [Int: [Int]] = [:]
        for (index, prim) in prims.enumerated() { children[crate.paths[prim.path].parent, default: []].append(index) }
        for index in prims.indices {
            try reportComposition(prims[index])
            prims[index].children = try ordered(children[prims[index].path] ?? [], by: prims[index].spec)
        }
        guard let layer else { return }
        if crate.rep(layer, "subLayers") != nil { warnings.append(ModelWarning(message: "sublayers are not read")) }
        roots = try ordered(children[layer.path] ?? [], by: layer)
    }

    private mutating func ordered(_ found: [Int], by spec: CrateFile.Spec) throws(ModelFileError) -> [Int] {
        guard let rep = crate.rep(spec, "primChildren"), case .texts(let names) = try crate.value(rep) else { return found }
        var places: [String: Int] = [:]
        for (place, name) in names.enumerated() { places[name] = places[name] ?? place }
        return found.enumerated().sorted {
            let (a, b) = (places[prims[$0.element].name] ?? .max, places[prims[$1.element].name] ?? .max)
            return a != b ? a < b : $0.offset < $1.offset
        }.map(\.element)
    }

    private mutating func reportComposition(_ prim: Prim) throws(ModelFileError) {
        for field in ["references", "payload", "inheritPaths", "specializes", "variantSetNames"] where crate.rep(prim.spec, field) != nil {
            guard warnings.count < 100 else { return }
            warnings.append(ModelWarning(place: path(of: prim.path), message: "\(field) are not read"))
        }
    }

    // MARK: Reading

    /// For messages.
    func path(of index: Int) -> String {
        var parts: [String] = []
        var current = index
        while crate.paths.indices.contains(current), crate.paths[current].parent >= 0, parts.count < 200 {
            parts.append((crate.paths[current].isProperty ? "." : "/") + crate.paths[current].name)
            current = crate.paths[current].parent
        }
        return parts.reversed().joined()
    }

    /// A field of the layer.
    mutating func metadata(_ name: String) throws(ModelFileError) -> CrateValue? {
        guard let layer, let rep = crate.rep(layer, name) else { return nil }
        return try crate.value(rep)
    }

    mutating func field(_ prim: Int, _ name: String) throws(ModelFileError) -> CrateValue? {
        guard let rep = crate.rep(prims[prim].spec, name) else { return nil }
        return try crate.value(rep)
    }

    /// An attribute's value; of one that changes over time nothing, which a warning says.
    mutating func value(_ prim: Int, _ name: String) throws(ModelFileError) -> CrateValue? {
        guard let spec = prims[prim].properties[name] else { return nil }
        if let rep = crate.rep(spec, "default") { return try crate.value(rep) }
        if crate.rep(spec, "timeSamples") != nil, warnings.count < 100 {
            warnings.append(ModelWarning(place: path(of: spec.path), message: "values over time are not read"))
        }
        return nil
    }

    /// A field of an attribute, such as its interpolation.
    mutating func text(_ prim: Int, _ name: String, field: String) throws(ModelFileError) -> String? {
        guard let spec = prims[prim].properties[name], let rep = crate.rep(spec, field) else { return nil }
        return try crate.value(rep).text
    }

    /// Where an attribute is connected to, or a relationship points: the first prim, and the property's name.
    mutating func target(_ prim: Int, _ name: String) throws(ModelFileError) -> (prim: Int, property: String)? {
        guard let spec = prims[prim].properties[name], let rep = crate.rep(spec, "connectionPaths") ?? crate.rep(spec, "targetPaths"),
            case .paths(let targets) = try crate.value(rep), let first = targets.first
        else { return nil }
        let path = crate.paths[first]
        if path.isProperty { return primOfPath[path.parent].map { ($0, path.name) } }
        return primOfPath[first].map { ($0, "") }
    }

    mutating func warn(_ prim: Int, _ message: String) {
        if warnings.count < 100 { warnings.append(ModelWarning(place: path(of: prims[prim].path), message: message)) }
    }
}
