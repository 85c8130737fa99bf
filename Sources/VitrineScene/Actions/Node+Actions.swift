extension Node {
    /// Starts `action`. Its first step is the next `Scene.advance(by:)` of the node's scene.
    ///
    /// - Parameters:
    ///   - key: The name of the action. A running action with the same name is removed.
    ///   - completion: Called when the action has ended, but not when it was removed.
    public func runAction(_ action: Action, forKey key: String? = nil, completion: (() -> Void)? = nil) {
        if let key { removeAction(forKey: key) }
        let behavior = makeBehavior()
        behavior.running.append(RunningAction(action, key: key, startStep: store?.currentStep ?? 0, completion: completion))
        store?.startActing(slot)
    }

    /// Whether an action runs, or will run once the node belongs to a scene.
    public var hasActions: Bool { behavior?.running.contains { !$0.isOver } ?? false }

    /// The names of the running actions, in the order in which they were started; without unnamed actions.
    public var actionKeys: [String] {
        guard let behavior else { return [] }
        return behavior.running.compactMap { $0.isOver ? nil : $0.key }
    }

    /// Returns the running action with this name.
    public func action(forKey key: String) -> Action? { behavior?.running.first { $0.key == key && !$0.isOver }?.action }

    /// Removes an action; the node keeps its current values.
    public func removeAction(forKey key: String) { removeActions { $0.key == key } }

    /// Removes all actions; the node keeps its current values.
    public func removeAllActions() { removeActions { _ in true } }

    private func removeActions(where isMeant: (RunningAction) -> Bool) {
        guard let behavior else { return }
        for running in behavior.running where isMeant(running) { running.isOver = true }
        behavior.running.removeAll { $0.isOver }
    }

    /// Advances the node's actions by `seconds`.
    func advanceActions(by seconds: Double, step: UInt64) {
        guard let behavior else { return }
        // Closures may start and remove actions: this step runs the actions in the list at its start.
        for running in behavior.running where !running.hasBegun && running.startStep != step {
            running.hasBegun = true
            running.run.begin(self)
        }
        for running in behavior.running {
            guard slot >= 0 else { break }
            guard !running.isOver, running.startStep != step else { continue }
            guard running.run.advance(by: seconds, self) != nil, !running.isOver else { continue }
            running.isOver = true
            behavior.running.removeAll { $0 === running }
            running.completion?()
            running.completion = nil
        }
    }
}
