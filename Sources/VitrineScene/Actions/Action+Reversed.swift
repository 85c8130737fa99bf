extension Action {
    /// The reverse action. Sequences run from their end, each part reversed; the timing function stays.
    ///
    /// Actions without a known reverse (`move(to:)` and other absolute ones) become a wait of the same duration; closures, and
    /// removal, are their own reverse.
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
    /// nil for absolute changes.
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
