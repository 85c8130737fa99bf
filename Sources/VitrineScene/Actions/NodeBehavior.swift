/// The running actions of a node; most nodes have none.
final class NodeBehavior {
    /// The running actions, in the order in which they were started.
    var running: [RunningAction] = []
    var constraints: [Constraint] = []
    /// The step in which the actions were last advanced.
    var step: UInt64 = 0
}

/// An action that was started on a node.
final class RunningAction {
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
