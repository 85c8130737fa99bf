import VitrineMath

/// Turns pointer and touch events into gestures.
///
/// | input | gesture |
/// | --- | --- |
/// | left drag, one finger | orbit |
/// | right or middle drag, two fingers, control + left drag | pan |
/// | shift + any drag | turn the environment |
/// | wheel, pinch | zoom |
/// | click, tap | tap; twice in a row: double tap |
///
/// The first button or finger that goes down decides; more buttons are ignored until it is let go. A second finger turns an orbit into
/// pan and pinch, and lifting one turns it back, both without a jump. A third finger is ignored. It has no clock and no window: feed it events.
public struct GestureRecognizer: Sendable {
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
    private var drag = DragKind.orbit
    private var fingers: [Finger] = []
    private var pressPosition = Vector2(0, 0)
    private var lastPosition = Vector2(0, 0)
    /// A press that has not moved far enough to be a drag.
    private var mayBeTap = false
    private var lastTap: (position: Vector2, time: Double)?
    private var velocity = VelocityEstimator()

    /// Points within which a press is a tap.
    private static let tapSlop: Float = 4
    private static let touchSlop: Float = 8
    /// Seconds and points between two taps that make a double tap.
    private static let doubleTapInterval = 0.35
    private static let doubleTapDistance: Float = 24
    /// How much nearer one notch of the wheel goes.
    private static let zoomPerNotch: Float = 1.15

    public init() {}

    /// Whether a drag or pinch is going on.
    public var isActive: Bool { state != .idle }

    public mutating func handle(_ event: InputEvent) -> [ViewGesture] {
        switch event.kind {
        case .pointerPressed(let button, let position, _): press(button, at: position, event)
        case .pointerMoved(let position): state.isPointer ? move(to: position, event) : []
        case .pointerReleased(let button, let position): release(button, at: position, event)
        case .scrolled(let notches, let position): scroll(notches, at: position)
        case .touchBegan(let id, let position): fingerDown(Finger(id: id, position: position), event)
        case .touchMoved(let id, let position): fingerMoved(id, to: position, event)
        case .touchEnded(let id, let position): fingerUp(id, at: position, event)
        case .focusLost: cancel()
        case .keyPressed, .keyReleased, .filesDropped: []
        }
    }

    private mutating func cancel() -> [ViewGesture] {
        fingers.removeAll()
        guard state != .idle else { return [] }
        state = .idle
        return [.dragEnded(drag, velocity: Vector2(0, 0))]
    }
}

// MARK: - Pointer

extension GestureRecognizer {
    private mutating func press(_ button: PointerButton, at position: Vector2, _ event: InputEvent) -> [ViewGesture] {
        guard state == .idle, let kind = Self.drag(for: button, event.modifiers) else { return [] }
        state = .pointer(button)
        mayBeTap = button == .left
        return begin(kind, at: position, time: event.time)
    }

    private static func drag(for button: PointerButton, _ modifiers: KeyModifiers) -> DragKind? {
        switch button {
        case .other: nil
        case _ where modifiers.contains(.shift): .environment
        case .left: modifiers.contains(.control) ? .pan : .orbit
        case .middle, .right: .pan
        }
    }

    private mutating func release(_ button: PointerButton, at position: Vector2, _ event: InputEvent) -> [ViewGesture] {
        guard state == .pointer(button) else { return [] }
        let moves = position == lastPosition ? [] : move(to: position, event)
        state = .idle
        return moves + [end(time: event.time)] + taps(at: position, event)
    }

    private func scroll(_ notches: Vector2, at position: Vector2) -> [ViewGesture] {
        guard notches.y != 0, notches.y.isFinite else { return [] }
        // One event never zooms by more than ten notches, whatever a driver reports.
        return [.zoomed(factor: pow(Self.zoomPerNotch, clamp(notches.y, -10, 10)), at: position, isContinuous: false)]
    }
}

// MARK: - Fingers

extension GestureRecognizer {
    private mutating func fingerDown(_ finger: Finger, _ event: InputEvent) -> [ViewGesture] {
        guard fingers.count < 2, !fingers.contains(where: { $0.id == finger.id }) else { return [] }
        switch state {
        case .pointer: return []
        case .idle:
            fingers = [finger]
            state = .oneFinger
            mayBeTap = true
            return begin(event.modifiers.contains(.shift) ? .environment : .orbit, at: finger.position, time: event.time)
        case .oneFinger, .twoFingers:
            fingers.append(finger)
            state = .twoFingers
            mayBeTap = false
            let ended = ViewGesture.dragEnded(drag, velocity: Vector2(0, 0))
            return [ended] + begin(.pan, at: centroid, time: event.time)
        }
    }

    private mutating func fingerMoved(_ id: Int64, to position: Vector2, _ event: InputEvent) -> [ViewGesture] {
        guard let index = fingers.firstIndex(where: { $0.id == id }) else { return [] }
        let spreadBefore = spread
        fingers[index].position = position
        if state == .oneFinger { return move(to: position, event, slop: Self.touchSlop) }
        var gestures = move(to: centroid, event)
        // Fingers that touch each other have no measurable spread.
        if spreadBefore > 1, spread > 1, spread != spreadBefore {
            gestures.append(.zoomed(factor: spread / spreadBefore, at: centroid, isContinuous: true))
        }
        return gestures
    }

    private mutating func fingerUp(_ id: Int64, at position: Vector2, _ event: InputEvent) -> [ViewGesture] {
        guard let index = fingers.firstIndex(where: { $0.id == id }) else { return [] }
        fingers.remove(at: index)
        if let rest = fingers.first {
            state = .oneFinger
            let ended = ViewGesture.dragEnded(drag, velocity: Vector2(0, 0))
            return [ended] + begin(.orbit, at: rest.position, time: event.time)
        }
        state = .idle
        return [end(time: event.time)] + taps(at: position, event)
    }

    private var centroid: Vector2 {
        fingers.isEmpty ? Vector2(0, 0) : fingers.reduce(Vector2(0, 0)) { $0 + $1.position } / Float(fingers.count)
    }

    private var spread: Float { fingers.count < 2 ? 0 : distance(fingers[0].position, fingers[1].position) }
}

// MARK: - Drags and taps

extension GestureRecognizer {
    private mutating func begin(_ kind: DragKind, at position: Vector2, time: Double) -> [ViewGesture] {
        drag = kind
        pressPosition = position
        lastPosition = position
        velocity = VelocityEstimator()
        velocity.add(position, at: time)
        return [.dragBegan(kind)]
    }

    private mutating func move(to position: Vector2, _ event: InputEvent, slop: Float = tapSlop) -> [ViewGesture] {
        velocity.add(position, at: event.time)
        if mayBeTap {
            guard distance(position, pressPosition) > slop else { return [] }
            mayBeTap = false
            // The way inside the slop is skipped, not jumped over at once.
            lastPosition = position
            return []
        }
        let step = position - lastPosition
        lastPosition = position
        return step == Vector2(0, 0) ? [] : [.dragged(drag, by: step)]
    }

    private func end(time: Double) -> ViewGesture {
        .dragEnded(drag, velocity: mayBeTap ? Vector2(0, 0) : velocity.velocity(at: time))
    }

    private mutating func taps(at position: Vector2, _ event: InputEvent) -> [ViewGesture] {
        guard mayBeTap else { return [] }
        mayBeTap = false
        if let last = lastTap, event.time - last.time < Self.doubleTapInterval, distance(position, last.position) < Self.doubleTapDistance {
            lastTap = nil
            return [.doubleTapped(at: position)]
        }
        lastTap = (position, event.time)
        return [.tapped(at: position)]
    }
}
