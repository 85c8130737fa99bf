import VitrineMath

/// What happened to a finger, or to the mouse while its button is down: gestures treat them alike.
enum ContactEvent: Equatable, Sendable {
    case down(Int64, Vector2)
    case moved(Int64, Vector2)
    /// nil: no place was told.
    case up(Int64, Vector2?)
    case cancelled(Int64)
    case allCancelled

    /// No finger has it: they are counted from 0, or are addresses.
    static let mouse = Int64.min
}

extension InputEvent {
    /// Places that aren't numbers, or that no screen has, are none.
    ///
    /// - Parameter button: Which one of a mouse counts as a finger.
    func contact(button: PointerButton = .left) -> ContactEvent? {
        func isPlace(_ position: Vector2) -> Bool { position.isFinite && max(abs(position.x), abs(position.y)) < 1e7 }
        return switch kind {
        case .pointerPressed(button, let position, _): isPlace(position) ? .down(ContactEvent.mouse, position) : nil
        case .pointerMoved(let position): isPlace(position) ? .moved(ContactEvent.mouse, position) : nil
        case .pointerReleased(button, let position): .up(ContactEvent.mouse, isPlace(position) ? position : nil)
        case .touchBegan(let id, let position): isPlace(position) ? .down(id, position) : nil
        case .touchMoved(let id, let position): isPlace(position) ? .moved(id, position) : nil
        case .touchEnded(let id, let position): .up(id, isPlace(position) ? position : nil)
        case .touchCancelled(let id): .cancelled(id)
        case .focusLost: .allCancelled
        default: nil
        }
    }
}

/// The fingers that are down, in the order they came, at most so many; more are ignored until they are lifted.
struct Contacts: Equatable, Sendable {
    struct Contact: Equatable, Sendable {
        let id: Int64
        var position: Vector2
    }

    let limit: Int
    private(set) var all: [Contact] = []

    init(limit: Int) { self.limit = limit }

    var count: Int { all.count }

    /// Whether it became one of them.
    mutating func add(_ id: Int64, at position: Vector2) -> Bool {
        guard all.count < limit, !all.contains(where: { $0.id == id }) else { return false }
        all.append(Contact(id: id, position: position))
        return true
    }

    /// Whether it is one of them.
    mutating func move(_ id: Int64, to position: Vector2) -> Bool {
        guard let index = all.firstIndex(where: { $0.id == id }) else { return false }
        all[index].position = position
        return true
    }

    /// Whether it was one of them.
    mutating func remove(_ id: Int64) -> Bool {
        guard let index = all.firstIndex(where: { $0.id == id }) else { return false }
        all.remove(at: index)
        return true
    }

    mutating func removeAll() { all = [] }

    /// The middle of all.
    var center: Vector2 {
        var sum = Vector2(0, 0)
        for contact in all { sum += contact.position }
        return all.isEmpty ? sum : sum / Float(all.count)
    }

    /// From the first to the second finger.
    var span: Vector2 { all.count < 2 ? Vector2(0, 0) : all[1].position - all[0].position }
}
