import CSDL
import Glibc
import Testing
import VitrineMath
import VitrineMotion

@testable import VitrineWindow

/// Conversion of SDL's events. SDL's dummy video driver replaces the desktop, so no display is needed.
@MainActor @Suite(.serialized) struct SDLEventTests {
    private func window() throws -> SDLWindow {
        SDL_SetHint(SDL_HINT_VIDEODRIVER, "dummy")
        return try SDLWindow(title: "test", width: 400, height: 200, isResizable: true)
    }

    /// Sends events through SDL's own queue to a window's mailbox.
    private func deliver(_ make: (UInt32) -> [SDL_Event]) throws -> [WindowEvent] {
        let window = try window()
        defer { window.destroy() }
        SDLEventHub.shared.pump()
        let mailbox = SDLEventHub.shared.open(for: window)
        defer { SDLEventHub.shared.close(mailbox) }
        for var event in make(window.id) {
            event.common.timestamp = 1500
            #expect(SDL_PushEvent(&event) == 1)
        }
        SDLEventHub.shared.pump()
        return mailbox.takeAll()
    }

    private func inputs(_ events: [WindowEvent]) -> [InputEvent.Kind] {
        events.compactMap { if case .input(let event) = $0 { event.kind } else { nil } }
    }

    @Test func pointerAndWheel() throws {
        let events = try deliver { id in
            var press = SDL_Event()
            press.button = SDL_MouseButtonEvent()
            press.type = SDL_MOUSEBUTTONDOWN.rawValue
            press.button.windowID = id
            press.button.button = UInt8(SDL_BUTTON_RIGHT)
            press.button.clicks = 2
            (press.button.x, press.button.y) = (30, 40)
            var wheel = SDL_Event()
            wheel.type = SDL_MOUSEWHEEL.rawValue
            wheel.wheel.windowID = id
            wheel.wheel.preciseY = -0.5
            return [press, wheel]
        }
        #expect(
            inputs(events) == [
                .pointerPressed(.right, at: Vector2(30, 40), clicks: 2), .scrolled(Vector2(0, -0.5), at: Vector2(30, 40)),
            ])
    }

    /// All events of a long frame are read at once, when the modifier is no longer held.
    @Test func eventsHaveTheModifiersOfTheirTime() throws {
        let events = try deliver { id in
            func key(_ symbol: SDL_KeyCode, _ type: SDL_EventType, _ modifiers: SDL_Keymod) -> SDL_Event {
                var key = SDL_Event()
                key.type = type.rawValue
                key.key.windowID = id
                key.key.keysym.sym = SDL_Keycode(symbol.rawValue)
                key.key.keysym.mod = UInt16(modifiers.rawValue)
                return key
            }
            var press = SDL_Event()
            press.type = SDL_MOUSEBUTTONDOWN.rawValue
            press.button.windowID = id
            press.button.button = UInt8(SDL_BUTTON_LEFT)
            return [
                key(SDLK_LSHIFT, SDL_KEYDOWN, KMOD_LSHIFT), key(SDLK_d, SDL_KEYDOWN, KMOD_LSHIFT), press,
                key(SDLK_d, SDL_KEYUP, KMOD_LSHIFT),
                key(SDLK_LSHIFT, SDL_KEYUP, KMOD_NONE), key(SDLK_d, SDL_KEYDOWN, KMOD_NONE),
            ]
        }
        let modifiers = events.compactMap { if case .input(let event) = $0 { event.modifiers } else { nil } }
        #expect(modifiers == [.shift, .shift, .shift, []])
    }

    @Test func touchPositionsAreConvertedToPoints() throws {
        let events = try deliver { id in
            var finger = SDL_Event()
            finger.type = SDL_FINGERDOWN.rawValue
            finger.tfinger.fingerId = 7
            finger.tfinger.windowID = id
            (finger.tfinger.x, finger.tfinger.y) = (0.5, 0.25)
            return [finger]
        }
        #expect(inputs(events) == [.touchBegan(id: 7, at: Vector2(200, 50))])
    }

    @Test func filesOfOneDropComeTogether() throws {
        let events = try deliver { id in
            func drop(_ type: SDL_EventType, _ path: String?) -> SDL_Event {
                var event = SDL_Event()
                event.type = type.rawValue
                event.drop.windowID = id
                event.drop.file = path.map { SDL_strdup($0) }
                return event
            }
            return [
                drop(SDL_DROPBEGIN, nil), drop(SDL_DROPFILE, "/tmp/a b.glb"), drop(SDL_DROPFILE, "/tmp/ö.hdr"), drop(SDL_DROPCOMPLETE, nil),
            ]
        }
        #expect(inputs(events) == [.filesDropped(["/tmp/a b.glb", "/tmp/ö.hdr"])])
    }

    @Test func eventsOfOtherWindowsAreIgnored() throws {
        let events = try deliver { id in
            var motion = SDL_Event()
            motion.type = SDL_MOUSEMOTION.rawValue
            motion.motion.windowID = id + 100
            var close = SDL_Event()
            close.type = SDL_WINDOWEVENT.rawValue
            close.window.windowID = id + 100
            close.window.event = UInt8(SDL_WINDOWEVENT_CLOSE.rawValue)
            return [motion, close]
        }
        #expect(inputs(events) == [] && !events.contains(.closeRequested))
    }

    @Test func closingAndResizing() throws {
        let events = try deliver { id in
            [SDL_WINDOWEVENT_SIZE_CHANGED, SDL_WINDOWEVENT_MINIMIZED, SDL_WINDOWEVENT_RESTORED, SDL_WINDOWEVENT_CLOSE].map {
                var event = SDL_Event()
                event.type = SDL_WINDOWEVENT.rawValue
                event.window.windowID = id
                event.window.event = UInt8($0.rawValue)
                return event
            }
        }
        #expect(events == [.resized, .hidden, .shown, .closeRequested])
    }

    @Test(
        arguments: [
            (SDLK_a.rawValue, Key.character("a")), (SDLK_LEFT.rawValue, .left), (SDLK_F12.rawValue, .function(12)),
            (SDLK_F1.rawValue, .function(1)),
            (SDLK_KP_PLUS.rawValue, .character("+")), (SDLK_ESCAPE.rawValue, .escape), (SDLK_SPACE.rawValue, .space),
            (SDLK_PRINTSCREEN.rawValue, .other(Int32(SDLK_PRINTSCREEN.rawValue))),
        ] as [(UInt32, Key)])
    func keysHaveTheirNames(code: UInt32, key: Key) { #expect(Key(Int32(code)) == key) }

    @Test func modifierKeysReportNoKeyEvents() {
        #expect(Key(Int32(SDLK_LSHIFT.rawValue)) == nil && Key(0) == nil)
        let both = SDL_Keymod(rawValue: KMOD_RSHIFT.rawValue | KMOD_LCTRL.rawValue | KMOD_NUM.rawValue)
        #expect(KeyModifiers(both) == [.shift, .control])
    }
}

@Suite struct EventWaiterTests {
    @Test func wakingEndsTheCurrentOrNextWait() async throws {
        let waiter = try EventWaiter(connection: -1)
        async let wait: Void = waiter.wait(timeout: nil)
        waiter.wake()
        await wait
        waiter.wake()
        waiter.wake()
        await waiter.wait(timeout: nil)
    }

    @Test func incomingDataEndsTheWait() async throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        let waiter = try EventWaiter(connection: ends[0])
        var byte: UInt8 = 1
        #expect(write(ends[1], &byte, 1) == 1)
        // Would wait for ever if the connection were not watched.
        await waiter.wait(timeout: nil)
    }

    @Test func waitsEndAtTheirTimeout() async throws {
        try await EventWaiter(connection: -1).wait(timeout: 0.01)
    }
}

@Suite struct FramePacerTests {
    @Test func framesKeepTheirDistance() {
        var pacer = FramePacer()
        #expect(pacer.earliestNextFrame < 0, "the first is due at once")
        pacer.frameBegins(at: 10, refreshRate: 50)
        #expect(abs(pacer.earliestNextFrame - 10.018) < 1e-9)
    }

    @Test func pausesGrowUntilTheWindowSleeps() {
        var pacer = FramePacer()
        var pauses: [Double] = []
        while let pause = pacer.nextSettlingPause() { pauses.append(pause) }
        #expect(pauses == pauses.sorted() && pauses.count >= 2 && pauses.reduce(0, +) < 2)
        pacer.frameBegins(at: 1, refreshRate: 60)
        #expect(pacer.nextSettlingPause() != nil)
    }
}
