import VitrineMath

/// A running action of one node.
final class ActionRun {
    private let action: Action
    /// Distinguishes parts and repetitions in the random numbers.
    private let salt: UInt64
    /// The time in seconds since the start, at the action's speed.
    private var elapsed = 0.0
    private var change: RunningChange?
    /// The duration of a wait in seconds, drawn at its start.
    private var waiting: Double?
    /// The running parts: one of a sequence or repetition, all of a group; nil for those that have ended.
    private var parts: [ActionRun?] = []
    /// The number of parts of a sequence, or of repetitions, that have ended.
    private var done = 0
    /// The time in seconds that eased parts have received. Never decreases.
    private var given = 0.0

    /// A step that ends within this number of seconds of the end reaches it, because sums of steps are not exact.
    private static let timeTolerance = 1e-9

    init(_ action: Action, salt: UInt64 = 0) { (self.action, self.salt) = (action, salt) }

    /// Records the node's values before any action of this step changes them: actions that begin in the same step begin with the same values.
    func begin(_ node: Node) {
        switch action.kind {
        case .change(let kind): change = RunningChange(kind, of: node)
        case .sequence(let actions): if let first = actions.first { _ = part(first, of: node) }
        case .repeating(let action, let count): if count != 0 { _ = part(action, of: node) }
        case .group(let actions):
            parts = actions.indices.map { ActionRun(actions[$0], salt: salt(ofPart: $0)) }
            for part in parts { part?.begin(node) }
        default: break
        }
    }

    /// Advances the action by `seconds`; call `begin` first.
    ///
    /// - Returns: nil while the action runs; when it has ended, the part of `seconds` that it did not use.
    func advance(by seconds: Double, _ node: Node) -> Double? {
        guard action.speed > 0 || action.length == 0 else { return nil }
        let speed = action.speed > 0 ? action.speed : 1
        return step(seconds * speed, node).map { $0 / speed }
    }

    private func step(_ seconds: Double, _ node: Node) -> Double? {
        switch action.kind {
        case .setHidden(let isHidden):
            node.isHidden = isHidden
            return seconds
        case .removeFromParent:
            node.removeFromParentNode()
            return seconds
        case .call(let body):
            body(node)
            return seconds
        case .change:
            return lasting(action.length, seconds) { share in change?.apply(share, to: node) }
        case .custom(let body): return lasting(action.length, seconds) { body(node, Double($0) * action.length) }
        case .wait(let range, let seed): return lasting(waitingTime(range, seed), seconds) { _ in }
        case .sequence(let actions): return followed(eased(seconds), node, count: actions.count) { actions[$0] }
        case .repeating(let action, let count?): return followed(eased(seconds), node, count: count) { _ in action }
        case .repeating(let action, nil): return repeated(action, seconds, node)
        case .group: return together(eased(seconds), node)
        }
    }

    /// Runs a change that lasts `length` seconds; `body` receives the fraction of the change.
    private func lasting(_ length: Double, _ seconds: Double, _ body: (Float) -> Void) -> Double? {
        elapsed += seconds
        guard elapsed < length - ActionRun.timeTolerance else {
            body(action.eased(1))
            return max(0, elapsed - length)
        }
        body(action.eased(elapsed / length))
        return nil
    }

    private func waitingTime(_ range: Double, _ seed: UInt64) -> Double {
        if let waiting { return waiting }
        var random = SplitMix64(seed: seed ^ salt)
        let share = Double(random.next() >> 11) / Double(1 << 53) - 0.5
        let time = max(0, action.length + range * share)
        waiting = time
        return time
    }

    /// Returns the part of the next `seconds` that the parts of an eased action receive.
    private func eased(_ seconds: Double) -> Double {
        guard action.isEased, action.length > 0, action.length.isFinite else { return seconds }
        elapsed += seconds
        let reached = elapsed < action.length ? Double(action.eased(elapsed / action.length)) * action.length : elapsed
        // Parts cannot run backwards.
        let step = max(0, reached - given)
        given += step
        return step
    }

    /// Runs parts one after the other; each receives the time that the previous one did not use.
    private func followed(_ seconds: Double, _ node: Node, count: Int, _ action: (Int) -> Action) -> Double? {
        var seconds = seconds
        while done < count {
            // The node may have been removed from its scene: its other actions then pause.
            guard node.slot >= 0 else { return nil }
            guard let left = part(action(done), of: node).advance(by: seconds, node) else { return nil }
            seconds = left
            endPart()
        }
        return seconds
    }

    private func repeated(_ action: Action, _ seconds: Double, _ node: Node) -> Double? {
        var seconds = seconds
        while node.slot >= 0, let left = part(action, of: node).advance(by: seconds, node) {
            endPart()
            // An action of duration 0 would repeat endlessly in this step.
            guard left < seconds else { break }
            seconds = left
        }
        return nil
    }

    /// Returns the running part; begins the next one if none runs.
    private func part(_ action: Action, of node: Node) -> ActionRun {
        if let running = parts.first, let running { return running }
        let part = ActionRun(action, salt: salt(ofPart: done))
        part.begin(node)
        parts = [part]
        return part
    }

    private func salt(ofPart index: Int) -> UInt64 { salt &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(index) &+ 1 }

    private func endPart() {
        parts.removeAll(keepingCapacity: true)
        done += 1
    }

    private func together(_ seconds: Double, _ node: Node) -> Double? {
        var left = seconds
        var isDone = true
        for index in parts.indices {
            guard node.slot >= 0, let part = parts[index] else {
                isDone = isDone && parts[index] == nil
                continue
            }
            if let rest = part.advance(by: seconds, node) {
                left = min(left, rest)
                parts[index] = nil
            } else {
                isDone = false
            }
        }
        return isDone ? left : nil
    }
}
