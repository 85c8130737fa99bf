extension Action {
    /// What undoes this action: the same way back. Sequences run from their end, each part reversed; the timing stays as it is.
    ///
    /// Where there is no way back to know of (`move(to:)` and other absolute ones) the reverse waits as long; what calls the program, and
    /// removing, is its own reverse.
    public func reversed() -> Action {
        var result = Action(kind.reversed, length: length)
        (result.speed, result.timingMode, result.timingFunction) = (speed, timingMode, timingFunction)
        return result
    }
}

extension Action.Kind {
    fileprivate var reversed: Action.Kind {
        switch self {
        case .change(let change): change.reversed.map { .change($0) } ?? .wait(range: 0, seed: 0)
        case .setHidden(let isHidden): .setHidden(!isHidden)
        case .sequence(let actions): .sequence(actions.reversed().map { $0.reversed() })
        case .group(let actions): .group(actions.map { $0.reversed() })
        case .repeating(let action, let count): .repeating(action.reversed(), count: count)
        case .wait, .removeFromParent, .call, .custom: self
        }
    }
}

extension NodeChange {
    /// nil for what goes to a place from wherever it is.
    fileprivate var reversed: NodeChange? {
        switch self {
        case .moveBy(let delta): .moveBy(-delta)
        case .turnBy(let turn, let isBackwards): .turnBy(turn, isBackwards: !isBackwards)
        case .scaleBy(let factor, let isBackwards): .scaleBy(factor, isBackwards: !isBackwards)
        case .fadeBy(let delta): .fadeBy(-delta)
        case .fadeTo(let opacity, let reverse?): .fadeTo(reverse, reverse: opacity)
        case .moveTo, .turnTo, .anglesTo, .scaleTo, .fadeTo(_, reverse: nil): nil
        }
    }
}
