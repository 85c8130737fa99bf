import VitrineMath

/// A weak reference to a node, because Embedded Swift has none.
///
/// A node creates one reference on first use, shares it, and clears it when the node is freed, so that it never refers to freed memory.
final class NodeReference {
    enum Target {
        case living(Unmanaged<Node>)
        /// The node was freed with this world transform.
        case gone(worldTransform: Matrix4)
    }

    private var target: Target

    init(_ node: Node) { target = .living(.passUnretained(node)) }

    /// Clears the reference; called by the node when it is freed.
    func clear(leaving worldTransform: Matrix4) { target = .gone(worldTransform: worldTransform) }

    /// The node; nil if it was freed.
    var node: Node? {
        if case .living(let node) = target { return node.takeUnretainedValue() }
        return nil
    }

    /// The world transform of the node, or its last value.
    var worldTransform: Matrix4 {
        switch target {
        case .living(let node): node.takeUnretainedValue().worldTransform
        case .gone(let worldTransform): worldTransform
        }
    }
}
