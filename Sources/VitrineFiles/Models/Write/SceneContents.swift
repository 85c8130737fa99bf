import VitrineMath
import VitrineScene

/// A scene as the writers see it: visible nodes in a fixed order, each mesh and material once.
struct SceneContents {
    struct Entry {
        let node: Node
        /// Index of the parent in `entries`; nil at the top.
        let parent: Int?
        /// Index into `meshes`.
        let mesh: Int?
        let parentFromLocal: Matrix4
        let worldFromLocal: Matrix4
        var children: [Int] = []
    }

    /// The path, for errors.
    let file: String
    /// Parents first.
    private(set) var entries: [Entry] = []
    /// Those of visible nodes with at least one part, in the order of first use; parts without vertices left out.
    private(set) var meshes: [Mesh] = []
    /// The parts of each mesh that can be drawn.
    private(set) var parts: [[MeshPart]] = []
    private(set) var materials: [Material] = []
    private(set) var warnings: [ModelWarning] = []
    let name: String

    private var meshIndices: [ObjectIdentifier: Int?] = [:]
    private var materialIndices: [ObjectIdentifier: Int] = [:]

    var roots: [Int] { entries.indices.filter { entries[$0].parent == nil } }

    init(_ scene: Scene, file: String) throws(ModelFileError) {
        (self.file, name) = (file, scene.name)
        scene.update()
        if !scene.animations.isEmpty { leaveOut("\(scene.animations.count) animations", at: "") }
        let root = scene.rootNode
        if root.mesh != nil || root.parentFromLocal != .identity {
            try add(root, parent: nil)
        } else {
            for child in root.childNodes { try add(child, parent: nil) }
        }
    }

    func index(of material: Material) -> Int { materialIndices[ObjectIdentifier(material)] ?? 0 }

    mutating func warn(_ message: String, at place: String = "") { warnings.append(ModelWarning(place: place, message: message)) }

    mutating func leaveOut(_ what: String, at place: String) { warn("\(what): not written", at: place) }

    /// Walks without recursion: a tree may be deeper than the stack.
    private mutating func add(_ top: Node, parent: Int?) throws(ModelFileError) {
        var stack: [(node: Node, parent: Int?)] = [(top, parent)]
        while let (node, parent) = stack.popLast() {
            let place = "node \"\(node.name)\""
            if node.isHidden {
                leaveOut("hidden, with everything below it", at: place)
                continue
            }
            report(node, at: place)
            let index = entries.count
            let matrix = node.parentFromLocal
            guard isFinite(matrix) else { throw failure("the transform is not finite", at: place) }
            let mesh: Int? = if let mesh = node.mesh { try self.index(of: mesh) } else { nil }
            entries.append(Entry(node: node, parent: parent, mesh: mesh, parentFromLocal: matrix, worldFromLocal: node.worldTransform))
            if let parent { entries[parent].children.append(index) }
            for child in node.childNodes.reversed() { stack.append((child, index)) }
        }
    }

    private mutating func report(_ node: Node, at place: String) {
        if node.opacity != 1 { leaveOut("opacity \(node.opacity)", at: place) }
        if node.camera != nil { leaveOut("a camera", at: place) }
        if node.light != nil { leaveOut("a light", at: place) }
        if node.skin != nil { leaveOut("a skin (the mesh is written in its bind pose)", at: place) }
    }

    private mutating func index(of mesh: Mesh) throws(ModelFileError) -> Int? {
        if let known = meshIndices[ObjectIdentifier(mesh)] { return known }
        let place = "mesh \"\(mesh.name)\""
        if mesh.morphTargetCount > 0 { leaveOut("\(mesh.morphTargetCount) morph targets", at: place) }
        let drawn = mesh.parts.filter { $0.geometry.vertexCount > 0 && $0.geometry.elementCount > 0 }
        if drawn.count < mesh.parts.count { leaveOut("\(mesh.parts.count - drawn.count) parts without vertices", at: place) }
        for part in drawn {
            for attribute in part.geometry.attributes {
                guard let bad = attribute.values.firstIndex(where: { !$0.isFinite }) else { continue }
                let vertex = bad / attribute.componentCount
                throw failure("\(attribute.semantic) of vertex \(vertex) is not finite: \(attribute.values[bad])", at: place)
            }
            let id = ObjectIdentifier(part.material)
            if materialIndices[id] == nil {
                materialIndices[id] = materials.count
                materials.append(part.material)
            }
        }
        let index: Int? = drawn.isEmpty ? nil : meshes.count
        if index != nil {
            meshes.append(mesh)
            parts.append(drawn)
        }
        meshIndices[ObjectIdentifier(mesh)] = .some(index)
        return index
    }

    func failure(_ text: String, at place: String = "") -> ModelFileError {
        ModelFileError(file: file, place: place, reason: .notWritable(text))
    }

    private func isFinite(_ matrix: Matrix4) -> Bool {
        [matrix.x, matrix.y, matrix.z, matrix.w].allSatisfy { $0.x.isFinite && $0.y.isFinite && $0.z.isFinite && $0.w.isFinite }
    }
}
