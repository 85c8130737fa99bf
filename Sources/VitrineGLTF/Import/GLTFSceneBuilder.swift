import VitrineGeometry
import VitrineMath
import VitrineScene

/// Builds the scene graphs of a file from its parts.
struct GLTFSceneBuilder {
    let context: GLTFContext
    let root: GLTFRoot
    let accessors: GLTFAccessors
    let materials: GLTFMaterials
    let meshes: GLTFMeshes
    let cameras: [Camera]
    /// The lights; nil for a light of unknown type.
    let lights: [Light?]
    let nodes: GLTFNodes
    let skins: GLTFSkins
    let animations: [GLTFAnimation]

    /// Creates the scenes of a document.
    ///
    /// - Returns: At least one scene, and the index of the default scene.
    func makeScenes() throws(GLTFError) -> ([Scene], Int) {
        let defaultIndex = try root.json.index("scene", below: root.scenes.count)
        guard root.scenes.count <= context.limits.scenes else {
            throw context.limitFailure(root.json, "more than \(context.limits.scenes) scenes")
        }
        var budget = context.limits.nodes
        var scenes: [Scene] = []
        for json in root.scenes { scenes.append(try makeScene(json, roots: try roots(json), &budget)) }
        if scenes.isEmpty {
            if nodes.isEmpty { context.warn(root.json, "has no scenes and no nodes") }
            scenes.append(try makeScene(nil, roots: nodes.roots, &budget))
        }
        return (scenes, defaultIndex ?? 0)
    }

    private func roots(_ json: JSONValue) throws(GLTFError) -> [Int] {
        guard let list = try json.array("nodes") else { return [] }
        var (listed, seen): ([(index: Int, location: JSONValue)], [Bool]) = ([], [Bool](repeating: false, count: nodes.count))
        for position in 0..<list.count {
            let index = try list[position].index(below: nodes.count)
            guard !seen[index] else {
                context.warn(list[position], "node \(index) is listed twice and is shown once")
                continue
            }
            seen[index] = true
            listed.append((index, list[position]))
        }
        var roots: [Int] = []
        for (index, location) in listed {
            guard let parent = nodes[index].parent else {
                roots.append(index)
                continue
            }
            if isBelowListed(index, seen) {
                context.warn(location, "node \(index) is a child of node \(parent), which already shows it; the entry was ignored")
            } else {
                context.warn(
                    location, "node \(index) is a child of node \(parent), which is not part of the scene; it is shown without its parent")
                roots.append(index)
            }
        }
        return roots
    }

    /// Returns whether an ancestor of `index` is in the scene's list.
    private func isBelowListed(_ index: Int, _ listed: [Bool]) -> Bool {
        var step = nodes[index].parent
        while let current = step {
            if listed[current] { return true }
            step = nodes[current].parent
        }
        return false
    }

    private func makeScene(_ json: JSONValue?, roots: [Int], _ budget: inout Int) throws(GLTFError) -> Scene {
        let scene = Scene(name: try json?.string("name") ?? context.document.name)
        scene.variantNames = materials.variantNames
        if let volume = try json?.extension("VITRINE_irradiance_volume") { scene.irradianceVolume = try irradianceVolume(volume) }
        var made = [Node?](repeating: nil, count: nodes.count)
        var order: [Int] = []
        // Build the tree before attaching it: attaching visits every node.
        var next = 0
        order += roots
        while next < order.count {
            let index = order[next]
            budget -= 1
            guard budget >= 0 else {
                throw GLTFError(
                    file: context.document.name, location: .property("/scenes"), reason: .limit("more than \(context.limits.nodes) nodes"))
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

    /// Reads an irradiance volume: the box (`min`, `max`), the number of probes along each axis (`counts`), and an accessor of their coefficients, VEC4.
    private func irradianceVolume(_ json: JSONValue) throws(GLTFError) -> IrradianceVolume {
        guard let low = try json.floats("min", count: 3), let high = try json.floats("max", count: 3) else {
            throw json.failure("must have min and max")
        }
        guard let list = try json.array("counts"), list.count == 3 else { throw json.failure("counts", "must be three numbers") }
        var counts = SIMD3(repeating: 1)
        for axis in 0..<3 { counts[axis] = try list[axis].integer(in: 1...IrradianceVolume.maximumCount) }
        let accessor = try json.requireIndex("coefficients", below: accessors.count)
        guard accessors[accessor].shape == .vector4 else { throw json.failure("coefficients", "is not an accessor of VEC4") }
        let expected = counts.x * counts.y * counts.z * IrradianceVolume.coefficientCount
        guard accessors[accessor].count == expected else {
            throw json.failure("coefficients", "has \(accessors[accessor].count) elements instead of \(expected)")
        }
        let values = try accessors.floats(accessor)
        let coefficients = (0..<expected).map { Vector4(values[4 * $0], values[4 * $0 + 1], values[4 * $0 + 2], values[4 * $0 + 3]) }
        let box = BoundingBox(minimum: Vector3(low[0], low[1], low[2]), maximum: Vector3(high[0], high[1], high[2]))
        guard let volume = IrradianceVolume(box: box, counts: counts, coefficients: coefficients) else {
            throw json.failure("max", "must be greater than min")
        }
        return volume
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
                if let mesh = nodes[index].mesh, meshes.greatestJoint(of: mesh) != nil {
                    context.warn(nodes[index].json, "has a mesh with joints, but no skin")
                }
                continue
            }
            guard let mesh = nodes[index].mesh, meshes.greatestJoint(of: mesh) != nil, nodes[index].instances == nil else {
                context.warn(nodes[index].json, "has a skin, but no mesh with joints and weights; the skin was ignored")
                continue
            }
            let joints = skins[skinIndex].joints.compactMap { made[$0] }
            guard joints.count == skins[skinIndex].joints.count else {
                context.warn(nodes[index].json, "has a skin with joints outside the scene; the mesh is shown without skinning")
                continue
            }
            let skin =
                attached[skinIndex]
                ?? Skin(name: skins[skinIndex].name, joints: joints, inverseBindMatrices: skins[skinIndex].inverseBindMatrices)
            attached[skinIndex] = skin
            node.skin = skin
        }
    }

    /// Returns the tracks of an animation that target this scene; nil if there are none.
    private func clip(_ animation: GLTFAnimation, _ made: [Node?]) throws(GLTFError) -> AnimationClip? {
        var tracks: [AnimationTrack] = []
        for channel in animation.channels {
            guard let node = made[channel.node] else { continue }
            let sampler = channel.sampler
            try context.spend(sampler.times.count, at: channel.json)
            if let track = AnimationTrack(
                node: node, target: channel.target, interpolation: sampler.interpolation, times: sampler.times, values: sampler.values)
            {
                tracks.append(track)
            } else {
                context.warn(channel.json, "is not a valid track and was ignored")
            }
        }
        return tracks.isEmpty ? nil : AnimationClip(name: animation.name, tracks: tracks)
    }
}
