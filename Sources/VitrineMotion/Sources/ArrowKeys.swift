import VitrineMath

/// The arrow keys as a direction.
public struct ArrowKeys: Equatable, Sendable {
    private var held: [Key] = []

    /// Creates a state with no keys down.
    public init() {}

    /// The direction of the keys that are down: +x right, +y *up*, length 0 or 1. Opposite keys cancel each other.
    public var direction: Vector2 {
        func share(_ positive: Key, _ negative: Key) -> Float {
            (held.contains(positive) ? 1 : 0) - (held.contains(negative) ? 1 : 0)
        }
        return normalize(Vector2(share(.right, .left), share(.up, .down)))
    }

    /// Handles an event.
    ///
    /// - Returns: Whether the direction may have changed.
    @discardableResult public mutating func handle(_ event: InputEvent) -> Bool {
        switch event.kind {
        case .keyPressed(let key, _) where isArrow(key) && !held.contains(key): held.append(key)
        case .keyReleased(let key) where held.contains(key): held.removeAll { $0 == key }
        case .focusLost where !held.isEmpty: held = []
        default: return false
        }
        return true
    }

    private func isArrow(_ key: Key) -> Bool { key == .left || key == .right || key == .up || key == .down }
}
