import VitrineGLTF
import VitrineScene

/// Counts the objects of a loaded model in one traversal.
struct SceneSurvey {
    private(set) var counts = ModelInspection.Counts()
    private(set) var skins: [ModelInspection.SkinEntry] = []
    private(set) var cameras: [ModelInspection.CameraEntry] = []
    private(set) var lights: [ModelInspection.LightEntry] = []
    private(set) var geometryBytes = 0
    private(set) var gpuGeometryBytes = 0
    private var meshes: Set<ObjectIdentifier> = []
    /// The meshes of visible nodes.
    private var shownMeshes: Set<ObjectIdentifier> = []
    private var materials: Set<ObjectIdentifier> = []
    private var skinsSeen: Set<ObjectIdentifier> = []
    /// The streams by their addresses: parts of one vertex buffer share them.
    private var streams: Set<UInt> = []

    init(_ asset: ParsedModel) {
        counts.scenes = asset.info?.counts.scenes ?? asset.scenes.count
        counts.materials = asset.materialCount
        counts.textures = asset.textures.count
        counts.animations = asset.scene.animations.count
        asset.scene.update()
        var nodes: [(node: Node, isShown: Bool)] = []
        let opacities = asset.scene.store.worldOpacities
        asset.scene.rootNode.forSubtree { nodes.append(($0, opacities[Int($0.slot)] > 0)) }
        shownMeshes = Set(nodes.filter(\.isShown).compactMap { $0.node.mesh.map { ObjectIdentifier($0) } })
        // The root of the scene is not a node of the file.
        for (node, isShown) in nodes.dropFirst() { add(node, isShown: isShown) }
        (counts.skins, counts.cameras, counts.lights) = (skins.count, cameras.count, lights.count)
    }

    func usesMaterial(_ material: Material) -> Bool { materials.contains(ObjectIdentifier(material)) }

    private mutating func add(_ node: Node, isShown: Bool) {
        counts.nodes += 1
        if let mesh = node.mesh {
            if isShown { counts.drawnTriangles += mesh.triangleCount } else { counts.hiddenMeshNodes += 1 }
            if meshes.insert(ObjectIdentifier(mesh)).inserted { add(mesh) }
        }
        if let skin = node.skin, skinsSeen.insert(ObjectIdentifier(skin)).inserted {
            skins.append(ModelInspection.SkinEntry(name: skin.name, joints: skin.joints.count))
        }
        if let camera = node.camera { cameras.append(ModelInspection.CameraEntry(camera, node: node.name)) }
        if let light = node.light { lights.append(ModelInspection.LightEntry(light, node: node.name)) }
    }

    private mutating func add(_ mesh: Mesh) {
        counts.meshes += 1
        counts.parts += mesh.parts.count
        let isShown = shownMeshes.contains(ObjectIdentifier(mesh))
        if isShown { counts.triangles += mesh.triangleCount } else { counts.hiddenTriangles += mesh.triangleCount }
        counts.morphTargets += mesh.morphTargetCount
        for part in mesh.parts {
            materials.insert(ObjectIdentifier(part.material))
            let geometry = part.geometry
            counts.vertices += geometry.vertexCount
            for attribute in geometry.attributes { add(attribute.values) }
            for target in geometry.morphTargets {
                for values in [target.positionOffsets, target.normalOffsets, target.tangentOffsets] { add(values) }
            }
            geometryBytes += (geometry.indices?.count ?? 0) * 4
            gpuGeometryBytes += (geometry.indices?.count ?? 0) * 4
        }
    }

    private mutating func add(_ values: [Float]) {
        guard !values.isEmpty else { return }
        gpuGeometryBytes += values.count * 4
        let address = values.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
        if streams.insert(address).inserted { geometryBytes += values.count * 4 }
    }
}
