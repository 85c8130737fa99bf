import VitrineMath

/// Knows a node without owning it, and outlives it: a weak reference, which Embedded Swift has none of.
///
/// A node makes one when it is first asked to, hands the same to all, and notes in it that it goes away: so the reference never leads to
/// memory that was freed.
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

    /// Of the node, or what it left.
    var worldTransform: Matrix4 {
        switch target {
        case .living(let node): node.takeUnretainedValue().worldTransform
        case .gone(let worldTransform): worldTransform
        }
    }
}
