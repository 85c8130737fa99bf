import VitrineMath

/// An event of a finger, or of the mouse while its button is down. Gestures treat both in the same way.
enum ContactEvent: Equatable, Sendable {
    case down(Int64, Vector2)
    case moved(Int64, Vector2)
    /// The position is nil if the event has no valid one.
    case up(Int64, Vector2?)
    case cancelled(Int64)
    case allCancelled

    /// The identifier of the mouse. Fingers are numbered from 0 or identified by addresses.
    static let mouse = Int64.min
}

extension InputEvent {
    /// Returns the event of a contact; nil for other events, and for positions that are not finite or farther than 10⁷ points away.
    ///
    /// - Parameter button: The mouse button that counts as a finger.
    func contact(button: PointerButton = .left) -> ContactEvent? {
        func isValid(_ position: Vector2) -> Bool { position.isFinite && max(abs(position.x), abs(position.y)) < 1e7 }
        return switch kind {
        case .pointerPressed(button, let position, _): isValid(position) ? .down(ContactEvent.mouse, position) : nil
        case .pointerMoved(let position): isValid(position) ? .moved(ContactEvent.mouse, position) : nil
        case .pointerReleased(button, let position): .up(ContactEvent.mouse, isValid(position) ? position : nil)
        case .touchBegan(let id, let position): isValid(position) ? .down(id, position) : nil
        case .touchMoved(let id, let position): isValid(position) ? .moved(id, position) : nil
        case .touchEnded(let id, let position): .up(id, isValid(position) ? position : nil)
        case .touchCancelled(let id): .cancelled(id)
        case .focusLost: .allCancelled
        default: nil
        }
    }
}

/// The contacts that are down, in the order of their presses, up to a limit. Further ones are ignored until they are lifted.
struct Contacts: Equatable, Sendable {
    private struct Contact: Equatable, Sendable {
        let id: Int64
        var position: Vector2
    }

    private let limit: Int
    private var all: [Contact] = []

    init(limit: Int) { self.limit = limit }

    var count: Int { all.count }
    /// The identifier of the earliest contact.
    var first: Int64? { all.first?.id }

    func contains(_ id: Int64) -> Bool { all.contains { $0.id == id } }

    /// Adds a contact.
    ///
    /// - Returns: Whether the contact was added.
    mutating func add(_ id: Int64, at position: Vector2) -> Bool {
        guard all.count < limit, !contains(id) else { return false }
        all.append(Contact(id: id, position: position))
        return true
    }

    /// Moves a contact.
    ///
    /// - Returns: Whether the contact is one of these.
    mutating func move(_ id: Int64, to position: Vector2) -> Bool {
        guard let index = all.firstIndex(where: { $0.id == id }) else { return false }
        all[index].position = position
        return true
    }

    /// Removes a contact.
    ///
    /// - Returns: Whether the contact was one of these.
    mutating func remove(_ id: Int64) -> Bool {
        guard let index = all.firstIndex(where: { $0.id == id }) else { return false }
        all.remove(at: index)
        return true
    }

    mutating func removeAll() { all = [] }

    /// The mean position.
    var center: Vector2 {
        var sum = Vector2(0, 0)
        for contact in all { sum += contact.position }
        return all.isEmpty ? sum : sum / Float(all.count)
    }

    /// The vector from the first to the second contact.
    var span: Vector2 { all.count < 2 ? Vector2(0, 0) : all[1].position - all[0].position }
}
