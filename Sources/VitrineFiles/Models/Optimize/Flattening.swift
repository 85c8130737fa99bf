import VitrineMath
import VitrineScene

/// Moves nodes without animation to the top of the hierarchy, where `MeshJoining` can merge them.
///
/// A node is not moved if it or an ancestor is animated, is a joint or is not opaque, if it is skinned, or if its transform in the scene has shear.
enum Flattening {
    /// Moves nodes to the top of the hierarchy.
    ///
    /// - Returns: A summary for the report.
    static func run(_ scene: Scene) -> String {
        guard !scene.hasConstraints else { return "" }
        let root = scene.rootNode
        let fixed = scene.fixedNodes
        let referenced = scene.referencedNodes(byTracks: true)
        var moves: [(node: Node, rootFromNode: Matrix4)] = []
        for (node, rootFromNode) in fixed where node.parent !== root && !node.isContentFree && node.skin == nil {
            let transform = Transform(rootFromNode)
            guard transform.matrix.isClose(to: rootFromNode, tolerance: 1e-5 * max(1, rootFromNode.translation.max())) else { continue }
            moves.append((node, rootFromNode))
        }
        for (node, rootFromNode) in moves {
            var above = node.parent
            root.addChildNode(node)
            if node.pivot != .identity { node.pivot = .identity }
            node.transform = rootFromNode
            while let empty = above, empty !== root, empty.childNodes.isEmpty, empty.isContentFree,
                !referenced.contains(ObjectIdentifier(empty))
            {
                above = empty.parent
                empty.removeFromParentNode()
            }
        }
        return OptimizeText.list([(moves.count, "node")], verb: "moved")
    }
}

extension Scene {
    /// The visible nodes that do not move: neither they nor an ancestor is animated, a joint or transparent as a whole. With their transforms to the
    /// root's frame.
    var fixedNodes: [(node: Node, rootFromNode: Matrix4)] {
        var moving: Set<ObjectIdentifier> = []
        for track in animations.flatMap(\.tracks) where track.target != .morphWeights { moving.insert(ObjectIdentifier(track.node)) }
        rootNode.forSubtree { node in
            for case let joint? in node.skin?.joints ?? [] { moving.insert(ObjectIdentifier(joint)) }
        }
        var found: [(Node, Matrix4)] = []
        guard !moving.contains(ObjectIdentifier(rootNode)), rootNode.opacity == 1 else { return [] }
        var stack = rootNode.childNodes.reversed().map { ($0, Matrix4.identity) }
        while let (node, rootFromParent) = stack.popLast() {
            if node.isHidden || node.opacity != 1 || moving.contains(ObjectIdentifier(node)) { continue }
            let rootFromNode = rootFromParent * node.parentFromLocal
            found.append((node, rootFromNode))
            for child in node.childNodes.reversed() { stack.append((child, rootFromNode)) }
        }
        return found
    }
}
