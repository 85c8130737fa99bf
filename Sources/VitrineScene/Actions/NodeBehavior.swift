/// The running actions and the constraints of a node; most nodes have neither.
final class NodeBehavior {
    /// The running actions, in the order in which they were started.
    private var running: [RunningAction] = []
    var constraints: [Constraint] = []
    /// The step in which the actions were last advanced.
    private var lastStep: UInt64 = 0

    /// Whether an action runs or was started.
    var hasActions: Bool { running.contains { !$0.isOver } }

    /// The names of the running actions, in the order in which they were started; without unnamed actions.
    var actionKeys: [String] { running.compactMap { $0.isOver ? nil : $0.key } }

    /// Returns the running action with this name.
    func action(forKey key: String) -> Action? { running.first { $0.key == key && !$0.isOver }?.action }

    /// Adds an action.
    ///
    /// - Parameter startStep: The current step, which does not advance the action; 0 between steps.
    func start(_ action: Action, key: String?, startStep: UInt64, completion: (() -> Void)?) {
        running.append(RunningAction(action, key: key, startStep: startStep, completion: completion))
    }

    /// Removes the actions with a name, or all.
    func removeActions(where isMeant: (_ key: String?) -> Bool) {
        for action in running where isMeant(action.key) { action.isOver = true }
        running.removeAll { $0.isOver }
    }

    /// Advances the actions of `node` by `seconds`, once for each step.
    func advanceActions(of node: Node, by seconds: Double, step: UInt64) {
        guard lastStep != step else { return }
        lastStep = step
        // Closures may start and remove actions: this step runs the actions in the list at its start.
        for action in running where !action.hasBegun && action.startStep != step {
            action.hasBegun = true
            action.run.begin(node)
        }
        for action in running {
            guard node.slot >= 0 else { break }
            guard !action.isOver, action.startStep != step else { continue }
            guard action.run.advance(by: seconds, node) != nil, !action.isOver else { continue }
            action.isOver = true
            running.removeAll { $0 === action }
            action.completion?()
            action.completion = nil
        }
    }
}

/// An action that was started on a node.
private final class RunningAction {
    let action: Action
    let key: String?
    let run: ActionRun
    var completion: (() -> Void)?
    /// The step during which the action was started: it begins with the next step. 0 between steps.
    let startStep: UInt64
    var hasBegun = false
    /// Whether the action has ended or was removed.
    var isOver = false

    init(_ action: Action, key: String?, startStep: UInt64, completion: (() -> Void)?) {
        (self.action, self.key, self.startStep, self.completion) = (action, key, startStep, completion)
        run = ActionRun(action)
    }
}
