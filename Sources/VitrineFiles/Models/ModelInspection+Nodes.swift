import VitrineMath
import VitrineScene

extension ModelInspection {
    /// A node of the scene that is shown.
    public struct NodeEntry: Codable, Equatable, Sendable {
        public var name: String
        /// 0 for the scene's outermost nodes.
        public var depth: Int
        /// Index of the parent in `nodes`; nil at depth 0.
        public var parent: Int?
        /// In the parent's frame, metres; nil: none.
        public var position: [Float]?
        /// Degrees about an axis: angle, x, y, z; nil: none.
        public var rotation: [Float]?
        /// By axis; nil: none.
        public var scale: [Float]?
        public var isHidden: Bool
        /// Name of the mesh, "" where it has none; nil: the node has no mesh.
        public var mesh: String?
        public var triangles: Int?
        /// Names, a mesh part each.
        public var materials: [String]?
        /// Joints of its skin.
        public var joints: Int?
        public var hasCamera: Bool
        public var hasLight: Bool
        /// Names of the animations that move it.
        public var animations: [String]
    }

    static func nodes(of scene: Scene) -> [NodeEntry] {
        var animations: [ObjectIdentifier: [String]] = [:]
        for clip in scene.animations {
            for track in clip.tracks {
                let key = ObjectIdentifier(track.node)
                if animations[key]?.last != clip.name { animations[key, default: []].append(clip.name) }
            }
        }
        var entries: [NodeEntry] = []
        var stack: [(node: Node, depth: Int, parent: Int?)] = []
        for child in scene.rootNode.childNodes.reversed() { stack.append((child, 0, nil)) }
        while let (node, depth, parent) = stack.popLast() {
            entries.append(NodeEntry(node, depth: depth, parent: parent, animations: animations[ObjectIdentifier(node)] ?? []))
            let index = entries.count - 1
            for child in node.childNodes.reversed() { stack.append((child, depth + 1, index)) }
        }
        return entries
    }
}

extension ModelInspection.NodeEntry {
    fileprivate init(_ node: Node, depth: Int, parent: Int?, animations: [String]) {
        (name, self.depth, self.parent, self.animations) = (node.name, depth, parent, animations)
        position = node.position == Vector3(0, 0, 0) ? nil : node.position.array
        let q = node.orientation
        let sine = length(q.imaginary)
        if sine > 1e-6 {
            let axis = q.imaginary / sine * (q.real < 0 ? -1 : 1)
            rotation = [q.angle.degrees, axis.x, axis.y, axis.z]
        }
        scale = node.scale == Vector3(1, 1, 1) ? nil : node.scale.array
        isHidden = node.isHidden
        if let mesh = node.mesh { (self.mesh, triangles, materials) = (mesh.name, mesh.triangleCount, mesh.parts.map(\.material.name)) }
        joints = node.skin?.joints.count
        (hasCamera, hasLight) = (node.camera != nil, node.light != nil)
    }
}

extension FileInspection {
    /// The hierarchy for people, a node a line; empty where `model.nodes` is nil. Indented by at most 40 levels.
    public var tree: String {
        (model?.nodes ?? []).map { node in
            let facts = Self.facts(node)
            let indent = String(repeating: "  ", count: min(node.depth, 40)) + (node.depth > 40 ? "(level \(node.depth)) " : "")
            return indent + Self.named(node.name) + (facts.isEmpty ? "" : "  " + facts.joined(separator: "; "))
        }.joined(separator: "\n")
    }

    private static func facts(_ node: ModelInspection.NodeEntry) -> [String] {
        var facts: [String] = []
        if let mesh = node.mesh {
            // Each name once, in the order of the parts.
            let materials = (node.materials ?? []).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }.map(named)
            let names = materials.prefix(4).joined(separator: ", ") + (materials.count > 4 ? " and \(materials.count - 4) more" : "")
            facts.append("mesh \(named(mesh)), \(plural(node.triangles ?? 0, "triangle")), \(names)")
        }
        if let joints = node.joints { facts.append("skin of \(plural(joints, "joint"))") }
        if node.hasCamera { facts.append("camera") }
        if node.hasLight { facts.append("light") }
        if node.isHidden { facts.append("hidden") }
        if let position = node.position { facts.append("at \(vector(position))") }
        if let rotation = node.rotation { facts.append("turned \(number(rotation[0]))° about \(vector(Array(rotation[1...])))") }
        if let scale = node.scale {
            facts.append("scaled " + (scale[0] == scale[1] && scale[1] == scale[2] ? number(scale[0]) : vector(scale)))
        }
        if !node.animations.isEmpty { facts.append("animated by \(node.animations.map(named).joined(separator: ", "))") }
        return facts
    }
}
