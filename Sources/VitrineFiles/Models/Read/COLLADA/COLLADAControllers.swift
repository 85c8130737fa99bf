import VitrineMath
import VitrineScene

/// A skinned mesh whose joints are resolved after all nodes have been created.
struct ControllerInstance {
    let node: Node
    let skin: XMLElement
    let instance: XMLElement
}

/// A mesh that a morph controller deforms.
struct MorphedNode {
    let node: Node
    let morph: XMLElement
}

/// The skin, morph and geometry of an `<instance_controller>`.
private struct ControllerChain {
    var skin, morph: XMLElement?
    let geometry: XMLElement
}

/// The skinned and morphed meshes of a document, and the joints of the skins.
final class COLLADAControllers {
    private unowned let reader: COLLADAReader
    private let files: COLLADAFiles
    private let geometries: COLLADAGeometries
    private let deformers: COLLADADeformers
    private var geometriesByController: [XMLElement: [Geometry]] = [:]
    private var instances: [ControllerInstance] = []
    /// The nodes of morphed meshes, in order of creation.
    private(set) var morphedNodes: [MorphedNode] = []
    private static let maximumControllers = 8

    init(_ reader: COLLADAReader, _ geometries: COLLADAGeometries, _ deformers: COLLADADeformers) {
        (self.reader, files, self.geometries, self.deformers) = (reader, reader.files, geometries, deformers)
    }

    private func warn(_ element: XMLElement?, _ message: String, kind: String? = nil) { files.warn(element, message, kind: kind) }

    /// Adds the mesh of a controller to a node. `bind` connects its joints later.
    func place(_ controller: XMLElement, instance: XMLElement, on entry: PlacedNode) throws(ModelFileError) {
        guard let chain = try chain(controller) else { return }
        let parts = try geometries.parts(of: chain.geometry)
        guard !parts.isEmpty else { return }
        let morph: MorphData? = if let morph = chain.morph { try deformers.morph(morph) } else { nil }
        let deformed: [Geometry]
        if let known = geometriesByController[controller] {
            deformed = known
        } else {
            let data: SkinData? = if let skin = chain.skin { try deformers.skin(skin) } else { nil }
            var made: [Geometry] = []
            for part in parts { made.append(try geometry(part, skin: data, morph: morph, controller)) }
            deformed = made
            geometriesByController[controller] = made
        }
        let mesh = try reader.mesh(
            chain.geometry, parts: parts, variant: controller, instance: instance, geometries: deformed,
            morphWeights: deformed.contains { !$0.morphTargets.isEmpty } ? morph?.weights ?? [] : [])
        guard let mesh else { return }
        let node = reader.show(mesh, on: entry)
        if let skin = chain.skin { instances.append(ControllerInstance(node: node, skin: skin, instance: instance)) }
        if let morph = chain.morph, mesh.morphTargetCount > 0 { morphedNodes.append(MorphedNode(node: node, morph: morph)) }
    }

    /// Follows the sources of a controller: a skin may refer to a morph and a morph to a skin.
    private func chain(_ controller: XMLElement) throws(ModelFileError) -> ControllerChain? {
        var (skin, morph): (XMLElement?, XMLElement?)
        var current = controller
        for _ in 0..<Self.maximumControllers {
            guard let kind = current.children.first(where: { $0.name == "skin" || $0.name == "morph" }) else {
                warn(current, "the controller is neither skin nor morph")
                return nil
            }
            if kind.name == "skin" {
                if skin != nil { warn(kind, "a skin of a skin is not supported") }
                skin = skin ?? kind
            } else {
                if morph != nil { warn(kind, "a morph of a morph is not supported") }
                morph = morph ?? kind
            }
            guard let source = try files.resolve(kind["source"], from: kind) else {
                warn(kind, "there is no geometry \"\((kind["source"] ?? "").prefix(80))\"")
                return nil
            }
            if source.name == "geometry" { return ControllerChain(skin: skin, morph: morph, geometry: source) }
            guard source.name == "controller" else { break }
            current = source
        }
        warn(controller, "the controller has no geometry")
        return nil
    }

    private func geometry(
        _ part: BuiltPart, skin: SkinData?, morph: MorphData?, _ controller: XMLElement
    ) throws(ModelFileError) -> Geometry {
        var attributes = part.geometry.attributes
        if let skin { attributes += skin.attributes(part.positionIndices) }
        let targets: [MorphTarget] = if let morph { try deformers.targets(morph, of: part) } else { [] }
        do throws(GeometryError) {
            return try Geometry(
                topology: part.geometry.topology, attributes: attributes, indices: part.geometry.indices, morphTargets: targets)
        } catch {
            throw controller.failure("\(error)")
        }
    }

    // MARK: Joints

    /// Connects the skins with their joints, after all nodes have been created.
    func bind(_ search: SkeletonSearch) throws(ModelFileError) {
        for instance in instances {
            let data = try deformers.skin(instance.skin)
            let roots = try skeletonRoots(of: instance, search)
            var joints: [Node] = []
            var matrices: [Matrix4] = []
            for (index, name) in data.jointNames.enumerated() {
                if let joint = try joint(name, data, instance, roots, search) {
                    joints.append(joint.node)
                    matrices.append(data.inverseBindMatrices[index] * data.bindShape)
                } else {
                    warn(instance.skin, "there is no joint \"\(name.prefix(80))\": its vertices are not moved", kind: "no joint")
                    joints.append(instance.node)
                    matrices.append(.identity)
                }
            }
            if Self.usesJoint(data.jointNames.count, instance.node) {
                joints.append(instance.node)
                matrices.append(data.bindShape)
            }
            instance.node.skin = Skin(name: instance.skin.parent?.title ?? "", joints: joints, inverseBindMatrices: matrices)
        }
    }

    /// Returns whether vertices have the joint after the named ones, which represents the mesh's node.
    private static func usesJoint(_ number: Int, _ node: Node) -> Bool {
        let parts = node.mesh?.parts ?? []
        return parts.contains { $0.geometry.attribute(.joints(set: 0))?.values.contains(Float(number)) ?? false }
    }

    /// Returns the nodes from which joints are searched: those in `<skeleton>`, in order; the whole scene if it refers to the visual scene.
    private func skeletonRoots(of instance: ControllerInstance, _ search: SkeletonSearch) throws(ModelFileError) -> [PlacedNode] {
        var roots: [PlacedNode] = []
        for skeleton in instance.instance.children("skeleton") {
            let element = try files.resolve(skeleton.text, from: skeleton)
            if let element, element == search.visualScene {
                roots += search.tops
            } else if let element, element.name == "node", let root = try placed(element, for: instance, search) {
                roots.append(root)
            } else {
                warn(skeleton, "there is no skeleton \"\(skeleton.text.prefix(80))\" in the scene")
            }
        }
        return roots
    }

    /// Returns the instance of a node that is nearest to the skinned mesh in the hierarchy. If the scene does not instantiate the node, as in a library,
    /// creates it below the root with its ancestors, as transforms only.
    private func placed(
        _ element: XMLElement, for instance: ControllerInstance, _ search: SkeletonSearch
    ) throws(ModelFileError) -> PlacedNode? {
        if reader.placedByElement[element] == nil {
            var top = element
            while let parent = top.parent, parent.name == "node" { top = parent }
            search.libraryTops += try reader.place(top, below: search.parent, at: search.visualScene, depth: 0, isSkeleton: true)
        }
        guard let candidates = reader.placedByElement[element], candidates.count > 1 else { return reader.placedByElement[element]?.first }
        var depths: [ObjectIdentifier: Int] = [:]
        var (ancestor, distance): (Node?, Int) = (instance.node, 0)
        while let node = ancestor {
            depths[ObjectIdentifier(node)] = distance
            (ancestor, distance) = (node.parent, distance + 1)
        }
        func steps(_ candidate: PlacedNode) -> Int {
            var current: Node? = candidate.node
            while let node = current {
                if let found = depths[ObjectIdentifier(node)] { return found }
                current = node.parent
            }
            return .max
        }
        // Returns the first of equally near ones.
        return candidates.enumerated().min { (steps($0.element), $0.offset) < (steps($1.element), $1.offset) }?.element
    }

    private func joint(
        _ name: String, _ data: SkinData, _ instance: ControllerInstance, _ roots: [PlacedNode], _ search: SkeletonSearch
    ) throws(ModelFileError) -> PlacedNode? {
        if data.namesAreIDs, let element = try files.resolve("#" + name, from: data.element), element.name == "node",
            let found = try placed(element, for: instance, search)
        {
            return found
        }
        // A joint is referred to by its sid; some programs write ids or names. A sid anywhere below the roots has priority over a name.
        for scope in [roots, search.tops + search.libraryTops] {
            for root in scope { if let found = search.names(below: root).sids[name] { return found } }
            for root in scope { if let found = search.names(below: root).others[name] { return found } }
        }
        return nil
    }
}

/// The nodes among which joints of skins are searched.
final class SkeletonSearch {
    let visualScene: XMLElement
    let tops: [PlacedNode]
    /// The parent of the visual scene's nodes.
    let parent: Node
    /// The nodes of libraries that skins refer to and that the scene does not instantiate.
    fileprivate(set) var libraryTops: [PlacedNode] = []
    private var tables: [ObjectIdentifier: Names] = [:]

    /// The nodes by sid, and by id and name.
    struct Names {
        var sids: [String: PlacedNode] = [:]
        var others: [String: PlacedNode] = [:]
    }

    init(visualScene: XMLElement, tops: [PlacedNode], parent: Node) {
        (self.visualScene, self.tops, self.parent) = (visualScene, tops, parent)
    }

    /// Returns the names of a node and its descendants; of equal names, the first in document order.
    func names(below root: PlacedNode) -> Names {
        if let known = tables[ObjectIdentifier(root)] { return known }
        var names = Names()
        var stack = [root]
        while let entry = stack.popLast() {
            if let sid = entry.element.sid, names.sids[sid] == nil { names.sids[sid] = entry }
            for name in [entry.element.id, entry.element["name"]] {
                if let name, names.others[name] == nil { names.others[name] = entry }
            }
            stack += entry.children.reversed()
        }
        tables[ObjectIdentifier(root)] = names
        return names
    }
}
