import VitrineScene

/// The report of an optimization: totals before and after, and the savings of each step.
public struct OptimizeReport: Codable, Equatable, Sendable {
    /// The totals of a model.
    public struct Totals: Codable, Equatable, Sendable {
        /// The size of all files in bytes.
        public var bytes = 0
        /// The size of the textures in the files in bytes.
        public var textureBytes = 0
        /// The number of visible nodes.
        public var nodes = 0
        /// The number of meshes.
        public var meshes = 0
        /// The number of materials.
        public var materials = 0
        /// The number of textures.
        public var textures = 0
        /// The number of stored vertices: a mesh of several nodes counts once.
        public var vertices = 0
        /// The number of rendered triangles: a mesh counts once for each of its nodes.
        public var triangles = 0
        /// The number of draw calls: the parts of each mesh, times the nodes that use it. Instances of one node count once.
        public var drawCalls = 0
        /// The number of key frames in all animation tracks.
        public var keyframes = 0
    }

    /// The result of one step.
    public struct Step: Codable, Equatable, Sendable {
        /// The step that was performed.
        public var step: OptimizeStep
        /// The size of the files in bytes after this step.
        public var bytes: Int
        /// The bytes that the step saved; negative if the files grew.
        public var savedBytes: Int
        /// A summary of the changes, as text; empty if there are none.
        public var summary: String
    }

    /// The totals of the input. `bytes` is the size of the input files if the caller passed it, otherwise `writtenBytes`.
    public var before: Totals
    /// The size in bytes of the unchanged model in the output format.
    public var writtenBytes: Int
    /// The totals of the output.
    public var after: Totals
    /// The executed steps, in order.
    public var steps: [Step]
    /// Warnings about options without effect and about textures.
    public var warnings: [ModelWarning]
}

extension OptimizeReport.Totals {
    /// Counts the objects of a scene; `bytes` and `textureBytes` are 0.
    init(_ scene: Scene, countsInstances: Bool) {
        var (meshesSeen, materialsSeen, geometriesSeen): (Set<ObjectIdentifier>, Set<ObjectIdentifier>, Set<ObjectIdentifier>) = (
            [], [], []
        )
        var texturesSeen: Set<ObjectIdentifier> = []
        struct Instance: Hashable {
            let parent: ObjectIdentifier?
            let mesh: ObjectIdentifier
        }
        var instances: Set<Instance> = []
        for node in scene.visibleNodes {
            nodes += 1
            guard let mesh = node.mesh else { continue }
            triangles += mesh.triangleCount
            let instance = Instance(parent: node.parent.map { ObjectIdentifier($0) }, mesh: ObjectIdentifier(mesh))
            if instances.insert(instance).inserted || !countsInstances || node.skin != nil { drawCalls += mesh.parts.count }
            guard meshesSeen.insert(ObjectIdentifier(mesh)).inserted else { continue }
            for part in mesh.parts {
                if geometriesSeen.insert(ObjectIdentifier(part.geometry)).inserted { vertices += part.geometry.vertexCount }
                for material in part.allMaterials where materialsSeen.insert(ObjectIdentifier(material)).inserted {
                    for texture in material.textures { texturesSeen.insert(ObjectIdentifier(texture)) }
                }
            }
        }
        (meshes, materials, textures) = (meshesSeen.count, materialsSeen.count, texturesSeen.count)
        keyframes = scene.animations.reduce(0) { $0 + $1.tracks.reduce(0) { $0 + $1.times.count } }
    }
}

extension Scene {
    /// The nodes to write: all below the root, without hidden nodes and their descendants.
    var visibleNodes: [Node] {
        var found: [Node] = []
        var stack = Array(rootNode.childNodes.reversed())
        while let node = stack.popLast() {
            if node.isHidden { continue }
            found.append(node)
            stack.append(contentsOf: node.childNodes.reversed())
        }
        return found
    }
}

extension MeshPart {
    /// The material of the part and those of its variants.
    var allMaterials: [Material] { [ownMaterial] + alternatives.map(\.material) }
}
