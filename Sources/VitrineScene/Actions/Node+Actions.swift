extension Node {
    /// Starts `action`. Its first step is the next `Scene.advance(by:)` of the node's scene.
    ///
    /// - Parameters:
    ///   - key: The name of the action. A running action with the same name is removed.
    ///   - completion: Called when the action has ended, but not when it was removed.
    public func runAction(_ action: Action, forKey key: String? = nil, completion: (() -> Void)? = nil) {
        if let key { removeAction(forKey: key) }
        makeBehavior().start(action, key: key, startStep: store?.currentStep ?? 0, completion: completion)
        store?.startActing(slot)
    }

    /// Whether an action runs, or will run once the node belongs to a scene.
    public var hasActions: Bool { behavior?.hasActions ?? false }

    /// The names of the running actions, in the order in which they were started; without unnamed actions.
    public var actionKeys: [String] { behavior?.actionKeys ?? [] }

    /// Returns the running action with this name.
    public func action(forKey key: String) -> Action? { behavior?.action(forKey: key) }

    /// Removes an action; the node keeps its current values.
    public func removeAction(forKey key: String) { behavior?.removeActions { $0 == key } }

    /// Removes all actions; the node keeps its current values.
    public func removeAllActions() { behavior?.removeActions { _ in true } }
}
