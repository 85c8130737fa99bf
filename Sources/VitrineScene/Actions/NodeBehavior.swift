/// What a node does by itself; most nodes have none.
final class NodeBehavior {
    /// In the order in which they were started.
    var running: [RunningAction] = []
    var constraints: [Constraint] = []
    /// The step in which its actions were advanced last.
    var step: UInt64 = 0
}

/// An action that was started on a node.
final class RunningAction {
    let action: Action
    let key: String?
    let run: ActionRun
    var completion: (() -> Void)?
    /// The step during which it was started: it begins with the next one. 0: between steps.
    let startStep: UInt64
    var hasBegun = false
    /// Ended or removed: takes no more steps.
    var isOver = false

    init(_ action: Action, key: String?, startStep: UInt64, completion: (() -> Void)?) {
        (self.action, self.key, self.startStep, self.completion) = (action, key, startStep, completion)
        run = ActionRun(action)
    }
}
