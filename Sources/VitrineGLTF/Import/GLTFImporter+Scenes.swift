import VitrineScene

extension GLTFImporter {
    /// - Returns: At least one scene, and the index of the one to show.
    func makeScenes() throws(GLTFError) -> ([Scene], Int) {
        let defaultIndex = try root.index("scene", below: sceneList.count)
        guard sceneList.count <= limits.scenes else { throw limitFailure(root, "more than \(limits.scenes) scenes") }
        var budget = limits.nodes
        var scenes: [Scene] = []
        for json in sceneList { scenes.append(try makeScene(json, roots: try roots(json), &budget)) }
        if scenes.isEmpty {
            if nodes.isEmpty { warn(root, "there is nothing to show: no scenes and no nodes") }
            let roots = nodes.indices.filter { nodes[$0].parent == nil }
            scenes.append(try makeScene(nil, roots: roots, &budget))
        }
        return (scenes, defaultIndex ?? 0)
    }

    private func roots(_ json: JSONValue) throws(GLTFError) -> [Int] {
        guard let list = try json.array("nodes") else { return [] }
        var (listed, seen): ([(index: Int, place: JSONValue)], [Bool]) = ([], [Bool](repeating: false, count: nodes.count))
        for position in 0..<list.count {
            let index = try list[position].index(below: nodes.count)
            guard !seen[index] else {
                warn(list[position], "node \(index) is in the list twice; it is shown once")
                continue
            }
            seen[index] = true
            listed.append((index, list[position]))
        }
        var roots: [Int] = []
        for (index, place) in listed {
            guard let parent = nodes[index].parent else {
                roots.append(index)
                continue
            }
            if isBelowListed(index, seen) {
                warn(place, "node \(index) is a child of node \(parent), which shows it already; the entry was ignored")
            } else {
                warn(place, "node \(index) is a child of node \(parent), which the scene doesn't show; it is shown without its parent")
                roots.append(index)
            }
        }
        return roots
    }

    /// Whether a node above `index` is in the scene's list.
    private func isBelowListed(_ index: Int, _ listed: [Bool]) -> Bool {
        var step = nodes[index].parent
        while let current = step {
            if listed[current] { return true }
            step = nodes[current].parent
        }
        return false
    }

    private func makeScene(_ json: JSONValue?, roots: [Int], _ budget: inout Int) throws(GLTFError) -> Scene {
        let scene = Scene(name: try json?.string("name") ?? document.name)
        scene.variantNames = variantNames
        var made = [Node?](repeating: nil, count: nodes.count)
        var order: [Int] = []
        // The tree is built before it is attached: attaching walks it once.
        var next = 0
        order += roots
        while next < order.count {
            let index = order[next]
            budget -= 1
            guard budget >= 0 else {
                throw GLTFError(file: document.name, place: .property("/scenes"), reason: .limit("more than \(limits.nodes) nodes"))
            }
            let node = makeNode(nodes[index])
            budget -= node.childNodes.count
            made[index] = node
            if let parent = nodes[index].parent { made[parent]?.addChildNode(node) }
            order += nodes[index].children
            next += 1
        }
        for index in roots { if let node = made[index] { scene.rootNode.addChildNode(node) } }
        attachSkins(order, made)
        for animation in animations { if let clip = try clip(animation, made) { scene.animations.append(clip) } }
        return scene
    }

    private func makeNode(_ source: GLTFNode) -> Node {
        let mesh = source.mesh.map { meshes[$0] }
        let node = Node(name: source.name, mesh: source.instances == nil ? mesh : nil)
        for instance in source.instances ?? [] {
            let child = Node(mesh: mesh)
            child.localTransform = instance
            child.morphWeights = source.weights
            node.addChildNode(child)
        }
        switch source.placement {
        case .transform(let transform): node.localTransform = transform
        case .matrix(let matrix): node.transform = matrix
        }
        node.camera = source.camera.map { cameras[$0] }
        node.light = source.light.flatMap { lights[$0] }
        node.morphWeights = source.weights
        return node
    }

    private func attachSkins(_ order: [Int], _ made: [Node?]) {
        var attached = [Skin?](repeating: nil, count: skins.count)
        for index in order {
            guard let node = made[index] else { continue }
            guard let skinIndex = nodes[index].skin else {
                if let mesh = nodes[index].mesh, greatestJoints[mesh] != nil {
                    warn(nodes[index].json, "its mesh has joints, but the node has no skin")
                }
                continue
            }
            guard let mesh = nodes[index].mesh, greatestJoints[mesh] != nil, nodes[index].instances == nil else {
                warn(nodes[index].json, "has a skin, but no mesh with joints and weights; the skin was ignored")
                continue
            }
            let joints = skins[skinIndex].joints.compactMap { made[$0] }
            guard joints.count == skins[skinIndex].joints.count else {
                warn(nodes[index].json, "joints of its skin lie outside the scene; the mesh is shown unskinned")
                continue
            }
            let skin =
                attached[skinIndex]
                ?? Skin(name: skins[skinIndex].name, joints: joints, inverseBindMatrices: skins[skinIndex].inverseBindMatrices)
            attached[skinIndex] = skin
            node.skin = skin
        }
    }

    /// The animation's part that moves this scene; nil where that is nothing.
    private func clip(_ animation: GLTFAnimation, _ made: [Node?]) throws(GLTFError) -> AnimationClip? {
        var tracks: [AnimationTrack] = []
        for channel in animation.channels {
            guard let node = made[channel.node] else { continue }
            let sampler = channel.sampler
            try spend(sampler.times.count, at: channel.json)
            if let track = AnimationTrack(
                node: node, target: channel.target, interpolation: sampler.interpolation, times: sampler.times, values: sampler.values)
            {
                tracks.append(track)
            } else {
                warn(channel.json, "is no track that can be played; it was ignored")
            }
        }
        return tracks.isEmpty ? nil : AnimationClip(name: animation.name, tracks: tracks)
    }
}
