import VitrineScene

/// What an optimization did: totals before and after, and the share of each step.
public struct OptimizeReport: Codable, Equatable, Sendable {
    /// What a model file holds.
    public struct Totals: Codable, Equatable, Sendable {
        /// Of all files.
        public var bytes = 0
        /// Of the textures in them.
        public var textureBytes = 0
        public var nodes = 0
        public var meshes = 0
        public var materials = 0
        public var textures = 0
        /// Stored ones: a mesh that several nodes show counts once.
        public var vertices = 0
        /// Drawn ones: a mesh counts as often as nodes show it.
        public var triangles = 0
        /// Parts times the nodes that show them; instances of one node count once.
        public var drawCalls = 0
        public var keyframes = 0
    }

    /// The result of one step.
    public struct Step: Codable, Equatable, Sendable {
        public var step: OptimizeStep
        /// Bytes of the written files after this step; the step's share is the difference to the one before.
        public var bytes: Int
        /// Bytes that the step saved; below 0 where the files grew.
        public var savedBytes: Int
        /// What it changed, for people; empty where it changed nothing.
        public var summary: String
    }

    /// The model as it was read. `bytes` are those of the input where the caller knows them, otherwise `writtenBytes`.
    public var before: Totals
    /// Bytes of the model written in the output format without any step.
    public var writtenBytes: Int
    public var after: Totals
    /// The steps that ran, in their order.
    public var steps: [Step]
    /// What was left out or changed against the caller's wish.
    public var warnings: [ModelWarning]
}

extension OptimizeReport.Totals {
    /// Counts what a scene holds; `bytes` and `textureBytes` stay 0.
    init(_ scene: Scene, countsInstances: Bool) {
        var (meshesSeen, materialsSeen, geometriesSeen): (Set<ObjectIdentifier>, Set<ObjectIdentifier>, Set<ObjectIdentifier>) = (
            [], [], []
        )
        var texturesSeen: Set<ObjectIdentifier> = []
        struct Place: Hashable {
            let parent: ObjectIdentifier?
            let mesh: ObjectIdentifier
        }
        var places: Set<Place> = []
        for node in scene.visibleNodes {
            nodes += 1
            guard let mesh = node.mesh else { continue }
            triangles += mesh.triangleCount
            let place = Place(parent: node.parent.map { ObjectIdentifier($0) }, mesh: ObjectIdentifier(mesh))
            if places.insert(place).inserted || !countsInstances || node.skin != nil { drawCalls += mesh.parts.count }
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
    /// Everything below the root that is written: hidden nodes and what is below them are left out.
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
    /// Its own material and those of variants.
    var allMaterials: [Material] { [ownMaterial] + alternatives.map(\.material) }
}
