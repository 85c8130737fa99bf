import VitrineGLTF

/// A layer with its sublayers, strongest first.
struct USDLayerStack {
    let layers: [(document: USDDocument, offset: USDTimeOffset)]

    var root: USDDocument { layers[0].document }

    /// Returns the strongest opinion of the layers; for lists, the edits in order.
    func field(_ name: String, of path: String) -> USDField? {
        for (document, _) in layers { if let value = document.prims[path]?.fields[name] { return value } }
        return nil
    }

    func has(_ path: String) -> Bool { layers.contains { $0.document.prims[path] != nil } }

    /// Returns a list that every layer may edit, from the weakest to the strongest, with the layer of each item.
    func list<Item>(_ path: String, _ edits: (USDDocument.Prim) -> USDListEdits<Item>?) -> [(item: Item, layer: Int)] {
        var (items, origin): ([Item], [Item: Int]) = ([], [:])
        for (index, layer) in layers.enumerated().reversed() {
            guard let prim = layer.document.prims[path], let edit = edits(prim) else { continue }
            items = edit.applied(to: items)
            for item in (edit.explicit ?? []) + edit.added + edit.prepended + edit.appended { origin[item] = index }
        }
        return items.map { ($0, origin[$0] ?? 0) }
    }
}

/// The reason why a prim has the opinions of another one, in the order of strength ("LIVRPS": local, inherits, variants, references, payloads,
/// specializes).
enum USDArc: Int {
    case local, inherit, variant, reference, payload, specialize
}

/// A site with opinions about a prim of the stage, and the sites that its composition arcs add, strongest first.
final class USDArcNode {
    let arc: USDArc
    let stack: Int
    /// The path in the stack's layers, including variants.
    let path: String
    /// The source of the arc: paths below `source` map to paths below `target` in the parent's layers.
    let source: String
    let target: String
    /// The map from the stack's times to the stage's.
    let offset: USDTimeOffset
    unowned(unsafe) let parent: USDArcNode?
    fileprivate(set) var children: [USDArcNode] = []
    /// Whether the opinions are ignored, as those of the stage itself below an instance.
    fileprivate(set) var isMuted = false

    init(
        _ arc: USDArc, stack: Int, path: String, source: String, target: String, offset: USDTimeOffset = USDTimeOffset(),
        parent: USDArcNode? = nil
    ) {
        (self.arc, self.stack, self.path, self.source, self.target) = (arc, stack, path, source, target)
        (self.offset, self.parent) = (offset, parent)
    }

    /// Maps a path of the stack's layers to the stage; nil for a path that is not part of the stage.
    func stagePath(_ path: String) -> String? {
        var (result, node): (String, USDArcNode) = (USDPath.withoutVariants(path), self)
        while let parent = node.parent {
            if let mapped = USDPath.replacing(node.source, by: node.target, in: result) {
                result = mapped
            } else if node.arc == .reference || node.arc == .payload, node.stack != parent.stack {
                return nil
            }
            node = parent
        }
        return result
    }
}

/// Composes layers: determines the sites with opinions about each prim of the stage.
///
/// Implements "LIVRPS" of OpenUSD's glossary, except inherits implied across references, relocates, and arcs of the ancestors of classes.
final class USDComposer {
    let layers: USDLayers
    private(set) var stacks: [USDLayerStack] = []
    private var stackIndices: [ObjectIdentifier: Int] = [:]
    /// The caller's choices by variant set.
    let choices: [String: String]
    /// The number of sites of all prims, as a measure of work and memory.
    private(set) var siteCount = 0
    /// The number of sites of the current prim.
    private var siteCountOfPrim = 0

    private static let maximumDepth = 48
    /// The largest number of sites of a prim, as many as two references in each of 12 nested prims create.
    static let maximumSitesOfPrim = 4096
    /// The number of sites that is always allowed. A small file may be used many times, but must not multiply without limit.
    static let minimumSites = 1 << 19
    static let sitesPerSpec = 64

    init(_ layers: USDLayers, root: USDDocument, choices: [String: String]) throws(ModelFileError) {
        (self.layers, self.choices) = (layers, choices)
        _ = try stack(of: root)
    }

    // MARK: Layer stacks

    private func stack(of root: USDDocument) throws(ModelFileError) -> Int {
        if let known = stackIndices[ObjectIdentifier(root)] { return known }
        var found: [(document: USDDocument, offset: USDTimeOffset)] = []
        try add(root, USDTimeOffset(), above: [], to: &found)
        stacks.append(USDLayerStack(layers: found))
        stackIndices[ObjectIdentifier(root)] = stacks.count - 1
        return stacks.count - 1
    }

    private func add(
        _ document: USDDocument, _ offset: USDTimeOffset, above: [USDDocument],
        to found: inout [(document: USDDocument, offset: USDTimeOffset)]
    ) throws(ModelFileError) {
        guard !above.contains(where: { $0 === document }) else { throw failure("the sublayers are cyclic: \(document.location)") }
        guard above.count < Self.maximumDepth, found.count < 256 else { throw failure("too many sublayers") }
        found.append((document, offset))
        guard let names = document.fields["subLayers"]?.texts else { return }
        var offsets: [USDTimeOffset] = []
        if case .offsets(let list)? = document.fields["subLayerOffsets"] { offsets = list }
        for (index, name) in names.enumerated() {
            guard let layer = try layers.document(name, from: document) else { continue }
            var own = index < offsets.count && offsets[index].isUsable ? offsets[index] : USDTimeOffset()
            own.scale *= document.timeCodesPerSecond / layer.timeCodesPerSecond
            try add(layer, offset.after(own), above: above + [document], to: &found)
        }
    }

    func failure(_ reason: String) -> ModelFileError { ModelFileError(file: layers.file, reason: .malformed(reason)) }

    func limit(_ location: String, _ reason: String) -> ModelFileError {
        ModelFileError(file: layers.file, location: location, reason: .limit(reason))
    }

    /// Counts a site before memory is allocated for it.
    private func spend(at path: String) throws(ModelFileError) {
        siteCountOfPrim += 1
        guard siteCountOfPrim <= Self.maximumSitesOfPrim else {
            throw limit(path, "the prim has opinions from more than \(Self.maximumSitesOfPrim) sites, because its references multiply")
        }
        siteCount += 1
        let most = Self.minimumSites + Self.sitesPerSpec * layers.specCount
        guard siteCount <= most else {
            throw limit(path, "the prims have opinions from more than \(most) sites, because nested references multiply")
        }
    }

    // MARK: Prims

    /// Returns the sites of a top-level prim.
    func root(_ path: String) throws(ModelFileError) -> USDArcNode {
        siteCountOfPrim = 0
        try spend(at: path)
        let node = USDArcNode(.local, stack: 0, path: path, source: "/", target: "/")
        try expand(node, root: node, chain: [])
        return node
    }

    /// Returns the sites of a child: the parent's sites, one level down, with their composition arcs.
    func child(_ name: String, of parent: USDArcNode, isInstance: Bool) throws(ModelFileError) -> USDArcNode {
        siteCountOfPrim = 0
        guard let node = try copy(parent, child: name, parent: nil, isInstance: isInstance) else {
            return USDArcNode(.local, stack: 0, path: USDPath.child(name, of: parent.path), source: "/", target: "/")
        }
        var all: [USDArcNode] = []
        Self.collect(node, into: &all)
        for site in all where !site.isMuted { try expand(site, root: node, chain: []) }
        return node
    }

    /// Returns the sites one level down; nil if there are no opinions.
    private func copy(
        _ node: USDArcNode, child: String, parent: USDArcNode?, isInstance: Bool
    ) throws(ModelFileError) -> USDArcNode? {
        try spend(at: node.path)
        let copy = USDArcNode(
            node.arc, stack: node.stack, path: USDPath.child(child, of: node.path), source: node.source, target: node.target,
            offset: node.offset, parent: parent)
        copy.isMuted = node.isMuted || (isInstance && node.arc == .local)
        for below in node.children {
            if let below = try self.copy(below, child: child, parent: copy, isInstance: false) { copy.children.append(below) }
        }
        if copy.children.isEmpty, parent != nil, !stacks[copy.stack].has(copy.path) { return nil }
        return copy
    }

    private static func collect(_ node: USDArcNode, into all: inout [USDArcNode]) {
        all.append(node)
        for child in node.children { collect(child, into: &all) }
    }

    /// Adds the composition arcs of a site.
    private func expand(_ node: USDArcNode, root: USDArcNode, chain: [USDArcNode]) throws(ModelFileError) {
        guard chainLength(node) < Self.maximumDepth else {
            throw failure("\(MessageText.name(node.path, limit: 200)): references are nested too deep")
        }
        let stack = stacks[node.stack]
        guard stack.layers.contains(where: { $0.document.arcPaths.contains(node.path) }) else { return }
        let chain = chain + [node]
        for (path, _) in stack.list(node.path, Self.paths("inheritPaths")) { try addClass(path, .inherit, to: node, root, chain) }
        try addVariants(to: node, root, chain)
        for (field, arc) in [("references", USDArc.reference), ("payload", .payload)] {
            for (reference, layer) in stack.list(node.path, Self.references(field)) {
                try add(reference, arc, from: stack.layers[layer], to: node, root, chain)
            }
        }
        for (path, _) in stack.list(node.path, Self.paths("specializes")) { try addClass(path, .specialize, to: node, root, chain) }
        node.children.sort { $0.arc.rawValue < $1.arc.rawValue }
    }

    private static func paths(_ field: String) -> (USDDocument.Prim) -> USDListEdits<String>? {
        { if case .paths(let edits)? = $0.fields[field] { edits } else { nil } }
    }

    private static func references(_ field: String) -> (USDDocument.Prim) -> USDListEdits<USDReference>? {
        { if case .references(let edits)? = $0.fields[field] { edits } else { nil } }
    }

    private func attach(_ child: USDArcNode, to node: USDArcNode, _ root: USDArcNode, _ chain: [USDArcNode]) throws(ModelFileError) {
        // The target is the site itself or one of its ancestors.
        for site in chain where site.stack == child.stack {
            let (own, other) = (USDPath.withoutVariants(site.path), USDPath.withoutVariants(child.path))
            guard child.arc == .variant || (own != other && !own.hasPrefix(other + "/")) else {
                throw failure("the references are cyclic: \(MessageText.name(other, limit: 200)) of \(stacks[child.stack].root.location)")
            }
        }
        try spend(at: node.path)
        // In the order of strength, after those of equal strength.
        node.children.append(child)
        try expand(child, root: root, chain: chain)
    }

    private func addClass(
        _ path: String, _ arc: USDArc, to node: USDArcNode, _ root: USDArcNode, _ chain: [USDArcNode]
    ) throws(ModelFileError) {
        guard path.hasPrefix("/"), stacks[node.stack].has(path) else {
            layers.warn(
                "\(arc == .inherit ? "inherits" : "specializes") <\(MessageText.name(path, limit: 200))>, which does not exist",
                at: node.path)
            return
        }
        let child = USDArcNode(
            arc, stack: node.stack, path: path, source: path, target: USDPath.withoutVariants(node.path), offset: node.offset, parent: node)
        try attach(child, to: node, root, chain)
    }

    private func addVariants(to node: USDArcNode, _ root: USDArcNode, _ chain: [USDArcNode]) throws(ModelFileError) {
        let sets = stacks[node.stack].list(node.path) { prim in
            if case .textEdits(let edits)? = prim.fields["variantSetNames"] { edits } else { nil }
        }
        for (set, _) in sets {
            guard let choice = choice(of: set, for: node, root) else { continue }
            let path = "\(node.path){\(set)=\(choice)}"
            guard stacks[node.stack].has(path) else { continue }
            let target = USDPath.withoutVariants(node.path)
            let child = USDArcNode(
                .variant, stack: node.stack, path: path, source: target, target: target, offset: node.offset, parent: node)
            try attach(child, to: node, root, chain)
        }
    }

    /// Returns the caller's choice, or that of the strongest site.
    private func choice(of set: String, for node: USDArcNode, _ root: USDArcNode) -> String? {
        if let choice = choices[set], stacks[node.stack].has("\(node.path){\(set)=\(choice)}") { return choice }
        var all: [USDArcNode] = []
        Self.collect(root, into: &all)
        for site in all where !site.isMuted {
            for (document, _) in stacks[site.stack].layers {
                guard case .dictionary(let chosen)? = document.prims[site.path]?.fields["variantSelection"],
                    let choice = chosen[set]?.text, !choice.isEmpty
                else { continue }
                return choice
            }
        }
        return nil
    }

    private func add(
        _ reference: USDReference, _ arc: USDArc, from layer: (document: USDDocument, offset: USDTimeOffset), to node: USDArcNode,
        _ root: USDArcNode, _ chain: [USDArcNode]
    ) throws(ModelFileError) {
        var (stack, offset) = (node.stack, node.offset.after(layer.offset).after(reference.offset))
        if !reference.asset.isEmpty {
            guard let document = try layers.document(reference.asset, from: layer.document) else { return }
            stack = try self.stack(of: document)
            offset.scale *= layer.document.timeCodesPerSecond / document.timeCodesPerSecond
        }
        var path = reference.path
        if path.isEmpty {
            let name = stacks[stack].root.fields["defaultPrim"]?.text ?? ""
            guard !name.isEmpty else {
                return layers.warn(
                    "the layer \"\(MessageText.name(reference.asset, limit: 200))\" has no default prim and is ignored", at: node.path)
            }
            path = name.hasPrefix("/") ? name : "/" + name
        }
        guard stacks[stack].has(path) else {
            if let found = try descend(to: path, in: stack, arc, offset, below: node, root) {
                node.children.append(found)
                return
            }
            return layers.warn(
                "<\(MessageText.name(path, limit: 200))> of \"\(MessageText.name(reference.asset, limit: 200))\" does not exist and is ignored",
                at: node.path)
        }
        let child = USDArcNode(
            arc, stack: stack, path: path, source: path, target: USDPath.withoutVariants(node.path), offset: offset, parent: node)
        try attach(child, to: node, root, chain)
    }

    /// Returns a site without opinions; arcs of its ancestors may add some.
    private func descend(
        to path: String, in stack: Int, _ arc: USDArc, _ offset: USDTimeOffset, below node: USDArcNode, _ root: USDArcNode
    ) throws(ModelFileError) -> USDArcNode? {
        let names = path.split(separator: "/")
        guard names.count > 1, names.count < 512, chainLength(node) < Self.maximumDepth else { return nil }
        var current: USDArcNode? = USDArcNode(
            arc, stack: stack, path: "/" + names[0], source: path, target: USDPath.withoutVariants(node.path), offset: offset, parent: node)
        for (step, name) in names.enumerated() {
            guard let above = current else { return nil }
            let site = step == 0 ? above : try copy(above, child: String(name), parent: node, isInstance: false)
            try spend(at: path)
            var all: [USDArcNode] = []
            if let site { Self.collect(site, into: &all) }
            for one in all { try expand(one, root: site ?? root, chain: []) }
            current = site
        }
        return current.flatMap { $0.children.isEmpty ? nil : $0 }
    }

    private func chainLength(_ node: USDArcNode) -> Int {
        var (length, current) = (0, node.parent)
        while let ancestor = current { (length, current) = (length + 1, ancestor.parent) }
        return length
    }
}
