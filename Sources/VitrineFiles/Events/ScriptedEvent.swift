import VitrineMath
import VitrineMotion

/// One event of a script, as its JSON has it.
struct ScriptedEvent: Decodable {
    struct Failure: Error { let reason: String }

    private let time: Double
    private let type: String
    private let fields: KeyedDecodingContainer<Name>
    private let modifiers: KeyModifiers

    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// The fields of each type beside time, type and modifiers.
    private static let fieldsByType: [(type: String, fields: [String])] = [
        ("down", ["x", "y", "pointer", "button", "clicks"]), ("move", ["x", "y", "pointer"]), ("up", ["x", "y", "pointer", "button"]),
        ("cancel", ["pointer"]), ("scroll", ["x", "y", "dx", "dy"]), ("keyDown", ["key", "repeat"]), ("keyUp", ["key"]),
        ("padConnected", ["pad"]), ("padDisconnected", ["pad"]), ("stick", ["pad", "side", "x", "y"]),
        ("trigger", ["pad", "side", "pull"]),
        ("padDown", ["pad", "button"]), ("padUp", ["pad", "button"]), ("attitude", ["quaternion"]),
    ]

    init(from decoder: any Decoder) throws {
        fields = try decoder.container(keyedBy: Name.self)
        guard fields.contains(Name(stringValue: "time")) else { throw Failure(reason: "\"time\" is missing") }
        guard fields.contains(Name(stringValue: "type")) else { throw Failure(reason: "\"type\" is missing") }
        time = try fields.decode(Double.self, forKey: Name(stringValue: "time"))
        type = try fields.decode(String.self, forKey: Name(stringValue: "type"))
        guard time.isFinite, time >= 0 else { throw Failure(reason: "\"time\" must be seconds, not below 0") }
        var held = KeyModifiers()
        for name in try fields.decodeIfPresent([String].self, forKey: Name(stringValue: "modifiers")) ?? [] {
            held.insert(try ScriptedEvent.choice(name, "modifiers", ScriptedEvent.modifierNames))
        }
        modifiers = held
        try refuseUnknownFields()
    }

    /// A misspelt field would be a silent default.
    private func refuseUnknownFields() throws {
        guard let known = ScriptedEvent.fieldsByType.first(where: { $0.type == type })?.fields else {
            let names = ScriptedEvent.fieldsByType.map(\.type).joined(separator: ", ")
            throw Failure(reason: "\"type\": \"\(type)\" is not one of \(names)")
        }
        let all = known + ["time", "type", "modifiers"]
        if let stranger = fields.allKeys.map(\.stringValue).filter({ !all.contains($0) }).min() {
            throw Failure(reason: "\"\(stranger)\" is no field of \"\(type)\", which has \(known.joined(separator: ", "))")
        }
    }

    func event() throws -> InputEvent { InputEvent(try kind(), modifiers: modifiers, time: time) }

    private func kind() throws -> InputEvent.Kind {
        switch type {
        case "down", "move", "up": return try pointer()
        case "cancel": return try has("pointer") && !isMouse ? .touchCancelled(id: finger) : .focusLost
        case "scroll":
            let notches = Vector2(try number("dx", otherwise: 0), try number("dy", otherwise: 0))
            return .scrolled(notches, at: Vector2(try number("x", otherwise: 0), try number("y", otherwise: 0)))
        case "keyDown": return .keyPressed(try key(), isRepeat: try value("repeat", otherwise: false))
        case "keyUp": return .keyReleased(try key())
        case "attitude": return .attitude(try quaternion())
        default: return .gamepad(try gamepadEvent(), id: try value("pad", otherwise: 0))
        }
    }

    private func pointer() throws -> InputEvent.Kind {
        let place = try place()
        guard try isMouse else {
            guard !has("button"), !has("clicks") else {
                throw Failure(reason: "a finger has neither button nor clicks: \"pointer\": \"mouse\" has")
            }
            let id = try finger
            return type == "down"
                ? .touchBegan(id: id, at: place) : type == "move" ? .touchMoved(id: id, to: place) : .touchEnded(id: id, at: place)
        }
        let button: PointerButton = try choice("button", ScriptedEvent.buttonNames, otherwise: "left")
        switch type {
        case "down": return .pointerPressed(button, at: place, clicks: try value("clicks", otherwise: 1))
        case "move": return .pointerMoved(to: place)
        default: return .pointerReleased(button, at: place)
        }
    }

    private func gamepadEvent() throws -> GamepadEvent {
        switch type {
        case "padConnected": return .connected
        case "padDisconnected": return .disconnected
        case "stick":
            let isLeft = try choice("side", [("left", true), ("right", false)], otherwise: "left")
            return isLeft ? .leftStick(try place()) : .rightStick(try place())
        case "trigger":
            let isLeft = try choice("side", [("left", true), ("right", false)], otherwise: "left")
            return isLeft ? .leftTrigger(try number("pull")) : .rightTrigger(try number("pull"))
        case "padDown": return .pressed(try choice("button", ScriptedEvent.padButtonNames))
        default: return .released(try choice("button", ScriptedEvent.padButtonNames))
        }
    }
}

// MARK: - Fields

extension ScriptedEvent {
    private func has(_ name: String) -> Bool { fields.contains(Name(stringValue: name)) }

    private func value<Value: Decodable>(_ name: String, otherwise: Value) throws -> Value {
        try fields.decodeIfPresent(Value.self, forKey: Name(stringValue: name)) ?? otherwise
    }

    /// `null` is a place that isn't a number: programs must survive those too.
    private func number(_ name: String, otherwise: Float? = nil) throws -> Float {
        guard has(name) else {
            if let otherwise { return otherwise }
            throw Failure(reason: "\"\(name)\" is missing")
        }
        return try fields.decodeIfPresent(Float.self, forKey: Name(stringValue: name)) ?? .nan
    }

    private func place() throws -> Vector2 { Vector2(try number("x"), try number("y")) }

    /// Fingers are numbers, the mouse is "mouse".
    private var isMouse: Bool {
        get throws {
            guard let name = try? fields.decode(String.self, forKey: Name(stringValue: "pointer")) else { return false }
            guard name == "mouse" else { throw Failure(reason: "\"pointer\": \"\(name)\" is neither \"mouse\" nor the number of a finger") }
            return true
        }
    }

    private var finger: Int64 {
        get throws {
            let id: Int64 = try value("pointer", otherwise: 0)
            guard id >= 0 else { throw Failure(reason: "\"pointer\": fingers are counted from 0") }
            return id
        }
    }

    private func quaternion() throws -> Quaternion {
        let numbers: [Float] = try value("quaternion", otherwise: [])
        guard numbers.count == 4 else { throw Failure(reason: "\"quaternion\" must be [x, y, z, w]") }
        let vector = Vector4(numbers[0], numbers[1], numbers[2], numbers[3])
        guard length(vector) > 0.5, length(vector) < 2 else { throw Failure(reason: "\"quaternion\" is no rotation: its length is not 1") }
        return Quaternion(vector: vector).normalized
    }

    private func key() throws -> Key {
        let name: String = try value("key", otherwise: "")
        if let named = ScriptedEvent.keyNames.first(where: { $0.0 == name })?.1 { return named }
        if name.count == 1, let character = name.lowercased().first { return .character(character) }
        if name.first == "f", let number = Int(name.dropFirst()), (1...12).contains(number) { return .function(number) }
        let names = ScriptedEvent.keyNames.map(\.0).joined(separator: ", ")
        throw Failure(reason: "\"key\" must be one character, f1 to f12, or one of \(names)")
    }

    private func choice<Value>(_ name: String, _ choices: [(String, Value)], otherwise: String? = nil) throws -> Value {
        guard let chosen = try fields.decodeIfPresent(String.self, forKey: Name(stringValue: name)) ?? otherwise else {
            throw Failure(reason: "\"\(name)\" is missing")
        }
        return try ScriptedEvent.choice(chosen, name, choices)
    }

    private static func choice<Value>(_ chosen: String, _ name: String, _ choices: [(String, Value)]) throws -> Value {
        if let found = choices.first(where: { $0.0 == chosen })?.1 { return found }
        throw Failure(reason: "\"\(name)\": \"\(chosen)\" is not one of \(choices.map(\.0).joined(separator: ", "))")
    }

    private static let modifierNames: [(String, KeyModifiers)] = [
        ("shift", .shift), ("control", .control), ("alt", .alt), ("command", .command),
    ]
    private static let buttonNames: [(String, PointerButton)] = [("left", .left), ("middle", .middle), ("right", .right)]
    private static let keyNames: [(String, Key)] = [
        ("left", .left), ("right", .right), ("up", .up), ("down", .down), ("home", .home), ("end", .end), ("pageUp", .pageUp),
        ("pageDown", .pageDown), ("escape", .escape), ("space", .space), ("tab", .tab), ("enter", .enter), ("backspace", .backspace),
        ("delete", .delete),
    ]
    private static let padButtonNames: [(String, GamepadButton)] = [
        ("south", .south), ("east", .east), ("west", .west), ("north", .north), ("up", .up), ("down", .down), ("left", .left),
        ("right", .right), ("leftShoulder", .leftShoulder), ("rightShoulder", .rightShoulder), ("leftStick", .leftStick),
        ("rightStick", .rightStick), ("start", .start), ("back", .back), ("guide", .guide),
    ]
}
