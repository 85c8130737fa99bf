import VitrineMath
import VitrineScene

/// A Skeleton prim to write. Its frame, and that of the joints, is the frame of the root.
struct USDSkeletonPlan {
    let name: String
    /// Index into `contents.skins`; nil: only there to hold the weights of blend shapes.
    let skin: Int?
    /// Indices of entries, parents first.
    var joints: [Int] = []
    /// By number of the skin's joint: its place in `joints`.
    var places: [Int] = []
    /// Paths of joints, as `Hip/Knee`.
    var tokens: [String] = []
    /// For each joint: entries from the one below the joint above it (or from the top) down to its own.
    var chains: [[Int]] = []
    var bind: [Matrix4] = []
    /// Which entries' blend shapes it moves, with the shapes' names.
    var shapes: [(entry: Int, names: [String])] = []
    var path = ""
}

extension USDWriter {
    mutating func planSkeletons() {
        for (index, entry) in contents.skins.enumerated() {
            let bind = entry.skin.inverseBindMatrices.map { $0.affineInverse }
            var plan = USDSkeletonPlan(name: entry.skin.name.isEmpty ? "Skeleton" : entry.skin.name, skin: index)
            if bind.allSatisfy({ [$0.x, $0.y, $0.z, $0.w].allSatisfy { ($0 * 0).sum() == 0 } }),
                Set(entry.joints).count == entry.joints.count
            {
                // Entries come parents first.
                let order = entry.joints.indices.sorted { entry.joints[$0] < entry.joints[$1] }
                plan.joints = order.map { entry.joints[$0] }
                plan.bind = order.map { bind[$0] }
                plan.places = Array(repeating: 0, count: order.count)
                for (place, joint) in order.enumerated() { plan.places[joint] = place }
                addChains(to: &plan)
            } else {
                leaveOut("a skin (its bind matrices can't be turned round, or a joint is there twice)", at: "skin \"\(plan.name)\"")
            }
            skeletons.append(plan)
        }
        for (index, entry) in contents.entries.enumerated() {
            guard let mesh = entry.mesh, contents.morphTargetCount(ofMesh: mesh) > 0 else { continue }
            let owner = entry.skin ?? skeletons.count
            if owner == skeletons.count { skeletons.append(USDSkeletonPlan(name: "\(entry.node.name)_Shapes", skin: nil)) }
            skeletons[owner].shapes.append((index, shapeNames(mesh, taken: Set(skeletons[owner].shapes.flatMap(\.names)))))
        }
    }

    private func shapeNames(_ mesh: Int, taken: Set<String>) -> [String] {
        var (taken, names): (Set<String>, [String]) = (taken, [])
        for index in 0..<contents.morphTargetCount(ofMesh: mesh) {
            let named = contents.parts[mesh].lazy.map(\.geometry.morphTargets).first { index < $0.count }?[index].name ?? ""
            let valid = USDLayer.identifier(named, fallback: "shape_\(index)")
            var (unique, number) = (valid, 1)
            while !taken.insert(unique).inserted { (unique, number) = ("\(valid)_\(number)", number + 1) }
            names.append(unique)
        }
        return names
    }

    /// The hierarchy of joints, and the nodes between them.
    private func addChains(to plan: inout USDSkeletonPlan) {
        let places = Dictionary(plan.joints.enumerated().map { ($1, $0) }, uniquingKeysWith: { a, _ in a })
        var parents: [Int?] = []
        for joint in plan.joints {
            var (chain, current) = ([joint], contents.entries[joint].parent)
            while let entry = current, places[entry] == nil {
                chain.append(entry)
                current = contents.entries[entry].parent
            }
            plan.chains.append(chain.reversed())
            parents.append(current.flatMap { places[$0] })
        }
        var tokens = Array(repeating: "", count: plan.joints.count)
        var names = UniqueNames()
        for place in plan.joints.indices {
            let name = USDLayer.identifier(contents.entries[plan.joints[place]].node.name, fallback: "joint")
            tokens[place] = names.unique((parents[place].map { tokens[$0] + "/" } ?? "") + name)
        }
        plan.tokens = tokens
    }

    /// Joints with nothing but joints below: the skeleton has them.
    func pureJoints() -> Set<Int> {
        let joints = Set(skeletons.flatMap(\.joints))
        var result: Set<Int> = []
        for index in contents.entries.indices.reversed() where joints.contains(index) {
            let entry = contents.entries[index]
            guard entry.mesh == nil, entry.node.camera == nil, entry.node.light == nil else { continue }
            if entry.children.allSatisfy({ result.contains($0) }) { result.insert(index) }
        }
        return result
    }

    // MARK: Prims

    mutating func addSkeleton(_ index: Int, below root: Int) {
        let plan = skeletons[index]
        let prim = layer.add("Skeleton", named: plan.name, below: root)
        skeletons[index].path = layer.prims[prim].path
        let rest = plan.chains.map { chain in chain.reduce(Matrix4.identity) { $0 * contents.entries[$1].parentFromLocal } }
        layer.prims[prim].set("bindTransforms", "matrix4d[]", .matrices(plan.bind.flatMap(Self.rows)), isUniform: true)
        layer.prims[prim].set("joints", "token[]", .tokens(plan.tokens), isUniform: true)
        layer.prims[prim].set("restTransforms", "matrix4d[]", .matrices(rest.flatMap(Self.rows)), isUniform: true)
        let times = motion.times(of: Array(Set(plan.chains.flatMap { $0 })).sorted())
        guard !times.isEmpty || !plan.shapes.isEmpty else { return }
        let animation = layer.add("SkelAnimation", named: "Animation", below: prim)
        if !times.isEmpty { addJointMotion(plan, times, to: animation) }
        if !plan.shapes.isEmpty { addWeights(plan, to: animation) }
        layer.prims[prim].apiSchemas.append("SkelBindingAPI")
        layer.prims[prim].relate("skel:animationSource", to: layer.prims[animation].path)
    }

    private mutating func addJointMotion(_ plan: USDSkeletonPlan, _ times: [Float], to prim: Int) {
        var (moves, turns, scales): ([USDValue], [USDValue], [USDValue]) = ([], [], [])
        var isSheared = false
        for time in times {
            var (move, turn, scale): ([Float], [Float], [Float]) = ([], [], [])
            for chain in plan.chains {
                let parts: USDMatrixParts
                if chain.count == 1, USDMotion.hasParts(contents.entries[chain[0]]) {
                    parts = USDMatrixParts(motion.local(chain[0], at: time))
                } else {
                    parts = USDMatrixParts(chain.reduce(Matrix4.identity) { $0 * motion.matrix($1, at: time) })
                    isSheared = isSheared || parts.isSheared
                }
                move += parts.translation.array
                turn += [parts.rotation.vector.x, parts.rotation.vector.y, parts.rotation.vector.z, parts.rotation.vector.w]
                scale += parts.scale.array
            }
            moves.append(.float3s(move))
            turns.append(.quaternions(turn))
            scales.append(.half3s(scale))
        }
        if isSheared { leaveOut("shear of joints", at: "skin \"\(plan.name)\"") }
        let codes = times.map(USDMotion.code)
        layer.prims[prim].set("joints", "token[]", .tokens(plan.tokens), isUniform: true)
        layer.prims[prim].animate("rotations", "quatf[]", times: codes, turns)
        layer.prims[prim].animate("scales", "half3[]", times: codes, scales)
        layer.prims[prim].animate("translations", "float3[]", times: codes, moves)
    }

    private mutating func addWeights(_ plan: USDSkeletonPlan, to prim: Int) {
        layer.prims[prim].set("blendShapes", "token[]", .tokens(plan.shapes.flatMap(\.names)), isUniform: true)
        let tracks = plan.shapes.map { motion.track($0.entry, .morphWeights) }
        func weights(at time: Float?) -> [Float] {
            zip(plan.shapes, tracks).flatMap { shape, track -> [Float] in
                let values = time.flatMap { time in track?.value(at: time) } ?? contents.entries[shape.entry].node.effectiveMorphWeights
                return shape.names.indices.map { $0 < values.count && values[$0].isFinite ? values[$0] : 0 }
            }
        }
        let times = Set(tracks.compactMap { $0 }.flatMap { USDMotion.times($0) }).sorted()
        guard !times.isEmpty else { return layer.prims[prim].set("blendShapeWeights", "float[]", .floats(weights(at: nil))) }
        layer.prims[prim].animate("blendShapeWeights", "float[]", times: times.map(USDMotion.code), times.map { .floats(weights(at: $0)) })
    }

    // MARK: Meshes

    /// Joints and weights of vertices.
    mutating func addSkin(_ geometry: Geometry, ofEntry entry: Int, to prim: Int) {
        guard let skin = contents.entries[entry].skin, !skeletons[skin].joints.isEmpty else { return }
        let sets = geometry.skinSets()
        guard !sets.joints.isEmpty else { return }
        let places = skeletons[skin].places
        var (joints, weights): ([Int32], [Float]) = ([], [])
        for vertex in 0..<geometry.vertexCount {
            for set in sets.joints.indices {
                for index in 4 * vertex..<4 * vertex + 4 {
                    let weight = sets.weights[set][index]
                    weights.append(weight)
                    joints.append(weight > 0 ? Int32(places[Int(min(sets.joints[set][index], Float(places.count - 1)))]) : 0)
                }
            }
        }
        bind(prim, to: skin)
        layer.prims[prim].set("primvars:skel:geomBindTransform", "matrix4d", Self.matrix(.identity))
        add("primvars:skel:jointIndices", "int[]", .integers(joints), elementSize: 4 * sets.joints.count, to: prim)
        add("primvars:skel:jointWeights", "float[]", .floats(weights), elementSize: 4 * sets.joints.count, to: prim)
    }

    private mutating func add(_ name: String, _ type: String, _ value: USDValue, elementSize: Int, to prim: Int) {
        layer.prims[prim].set(name, type, value, interpolation: "vertex")
        layer.prims[prim].properties[layer.prims[prim].properties.count - 1].elementSize = elementSize
    }

    private mutating func bind(_ prim: Int, to skeleton: Int) {
        guard !layer.prims[prim].apiSchemas.contains("SkelBindingAPI") else { return }
        layer.prims[prim].apiSchemas.append("SkelBindingAPI")
        layer.prims[prim].relate("skel:skeleton", to: skeletons[skeleton].path)
    }

    /// Morph targets: offsets of those vertices that they move.
    mutating func addBlendShapes(_ geometry: Geometry, ofEntry entry: Int, to prim: Int) {
        guard !geometry.morphTargets.isEmpty,
            let owner = skeletons.firstIndex(where: { $0.shapes.contains { $0.entry == entry } }),
            let names = skeletons[owner].shapes.first(where: { $0.entry == entry })?.names
        else { return }
        bind(prim, to: owner)
        var paths: [String] = []
        for (target, name) in zip(geometry.morphTargets, names) {
            let shape = layer.add("BlendShape", named: name, below: prim)
            paths.append(layer.prims[shape].path)
            let (places, turns) = (target.positionOffsets, target.normalOffsets)
            let moved = (0..<geometry.vertexCount).filter { vertex in
                (3 * vertex..<3 * vertex + 3).contains { (!places.isEmpty && places[$0] != 0) || (!turns.isEmpty && turns[$0] != 0) }
            }
            func gathered(_ values: [Float]) -> USDValue {
                .float3s(moved.flatMap { values.isEmpty ? [0, 0, 0] : Array(values[3 * $0..<3 * $0 + 3]) })
            }
            if !turns.isEmpty { layer.prims[shape].set("normalOffsets", "vector3f[]", gathered(turns), isUniform: true) }
            layer.prims[shape].set("offsets", "vector3f[]", gathered(places), isUniform: true)
            layer.prims[shape].set("pointIndices", "int[]", .integers(moved.map { Int32($0) }), isUniform: true)
        }
        layer.prims[prim].set("skel:blendShapes", "token[]", .tokens(Array(names.prefix(paths.count))), isUniform: true)
        layer.prims[prim].relate("skel:blendShapeTargets", to: paths)
    }
}

extension USDMatrixParts {
    init(_ transform: Transform) {
        (translation, rotation, scale) = (transform.translation, transform.rotation.normalized, transform.scale)
        isSheared = false
    }
}
