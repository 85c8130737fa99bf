extension Node {
    /// Starts `action`; it takes its first step with the next `Scene.advance(by:)` of the scene that the node belongs to.
    ///
    /// - Parameters:
    ///   - key: Names it. An action that runs under the same name is removed.
    ///   - completion: Called when it has ended by itself, not when it was removed.
    public func runAction(_ action: Action, forKey key: String? = nil, completion: (() -> Void)? = nil) {
        if let key { removeAction(forKey: key) }
        let behavior = makeBehavior()
        behavior.running.append(RunningAction(action, key: key, startStep: store?.currentStep ?? 0, completion: completion))
        store?.startActing(slot)
    }

    /// Whether an action runs, or will once the node belongs to a scene.
    public var hasActions: Bool { behavior?.running.contains { !$0.isOver } ?? false }

    /// The names of the actions that run, in the order in which they were started; those without a name are left out.
    public var actionKeys: [String] {
        guard let behavior else { return [] }
        return behavior.running.compactMap { $0.isOver ? nil : $0.key }
    }

    /// Returns the running action of this name.
    public func action(forKey key: String) -> Action? { behavior?.running.first { $0.key == key && !$0.isOver }?.action }

    /// Ends an action where it is.
    public func removeAction(forKey key: String) { removeActions { $0.key == key } }

    /// Ends all actions where they are.
    public func removeAllActions() { removeActions { _ in true } }

    private func removeActions(where isMeant: (RunningAction) -> Bool) {
        guard let behavior else { return }
        for running in behavior.running where isMeant(running) { running.isOver = true }
        behavior.running.removeAll { $0.isOver }
    }

    /// Lets `seconds` pass for the node's actions.
    func advanceActions(by seconds: Double, step: UInt64) {
        guard let behavior else { return }
        // Closures may start and remove actions: this step runs the actions of this list.
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
