import VitrineGLTF
import VitrineMath
import VitrineScene

/// Reads USD: text (`.usda`), binary (`.usdc`) and packages (`.usdz`), with the layers that they refer to.
///
/// Composition: `USDComposer`. Supports transforms, meshes with their subsets, points, curves (as lines), simple shapes, point instancers,
/// UsdPreviewSurface materials, skeletons, blend shapes, cameras, lights, and animation of nodes, joints and blend weights as one clip.
/// Repairs and ignored parts are reported as warnings.
final class USDReader {
    private let stage: USDStage
    private let scene: Scene
    private let animation = USDAnimationTracks()
    private let transforms: USDTransformReader
    private let materials: USDMaterialReader
    private let skeletons: USDSkeletonReader
    private let geometry: USDGeometryReader
    private let lights: USDLightReader
    private var nodes: [Int: Node] = [:]
    private var instancers: [(prim: Int, node: Node)] = []
    /// The nodes of prototypes until they are copied.
    private var held: [Node] = []
    private var hidesProxies = false
    /// The remaining number of nodes that instancers may copy.
    private var copyAllowance = 1 << 18

    /// - Parameter resources: The files that the layers refer to.
    static func read(
        _ bytes: [UInt8], file: String, name: String, resources: ModelResources, options: ModelLoadOptions
    ) throws(ModelFileError) -> ParsedModel {
        let layers = USDLayers(bytes, file: file, resources: resources)
        let root = try layers.root(name: name)
        let stage = try USDStage(layers, root: root, choices: options.usdVariants)
        let reader = USDReader(stage: stage, scene: Scene(name: ModelFile.stem(name)))
        try reader.readScene()
        return ParsedModel(
            scene: reader.scene, materials: reader.materials.materials, textures: reader.materials.textures, warnings: stage.warnings,
            variantSets: stage.variantSets.map {
                ModelInspection.VariantSetEntry(node: $0.path, name: $0.name, choices: $0.choices, choice: $0.choice)
            })
    }

    private init(stage: USDStage, scene: Scene) {
        (self.stage, self.scene) = (stage, scene)
        // The default unit of a stage is a centimetre.
        let unit = stage.metadata("metersPerUnit")?.number ?? 0.01
        let metres = unit.isFinite && unit > 0 ? Float(unit) : 1
        lights = USDLightReader(stage: stage, scene: scene, metres: metres)
        transforms = USDTransformReader(stage: stage, animation: animation)
        materials = USDMaterialReader(stage: stage)
        skeletons = USDSkeletonReader(stage: stage, animation: animation)
        geometry = USDGeometryReader(stage: stage, materials: materials, skeletons: skeletons)
    }

    // MARK: The tree

    private func readScene() throws(ModelFileError) {
        hidesProxies = stage.prims.indices.contains { stage.start($0, "purpose")?.text == "render" }
        let top = Node(name: "")
        top.transform = worldFromStage()
        let isMoved = top.transform != .identity
        let parent = isMoved ? top : scene.rootNode
        for root in stage.roots { try readTree(root, below: parent, top: parent) }
        if isMoved { scene.rootNode.addChildNode(top) }
        try skeletons.bindSkins()
        // Inner instancers first, because outer ones copy them.
        for (prim, node) in instancers.reversed() { try fill(node, prim, top: parent) }
        if !animation.tracks.isEmpty { scene.animations = [AnimationClip(name: scene.name, tracks: animation.tracks)] }
    }

    /// Reads a prim with its descendants.
    ///
    /// - Parameter isWanted: Whether to read the prim even if it only is a definition for others.
    private func readTree(_ prim: Int, below parent: Node, top: Node, isWanted: Bool = false) throws(ModelFileError) {
        var stack = [(prim: prim, parent: parent)]
        while let (prim, parent) = stack.popLast() {
            guard let node = try node(prim, isWanted: isWanted) else { continue }
            nodes[prim] = node
            if transforms.setTransform(of: node, from: prim) { parent.addChildNode(node) } else { top.addChildNode(node) }
            var below = node
            if stage.prims[prim].typeName == "PointInstancer" {
                below = Node(name: node.name)
                held.append(below)
                instancers.append((prim, node))
            }
            for child in stage.prims[prim].children.reversed() { stack.append((child, below)) }
        }
    }

    /// Returns the transform to metres and +Y up.
    private func worldFromStage() -> Matrix4 {
        let turn = stage.metadata("upAxis")?.text == "Z" ? Matrix3(Vector3(1, 0, 0), Vector3(0, 0, -1), Vector3(0, 1, 0)) : .identity
        return Matrix4(Matrix3(turn.x * lights.metres, turn.y * lights.metres, turn.z * lights.metres))
    }

    private static let definitions: Set<String> = [
        "Material", "Shader", "NodeGraph", "GeomSubset", "BlendShape", "SkelAnimation", "RenderSettings", "RenderProduct", "RenderVar",
        "Collection", "Backdrop", "LightFilter", "GenerativeProcedural",
    ]

    /// Returns the node of a prim; nil for prims that are not part of the visible tree.
    private func node(_ prim: Int, isWanted: Bool) throws(ModelFileError) -> Node? {
        let (type, children) = (stage.prims[prim].typeName, stage.prims[prim].children)
        guard isWanted || stage.prims[prim].specifier == .define else { return nil }
        if stage.field(prim, "active")?.number == 0 || Self.definitions.contains(type) { return nil }
        if type == "Scope", !children.isEmpty, children.allSatisfy({ Self.definitions.contains(stage.prims[$0].typeName) }) { return nil }
        let purpose = stage.start(prim, "purpose")?.text
        if purpose == "guide" || (purpose == "proxy" && hidesProxies), type != "Skeleton" {
            return nil
        }
        let name = stage.field(prim, "displayName")?.text ?? stage.prims[prim].name
        let node = Node(name: name)
        if let visibility = stage.opinion(prim, "visibility") {
            if visibility.samples.count > 1 { stage.warn(prim, "animated visibility is not supported; the value at the start is used") }
            node.isHidden = visibility.start?.text == "invisible"
        }
        try fill(node, prim, type)
        return node
    }

    private func fill(_ node: Node, _ prim: Int, _ type: String) throws(ModelFileError) {
        switch type {
        case "Mesh", "Points", "Cube", "Sphere", "Cylinder", "Cylinder_1", "Cone", "Capsule", "Capsule_1", "Plane", "BasisCurves",
            "HermiteCurves":
            try geometry.fill(node, withGeometryOf: prim)
        case "Camera": node.camera = lights.camera(prim)
        case "Skeleton": try skeletons.addJoints(of: prim, to: node)
        case "DistantLight", "SphereLight", "RectLight", "DiskLight", "CylinderLight": node.light = lights.light(prim, type)
        case "DomeLight", "DomeLight_1": lights.readDome(prim, node)
        case "Xform", "Scope", "SkelRoot", "PointInstancer", "": break
        default: stage.warn(prim, "\"\(MessageText.name(type))\" prims are not supported")
        }
    }

    // MARK: Point instancers

    private static let maximumInstances = 1 << 17

    /// Adds a copy of a prototype for each point.
    private func fill(_ node: Node, _ prim: Int, top: Node) throws(ModelFileError) {
        let prototypes = stage.targets(prim, "prototypes")
        guard let which = stage.value(prim, "protoIndices")?.integers, let positions = stage.value(prim, "positions")?.floats else {
            return stage.warn(prim, "has no positions or no protoIndices")
        }
        guard which.count <= Self.maximumInstances else {
            throw stage.failure(prim, "\(which.count) instances; the limit is \(Self.maximumInstances)")
        }
        let turns = stage.value(prim, "orientations")?.floats ?? []
        let scales = stage.value(prim, "scales")?.floats ?? []
        let ids = stage.value(prim, "ids")?.integers ?? []
        let hidden = Set(stage.value(prim, "invisibleIds")?.integers ?? [])
        for (index, number) in which.enumerated() where 3 * index + 3 <= positions.count {
            guard !hidden.contains(index < ids.count ? ids[index] : Int32(index)) else { continue }
            guard number >= 0, Int(number) < prototypes.count, let source = try prototype(prototypes[Int(number)], top: top) else {
                stage.warn(prim, "an instance refers to a prototype that does not exist")
                continue
            }
            var linear = Matrix3.identity
            if 4 * index + 4 <= turns.count {
                linear = Matrix3(
                    Quaternion(vector: Vector4(turns[4 * index], turns[4 * index + 1], turns[4 * index + 2], turns[4 * index + 3]))
                        .normalized)
            }
            if 3 * index + 3 <= scales.count {
                linear = Matrix3(linear.x * scales[3 * index], linear.y * scales[3 * index + 1], linear.z * scales[3 * index + 2])
            }
            let position = Vector3(positions[3 * index], positions[3 * index + 1], positions[3 * index + 2])
            guard (position * 0).sum() == 0, ((linear.x + linear.y + linear.z) * 0).sum() == 0 else { continue }
            let copy = source.clone()
            copy.forSubtree { _ in copyAllowance -= 1 }
            guard copyAllowance > 0 else { throw stage.failure(prim, "too many copies of prototypes") }
            let holder = Node(name: "\(node.name)_\(index)")
            holder.transform = Matrix4(linear, translation: position)
            holder.addChildNode(copy)
            node.addChildNode(holder)
        }
    }

    /// Returns the node of a prototype, which is read now if it is only a definition.
    private func prototype(_ path: String, top: Node) throws(ModelFileError) -> Node? {
        guard let prim = stage.primOfPath[path] else { return nil }
        if let known = nodes[prim] { return known }
        let holder = Node(name: "")
        held.append(holder)
        try readTree(prim, below: holder, top: holder, isWanted: true)
        return nodes[prim]
    }
}
