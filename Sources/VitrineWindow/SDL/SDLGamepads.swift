internal import CSDL
import VitrineMath
import VitrineMotion

/// The game controllers of the process. Opens them when they are connected and translates their events. A controller with gyroscope and
/// accelerometer also reports its attitude.
@MainActor
final class SDLGamepads {
    static let shared = SDLGamepads()

    private struct Pad {
        let handle: OpaquePointer
        var left = Vector2(0, 0)
        var right = Vector2(0, 0)
        var attitude = AttitudeEstimator()
    }

    private var pads: [Int32: Pad] = [:]
    private var isStarted = false

    /// Whether a controller is connected; controllers must be polled.
    var isAnyConnected: Bool { !pads.isEmpty }

    /// Starts SDL's game controllers. Reports those that are already connected as connected now.
    func start() {
        guard !isStarted else { return }
        isStarted = SDL_InitSubSystem(SDL_INIT_GAMECONTROLLER) == 0
    }

    func stop() {
        guard isStarted else { return }
        for pad in pads.values { SDL_GameControllerClose(pad.handle) }
        pads = [:]
        isStarted = false
        SDL_QuitSubSystem(SDL_INIT_GAMECONTROLLER)
    }

    /// Returns nil for events of other devices and events that are not used.
    func translate(_ event: SDL_Event) -> InputEvent? {
        let time = Double(event.common.timestamp) / 1000
        func input(_ id: Int32, _ event: GamepadEvent) -> InputEvent { InputEvent(.gamepad(event, id: id), time: time) }
        switch SDL_EventType(event.type) {
        case SDL_CONTROLLERDEVICEADDED: return open(event.cdevice.which).map { input($0, .connected) }
        case SDL_CONTROLLERDEVICEREMOVED:
            guard let pad = pads.removeValue(forKey: event.cdevice.which) else { return nil }
            SDL_GameControllerClose(pad.handle)
            return input(event.cdevice.which, .disconnected)
        case SDL_CONTROLLERAXISMOTION: return move(event.caxis).map { input(event.caxis.which, $0) }
        case SDL_CONTROLLERBUTTONDOWN, SDL_CONTROLLERBUTTONUP:
            guard let button = GamepadButton(sdl: event.cbutton.button) else { return nil }
            let isDown = event.type == SDL_CONTROLLERBUTTONDOWN.rawValue
            return input(event.cbutton.which, isDown ? .pressed(button) : .released(button))
        case SDL_CONTROLLERSENSORUPDATE: return sense(event.csensor, time: time)
        default: return nil
        }
    }

    private func open(_ index: Int32) -> Int32? {
        guard let handle = SDL_GameControllerOpen(index) else { return nil }
        let id = SDL_JoystickInstanceID(SDL_GameControllerGetJoystick(handle))
        guard pads[id] == nil else {
            // Already open: SDL counts the references.
            SDL_GameControllerClose(handle)
            return nil
        }
        pads[id] = Pad(handle: handle)
        for sensor in [SDL_SENSOR_GYRO, SDL_SENSOR_ACCEL] where SDL_GameControllerHasSensor(handle, sensor) == SDL_TRUE {
            SDL_GameControllerSetSensorEnabled(handle, sensor, SDL_TRUE)
        }
        return id
    }

    private func move(_ event: SDL_ControllerAxisEvent) -> GamepadEvent? {
        guard var pad = pads[event.which] else { return nil }
        defer { pads[event.which] = pad }
        // The range is −32768…32767; SDL's y points down.
        let value = clamp(Float(event.value) / 32767, -1, 1)
        switch SDL_GameControllerAxis(Int32(event.axis)) {
        case SDL_CONTROLLER_AXIS_LEFTX: pad.left.x = value
        case SDL_CONTROLLER_AXIS_LEFTY: pad.left.y = -value
        case SDL_CONTROLLER_AXIS_RIGHTX: pad.right.x = value
        case SDL_CONTROLLER_AXIS_RIGHTY: pad.right.y = -value
        case SDL_CONTROLLER_AXIS_TRIGGERLEFT: return .leftTrigger(max(value, 0))
        case SDL_CONTROLLER_AXIS_TRIGGERRIGHT: return .rightTrigger(max(value, 0))
        default: return nil
        }
        let isLeft = event.axis <= SDL_CONTROLLER_AXIS_LEFTY.rawValue
        return isLeft ? .leftStick(pad.left) : .rightStick(pad.right)
    }

    private func sense(_ event: SDL_ControllerSensorEvent, time: Double) -> InputEvent? {
        guard var pad = pads[event.which] else { return nil }
        defer { pads[event.which] = pad }
        let measured = Vector3(event.data.0, event.data.1, event.data.2)
        // Sensors report more often than once per millisecond; only some devices have time stamps of higher resolution.
        let timestamp = event.timestamp_us > 0 ? Double(event.timestamp_us) * 1e-6 : time
        switch SDL_SensorType(event.sensor) {
        case SDL_SENSOR_GYRO: pad.attitude.addRotationRate(measured, at: timestamp)
        case SDL_SENSOR_ACCEL: pad.attitude.addAcceleration(measured, at: timestamp)
        default: return nil
        }
        return InputEvent(.attitude(pad.attitude.attitude), time: time)
    }
}

extension GamepadButton {
    init?(sdl button: UInt8) {
        switch SDL_GameControllerButton(Int32(button)) {
        case SDL_CONTROLLER_BUTTON_A: self = .south
        case SDL_CONTROLLER_BUTTON_B: self = .east
        case SDL_CONTROLLER_BUTTON_X: self = .west
        case SDL_CONTROLLER_BUTTON_Y: self = .north
        case SDL_CONTROLLER_BUTTON_DPAD_UP: self = .up
        case SDL_CONTROLLER_BUTTON_DPAD_DOWN: self = .down
        case SDL_CONTROLLER_BUTTON_DPAD_LEFT: self = .left
        case SDL_CONTROLLER_BUTTON_DPAD_RIGHT: self = .right
        case SDL_CONTROLLER_BUTTON_LEFTSHOULDER: self = .leftShoulder
        case SDL_CONTROLLER_BUTTON_RIGHTSHOULDER: self = .rightShoulder
        case SDL_CONTROLLER_BUTTON_LEFTSTICK: self = .leftStick
        case SDL_CONTROLLER_BUTTON_RIGHTSTICK: self = .rightStick
        case SDL_CONTROLLER_BUTTON_START: self = .start
        case SDL_CONTROLLER_BUTTON_BACK: self = .back
        case SDL_CONTROLLER_BUTTON_GUIDE: self = .guide
        default: return nil
        }
    }
}
