import VitrineGLTF

/// The prims of a stage, composed from the layers of a file, and the warnings about them.
///
/// The readers of nodes, materials, geometry and skeletons share it.
final class USDStage {
    /// The opinions of one layer about a prim.
    struct Site {
        let document: USDDocument
        let spec: USDDocument.Prim
        let node: USDArcNode
        /// The map from the layer's times to the stage's.
        let offset: USDTimeOffset
        /// The path in the layer, including variants.
        var path: String { node.path }
    }

    struct Prim {
        let name: String
        let path: String
        let typeName: String
        let specifier: USDDocument.Prim.Specifier
        let isInstance: Bool
        /// The sites, strongest first.
        let sites: [Site]
        /// The root of the tree of composition arcs. Retains the nodes of the sites.
        let rootNode: USDArcNode
        let parent: Int?
        let depth: Int
        var children: [Int] = []
    }

    /// A variant set of a prim.
    struct VariantSet {
        let path: String
        let name: String
        let choices: [String]
        /// The selected variant; empty for none.
        let choice: String
    }

    let layers: USDLayers
    private let composer: USDComposer
    private let root: USDDocument
    private(set) var prims: [Prim] = []
    private(set) var roots: [Int] = []
    private(set) var variantSets: [VariantSet] = []
    /// The index of each prim by path.
    private(set) var primOfPath: [String: Int] = [:]
    private(set) var ownWarnings: [ModelWarning] = []

    let timeCodesPerSecond: Double
    /// The start time in time codes; nil if the file does not specify it.
    let startTime: Double?

    private static let maximumPrims = 1 << 18
    private static let maximumDepth = 512

    var warnings: [ModelWarning] { layers.warnings + ownWarnings }

    init(_ layers: USDLayers, root: USDDocument, choices: [String: String]) throws(ModelFileError) {
        (self.layers, self.root) = (layers, root)
        composer = try USDComposer(layers, root: root, choices: choices)
        timeCodesPerSecond = root.timeCodesPerSecond
        let start = root.fields["startTimeCode"]?.number
        startTime = start.flatMap { $0.isFinite ? $0 : nil }
        try compose()
        for (set, choice) in choices.sorted(by: { $0.key < $1.key })
        where !variantSets.contains(where: { $0.name == set && $0.choices.contains(choice) }) {
            throw composer.failure(
                "no prim has a variant \"\(MessageText.name(choice))\" in a set \"\(MessageText.name(set))\"; \(Self.list(variantSets))")
        }
    }

    private static func list(_ sets: [VariantSet]) -> String {
        sets.isEmpty
            ? "there are no variants"
            : "available: "
                + sets.prefix(10).map { "\($0.name) (\($0.choices.prefix(20).joined(separator: ", ")))" }.joined(separator: ", ")
    }

    // MARK: Composition

    private func compose() throws(ModelFileError) {
        var pending: [(name: String, parent: Int?)] = []
        var (names, known): ([String], Set<String>) = ([], [])
        for layer in composer.stacks[0].layers.reversed() {
            for name in layer.document.roots where known.insert(name).inserted { names.append(name) }
        }
        if let order = composer.stacks[0].layers.lazy.compactMap({ $0.document.fields["primOrder"]?.texts }).first {
            names = USDListEdits(ordered: order).applied(to: names)
        }
        pending = names.reversed().map { ($0, nil) }
        while let (name, parent) = pending.popLast() {
            let index = try add(name, below: parent)
            if let parent { prims[parent].children.append(index) } else { roots.append(index) }
            guard isActive(index) else { continue }
            for child in childNames(of: index).reversed() { pending.append((child, index)) }
        }
    }

    private func add(_ name: String, below parent: Int?) throws(ModelFileError) -> Int {
        let depth = parent.map { prims[$0].depth + 1 } ?? 0
        let path = USDPath.child(name, of: parent.map { prims[$0].path } ?? "/")
        guard depth < Self.maximumDepth else { throw composer.limit(path, "nested more than \(Self.maximumDepth) deep") }
        guard prims.count < Self.maximumPrims else { throw composer.limit(path, "more than \(Self.maximumPrims) prims") }
        let rootNode: USDArcNode
        if let parent {
            rootNode = try composer.child(name, of: prims[parent].rootNode, isInstance: prims[parent].isInstance)
        } else {
            rootNode = try composer.root(path)
        }
        let sites = self.sites(of: rootNode)
        addVariantSets(of: path, rootNode, sites)
        // A definition in any layer makes the prim a definition; a class stays a class.
        var specifier = USDDocument.Prim.Specifier.over
        for site in sites where specifier == .over { specifier = site.spec.specifier }
        let hasArcs = rootNode.children.contains { $0.arc != .local }
        let isInstance = hasArcs && sites.lazy.compactMap { $0.spec.fields["instanceable"]?.number }.first == 1
        primOfPath[path] = prims.count
        prims.append(
            Prim(
                name: name, path: path, typeName: sites.lazy.map(\.spec.typeName).first { !$0.isEmpty } ?? "", specifier: specifier,
                isInstance: isInstance, sites: sites, rootNode: rootNode, parent: parent, depth: depth))
        return prims.count - 1
    }

    /// Returns the sites depth first and strongest first; specializes arcs last.
    private func sites(of rootNode: USDArcNode) -> [Site] {
        var (result, last, stack): ([Site], [Site], [(USDArcNode, Bool)]) = ([], [], [(rootNode, false)])
        while let (node, isSpecial) = stack.popLast() {
            let isSpecial = isSpecial || node.arc == .specialize
            if !node.isMuted {
                for (document, offset) in composer.stacks[node.stack].layers {
                    guard let spec = document.prims[node.path] else { continue }
                    let site = Site(document: document, spec: spec, node: node, offset: node.offset.after(offset))
                    if isSpecial { last.append(site) } else { result.append(site) }
                }
            }
            for child in node.children.reversed() { stack.append((child, isSpecial)) }
        }
        return result + last
    }

    private func addVariantSets(of path: String, _ rootNode: USDArcNode, _ sites: [Site]) {
        guard variantSets.count < 1000 else { return }
        var seen: Set<String> = []
        for site in sites {
            for (set, choices) in site.spec.variants where seen.insert(set).inserted {
                let prefix = "{\(set)="
                var (choice, stack) = ("", [rootNode])
                while let node = stack.popLast() {
                    if node.arc == .variant, node.path.hasSuffix("}"), let start = node.path.end(ofLast: prefix) {
                        choice = String(node.path[start...].dropLast())
                    }
                    stack += node.children
                }
                variantSets.append(VariantSet(path: path, name: set, choices: choices, choice: choice))
            }
        }
    }

    private func childNames(of index: Int) -> [String] {
        var (names, known): ([String], Set<String>) = ([], [])
        let prim = prims[index]
        for site in prim.sites.reversed() where !(prim.isInstance && site.node.arc == .local) {
            for name in site.spec.children where known.insert(name).inserted { names.append(name) }
        }
        if let order = prim.sites.lazy.compactMap({ $0.spec.fields["primOrder"]?.texts }).first {
            names = USDListEdits(ordered: order).applied(to: names)
        }
        return names
    }

    private func isActive(_ index: Int) -> Bool { field(index, "active")?.number != 0 }

    // MARK: Fields

    /// Returns a field of the stage.
    func metadata(_ name: String) -> USDField? { root.fields[name] }

    /// Returns a prim's field: the strongest opinion.
    func field(_ prim: Int, _ name: String) -> USDField? {
        for site in prims[prim].sites { if let value = site.spec.fields[name] { return value } }
        return nil
    }

    /// Returns the applied schemas, the result of list edits.
    func schemas(_ prim: Int) -> [String] {
        var result: [String] = []
        for site in prims[prim].sites.reversed() {
            if case .textEdits(let edits)? = site.spec.fields["apiSchemas"] { result = edits.applied(to: result) }
        }
        return result
    }

    func has(_ prim: Int, _ property: String) -> Bool { prims[prim].sites.contains { $0.spec.properties[property] != nil } }

    /// Returns the names of properties with this prefix, sorted.
    func properties(_ prim: Int, prefix: String) -> [String] {
        var names: Set<String> = []
        for site in prims[prim].sites { for name in site.spec.propertyNames where name.hasPrefix(prefix) { names.insert(name) } }
        return names.sorted()
    }

    /// Returns a field of a property, such as its interpolation.
    func field(_ prim: Int, _ property: String, _ name: String) -> USDField? {
        for site in prims[prim].sites { if let value = site.spec.properties[property]?.fields[name] { return value } }
        return nil
    }

    func failure(_ prim: Int, _ reason: String) -> ModelFileError {
        ModelFileError(file: layers.file, location: prims[prim].path, reason: .malformed(reason))
    }

    func warn(_ prim: Int, _ message: String) { warn(message, at: prims[prim].path) }

    func warn(_ message: String, at location: String) {
        guard ownWarnings.count < 200 else { return }
        let warning = ModelWarning(location: location, message: message)
        if !ownWarnings.contains(warning) { ownWarnings.append(warning) }
    }
}

extension String {
    /// Returns the position after the last occurrence of a part.
    fileprivate func end(ofLast part: String) -> String.Index? {
        var index = endIndex
        while index > startIndex {
            index = self.index(before: index)
            if self[index...].hasPrefix(part) { return self.index(index, offsetBy: part.count) }
        }
        return nil
    }
}

extension USDStage {
    /// The strongest opinion about an attribute.
    struct Opinion {
        /// The value without time samples.
        let value: USDField?
        /// The time samples, in seconds from the stage's start, in increasing order.
        let samples: [(time: Double, value: USDField)]
        let site: Site

        /// The value at the start.
        var start: USDField? {
            guard !samples.isEmpty else { return value }
            return (samples.last { $0.time <= 0 } ?? samples[0]).value
        }
    }

    /// Returns the strongest opinion; nil if there is none, or the value is blocked.
    func opinion(_ prim: Int, _ name: String) -> Opinion? {
        for site in prims[prim].sites {
            guard let fields = site.spec.properties[name]?.fields else { continue }
            if case .samples(let samples)? = fields["timeSamples"], !samples.isEmpty {
                let found = samples.filter { !$0.value.isBlocked }
                let times = found.map { (seconds(site.offset.apply($0.time)), $0.value) }
                return times.isEmpty ? nil : Opinion(value: fields["default"], samples: times, site: site)
            }
            if let value = fields["default"] { return value.isBlocked ? nil : Opinion(value: value, samples: [], site: site) }
        }
        return nil
    }

    func seconds(_ timeCode: Double) -> Double { (timeCode - (startTime ?? 0)) / timeCodesPerSecond }

    /// Returns an attribute's value; if it is animated, the first one, with a warning.
    func value(_ prim: Int, _ name: String) -> USDField? {
        guard let opinion = opinion(prim, name) else { return nil }
        if opinion.samples.count > 1 {
            warn("animated values are not supported here; the value at the start is used", at: prims[prim].path + "." + name)
        }
        return opinion.start
    }

    /// Returns an attribute's value without a warning.
    func start(_ prim: Int, _ name: String) -> USDField? { opinion(prim, name)?.start }

    /// Returns the targets of a relationship or connection: paths of the stage.
    func targets(_ prim: Int, _ name: String, field: String = "targetPaths") -> [String] {
        var result: [String] = []
        for site in prims[prim].sites.reversed() {
            guard case .paths(let edits)? = site.spec.properties[name]?.fields[field] else { continue }
            // Targets outside the stage are omitted.
            let mapped = edits.map { site.node.stagePath($0) ?? "" }
            result = mapped.applied(to: result).filter { !$0.isEmpty }
        }
        return result
    }

    func connections(_ prim: Int, _ name: String) -> [String] { targets(prim, name, field: "connectionPaths") }

    /// Returns the first prim to which a relationship refers.
    func target(_ prim: Int, _ name: String) -> Int? {
        for path in targets(prim, name) {
            if let target = primOfPath[USDPath.split(path).prim] { return target }
        }
        return nil
    }

    /// Returns the target of a relationship of the prim or, if it has none, of the nearest ancestor.
    func inheritedTarget(_ prim: Int, _ name: String) -> Int? {
        var current: Int? = prim
        while let index = current {
            if let target = target(index, name) { return target }
            current = prims[index].parent
        }
        return nil
    }

    /// Returns the nearest prim, from this one up, with a primvar; ancestors count only if it is constant.
    func primvarOwner(_ prim: Int, _ name: String) -> Int? {
        var current: Int? = prim
        while let index = current {
            if has(index, name), index == prim || field(index, name, "interpolation")?.text ?? "constant" == "constant" {
                return index
            }
            current = prims[index].parent
        }
        return nil
    }
}
