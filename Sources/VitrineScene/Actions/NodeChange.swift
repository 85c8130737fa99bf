import VitrineMath

/// A change of a node's property by an action.
enum NodeChange {
    case moveBy(Vector3)
    case moveTo(Vector3)
    case turnBy(Turn, isBackwards: Bool)
    case turnTo(Quaternion)
    case anglesTo(Vector3)
    case scaleBy(Float, isBackwards: Bool)
    case scaleTo(Vector3)
    case fadeBy(Float)
    /// `reverse` is the target of the reversed action.
    case fadeTo(Float, reverse: Float?)

    /// A rotation by a growing angle.
    enum Turn {
        /// The angles in radians about x, then y, then z of the parent.
        case angles(Vector3)
        case axis(Vector3, Angle)

        /// Returns the rotation at the fraction `share` of the change.
        func rotation(_ share: Float) -> Quaternion {
            switch self {
            case .angles(let angles): Quaternion(eulerAngles: angles * share)
            case .axis(let axis, let angle): Quaternion(angle: angle * share, axis: axis)
            }
        }
    }
}

/// A change in progress, with its initial value.
///
/// A relative change stores its initial value and the value it wrote last. While no other code changes the property, each step is computed from
/// the initial value: errors do not accumulate, and the result does not depend on the steps. Changes by other code are kept.
struct RunningChange {
    private let change: NodeChange
    /// The value of the property without this change.
    private var start: Memory
    /// The value that this change wrote last.
    private var written: Memory
    /// The fraction of the change in `written`.
    private var share: Float = 0

    private enum Memory {
        case vector(Vector3)
        case rotation(Quaternion)
        case number(Float)
    }

    init(_ change: NodeChange, of node: Node) {
        self.change = change
        switch change {
        case .moveBy, .moveTo: start = .vector(node.position)
        case .anglesTo: start = .vector(node.eulerAngles)
        case .turnBy, .turnTo: start = .rotation(node.orientation)
        case .scaleBy, .scaleTo: start = .vector(node.scale)
        case .fadeBy, .fadeTo: start = .number(node.opacity)
        }
        written = start
    }

    /// Sets the property to its value at the fraction `newShare` of the change.
    mutating func apply(_ newShare: Float, to node: Node) {
        switch (change, start) {
        case (.moveBy(let delta), .vector): move(by: delta, newShare, node)
        case (.moveTo(let target), .vector(let start)): node.position = newShare == 1 ? target : mix(start, target, newShare)
        case (.turnBy(let turn, let isBackwards), .rotation): rotate(by: turn, isBackwards, newShare, node)
        case (.turnTo(let target), .rotation(let start)): node.orientation = newShare == 1 ? target : start.slerp(to: target, newShare)
        case (.anglesTo(let target), .vector(let start)): node.eulerAngles = mix(start, target, newShare)
        case (.scaleBy(let factor, let isBackwards), .vector): scale(by: factor, isBackwards, newShare, node)
        case (.scaleTo(let target), .vector(let start)): node.scale = newShare == 1 ? target : mix(start, target, newShare)
        case (.fadeBy(let delta), .number): fade(by: delta, newShare, node)
        case (.fadeTo(let target, _), .number(let start)): node.opacity = newShare == 1 ? target : mix(start, target, newShare)
        default: break
        }
        share = newShare
    }

    private mutating func move(by delta: Vector3, _ newShare: Float, _ node: Node) {
        guard case .vector(var base) = start, case .vector(let last) = written else { return }
        if node.position != last { base = node.position - delta * share }
        let position = base + delta * newShare
        node.position = position
        (start, written) = (.vector(base), .vector(position))
    }

    private mutating func rotate(by turn: NodeChange.Turn, _ isBackwards: Bool, _ newShare: Float, _ node: Node) {
        guard case .rotation(var base) = start, case .rotation(let last) = written else { return }
        func rotation(_ share: Float) -> Quaternion {
            isBackwards ? turn.rotation(1 - share) * turn.rotation(1).inverse : turn.rotation(share)
        }
        if node.orientation != last { base = rotation(share).inverse * node.orientation }
        let orientation = (rotation(newShare) * base).normalized
        node.orientation = orientation
        (start, written) = (.rotation(base), .rotation(orientation))
    }

    private mutating func scale(by factor: Float, _ isBackwards: Bool, _ newShare: Float, _ node: Node) {
        guard case .vector(var base) = start, case .vector(let last) = written else { return }
        func size(_ share: Float) -> Float { isBackwards ? mix(factor, 1, share) / factor : mix(1, factor, share) }
        // A change to a mirrored scale passes 0, where changes by other code cannot be separated.
        if node.scale != last, size(share) != 0 { base = node.scale / size(share) }
        let scale = base * size(newShare)
        node.scale = scale
        (start, written) = (.vector(base), .vector(scale))
    }

    private mutating func fade(by delta: Float, _ newShare: Float, _ node: Node) {
        guard case .number(var base) = start, case .number(let last) = written else { return }
        if node.opacity != last { base = node.opacity - delta * share }
        let opacity = clamp(base + delta * newShare, 0, 1)
        node.opacity = opacity
        (start, written) = (.number(base), .number(opacity))
    }
}
