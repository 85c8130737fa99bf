import VitrineGLTF
import VitrineMath
import VitrineScene

/// A Skeleton prim (UsdSkel).
struct USDSkeleton {
    /// The paths of joints: `Hip/Knee`.
    let joints: [String]
    /// The indices of the parents; −1 for none.
    let parents: [Int]
    /// The transform from the joint's frame to the skeleton's in the bind pose.
    let bind: [Matrix4]
    /// The transform to the parent joint at rest.
    let rest: [Matrix4]
}

/// Reads skeletons, skins, blend shapes and their animation (UsdSkel).
final class USDSkeletonReader {
    private let stage: USDStage
    private let animation: USDAnimationTracks
    private var skeletons: [Int: USDSkeleton] = [:]
    /// The skins by skeleton and bind transform.
    private var skins: [String: Skin] = [:]
    /// The nodes of a skeleton's joints, by the skeleton's prim.
    private var jointNodes: [Int: [Node]] = [:]
    /// The nodes that get a skin once all joints have been read.
    private var unbound: [(node: Node, prim: Int, skeleton: Int)] = []

    init(stage: USDStage, animation: USDAnimationTracks) {
        (self.stage, self.animation) = (stage, animation)
    }

    private static let maximumJoints = 1 << 14

    /// Returns a skeleton, which is read once.
    private func skeleton(_ prim: Int) throws(ModelFileError) -> USDSkeleton {
        if let known = skeletons[prim] { return known }
        let joints = stage.value(prim, "joints")?.texts ?? []
        guard joints.count <= Self.maximumJoints else {
            throw stage.failure(prim, "\(joints.count) joints; the limit is \(Self.maximumJoints)")
        }
        var jointIndices: [String: Int] = [:]
        for (index, joint) in joints.enumerated() { jointIndices[joint] = jointIndices[joint] ?? index }
        let parents = joints.enumerated().map { index, joint -> Int in
            var path = Substring(joint)
            while let slash = path.lastIndex(of: "/") {
                path = path[..<slash]
                // A parent with a greater index would allow cycles.
                if let parent = jointIndices[String(path)], parent != index { return parent }
            }
            return -1
        }
        let bind = matrices(prim, "bindTransforms", joints.count)
        var rest = matrices(prim, "restTransforms", joints.count)
        if rest == nil, let bind {
            rest = joints.indices.map { parents[$0] < 0 ? bind[$0] : bind[parents[$0]].affineInverse * bind[$0] }
        }
        if bind == nil, !joints.isEmpty { stage.warn(prim, "has no bindTransforms for its joints") }
        let identities = Array(repeating: Matrix4.identity, count: joints.count)
        let skeleton = USDSkeleton(joints: joints, parents: parents, bind: bind ?? identities, rest: rest ?? identities)
        skeletons[prim] = skeleton
        return skeleton
    }

    private func matrices(_ prim: Int, _ name: String, _ count: Int) -> [Matrix4]? {
        guard let values = stage.value(prim, name)?.floats, values.count == 16 * count, values.allSatisfy(\.isFinite) else { return nil }
        return (0..<count).map { Matrix4(rows: values[16 * $0..<16 * $0 + 16]) }
    }

    /// Adds nodes for a skeleton's joints below its node, animated by its animation.
    func addJoints(of prim: Int, to node: Node) throws(ModelFileError) {
        let skeleton = try skeleton(prim)
        let joints = skeleton.joints.map { Node(name: USDPath.name($0)) }
        for (index, joint) in joints.enumerated() {
            joint.transform = skeleton.rest[index]
            let parent = skeleton.parents[index]
            if parent < 0 || !joints[parent].addChildNode(joint) { node.addChildNode(joint) }
        }
        jointNodes[prim] = joints
        if let source = stage.inheritedTarget(prim, "skel:animationSource") { animate(joints, of: skeleton, by: source) }
    }

    // MARK: Motion

    private static let maximumKeys = 1 << 22

    private func animate(_ nodes: [Node], of skeleton: USDSkeleton, by source: Int) {
        let names = stage.value(source, "joints")?.texts ?? []
        var jointIndices: [String: Int] = [:]
        for (index, joint) in skeleton.joints.enumerated() { jointIndices[joint] = jointIndices[joint] ?? index }
        for (name, target, width) in [
            ("translations", AnimationTarget.translation, 3), ("rotations", .rotation, 4), ("scales", .scale, 3),
        ] {
            guard let opinion = stage.opinion(source, name) else { continue }
            if let start = opinion.start?.floats, start.count == names.count * width, start.allSatisfy(\.isFinite) {
                for (index, joint) in names.enumerated() {
                    guard let jointIndex = jointIndices[joint] else { continue }
                    Self.put(nodes[jointIndex], target, Array(start[index * width..<(index + 1) * width]))
                }
            }
            let samples = opinion.samples.filter { sample in
                sample.value.floats.map { $0.count == names.count * width && $0.allSatisfy(\.isFinite) } ?? false
            }
            if samples.count < opinion.samples.count { stage.warn(source, "\(name): times with another number of joints are ignored") }
            guard samples.count > 1, samples.count * names.count * width <= Self.maximumKeys * 16 else { continue }
            let times = samples.map { Float($0.time) }
            let values = samples.map { $0.value.floats ?? [] }
            for (index, joint) in names.enumerated() {
                guard let jointIndex = jointIndices[joint] else { continue }
                var track: [Float] = []
                track.reserveCapacity(samples.count * width)
                for sample in values { track += sample[index * width..<(index + 1) * width] }
                animation.add(nodes[jointIndex], target, times, track)
            }
        }
    }

    private static func put(_ node: Node, _ target: AnimationTarget, _ v: [Float]) {
        switch target {
        case .translation: node.position = Vector3(v[0], v[1], v[2])
        case .rotation: node.orientation = Quaternion(x: v[0], y: v[1], z: v[2], w: v[3]).normalized
        case .scale: node.scale = Vector3(v[0], v[1], v[2])
        case .morphWeights: break
        }
    }

    // MARK: Skins

    /// Returns the skeleton that deforms a mesh; nil if there is none.
    func skeleton(ofMesh prim: Int) -> Int? {
        guard stage.primvarOwner(prim, "primvars:skel:jointIndices") != nil, let skeleton = stage.inheritedTarget(prim, "skel:skeleton")
        else {
            return nil
        }
        return stage.prims[skeleton].typeName == "Skeleton" ? skeleton : nil
    }

    private static let maximumInfluences = 16

    /// Returns joints and weights in sets of four; nil, with a warning, if their counts do not match.
    func skinStreams(_ prim: Int, skeleton index: Int, pointCount: Int) throws(ModelFileError) -> [USDStream]? {
        let skeleton = try skeleton(index)
        guard let owner = stage.primvarOwner(prim, "primvars:skel:jointIndices"),
            let weightOwner = stage.primvarOwner(prim, "primvars:skel:jointWeights"),
            let joints = stage.value(owner, "primvars:skel:jointIndices")?.integers,
            let weights = stage.value(weightOwner, "primvars:skel:jointWeights")?.floats
        else { return nil }
        let isRigid = stage.field(owner, "primvars:skel:jointIndices", "interpolation")?.text ?? "constant" == "constant"
        let rowCount = isRigid ? 1 : pointCount
        let element = stage.field(owner, "primvars:skel:jointIndices", "elementSize")?.number ?? 1
        let width = isRigid ? joints.count : Int(exactly: element) ?? 0
        guard width > 0, width <= joints.count, joints.count == rowCount * width, weights.count == joints.count,
            weights.allSatisfy(\.isFinite)
        else {
            stage.warn(prim, "\(joints.count) joints and \(weights.count) weights for \(pointCount) points; the skin was ignored")
            return nil
        }
        if stage.value(prim, "primvars:skel:skinningMethod")?.text == "dualQuaternion" {
            stage.warn(prim, "skinning with dual quaternions is not supported; matrices are used")
        }
        // The mesh may have its own order of joints.
        var map = Array(skeleton.joints.indices)
        if let own = stage.value(prim, "skel:joints")?.texts {
            let jointIndices = Self.firstIndices(of: skeleton.joints)
            map = own.map { jointIndices[$0] ?? -1 }
        }
        let kept = min(width, Self.maximumInfluences)
        if kept < width { stage.warn(prim, "\(width) joints per point; the \(kept) with the greatest weights are used") }
        let sets = (kept + 3) / 4
        var (jointStreams, weightStreams) = (Array(repeating: [Float](), count: sets), Array(repeating: [Float](), count: sets))
        for row in 0..<rowCount {
            var pulls = (0..<width).compactMap { number -> (joint: Int, weight: Float)? in
                let (joint, weight) = (Int(joints[row * width + number]), weights[row * width + number])
                guard weight > 0, map.indices.contains(joint), map[joint] >= 0 else { return nil }
                return (map[joint], weight)
            }
            if pulls.count > kept { pulls = Array(pulls.sorted { $0.weight > $1.weight }.prefix(kept)) }
            let sum = pulls.reduce(0) { $0 + $1.weight }
            for slot in 0..<4 * sets {
                jointStreams[slot / 4].append(slot < pulls.count ? Float(pulls[slot].joint) : 0)
                weightStreams[slot / 4].append(slot < pulls.count && sum > 0 ? pulls[slot].weight / sum : 0)
            }
        }
        let interpolation = isRigid ? "constant" : "vertex"
        return (0..<sets).flatMap { set in
            [
                USDStream(name: "skel:jointIndices \(set)", width: 4, values: jointStreams[set], interpolation: interpolation),
                USDStream(name: "skel:jointWeights \(set)", width: 4, values: weightStreams[set], interpolation: interpolation),
            ]
        }
    }

    /// Stores a node of a skinned mesh for `bindSkins()`.
    func bindLater(_ node: Node, _ prim: Int, to skeleton: Int) { unbound.append((node, prim, skeleton)) }

    /// Assigns skins to the stored nodes.
    func bindSkins() throws(ModelFileError) {
        for (node, prim, skeleton) in unbound { try bind(prim, node, to: skeleton) }
    }

    private func bind(_ prim: Int, _ node: Node, to index: Int) throws(ModelFileError) {
        guard let joints = jointNodes[index], !joints.isEmpty, node.mesh?.parts.first?.geometry.attribute(.joints(set: 0)) != nil else {
            return stage.warn(
                prim,
                "its skeleton <\(MessageText.name(stage.prims[index].path, limit: 200))> is not in the scene; the mesh is not animated")
        }
        let skeleton = try skeleton(index)
        var geometry = Matrix4.identity
        if let owner = stage.primvarOwner(prim, "primvars:skel:geomBindTransform"),
            let values = stage.value(owner, "primvars:skel:geomBindTransform")?.floats, values.count == 16, values.allSatisfy(\.isFinite)
        {
            geometry = Matrix4(rows: values)
        }
        let key = "\(index) \(geometry)"
        if let known = skins[key] {
            node.skin = known
            return
        }
        let skin = Skin(
            name: stage.prims[index].name, joints: joints, inverseBindMatrices: skeleton.bind.map { $0.affineInverse * geometry })
        skins[key] = skin
        node.skin = skin
    }

    // MARK: Blend shapes

    func blendShapeCount(_ prim: Int) -> Int { (stage.start(prim, "skel:blendShapes")?.texts ?? []).count }

    /// Returns the blend shapes in the order of the mesh's names.
    func morphs(_ prim: Int, pointCount: Int) -> [USDMorph] {
        let names = stage.value(prim, "skel:blendShapes")?.texts ?? []
        let targets = stage.targets(prim, "skel:blendShapeTargets")
        return names.enumerated().map { index, name in
            guard index < targets.count, let shape = stage.primOfPath[targets[index]] else {
                stage.warn(prim, "the blend shape \"\(MessageText.name(name))\" does not exist")
                return USDMorph(name: name, offsets: [], normalOffsets: [])
            }
            if !stage.properties(shape, prefix: "inbetweens:").isEmpty { stage.warn(shape, "in-between shapes are not supported") }
            return USDMorph(
                name: name, offsets: offsets(shape, "offsets", pointCount), normalOffsets: offsets(shape, "normalOffsets", pointCount))
        }
    }

    /// Returns three numbers per point, zeros if a shape has none.
    private func offsets(_ shape: Int, _ name: String, _ pointCount: Int) -> [Float] {
        guard let values = stage.value(shape, name)?.floats, !values.isEmpty else { return [] }
        let points = stage.value(shape, "pointIndices")?.integers
        let count = points?.count ?? pointCount
        guard values.count == 3 * count, values.allSatisfy(\.isFinite) else {
            stage.warn(shape, "\(values.count / 3) \(name) for \(count) points")
            return []
        }
        guard let points else { return values }
        var result = [Float](repeating: 0, count: 3 * pointCount)
        for (index, point) in points.enumerated() where point >= 0 && Int(point) < pointCount {
            for axis in 0..<3 { result[3 * Int(point) + axis] = values[3 * index + axis] }
        }
        return result
    }

    /// Returns the first index of each name.
    private static func firstIndices(of names: [String]) -> [String: Int] {
        Dictionary(zip(names, names.indices), uniquingKeysWith: { first, _ in first })
    }

    /// Animates the weights of a mesh's blend shapes by the animation of its skeleton.
    func animateWeights(_ node: Node, _ prim: Int, skeleton: Int?) {
        guard let names = stage.start(prim, "skel:blendShapes")?.texts, !names.isEmpty, node.mesh != nil else { return }
        let owner = skeleton ?? stage.inheritedTarget(prim, "skel:skeleton")
        let source =
            stage.inheritedTarget(prim, "skel:animationSource") ?? owner.flatMap { stage.inheritedTarget($0, "skel:animationSource") }
        guard let source, let opinion = stage.opinion(source, "blendShapeWeights") else { return }
        let order = stage.start(source, "blendShapes")?.texts ?? []
        let shapeIndices = Self.firstIndices(of: order)
        let sources = names.map { shapeIndices[$0] }
        func weights(_ field: USDField?) -> [Float]? {
            guard let values = field?.floats, values.count == order.count, values.allSatisfy(\.isFinite) else { return nil }
            return sources.map { $0.map { values[$0] } ?? 0 }
        }
        if let start = weights(opinion.start) { node.morphWeights = start }
        let samples = opinion.samples.compactMap { sample in weights(sample.value).map { (Float(sample.time), $0) } }
        if samples.count > 1 { animation.add(node, .morphWeights, samples.map(\.0), samples.flatMap(\.1)) }
    }
}
