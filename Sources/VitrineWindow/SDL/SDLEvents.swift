internal import CSDL
import VitrineMath
import VitrineMotion

/// An SDL event of one window.
enum WindowEvent: Equatable, Sendable {
    case input(InputEvent)
    case resized
    /// The window's content must be drawn again.
    case exposed
    case shown, hidden
    case closeRequested
}

/// Translates SDL's events into Vitrine's. Collects the files of one drop, which SDL reports one by one.
struct SDLEventTranslator {
    let windowID: UInt32
    private var droppedPaths: [String] = []
    private var pointer = Vector2(0, 0)
    /// SDL_TOUCH_MOUSEID, a macro that Swift imports with another value: the mouse that SDL synthesizes from touches.
    private static let touchMouse = UInt32.max

    init(windowID: UInt32) { self.windowID = windowID }

    /// Returns nil for events of other windows and events that are not used.
    ///
    /// - Parameter size: The size of the window in points; SDL reports fingers in fractions of it.
    mutating func translate(_ event: SDL_Event, modifiers: KeyModifiers, size: Vector2) -> WindowEvent? {
        let time = Double(event.common.timestamp) / 1000
        func input(_ kind: InputEvent.Kind) -> WindowEvent { .input(InputEvent(kind, modifiers: modifiers, time: time)) }
        switch SDL_EventType(event.type) {
        case SDL_QUIT: return .closeRequested
        case SDL_WINDOWEVENT: return event.window.windowID == windowID ? windowEvent(event.window, time: time) : nil
        case SDL_MOUSEMOTION, SDL_MOUSEBUTTONDOWN, SDL_MOUSEBUTTONUP, SDL_MOUSEWHEEL: return mouse(event).map(input)
        case SDL_FINGERDOWN, SDL_FINGERMOTION, SDL_FINGERUP: return finger(event.tfinger, size: size).map(input)
        case SDL_KEYDOWN, SDL_KEYUP:
            guard event.key.windowID == windowID, let key = Key(event.key.keysym.sym) else { return nil }
            return input(event.type == SDL_KEYDOWN.rawValue ? .keyPressed(key, isRepeat: event.key.repeat != 0) : .keyReleased(key))
        case SDL_DROPBEGIN, SDL_DROPFILE, SDL_DROPTEXT, SDL_DROPCOMPLETE: return drop(event.drop).map(input)
        default: return nil
        }
    }

    private func windowEvent(_ event: SDL_WindowEvent, time: Double) -> WindowEvent? {
        switch SDL_WindowEventID(UInt32(event.event)) {
        case SDL_WINDOWEVENT_SIZE_CHANGED, SDL_WINDOWEVENT_DISPLAY_CHANGED: .resized
        case SDL_WINDOWEVENT_EXPOSED: .exposed
        case SDL_WINDOWEVENT_SHOWN, SDL_WINDOWEVENT_RESTORED, SDL_WINDOWEVENT_MAXIMIZED: .shown
        case SDL_WINDOWEVENT_HIDDEN, SDL_WINDOWEVENT_MINIMIZED: .hidden
        case SDL_WINDOWEVENT_CLOSE: .closeRequested
        case SDL_WINDOWEVENT_FOCUS_LOST: .input(InputEvent(.focusLost, time: time))
        default: nil
        }
    }

    private mutating func mouse(_ event: SDL_Event) -> InputEvent.Kind? {
        switch SDL_EventType(event.type) {
        case SDL_MOUSEMOTION:
            guard event.motion.windowID == windowID, event.motion.which != Self.touchMouse else { return nil }
            pointer = Vector2(Float(event.motion.x), Float(event.motion.y))
            return .pointerMoved(to: pointer)
        case SDL_MOUSEWHEEL:
            guard event.wheel.windowID == windowID else { return nil }
            // The user's "natural" scrolling setting is for pages; here, rolling the wheel away from the user always moves the camera nearer.
            return .scrolled(Vector2(event.wheel.preciseX, event.wheel.preciseY), at: pointer)
        default:
            guard event.button.windowID == windowID, event.button.which != Self.touchMouse else { return nil }
            pointer = Vector2(Float(event.button.x), Float(event.button.y))
            let button = PointerButton(sdl: event.button.button)
            return event.type == SDL_MOUSEBUTTONDOWN.rawValue
                ? .pointerPressed(button, at: pointer, clicks: Int(event.button.clicks)) : .pointerReleased(button, at: pointer)
        }
    }

    private func finger(_ event: SDL_TouchFingerEvent, size: Vector2) -> InputEvent.Kind? {
        // SDL sets window 0 if the window is unknown.
        guard event.windowID == windowID || event.windowID == 0 else { return nil }
        let position = Vector2(event.x, event.y) * size
        return switch SDL_EventType(event.type) {
        case SDL_FINGERDOWN: .touchBegan(id: event.fingerId, at: position)
        case SDL_FINGERMOTION: .touchMoved(id: event.fingerId, to: position)
        default: .touchEnded(id: event.fingerId, at: position)
        }
    }

    private mutating func drop(_ event: SDL_DropEvent) -> InputEvent.Kind? {
        guard event.windowID == windowID || event.windowID == 0 else { return nil }
        switch SDL_EventType(event.type) {
        case SDL_DROPBEGIN: droppedPaths = []
        // Some file managers send a path or file URL as text. Other text fails to open with an error.
        case SDL_DROPFILE, SDL_DROPTEXT: if let file = event.file { droppedPaths.append(String(cString: file)) }
        default:
            defer { droppedPaths = [] }
            return droppedPaths.isEmpty ? nil : .filesDropped(droppedPaths)
        }
        return nil
    }
}

extension PointerButton {
    init(sdl button: UInt8) {
        switch Int32(button) {
        case SDL_BUTTON_LEFT: self = .left
        case SDL_BUTTON_MIDDLE: self = .middle
        case SDL_BUTTON_RIGHT: self = .right
        default: self = .other(Int(button))
        }
    }
}

extension KeyModifiers {
    init(_ state: SDL_Keymod) {
        var modifiers = KeyModifiers()
        if state.rawValue & (KMOD_LSHIFT.rawValue | KMOD_RSHIFT.rawValue) != 0 { modifiers.insert(.shift) }
        if state.rawValue & (KMOD_LCTRL.rawValue | KMOD_RCTRL.rawValue) != 0 { modifiers.insert(.control) }
        if state.rawValue & (KMOD_LALT.rawValue | KMOD_RALT.rawValue) != 0 { modifiers.insert(.alt) }
        if state.rawValue & (KMOD_LGUI.rawValue | KMOD_RGUI.rawValue) != 0 { modifiers.insert(.command) }
        self = modifiers
    }
}

extension Key {
    private static let named: [(SDL_KeyCode, Key)] = [
        (SDLK_LEFT, .left), (SDLK_RIGHT, .right), (SDLK_UP, .up), (SDLK_DOWN, .down), (SDLK_HOME, .home), (SDLK_END, .end),
        (SDLK_PAGEUP, .pageUp), (SDLK_PAGEDOWN, .pageDown), (SDLK_ESCAPE, .escape), (SDLK_SPACE, .space), (SDLK_TAB, .tab),
        (SDLK_RETURN, .enter), (SDLK_KP_ENTER, .enter), (SDLK_BACKSPACE, .backspace), (SDLK_DELETE, .delete),
        (SDLK_KP_PLUS, .character("+")), (SDLK_KP_MINUS, .character("-")),
    ]

    /// Returns nil for modifiers and for unknown keys.
    init?(_ code: SDL_Keycode) {
        if let found = Key.named.first(where: { Int32($0.0.rawValue) == code }) {
            self = found.1
        } else if code > 32, code < 0x4000_0000, let scalar = Unicode.Scalar(UInt32(code)) {
            self = .character(Character(scalar))
        } else if code >= Int32(SDLK_F1.rawValue), code <= Int32(SDLK_F12.rawValue) {
            self = .function(Int(code - Int32(SDLK_F1.rawValue)) + 1)
        } else if code == 0 || (code >= Int32(SDLK_LCTRL.rawValue) && code <= Int32(SDLK_RGUI.rawValue)) {
            return nil
        } else {
            self = .other(code)
        }
    }
}
