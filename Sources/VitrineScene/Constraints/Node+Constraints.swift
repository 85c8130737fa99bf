import VitrineMath

extension Node {
    /// Rules for where the node is shown, in the order in which they are applied. Empty by default.
    public var constraints: [Constraint] {
        get { behavior?.constraints ?? [] }
        set {
            guard behavior != nil || !newValue.isEmpty else { return }
            makeBehavior().constraints = newValue
            store?.setConstrained(!newValue.isEmpty, at: slot)
        }
    }

    /// The node's frame in its parent's as it is shown: `parentFromLocal`, and what constraints made of it.
    public var presentedTransform: Matrix4 {
        guard let store, store.mayHaveConstraints else { return parentFromLocal }
        let world = worldTransform
        return parent.map { $0.worldTransform.affineInverse * world } ?? world
    }
}
