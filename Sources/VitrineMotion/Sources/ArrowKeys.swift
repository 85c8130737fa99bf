import VitrineMath

/// The arrow keys as a stick: which way those point that are down.
public struct ArrowKeys: Equatable, Sendable {
    private var held: [Key] = []

    public init() {}

    /// +x right, +y *up*, 0 or 1 long. Opposite keys cancel each other.
    public var direction: Vector2 {
        func share(_ positive: Key, _ negative: Key) -> Float {
            (held.contains(positive) ? 1 : 0) - (held.contains(negative) ? 1 : 0)
        }
        return normalize(Vector2(share(.right, .left), share(.up, .down)))
    }

    /// Whether the direction may have changed.
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
