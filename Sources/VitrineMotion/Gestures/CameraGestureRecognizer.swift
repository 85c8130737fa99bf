import VitrineMath

/// Recognizes the gestures that move the camera of a view.
///
/// | input | gesture |
/// | --- | --- |
/// | left drag, one finger | orbit |
/// | right or middle drag, control + left drag, two fingers | pan |
/// | shift + drag | rotate the environment |
/// | two fingers apart or together | pinch |
/// | wheel, touchpad | scroll |
/// | click, tap | tap; two in a row: double tap |
///
/// The first button or finger that goes down determines the gesture; further buttons are ignored until it is released. A second finger changes an
/// orbit to pan and pinch, and lifting one changes it back, both without a jump. A third finger is ignored. `GestureTolerance` separates taps
/// from drags.
package struct CameraGestureRecognizer: Sendable {
    private enum State: Equatable, Sendable {
        case idle, pointer, oneFinger, twoFingers
    }

    private var state = State.idle
    /// The mouse button that started the drag.
    private var button = PointerButton.left
    private var contacts = Contacts(limit: 2)
    private var taps = TapSequence()
    private var clock = GestureClock()
    private var lastPosition = Vector2(0, 0)

    package init() {}

    /// Whether a button or finger is down.
    package var isActive: Bool { state != .idle }

    /// Returns the gestures that the event completes, in order.
    package mutating func handle(_ event: InputEvent) -> [CameraGesture] {
        clock.advance(to: event.time)
        switch event.kind {
        case .scrolled(let notches, let position):
            return notches.y != 0 && notches.y.isFinite && position.isFinite ? [.scrolled(notches.y, at: position)] : []
        case .pointerPressed(let button, _, _): if state == .idle { self.button = button }
        default: break
        }
        switch event.contact(button: button) {
        case .down(ContactEvent.mouse, let position): return press(at: position, event.modifiers)
        case .down(let id, let position): return fingerDown(id, at: position, event.modifiers)
        case .moved(let id, let position): return contacts.contains(id) ? move(id, to: position) : []
        case .up(let id, let position): return contacts.contains(id) ? release(id, at: position) : []
        case .cancelled(let id): return contacts.contains(id) ? cancel() : []
        case .allCancelled: return cancel()
        case nil: return []
        }
    }

    private mutating func cancel() -> [CameraGesture] {
        defer {
            state = .idle
            contacts.removeAll()
            taps.fail()
        }
        return switch state {
        case .idle: []
        case .pointer, .oneFinger: [.dragEnded]
        case .twoFingers: [.pinchEnded, .dragEnded]
        }
    }

    private mutating func begin(_ kind: OrbitController.Drag, at position: Vector2) -> [CameraGesture] {
        lastPosition = position
        return [.dragBegan(kind)]
    }

    private mutating func drag(to position: Vector2) -> [CameraGesture] {
        let step = position - lastPosition
        lastPosition = position
        return step == Vector2(0, 0) ? [] : [.dragged(by: step)]
    }

    // MARK: Press

    private mutating func press(at position: Vector2, _ modifiers: KeyModifiers) -> [CameraGesture] {
        guard state == .idle, let kind = Self.drag(for: button, modifiers), contacts.add(ContactEvent.mouse, at: position) else {
            return []
        }
        state = .pointer
        if button == .left {
            taps.press(at: position, time: clock.time, tolerance: GestureTolerance.mouse)
        } else {
            taps.fail()
        }
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

    private mutating func fingerDown(_ id: Int64, at position: Vector2, _ modifiers: KeyModifiers) -> [CameraGesture] {
        guard state != .pointer, contacts.add(id, at: position) else { return [] }
        if state == .idle {
            state = .oneFinger
            taps.press(at: position, time: clock.time, tolerance: GestureTolerance.touch)
            return begin(modifiers.contains(.shift) ? .environment : .orbit, at: position)
        }
        state = .twoFingers
        taps.fail()
        return [.dragEnded] + begin(.pan, at: contacts.center) + [.pinchBegan]
    }

    // MARK: Move

    private mutating func move(_ id: Int64, to position: Vector2) -> [CameraGesture] {
        let spreadBefore = length(contacts.span)
        _ = contacts.move(id, to: position)
        guard state == .twoFingers else { return taps.move(to: position) ? [] : drag(to: position) }
        var gestures = drag(to: contacts.center)
        let spread = length(contacts.span)
        // The ratio of distances is unreliable for fingers that touch each other.
        if spreadBefore > 1, spread > 1, spread != spreadBefore {
            gestures.append(.pinched(by: spread / spreadBefore, at: contacts.center))
        }
        return gestures
    }

    // MARK: Release

    private mutating func release(_ id: Int64, at position: Vector2?) -> [CameraGesture] {
        let isPointer = id == ContactEvent.mouse
        let rest = isPointer ? position.map { move(id, to: $0) } ?? [] : []
        _ = contacts.remove(id)
        if state == .twoFingers {
            state = .oneFinger
            return [.pinchEnded, .dragEnded] + begin(.orbit, at: contacts.center)
        }
        state = .idle
        return rest + [.dragEnded] + tap(at: position)
    }

    private mutating func tap(at position: Vector2?) -> [CameraGesture] {
        guard let tap = taps.release(at: position, time: clock.time) else { return [] }
        guard tap.count > 1 else { return [.tapped(at: tap.position)] }
        taps.fail()
        return [.doubleTapped(at: tap.position)]
    }
}
