import CSDL
import Testing
import VitrineMath
import VitrineMotion

@testable import VitrineWindow

extension SDLEventTests {
    /// A controller that SDL makes up goes the whole way: plugged in, moved, pressed, pulled out.
    @Test func gamepadsConnectAndDisconnect() throws {
        SDL_SetHint(SDL_HINT_VIDEODRIVER, "dummy")
        // A dummy desktop has no window in front, and SDL keeps controllers for that one.
        SDL_SetHint(SDL_HINT_JOYSTICK_ALLOW_BACKGROUND_EVENTS, "1")
        let window = try SDLWindow(title: "pads", width: 100, height: 100, isResizable: false)
        defer { window.destroy() }
        let mailbox = SDLEventHub.shared.open(for: window)
        defer { SDLEventHub.shared.close(mailbox) }
        SDLGamepads.shared.start()
        defer { SDLGamepads.shared.stop() }

        var gamepad = Gamepad(deadZone: 0)
        func pump() -> [GamepadEvent] {
            SDL_GameControllerUpdate()
            SDLEventHub.shared.pump()
            return mailbox.takeAll().compactMap { event -> GamepadEvent? in
                guard case .input(let input) = event, case .gamepad(let pad, _) = input.kind else { return nil }
                gamepad.handle(input)
                return pad
            }
        }
        let index = SDL_JoystickAttachVirtual(SDL_JOYSTICK_TYPE_GAMECONTROLLER, 6, 15, 0)
        #expect(index >= 0)
        #expect(pump().contains(.connected) && gamepad.isConnected && SDLGamepads.shared.isAnyConnected)

        let joystick = try #require(SDL_JoystickOpen(index))
        SDL_JoystickSetVirtualAxis(joystick, Int32(SDL_CONTROLLER_AXIS_LEFTX.rawValue), 16384)
        SDL_JoystickSetVirtualAxis(joystick, Int32(SDL_CONTROLLER_AXIS_LEFTY.rawValue), -32768)
        SDL_JoystickSetVirtualButton(joystick, Int32(SDL_CONTROLLER_BUTTON_A.rawValue), 1)
        let moved = pump()
        #expect(moved.contains(.pressed(.south)) && gamepad.pressed == [.south])
        #expect(abs(gamepad.left.x / gamepad.left.y - 0.5) < 1e-3 && gamepad.left.y > 0)
        SDL_JoystickSetVirtualButton(joystick, Int32(SDL_CONTROLLER_BUTTON_A.rawValue), 0)
        #expect(pump().contains(.released(.south)))

        SDL_JoystickClose(joystick)
        SDL_JoystickDetachVirtual(index)
        #expect(pump().contains(.disconnected) && !gamepad.isConnected && !SDLGamepads.shared.isAnyConnected)
    }
}

@Suite struct DesktopTests {
    private func reduces(_ variable: String? = nil, _ files: [String: String] = [:]) -> Bool {
        Desktop.reducesMotion(variable: variable) { files[$0] }
    }

    @Test func reducedMotionIsReadFromTheDesktop() {
        #expect(!reduces() && reduces("1") && !reduces("0", ["kdeglobals": "AnimationDurationFactor=0"]))
        #expect(reduces(nil, ["kdeglobals": "[KDE]\nAnimationDurationFactor=0\n"]))
        #expect(!reduces(nil, ["kdeglobals": "[KDE]\nAnimationDurationFactor=0.5\n"]))
        #expect(reduces("", ["gtk-3.0/settings.ini": "[Settings]\r\ngtk-enable-animations = false\r\n"]))
        #expect(!reduces(nil, ["gtk-4.0/settings.ini": "gtk-enable-animations=1", "gtk-3.0/settings.ini": "gtk-enable-animations=0"]))
        #expect(!reduces(nil, ["kdeglobals": "nonsense \u{0} =\n=\n", "gtk-3.0/settings.ini": "gtk-enable-animations"]))
    }
}
