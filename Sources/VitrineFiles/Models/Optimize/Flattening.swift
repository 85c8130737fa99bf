import VitrineMath
import VitrineScene

/// Moves nodes that nothing animates to the top of the hierarchy, where `MeshJoining` can merge them.
///
/// A node stays where it is if it or a node above it is animated, is a joint or isn't opaque, if it is skinned, or if its transform in the
/// scene has shear.
enum Flattening {
    /// - Returns: A summary for people.
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
    /// Visible nodes that can't move: neither they nor a node above them is animated, a joint or transparent as a whole. With their frames
    /// in the root's.
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
