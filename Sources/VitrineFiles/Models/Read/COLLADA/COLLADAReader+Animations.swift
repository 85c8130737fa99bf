import VitrineMath
import VitrineScene

extension COLLADAReader {
    /// A channel with its curve, and where it leads.
    private struct Binding {
        let curve: AnimationCurve
        /// Where it writes.
        let goal: Goal
    }

    private enum Goal {
        case transform(node: XMLElement, step: XMLElement, first: Int?, matrix: (Int, Int)?)
        case morphWeight(morph: XMLElement, index: Int?)
    }

    /// Creates one clip for each clip of the file, and one for all animations that no clip contains.
    func readAnimations(_ root: XMLElement) throws(ModelFileError) {
        let animations = root.children("library_animations").flatMap { $0.children("animation") }
        guard !animations.isEmpty else { return }
        let clips = root.children("library_animation_clips").flatMap { $0.children("animation_clip") }
        var named: Set<XMLElement> = []
        for clip in clips {
            var mine: [XMLElement] = []
            for instance in clip.children("instance_animation") {
                guard let animation = try files.resolve(instance["url"], from: instance), animation.name == "animation" else {
                    warn(instance, "there is no animation \"\((instance["url"] ?? "").prefix(80))\"")
                    continue
                }
                mine.append(animation)
                named.insert(animation)
            }
            let start = clip["start"].flatMap { Float($0) } ?? 0
            var range: ClosedRange<Float>?
            if let end = clip["end"].flatMap({ Float($0) }), end.isFinite, start.isFinite, end > start { range = start...end }
            try add(mine, name: clip.title, range: range)
        }
        let others = animations.filter { !named.contains($0) && !$0.descendants.contains { named.contains($0) } }
        let name = others.count == 1 ? others[0].title : "animation"
        try add(others, name: name, range: nil)
    }

    private func add(_ animations: [XMLElement], name: String, range: ClosedRange<Float>?) throws(ModelFileError) {
        var (bindings, seen): ([Binding], Set<XMLElement>) = ([], [])
        for animation in animations {
            if let asset = animation.child("asset"), asset.child("unit") != nil || asset.child("up_axis") != nil {
                warn(asset, "the animation's own unit and axes are not read", kind: "unit of an animation")
            }
            for channel in animation.descendants where channel.name == "channel" && seen.insert(channel).inserted {
                if let binding = try self.binding(channel) { bindings.append(binding) }
            }
        }
        let tracks = try tracks(bindings, range: range)
        if !tracks.isEmpty { scene.animations.append(AnimationClip(name: name, tracks: tracks)) }
    }

    // MARK: Channels

    private func binding(_ channel: XMLElement) throws(ModelFileError) -> Binding? {
        guard let target = channel["target"], let sampler = try files.resolve(channel["source"], from: channel), sampler.name == "sampler"
        else {
            warn(channel, "the channel has no target or no sampler")
            return nil
        }
        guard let goal = try goal(target, from: channel) else { return nil }
        return try curve(sampler).map { Binding(curve: $0, goal: goal) }
    }

    /// `id/sid/sid.member` or `id/sid(i)(j)`.
    private func goal(_ target: String, from channel: XMLElement) throws(ModelFileError) -> Goal? {
        var path = target.split(separator: "/").map(String.init)
        guard var last = path.popLast() else { return nil }
        var (member, indices): (String?, [Int]) = (nil, [])
        if let open = last.firstIndex(of: "(") {
            indices = last[open...].split { "()".contains($0) }.compactMap { Int($0) }
            last = String(last[..<open])
        } else if let dot = last.lastIndex(of: "."), !path.isEmpty {
            member = String(last[last.index(after: dot)...])
            last = String(last[..<dot])
        }
        path.append(last)
        var element = try files.resolve("#" + path[0], from: channel)
        for sid in path.dropFirst() { element = element.flatMap { found in found.descendants.first { $0.sid == sid } } }
        guard let element else {
            warn(channel, "there is nothing at \"\(target.prefix(120))\": not animated", kind: "no target")
            return nil
        }
        if let node = element.parent, node.name == "node", let kind = TransformStep.Kind(rawValue: element.name) {
            if kind == .matrix, indices.count == 2 {
                return .transform(node: node, step: element, first: nil, matrix: (indices[0], indices[1]))
            }
            let first = indices.first ?? member.flatMap { kind.index(ofMember: $0) }
            if member != nil, first == nil {
                warn(channel, "\"\(target.prefix(120))\" is no member of <\(kind.rawValue)>")
                return nil
            }
            return .transform(node: node, step: element, first: first, matrix: nil)
        }
        if let morph = Self.morph(around: element) { return .morphWeight(morph: morph, index: indices.first) }
        let (what, owner) = Self.names(ofAnimated: element)
        warn(
            channel, "the animation of \(what) of \(owner) is not supported: the value in the file is shown",
            kind: "animated \(what) \(owner)")
        return nil
    }

    /// The target property and the object of an unsupported channel: ("diffuse", "effect \"Paint\"").
    private static func names(ofAnimated element: XMLElement) -> (what: String, owner: String) {
        let owners: Set = ["effect", "material", "light", "camera", "node", "visual_scene", "geometry", "controller", "image"]
        var path: [String] = []
        var current: XMLElement? = element
        while let found = current, !owners.contains(found.name) {
            // A color in its slot is named by the slot.
            if !["color", "float", "technique_common", "optics", "technique", "profile_COMMON"].contains(found.name) {
                path.append(found.name == "newparam" ? "parameter \"\(found.sid ?? "")\"" : "<\(found.name)>")
            }
            current = found.parent
        }
        if path.isEmpty { path = ["<\(element.name)>"] }
        let owner = current.map { "\($0.name) \"\($0.title.prefix(80))\"" } ?? "the document"
        return (path[0], owner)
    }

    /// The morph that an element, the weights' source or array, lies in.
    private static func morph(around element: XMLElement) -> XMLElement? {
        var current: XMLElement? = element.name == "controller" ? element.child("morph") : element
        while let found = current, found.name != "morph" { current = found.parent }
        return current
    }

    // MARK: Tracks

    private func tracks(_ bindings: [Binding], range: ClosedRange<Float>?) throws(ModelFileError) -> [AnimationTrack] {
        // In the order of the first channel, so that the result is the same in every run.
        var (order, motions): ([XMLElement], [XMLElement: [NodeMotion]]) = ([], [:])
        var (morphOrder, weights): ([XMLElement], [XMLElement: [Binding]]) = ([], [:])
        for binding in bindings {
            switch binding.goal {
            case .transform(let node, let step, let first, let cell):
                if motions[node] == nil {
                    order.append(node)
                    motions[node] = (placedByElement[node] ?? []).map { NodeMotion($0) }
                }
                let isColumnFirst = cell != nil && self.isColumnFirst(bindings, step)
                for index in motions[node, default: []].indices {
                    guard let place = motions[node]?[index].entry.steps.firstIndex(where: { $0.element == step }) else { continue }
                    let channel = Self.channel(binding.curve, step: place, of: step, first: first, cell: cell, isColumnFirst: isColumnFirst)
                    if let channel { motions[node]?[index].channels.append(channel) }
                }
            case .morphWeight(let morph, _):
                if weights[morph] == nil { morphOrder.append(morph) }
                weights[morph, default: []].append(binding)
            }
        }
        var tracks: [AnimationTrack] = []
        for node in order {
            for motion in motions[node] ?? [] where !motion.channels.isEmpty {
                guard motion.isFinite else {
                    warn(node, "the animation leads to infinity: left out", kind: "animated infinity")
                    continue
                }
                if motion.losesShear { warn(node, "the animation shears the node: shown without", kind: "animated shear") }
                tracks += motion.tracks(in: range)
            }
        }
        for morph in morphOrder { tracks += try weightTracks(morph, weights[morph] ?? [], range: range) }
        return tracks
    }

    private static func channel(
        _ curve: AnimationCurve, step: Int, of element: XMLElement, first: Int?, cell: (Int, Int)?, isColumnFirst: Bool
    ) -> NodeMotion.Channel? {
        let size = TransformStep.Kind(rawValue: element.name)?.count ?? 0
        if let cell {
            let (row, column) = isColumnFirst ? (cell.1, cell.0) : cell
            guard (0..<4).contains(row), (0..<4).contains(column) else { return nil }
            return NodeMotion.Channel(step: step, first: row * 4 + column, count: 1, curve: curve)
        }
        if let first {
            guard (0..<size).contains(first) else { return nil }
            return NodeMotion.Channel(step: step, first: first, count: 1, curve: curve)
        }
        // An angle alone for a whole rotation.
        if element.name == "rotate", curve.width == 1 { return NodeMotion.Channel(step: step, first: 3, count: 1, curve: curve) }
        return NodeMotion.Channel(step: step, first: 0, count: min(curve.width, size), curve: curve)
    }

    /// The specification counts a matrix by column, then row; some programs do it the other way. The last row of a transform never moves,
    /// so a column or a row of number 3 says which.
    private func isColumnFirst(_ bindings: [Binding], _ step: XMLElement) -> Bool {
        for binding in bindings {
            guard case .transform(_, let other, _, let cell?) = binding.goal, other == step else { continue }
            if cell.0 == 3, cell.1 < 3 { return true }
            if cell.1 == 3, cell.0 < 3 { return false }
        }
        return true
    }

    private func weightTracks(_ morph: XMLElement, _ bindings: [Binding], range: ClosedRange<Float>?) throws(ModelFileError)
        -> [AnimationTrack]
    {
        let base = try self.morph(morph).weights
        guard !base.isEmpty else { return [] }
        var times: Set<Float> = []
        for binding in bindings {
            let curve = binding.curve
            for (index, time) in curve.times.enumerated() {
                times.insert(time)
                guard index + 1 < curve.times.count else { continue }
                let next = curve.times[index + 1]
                switch curve.shapes[index] {
                case .linear: break
                case .step: times.insert(next.nextDown)
                default: for part in 1..<16 { times.insert(time + (next - time) * Float(part) / 16) }
                }
            }
        }
        var sorted = times.sorted()
        if let range { sorted = Array(Set(sorted.filter { range.contains($0) } + [range.lowerBound, range.upperBound])).sorted() }
        var values: [Float] = []
        for time in sorted {
            var weights = base
            for binding in bindings {
                guard case .morphWeight(_, let index) = binding.goal else { continue }
                if let index {
                    if weights.indices.contains(index) { weights[index] = binding.curve.value(0, at: time) }
                } else {
                    for number in weights.indices where number < binding.curve.width {
                        weights[number] = binding.curve.value(number, at: time)
                    }
                }
            }
            values += weights
        }
        let start = range?.lowerBound ?? 0
        return morphedNodes.filter { $0.morph == morph }.compactMap { node in
            AnimationTrack(node: node.node, target: .morphWeights, interpolation: .linear, times: sorted.map { $0 - start }, values: values)
        }
    }
}

/// A skinned mesh whose joints are resolved after all nodes have been created.
struct ControllerInstance {
    let node: Node
    let skin: XMLElement
    let instance: XMLElement
}

/// A mesh that a morph controller changes.
struct MorphedNode {
    let node: Node
    let morph: XMLElement
}

/// What an `<instance_controller>` leads to.
private struct ControllerChain {
    var skin, morph: XMLElement?
    let geometry: XMLElement
}

extension COLLADAReader {
    private static var maximumControllers: Int { 8 }

    func place(_ controller: XMLElement, instance: XMLElement, on entry: PlacedNode) throws(ModelFileError) {
        guard let chain = try chain(controller) else { return }
        let parts = try self.parts(of: chain.geometry)
        guard !parts.isEmpty else { return }
        let morph: MorphData? = if let morph = chain.morph { try self.morph(morph) } else { nil }
        let geometries: [Geometry]
        if let known = controllerGeometries[controller] {
            geometries = known
        } else {
            let data: SkinData? = if let skin = chain.skin { try self.skin(skin) } else { nil }
            var made: [Geometry] = []
            for part in parts { made.append(try geometry(part, skin: data, morph: morph, controller)) }
            geometries = made
            controllerGeometries[controller] = made
        }
        let mesh = try mesh(
            chain.geometry, parts: parts, variant: controller, instance: instance, geometries: geometries,
            morphWeights: geometries.contains { !$0.morphTargets.isEmpty } ? morph?.weights ?? [] : [])
        guard let mesh else { return }
        let node = show(mesh, on: entry)
        if let skin = chain.skin { controllersToBind.append(ControllerInstance(node: node, skin: skin, instance: instance)) }
        if let morph = chain.morph, mesh.morphTargetCount > 0 { morphedNodes.append(MorphedNode(node: node, morph: morph)) }
    }

    /// A skin may stand on a morph and a morph on a skin.
    private func chain(_ controller: XMLElement) throws(ModelFileError) -> ControllerChain? {
        var (skin, morph): (XMLElement?, XMLElement?)
        var current = controller
        for _ in 0..<Self.maximumControllers {
            guard let kind = current.children.first(where: { $0.name == "skin" || $0.name == "morph" }) else {
                warn(current, "the controller is neither skin nor morph")
                return nil
            }
            if kind.name == "skin" {
                if skin != nil { warn(kind, "a skin on a skin is not read") }
                skin = skin ?? kind
            } else {
                if morph != nil { warn(kind, "a morph on a morph is not read") }
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
        warn(controller, "the controller leads to no geometry")
        return nil
    }

    private func geometry(
        _ part: BuiltPart, skin: SkinData?, morph: MorphData?, _ controller: XMLElement
    ) throws(ModelFileError) -> Geometry {
        var attributes = part.geometry.attributes
        if let skin { attributes += skin.attributes(part.positionIndices) }
        let targets: [MorphTarget] = if let morph { try self.targets(morph, of: part) } else { [] }
        do throws(GeometryError) {
            return try Geometry(
                topology: part.geometry.topology, attributes: attributes, indices: part.geometry.indices, morphTargets: targets)
        } catch {
            throw controller.failure("\(error)")
        }
    }

    // MARK: Joints

    func bindControllers(_ search: SkeletonSearch) throws(ModelFileError) {
        for instance in controllersToBind {
            let data = try skin(instance.skin)
            let roots = try skeletonRoots(of: instance, search)
            var joints: [Node] = []
            var matrices: [Matrix4] = []
            for (index, name) in data.jointNames.enumerated() {
                if let joint = try joint(name, data, instance, roots, search) {
                    joints.append(joint.node)
                    matrices.append(data.inverseBindMatrices[index] * data.bindShape)
                } else {
                    warn(instance.skin, "there is no joint \"\(name.prefix(80))\": its vertices stand still", kind: "no joint")
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

    /// Whether vertices hang on the joint behind the named ones, which stands for the mesh's own node.
    private static func usesJoint(_ number: Int, _ node: Node) -> Bool {
        let parts = node.mesh?.parts ?? []
        return parts.contains { $0.geometry.attribute(.joints(set: 0))?.values.contains(Float(number)) ?? false }
    }

    /// Where the search for joints starts: the nodes that `<skeleton>` names, in order; all of the scene if it names the visual scene.
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

    /// The instance of a node that is nearest to the skinned mesh in the hierarchy. A node that the scene doesn't instantiate, as in a library, is
    /// placed below the scene's top together with its ancestors, as transforms only: joints bend meshes from there.
    private func placed(
        _ element: XMLElement, for instance: ControllerInstance, _ search: SkeletonSearch
    ) throws(ModelFileError) -> PlacedNode? {
        if placedByElement[element] == nil {
            var top = element
            while let parent = top.parent, parent.name == "node" { top = parent }
            search.libraryTops += try place(top, below: search.parent, at: search.visualScene, depth: 0, isSkeleton: true)
        }
        guard let candidates = placedByElement[element], candidates.count > 1 else { return placedByElement[element]?.first }
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
        // The first of those that are equally near.
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
        // A joint is named by its sid; some programs write ids or names. A sid anywhere below the roots comes before a name.
        for scope in [roots, search.tops + search.libraryTops] {
            for root in scope { if let found = search.names(below: root).sids[name] { return found } }
            for root in scope { if let found = search.names(below: root).others[name] { return found } }
        }
        return nil
    }
}

/// The nodes in which joints of skins are resolved.
final class SkeletonSearch {
    let visualScene: XMLElement
    let tops: [PlacedNode]
    /// What the visual scene's nodes are below.
    let parent: Node
    /// Nodes of libraries that skins need and the scene doesn't instantiate.
    var libraryTops: [PlacedNode] = []
    private var tables: [ObjectIdentifier: Names] = [:]

    /// Nodes by sid, and by id and name.
    struct Names {
        var sids: [String: PlacedNode] = [:]
        var others: [String: PlacedNode] = [:]
    }

    init(visualScene: XMLElement, tops: [PlacedNode], parent: Node) {
        (self.visualScene, self.tops, self.parent) = (visualScene, tops, parent)
    }

    /// The names of a node and all below it; the first in document order where several are the same.
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
