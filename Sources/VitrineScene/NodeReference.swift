import VitrineMath

/// A weak reference to a node, which Embedded Swift lacks.
///
/// A node makes one reference on first use, shares it, and clears it when the node is freed, so that it never leads to
/// freed memory.
final class NodeReference {
    enum Target {
        case living(Unmanaged<Node>)
        /// The node went away and left this.
        case gone(worldTransform: Matrix4)
    }

    private var target: Target

    init(_ node: Node) { target = .living(.passUnretained(node)) }

    /// Called by the node when it goes away.
    func clear(leaving worldTransform: Matrix4) { target = .gone(worldTransform: worldTransform) }

    /// nil when the node is gone.
    var node: Node? {
        if case .living(let node) = target { return node.takeUnretainedValue() }
        return nil
    }

    /// Of the node, or its last value.
    var worldTransform: Matrix4 {
        switch target {
        case .living(let node): node.takeUnretainedValue().worldTransform
        case .gone(let worldTransform): worldTransform
        }
    }
}
