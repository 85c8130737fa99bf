/// The tree of nodes, skins and animations.
extension GLBRules {
    mutating func checkNodes() {
        for (index, node) in nodes.enumerated() {
            let location = "nodes/\(index)"
            let children = node["children"].integers
            expect(Set(children).count == children.count, "\(location): a child twice")
            for child in node["children"].elements {
                guard let child = reference(child, "nodes", "\(location)/children") else { continue }
                expect(parents[child] == nil || parents[child] == index, "nodes/\(child): two parents")
                parents[child] = index
            }
            checkPlacement(node, location)
            checkContent(node, location)
        }
        for (index, node) in nodes.enumerated() where node["skin"].isThere {
            expect(parents[index] == nil, "nodes/\(index): a skinned mesh below another node")
            let isPlaced = ["translation", "rotation", "scale", "matrix"].contains { node[$0].isThere }
            expect(!isPlaced, "nodes/\(index): a skinned mesh with a transform, which has no effect")
        }
        for index in nodes.indices where !reachesRoot(index) { faults.append("nodes/\(index): in a circle") }
        checkScenes()
    }

    private func reachesRoot(_ index: Int) -> Bool {
        var (node, steps) = (index, 0)
        while let parent = parents[node] {
            (node, steps) = (parent, steps + 1)
            if steps > nodes.count { return false }
        }
        return true
    }

    private mutating func checkScenes() {
        let scenes = root["scenes"].elements
        _ = reference(root["scene"], "scenes", "scene")
        for (index, scene) in scenes.enumerated() {
            let own = scene["nodes"].integers
            expect(Set(own).count == own.count, "scenes/\(index): a node twice")
            for node in scene["nodes"].elements {
                guard let node = reference(node, "nodes", "scenes/\(index)") else { continue }
                expect(parents[node] == nil, "scenes/\(index): node \(node) is no root")
            }
        }
    }

    private mutating func checkPlacement(_ node: JSONNode, _ location: String) {
        let parts = ["translation": 3, "rotation": 4, "scale": 3]
        for (name, width) in parts.sorted(by: { $0.key < $1.key }) where node[name].isThere {
            expect(!node["matrix"].isThere, "\(location): a matrix and a \(name)")
            expect(node[name].elements.compactMap(\.number).count == width, "\(location): its \(name) is not \(width) numbers")
        }
        if node["rotation"].isThere {
            expect(
                Self.areUnit(node["rotation"].elements.compactMap(\.number), width: 4, of: 4),
                "\(location): a rotation that is not of unit length")
        }
        if node["matrix"].isThere {
            expect(node["matrix"].elements.compactMap(\.number).count == 16, "\(location): its matrix is not 16 numbers")
        }
    }

    private mutating func checkContent(_ node: JSONNode, _ location: String) {
        let mesh = reference(node["mesh"], "meshes", location)
        _ = reference(node["camera"], "cameras", location)
        let lights = root["extensions"]["KHR_lights_punctual"]["lights"].elements
        let light = node["extensions"]["KHR_lights_punctual"]["light"]
        expect(!light.isThere || lights.indices.contains(light.integer ?? -1), "\(location): an invalid light")
        if node["weights"].isThere {
            let targets = mesh.map { meshes[$0]["primitives"].elements.first?["targets"].elements.count ?? 0 }
            expect(node["weights"].elements.count == targets, "\(location): not a weight a target")
        }
        if let skin = reference(node["skin"], "skins", location) { checkSkinned(mesh, skin, location) }
        checkInstances(node, location)
    }

    private mutating func checkSkinned(_ mesh: Int?, _ skin: Int, _ location: String) {
        guard let mesh else {
            faults.append("\(location): a skin without a mesh")
            return
        }
        let joints = root["skins"].elements[skin]["joints"].elements.count
        for (number, primitive) in meshes[mesh]["primitives"].elements.enumerated() {
            let attributes = primitive["attributes"]
            expect(attributes["JOINTS_0"].isThere, "\(location): skinned, but primitive \(number) of its mesh has no joints")
            for name in attributes.members.keys.sorted() where name.hasPrefix("JOINTS_") {
                guard let accessor = attributes[name].integer, accessors.indices.contains(accessor), let values = values(accessor) else {
                    continue
                }
                expect(values.allSatisfy { $0 < Double(joints) }, "\(location): a joint beyond the \(joints) of its skin")
            }
        }
    }

    private mutating func checkInstances(_ node: JSONNode, _ location: String) {
        let attributes = node["extensions"]["EXT_mesh_gpu_instancing"]["attributes"]
        guard attributes.isThere else { return }
        expect(node["mesh"].isThere, "\(location): instances of no mesh")
        let kinds = ["TRANSLATION": "VEC3 5126", "ROTATION": "VEC4 5126", "SCALE": "VEC3 5126"]
        var counts: Set<Int> = []
        for name in attributes.members.keys.sorted() {
            guard let accessor = reference(attributes[name], "accessors", "\(location)/\(name)") else { continue }
            use(accessor, as: .data)
            counts.insert(count(accessor))
            expect(kinds[name] == kind(accessor) || name.hasPrefix("_"), "\(location)/\(name): made of \(kind(accessor))")
            if name == "ROTATION", let values = values(accessor) {
                expect(Self.areUnit(values, width: 4, of: 4), "\(location)/ROTATION: not of unit length")
            }
        }
        expect(counts.count == 1, "\(location): instances of different number")
    }

    // MARK: Skins

    mutating func checkSkins() {
        for (index, skin) in root["skins"].elements.enumerated() {
            let (location, joints) = ("skins/\(index)", skin["joints"].integers)
            expect(!joints.isEmpty && Set(joints).count == joints.count, "\(location): no joints, or one twice")
            for joint in skin["joints"].elements { _ = reference(joint, "nodes", "\(location)/joints") }
            _ = reference(skin["skeleton"], "nodes", "\(location)/skeleton")
            expect(Set(joints.map(topmost)).count <= 1, "\(location): joints without a common root")
            guard let accessor = reference(skin["inverseBindMatrices"], "accessors", location) else { continue }
            use(accessor, as: .data)
            expect(kind(accessor) == "MAT4 5126", "\(location): matrices made of \(kind(accessor))")
            expect(count(accessor) >= joints.count, "\(location): \(count(accessor)) matrices for \(joints.count) joints")
            guard let values = values(accessor) else { continue }
            let lastRow: [Double] = [0, 0, 0, 1]
            let isAffine = values.indices.allSatisfy { $0 % 4 != 3 || values[$0] == lastRow[$0 / 4 % 4] }
            expect(isAffine, "\(location): a matrix whose last row is not 0, 0, 0, 1")
        }
    }

    private func topmost(_ index: Int) -> Int {
        var (node, steps) = (index, 0)
        while let parent = parents[node], steps <= nodes.count { (node, steps) = (parent, steps + 1) }
        return node
    }

    // MARK: Animations

    mutating func checkAnimations() {
        for (index, animation) in root["animations"].elements.enumerated() {
            let location = "animations/\(index)"
            let (samplers, channels) = (animation["samplers"].elements, animation["channels"].elements)
            expect(!samplers.isEmpty && !channels.isEmpty, "\(location): empty")
            for (number, sampler) in samplers.enumerated() { checkTimes(sampler, "\(location)/samplers/\(number)") }
            var (used, targets): (Set<Int>, Set<String>) = ([], [])
            for (number, channel) in channels.enumerated() {
                let location = "\(location)/channels/\(number)"
                guard let sampler = channel["sampler"].integer, samplers.indices.contains(sampler) else {
                    faults.append("\(location): an invalid sampler")
                    continue
                }
                used.insert(sampler)
                let target = channel["target"]
                let isNew = targets.insert("\(target["node"].integer ?? -1) \(target["path"].text ?? "")").inserted
                expect(isNew, "\(location): another moves the same")
                check(samplers[sampler], moving: target, location)
            }
            expect(used.count == samplers.count, "\(location): a sampler that nothing uses")
        }
    }

    private mutating func checkTimes(_ sampler: JSONNode, _ location: String) {
        expect(["STEP", "LINEAR", "CUBICSPLINE", nil].contains(sampler["interpolation"].text), "\(location): an invalid interpolation")
        guard let input = reference(sampler["input"], "accessors", location),
            let output = reference(sampler["output"], "accessors", location)
        else {
            faults.append("\(location): without input or output")
            return
        }
        use(input, as: .data)
        use(output, as: .data)
        expect(kind(input) == "SCALAR 5126", "\(location): times made of \(kind(input))")
        expect(accessors[input]["min"].isThere && accessors[input]["max"].isThere, "\(location): times without min and max")
        guard let times = values(input) else { return }
        expect(times.allSatisfy { $0 >= 0 && $0.isFinite }, "\(location): a time below 0")
        expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 }, "\(location): times that don't rise")
    }

    private mutating func check(_ sampler: JSONNode, moving target: JSONNode, _ location: String) {
        guard let node = reference(target["node"], "nodes", location), let input = sampler["input"].integer,
            let output = sampler["output"].integer, accessors.indices.contains(input), accessors.indices.contains(output)
        else { return }
        let isCubic = sampler["interpolation"].text == "CUBICSPLINE"
        var (kinds, width): (Set<String>, Int) = (["VEC3 5126"], 1)
        switch target["path"].text {
        case "translation", "scale": break
        case "rotation": kinds = ["VEC4 5126"]
        case "weights":
            kinds = ["SCALAR 5126"]
            width =
                nodes[node]["mesh"].integer.flatMap { meshes.indices.contains($0) ? meshes[$0] : nil }?["primitives"].elements.first?[
                    "targets"
                ]
                .elements.count ?? 0
            expect(width > 0, "\(location): moves targets of a mesh that has none")
        default: faults.append("\(location): an invalid path")
        }
        expect(kinds.contains(kind(output)), "\(location): values made of \(kind(output))")
        expect(target["path"].text == "weights" || !nodes[node]["matrix"].isThere, "\(location): moves a node that has a matrix")
        let expected = count(input) * width * (isCubic ? 3 : 1)
        expect(count(output) == expected, "\(location): \(count(output)) values instead of \(expected)")
        expect(!isCubic || count(input) >= 2, "\(location): a cubic of one key")
        if target["path"].text == "rotation", !isCubic, let values = values(output) {
            expect(Self.areUnit(values, width: 4, of: 4), "\(location): a rotation that is not of unit length")
        }
    }
}
