import VitrineMath
import VitrineScene

/// Reads the animations of a document as clips of the nodes that were created for it.
struct COLLADAAnimations {
    private let streams: COLLADAStreams
    private let deformers: COLLADADeformers
    /// The nodes of each element.
    private let nodes: [XMLElement: [PlacedNode]]
    private let morphedNodes: [MorphedNode]
    private let targets = TargetIndex()
    private var files: COLLADAFiles { streams.files }

    init(
        _ streams: COLLADAStreams, _ deformers: COLLADADeformers, nodes: [XMLElement: [PlacedNode]], morphedNodes: [MorphedNode]
    ) {
        (self.streams, self.deformers, self.nodes, self.morphedNodes) = (streams, deformers, nodes, morphedNodes)
    }

    private func warn(_ element: XMLElement?, _ message: String, kind: String? = nil) { files.warn(element, message, kind: kind) }

    /// A channel with its curve and its target.
    private struct Binding {
        let curve: AnimationCurve
        /// The target of the channel.
        let goal: Goal
    }

    private enum Goal {
        case transform(node: XMLElement, step: XMLElement, first: Int?, matrix: (Int, Int)?)
        case morphWeight(morph: XMLElement, index: Int?)
    }

    /// Creates one clip for each clip of the file, and one for all animations that no clip contains.
    func clips(_ root: XMLElement) throws(ModelFileError) -> [AnimationClip] {
        let animations = root.children("library_animations").flatMap { $0.children("animation") }
        guard !animations.isEmpty else { return [] }
        let clips = root.children("library_animation_clips").flatMap { $0.children("animation_clip") }
        var (result, named): ([AnimationClip], Set<XMLElement>) = ([], [])
        var work = Self.maximumWork
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
            if let clip = try self.clip(mine, name: clip.title, range: range, &work) { result.append(clip) }
        }
        let others = animations.filter { !named.contains($0) && !$0.descendants.contains { named.contains($0) } }
        let name = others.count == 1 ? others[0].title : "animation"
        if let clip = try clip(others, name: name, range: nil, &work) { result.append(clip) }
        return result
    }

    /// The largest number of evaluated transforms in all clips of a document. Channels may share curves, so that the number of keys times that of channels
    /// is not limited by the size of the file.
    private static let maximumWork = 1 << 27

    private func clip(_ animations: [XMLElement], name: String, range: ClosedRange<Float>?, _ work: inout Int) throws(ModelFileError)
        -> AnimationClip?
    {
        var (bindings, seen): ([Binding], Set<XMLElement>) = ([], [])
        for animation in animations {
            if let asset = animation.child("asset"), asset.child("unit") != nil || asset.child("up_axis") != nil {
                warn(asset, "the unit and axes of the animation are not supported", kind: "unit of an animation")
            }
            for channel in animation.descendants where channel.name == "channel" && seen.insert(channel).inserted {
                if let binding = try self.binding(channel) { bindings.append(binding) }
            }
        }
        let tracks = try tracks(bindings, range: range, &work)
        return tracks.isEmpty ? nil : AnimationClip(name: name, tracks: tracks)
    }

    // MARK: Channels

    private func binding(_ channel: XMLElement) throws(ModelFileError) -> Binding? {
        guard let target = channel["target"], let sampler = try files.resolve(channel["source"], from: channel), sampler.name == "sampler"
        else {
            warn(channel, "the channel has no target or no sampler")
            return nil
        }
        guard let goal = try goal(target, from: channel) else { return nil }
        return try streams.curve(sampler).map { Binding(curve: $0, goal: goal) }
    }

    /// Parses a target `id/sid/sid.member` or `id/sid(i)(j)`.
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
        for sid in path.dropFirst() { element = element.flatMap { targets.descendant(sid, of: $0) } }
        guard let element else {
            warn(channel, "there is nothing at \"\(target.prefix(120))\": it is not animated", kind: "no target")
            return nil
        }
        if let node = element.parent, node.name == "node", let kind = TransformStep.Kind(rawValue: element.name) {
            if kind == .matrix, indices.count == 2 {
                return .transform(node: node, step: element, first: nil, matrix: (indices[0], indices[1]))
            }
            let first = indices.first ?? member.flatMap { kind.index(ofMember: $0) }
            if member != nil, first == nil {
                warn(channel, "\"\(target.prefix(120))\" is not a member of <\(kind.rawValue)>")
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

    /// Returns the target property and the object of an unsupported channel: ("diffuse", "effect \"Paint\"").
    private static func names(ofAnimated element: XMLElement) -> (what: String, owner: String) {
        let owners: Set = ["effect", "material", "light", "camera", "node", "visual_scene", "geometry", "controller", "image"]
        var path: [String] = []
        var current: XMLElement? = element
        while let found = current, !owners.contains(found.name) {
            // A colour in a slot has the name of the slot.
            if !["color", "float", "technique_common", "optics", "technique", "profile_COMMON"].contains(found.name) {
                path.append(found.name == "newparam" ? "parameter \"\(found.sid ?? "")\"" : "<\(found.name)>")
            }
            current = found.parent
        }
        if path.isEmpty { path = ["<\(element.name)>"] }
        let owner = current.map { "\($0.name) \"\($0.title.prefix(80))\"" } ?? "the document"
        return (path[0], owner)
    }

    /// Returns the morph that contains an element, which is the source or array of the weights.
    private static func morph(around element: XMLElement) -> XMLElement? {
        var current: XMLElement? = element.name == "controller" ? element.child("morph") : element
        while let found = current, found.name != "morph" { current = found.parent }
        return current
    }

    // MARK: Tracks

    private func tracks(_ bindings: [Binding], range: ClosedRange<Float>?, _ work: inout Int) throws(ModelFileError) -> [AnimationTrack] {
        // In the order of the first channel, so that the result is the same in every run.
        var (order, motions): ([XMLElement], [XMLElement: [NodeMotion]]) = ([], [:])
        var (morphOrder, weights): ([XMLElement], [XMLElement: [Binding]]) = ([], [:])
        let columnFirst = Self.indexOrders(bindings)
        for binding in bindings {
            switch binding.goal {
            case .transform(let node, let step, let first, let cell):
                if motions[node] == nil {
                    order.append(node)
                    motions[node] = (nodes[node] ?? []).map { NodeMotion($0) }
                }
                let isColumnFirst = cell != nil && columnFirst[step] ?? true
                for index in motions[node, default: []].indices {
                    guard let stepIndex = motions[node]?[index].stepIndices[step] else { continue }
                    let channel = Self.channel(
                        binding.curve, step: stepIndex, of: step, first: first, cell: cell, isColumnFirst: isColumnFirst)
                    if let channel { motions[node]?[index].add(channel) }
                }
            case .morphWeight(let morph, _):
                if weights[morph] == nil { morphOrder.append(morph) }
                weights[morph, default: []].append(binding)
            }
        }
        var tracks: [AnimationTrack] = []
        for node in order {
            for motion in motions[node] ?? [] where !motion.channels.isEmpty {
                work -= motion.mergeWork
                if work > 0 { work -= motion.keyWork }
                guard work > 0 else {
                    warn(node, "the animations of the file have too many transforms and keys; this one is ignored", kind: "animation limit")
                    continue
                }
                guard motion.isFinite else {
                    warn(node, "the animation has infinite values and is ignored", kind: "animated infinity")
                    continue
                }
                if motion.losesShear {
                    warn(node, "the animation shears the node: shear is not supported and is ignored", kind: "animated shear")
                }
                let found = motion.tracks(in: range)
                work -= motion.size * (found.first?.times.count ?? 0)
                tracks += found
            }
        }
        for morph in morphOrder { tracks += try weightTracks(morph, weights[morph] ?? [], range: range, &work) }
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
        // A single angle for a whole rotation.
        if element.name == "rotate", curve.width == 1 { return NodeMotion.Channel(step: step, first: 3, count: 1, curve: curve) }
        return NodeMotion.Channel(step: step, first: 0, count: min(curve.width, size), curve: curve)
    }

    /// Returns for animated matrices whether the indices of their elements are column, then row, as specified; some programs write row, then column. The
    /// last row of a transform is constant, so an index of 3 distinguishes both. Matrices without such an index are omitted.
    private static func indexOrders(_ bindings: [Binding]) -> [XMLElement: Bool] {
        var orders: [XMLElement: Bool] = [:]
        for binding in bindings {
            guard case .transform(_, let step, _, let cell?) = binding.goal, orders[step] == nil else { continue }
            if cell.0 == 3, cell.1 < 3 { orders[step] = true }
            if cell.1 == 3, cell.0 < 3 { orders[step] = false }
        }
        return orders
    }

    private func weightTracks(
        _ morph: XMLElement, _ bindings: [Binding], range: ClosedRange<Float>?, _ work: inout Int
    ) throws(ModelFileError) -> [AnimationTrack] {
        let base = try deformers.morph(morph).weights
        guard !base.isEmpty else { return [] }
        func fits(_ count: Int) -> Bool {
            work -= count
            if work <= 0 {
                warn(morph, "the animations of the file have too many weights and keys; this one is ignored", kind: "animation limit")
            }
            return work > 0
        }
        // A smooth segment has up to 16 keys.
        guard fits(bindings.reduce(0) { $0 + 16 * $1.curve.times.count }) else { return [] }
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
        guard fits(sorted.count * (bindings.count + base.count)) else { return [] }
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

/// Finds descendants by `sid`; many channels may ask below the same element.
private final class TargetIndex {
    private var found: [XMLElement: [String: XMLElement]] = [:]

    /// Returns the first descendant with the `sid` in document order.
    func descendant(_ sid: String, of element: XMLElement) -> XMLElement? {
        if let known = found[element] { return known[sid] }
        var index: [String: XMLElement] = [:]
        for descendant in element.descendants {
            if let own = descendant.sid, index[own] == nil { index[own] = descendant }
        }
        found[element] = index
        return index[sid]
    }
}
