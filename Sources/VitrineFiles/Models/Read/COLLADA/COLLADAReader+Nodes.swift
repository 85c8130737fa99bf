import VitrineMath
import VitrineScene

extension COLLADAReader {
    /// Nodes of nodes, through instances too.
    private static var maximumDepth: Int { 512 }

    /// Creates a node with everything below it. Refuses instances that would nest without end.
    ///
    /// - Parameters:
    ///   - place: The element that holds or instantiates the node: its units and axes surround the node.
    ///   - isSkeleton: Creates transforms only, without meshes, cameras and lights.
    /// - Returns: The node.
    func place(
        _ element: XMLElement, below parent: Node, at place: XMLElement?, depth: Int, isSkeleton: Bool = false
    ) throws(ModelFileError) -> [PlacedNode] {
        guard depth < Self.maximumDepth else { throw element.failure("more than \(Self.maximumDepth) nodes below nodes") }
        guard placed.count < Self.maximumNodes else { throw element.failure("more than \(Self.maximumNodes) nodes") }
        let node = Node(name: element.title)
        var steps: [TransformStep] = []
        if let change = change(of: element, at: place) { steps.append(TransformStep(change, element: element)) }
        for child in element.children { if let step = try TransformStep(child) { steps.append(step) } }
        if !steps.isEmpty {
            let matrix = TransformStep.product(steps)
            guard Self.isFinite(matrix) else { throw element.failure("the transform is not finite") }
            node.transform = matrix
        }
        let entry = PlacedNode(element: element, node: node, steps: steps)
        placed.append(entry)
        placedByElement[element, default: []].append(entry)
        parent.addChildNode(node)
        for child in element.children { try read(child, into: entry, depth: depth, isSkeleton: isSkeleton) }
        return [entry]
    }

    static func isFinite(_ matrix: Matrix4) -> Bool {
        [matrix.x, matrix.y, matrix.z, matrix.w].allSatisfy { ($0 * 0).sum() == 0 }
    }

    private func read(_ child: XMLElement, into entry: PlacedNode, depth: Int, isSkeleton: Bool) throws(ModelFileError) {
        switch child.name {
        case "node":
            entry.children += try place(child, below: entry.node, at: entry.element, depth: depth + 1, isSkeleton: isSkeleton)
        case "instance_node":
            // The attribute "proxy" names a stand-in; the url names the node itself.
            if let target = try resolved(child, "node") {
                entry.children += try place(target, below: entry.node, at: child, depth: depth + 1, isSkeleton: isSkeleton)
            }
        case _ where isSkeleton: break
        case "instance_geometry":
            guard let geometry = try resolved(child, "geometry") else { return }
            let parts = try self.parts(of: geometry)
            guard let mesh = try mesh(geometry, parts: parts, variant: nil, instance: child) else { return }
            guard let change = change(of: geometry, at: child) else {
                show(mesh, on: entry)
                return
            }
            let node = added(mesh.name, below: entry.node)
            (node.mesh, node.transform) = (mesh, change)
        case "instance_controller":
            if let controller = try resolved(child, "controller") { try place(controller, instance: child, on: entry) }
        case "instance_camera":
            if let camera = try resolved(child, "camera"), let read = try self.camera(camera) {
                let turn = turn(ofCamera: camera)
                let node = entry.node.camera == nil && turn == nil ? entry.node : added(camera.title, below: entry.node)
                if let turn { node.transform = turn }
                node.camera = read
            }
        case "instance_light":
            if let light = try resolved(child, "light") { try place(light: light, on: entry) }
        default: break
        }
    }

    /// The target of an instance; nil, with a warning, if it does not exist.
    private func resolved(_ instance: XMLElement, _ name: String) throws(ModelFileError) -> XMLElement? {
        let target = try files.resolve(instance["url"], from: instance)
        guard let target, target.name == name else {
            warn(instance, "there is no <\(name)> \"\((instance["url"] ?? "").prefix(80))\"")
            return nil
        }
        return target
    }

    func added(_ name: String, below parent: Node) -> Node {
        let node = Node(name: name)
        parent.addChildNode(node)
        return node
    }

    /// Puts a mesh on the node, or where that has one, on a new one below it.
    @discardableResult
    func show(_ mesh: Mesh, on entry: PlacedNode) -> Node {
        let node = entry.node.mesh == nil ? entry.node : added(mesh.name, below: entry.node)
        node.mesh = mesh
        return node
    }
}
