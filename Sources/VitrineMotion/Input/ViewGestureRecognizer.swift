import VitrineMath

/// Turns pointer and touch events into what a view's camera does.
///
/// | input | gesture |
/// | --- | --- |
/// | left drag, one finger | orbit |
/// | right or middle drag, control + left drag, two fingers | pan |
/// | shift + drag | turn the environment |
/// | two fingers apart or together | pinch |
/// | wheel, touchpad | scroll |
/// | click, tap | tap; twice in a row: double tap |
///
/// The first button or finger that goes down decides; more buttons are ignored until it is let go. A second finger turns an orbit into
/// pan and pinch, and lifting one turns it back, both without a jump. A third finger is ignored. It has no clock and no window: feed it
/// events.
public struct ViewGestureRecognizer: Sendable {
    private enum State: Equatable, Sendable {
        case idle
        case pointer(PointerButton)
        case oneFinger
        case twoFingers

        var isPointer: Bool { if case .pointer = self { true } else { false } }
    }

    private struct Finger: Sendable {
        let id: Int64
        var position: Vector2
    }

    private var state = State.idle
    private var fingers: [Finger] = []
    private var pressPosition = Vector2(0, 0)
    private var lastPosition = Vector2(0, 0)
    /// A press that has not moved far enough to be a drag.
    private var mayBeTap = false
    private var lastTap: (position: Vector2, time: Double)?

    /// Points within which a press is a tap.
    private static let pointerSlop: Float = 4
    private static let touchSlop: Float = 8
    /// Seconds and points between two taps that make a double tap.
    private static let doubleTapInterval = 0.35
    private static let doubleTapDistance: Float = 24

    public init() {}

    /// Whether something holds the view.
    public var isActive: Bool { state != .idle }

    public mutating func handle(_ event: InputEvent) -> [ViewGesture] {
        if let position = event.position, !position.isFinite { return letGo(withoutPlace: event) }
        return switch event.kind {
        case .pointerPressed(let button, let position, _): press(button, at: position, event.modifiers)
        case .pointerMoved(let position): state.isPointer ? move(to: position, slop: Self.pointerSlop) : []
        case .pointerReleased(let button, let position): release(button, at: position, time: event.time)
        case .scrolled(let notches, let position): notches.y != 0 && notches.y.isFinite ? [.scrolled(notches.y, at: position)] : []
        case .touchBegan(let id, let position): fingerDown(Finger(id: id, position: position), event.modifiers)
        case .touchMoved(let id, let position): fingerMoved(id, to: position)
        case .touchEnded(let id, let position): fingerUp(id, at: position, time: event.time)
        case .touchCancelled(let id): fingers.contains { $0.id == id } ? letGo() : []
        case .focusLost: letGo()
        case .keyPressed, .keyReleased, .filesDropped, .gamepad, .attitude: []
        }
    }

    /// A place that is no number is left out; letting go counts wherever it is.
    private mutating func letGo(withoutPlace event: InputEvent) -> [ViewGesture] {
        switch event.kind {
        case .pointerReleased(let button, _): release(button, at: lastPosition, time: event.time)
        case .touchEnded(let id, _): fingerUp(id, at: lastPosition, time: event.time)
        default: []
        }
    }

    private mutating func letGo() -> [ViewGesture] {
        defer { (state, fingers, mayBeTap) = (.idle, [], false) }
        return switch state {
        case .idle: []
        case .pointer, .oneFinger: [.dragEnded]
        case .twoFingers: [.pinchEnded, .dragEnded]
        }
    }
}

// MARK: - Pointer

extension ViewGestureRecognizer {
    private mutating func press(_ button: PointerButton, at position: Vector2, _ modifiers: KeyModifiers) -> [ViewGesture] {
        guard state == .idle, let kind = Self.drag(for: button, modifiers) else { return [] }
        state = .pointer(button)
        mayBeTap = button == .left
        return begin(kind, at: position)
    }

    private static func drag(for button: PointerButton, _ modifiers: KeyModifiers) -> OrbitController.Drag? {
        switch button {
        case .other: nil
        case _ where modifiers.contains(.shift): .environment
        case .left: modifiers.contains(.control) ? .pan : .orbit
        case .middle, .right: .pan
        }
    }

    private mutating func release(_ button: PointerButton, at position: Vector2, time: Double) -> [ViewGesture] {
        guard state == .pointer(button) else { return [] }
        let rest = move(to: position, slop: Self.pointerSlop)
        state = .idle
        return rest + [.dragEnded] + taps(at: position, time: time)
    }
}

// MARK: - Fingers

extension ViewGestureRecognizer {
    private mutating func fingerDown(_ finger: Finger, _ modifiers: KeyModifiers) -> [ViewGesture] {
        guard fingers.count < 2, !fingers.contains(where: { $0.id == finger.id }) else { return [] }
        switch state {
        case .pointer, .twoFingers: return []
        case .idle:
            fingers = [finger]
            state = .oneFinger
            mayBeTap = true
            return begin(modifiers.contains(.shift) ? .environment : .orbit, at: finger.position)
        case .oneFinger:
            fingers.append(finger)
            state = .twoFingers
            mayBeTap = false
            return [.dragEnded] + begin(.pan, at: centroid) + [.pinchBegan]
        }
    }

    private mutating func fingerMoved(_ id: Int64, to position: Vector2) -> [ViewGesture] {
        guard let index = fingers.firstIndex(where: { $0.id == id }) else { return [] }
        let spreadBefore = spread
        fingers[index].position = position
        guard state == .twoFingers else { return move(to: position, slop: Self.touchSlop) }
        var gestures = move(to: centroid, slop: 0)
        // Fingers that touch each other have no spread to measure by.
        if spreadBefore > 1, spread > 1, spread != spreadBefore { gestures.append(.pinched(by: spread / spreadBefore, at: centroid)) }
        return gestures
    }

    private mutating func fingerUp(_ id: Int64, at position: Vector2, time: Double) -> [ViewGesture] {
        guard let index = fingers.firstIndex(where: { $0.id == id }) else { return [] }
        fingers.remove(at: index)
        if let rest = fingers.first {
            state = .oneFinger
            return [.pinchEnded, .dragEnded] + begin(.orbit, at: rest.position)
        }
        state = .idle
        return [.dragEnded] + taps(at: position, time: time)
    }

    private var centroid: Vector2 {
        fingers.isEmpty ? Vector2(0, 0) : fingers.reduce(Vector2(0, 0)) { $0 + $1.position } / Float(fingers.count)
    }

    private var spread: Float { fingers.count < 2 ? 0 : distance(fingers[0].position, fingers[1].position) }
}

// MARK: - Drags and taps

extension ViewGestureRecognizer {
    private mutating func begin(_ kind: OrbitController.Drag, at position: Vector2) -> [ViewGesture] {
        (pressPosition, lastPosition) = (position, position)
        return [.dragBegan(kind)]
    }

    private mutating func move(to position: Vector2, slop: Float) -> [ViewGesture] {
        if mayBeTap {
            guard distance(position, pressPosition) > slop else { return [] }
            mayBeTap = false
        }
        let step = position - lastPosition
        lastPosition = position
        return step == Vector2(0, 0) ? [] : [.dragged(by: step)]
    }

    private mutating func taps(at position: Vector2, time: Double) -> [ViewGesture] {
        guard mayBeTap else { return [] }
        mayBeTap = false
        if let last = lastTap, time - last.time < Self.doubleTapInterval, distance(position, last.position) < Self.doubleTapDistance {
            lastTap = nil
            return [.doubleTapped(at: position)]
        }
        lastTap = (position, time)
        return [.tapped(at: position)]
    }
}
