import VitrineMath
import VitrineScene

extension COLLADAWriter {
    mutating func addScene() {
        text.open("library_visual_scenes")
        text.open("visual_scene", Self.named("scene", contents.name))
        // Nodes to open, and nodes to close.
        var stack: [(entry: Int, isEnd: Bool)] = contents.roots.reversed().map { ($0, false) }
        while let (index, isEnd) = stack.popLast() {
            if isEnd {
                text.close()
                continue
            }
            addNode(index)
            stack.append((index, true))
            stack += contents.entries[index].children.reversed().map { ($0, false) }
        }
        text.close()
        text.close()
        text.open("scene")
        text.leaf("instance_visual_scene", [("url", "#scene")])
        text.close()
    }

    /// Leaves the element open for the children.
    private mutating func addNode(_ index: Int) {
        let entry = contents.entries[index]
        let isJoint = contents.skins.contains { $0.joints.contains(index) }
        let id = Self.nodeID(index)
        text.open("node", Self.named(id, entry.node.name) + [("sid", id), ("type", isJoint ? "JOINT" : "NODE")])
        addTransform(index)
        if entry.node.camera != nil, cameraIDs.contains(index) { text.leaf("instance_camera", [("url", "#camera\(index)")]) }
        if let mesh = entry.mesh, !writtenParts(mesh).isEmpty { addMesh(index, mesh) }
        if entry.node.light != nil, lightIDs.contains(index) { text.leaf("instance_light", [("url", "#light\(index)")]) }
    }

    private mutating func addTransform(_ index: Int) {
        let entry = contents.entries[index]
        if matrixNodes.contains(index) {
            return text.leaf("matrix", [("sid", "transform")], floats: Self.rows(entry.parentFromLocal))
        }
        let local = entry.node.localTransform
        text.leaf("translate", [("sid", "translate")], floats: local.translation.array)
        let angle = local.rotation.normalized
        let axis = normalize(angle.imaginary)
        if axis != Vector3(repeating: 0) {
            let degrees = 2 * atan2(length(angle.imaginary), angle.real) * 180 / .pi
            text.leaf("rotate", [("sid", "rotate")], floats: axis.array + [degrees])
        }
        text.leaf("scale", [("sid", "scale")], floats: local.scale.array)
    }

    /// Most nodes are one exact matrix; nodes with animated translation or scale only are written as separate transforms.
    mutating func findMatrixNodes() {
        matrixNodes = Set(contents.entries.indices)
        for index in contents.entries.indices {
            let targets = contents.clips.flatMap { $0.tracks }.filter { $0.entry == index }.map { $0.track.target }
            let isPlain = contents.entries[index].node.localTransform.matrix == contents.entries[index].parentFromLocal
            if isPlain, targets.contains(.translation) || targets.contains(.scale), !targets.contains(.rotation) {
                matrixNodes.remove(index)
            }
        }
    }

    private mutating func addMesh(_ index: Int, _ mesh: Int) {
        if let controller = controllerID(index) {
            text.open("instance_controller", [("url", "#" + controller)])
            if let skin = contents.entries[index].skin, let root = skeletonRoot(skin) { text.leaf("skeleton", [], "#" + Self.nodeID(root)) }
        } else {
            text.open("instance_geometry", [("url", "#" + geometryID(mesh, target: nil))])
        }
        text.open("bind_material")
        text.open("technique_common")
        var seen: Set<Int> = []
        for part in writtenParts(mesh) {
            let material = contents.index(of: contents.parts[mesh][part].material)
            guard seen.insert(material).inserted else { continue }
            text.open("instance_material", [("symbol", "material\(material)"), ("target", "#material\(material)")])
            let sets = Set(contents.materials[material].textureMaps.map { $0.set })
            for set in sets.sorted() {
                text.leaf("bind_vertex_input", [("semantic", "UVSET\(set)"), ("input_semantic", "TEXCOORD"), ("input_set", "\(set)")])
            }
            text.close()
        }
        text.close()
        text.close()
        text.close()
    }
}
