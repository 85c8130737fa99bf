import VitrineGLTF
import VitrineMath
import VitrineMotion

/// One event of a script, as a JSON object.
struct ScriptedEvent {
    struct Failure: Error { let reason: String }

    private let fields: JSONValue
    private let time: Double
    private let type: String
    private let modifiers: KeyModifiers

    /// The fields of each type, in addition to time, type and modifiers.
    private static let fieldsByType: [(type: String, fields: [String])] = [
        ("down", ["x", "y", "pointer", "button", "clicks"]), ("move", ["x", "y", "pointer"]), ("up", ["x", "y", "pointer", "button"]),
        ("cancel", ["pointer"]), ("scroll", ["x", "y", "dx", "dy"]), ("keyDown", ["key", "repeat"]), ("keyUp", ["key"]),
        ("padConnected", ["pad"]), ("padDisconnected", ["pad"]), ("stick", ["pad", "side", "x", "y"]),
        ("trigger", ["pad", "side", "pull"]),
        ("padDown", ["pad", "button"]), ("padUp", ["pad", "button"]), ("attitude", ["quaternion"]),
    ]

    init(_ fields: JSONValue) throws(Failure) {
        guard fields.kind == .object else { throw Failure(reason: "an event must be an object: { \"time\": …, \"type\": … }") }
        self.fields = fields
        guard let time = try fields.value("time", { value throws(GLTFError) in try value.number() }) else {
            throw Failure(reason: "\"time\" is missing")
        }
        guard let type = try fields.value("type", { value throws(GLTFError) in try value.string() }) else {
            throw Failure(reason: "\"type\" is missing")
        }
        guard time.isFinite, time >= 0 else { throw Failure(reason: "\"time\" must be at least 0 seconds") }
        (self.time, self.type) = (time, type)
        var modifiers = KeyModifiers()
        for name in try fields.value("modifiers", { value throws(GLTFError) in try value.strings() }) ?? [] {
            modifiers.insert(try ScriptedEvent.choice(name, "modifiers", ScriptedEvent.modifierNames))
        }
        self.modifiers = modifiers
        try refuseUnknownFields()
    }

    /// Rejects unknown fields, because a misspelt field would silently get its default.
    private func refuseUnknownFields() throws(Failure) {
        guard let known = ScriptedEvent.fieldsByType.first(where: { $0.type == type })?.fields else {
            let types = ScriptedEvent.fieldsByType.map(\.type).joined(separator: ", ")
            throw Failure(reason: "\"type\": \"\(type)\" is not one of \(types)")
        }
        let all = known + ["time", "type", "modifiers"]
        let names = (0..<fields.count).map { fields.member($0).name }
        if let unknown = names.filter({ !all.contains($0) }).min() {
            throw Failure(reason: "\"\(unknown)\" is not a field of \"\(type)\", which has \(known.joined(separator: ", "))")
        }
    }

    func event() throws(Failure) -> InputEvent { InputEvent(try kind(), modifiers: modifiers, time: time) }

    private func kind() throws(Failure) -> InputEvent.Kind {
        switch type {
        case "down", "move", "up": return try pointer()
        case "cancel":
            guard has("pointer"), try !isMouse else { return .focusLost }
            return .touchCancelled(id: try finger)
        case "scroll":
            let notches = Vector2(try number("dx", otherwise: 0), try number("dy", otherwise: 0))
            return .scrolled(notches, at: Vector2(try number("x", otherwise: 0), try number("y", otherwise: 0)))
        case "keyDown":
            return .keyPressed(try key(), isRepeat: try fields.value("repeat") { value throws(GLTFError) in try value.boolean() } ?? false)
        case "keyUp": return .keyReleased(try key())
        case "attitude": return .attitude(try quaternion())
        default:
            guard let pad = Int32(exactly: try integer("pad", otherwise: 0)) else { throw Failure(reason: "\"pad\" is too large") }
            return .gamepad(try gamepadEvent(), id: pad)
        }
    }

    private func pointer() throws(Failure) -> InputEvent.Kind {
        let position = try position()
        guard try isMouse else {
            guard !has("button"), !has("clicks") else {
                throw Failure(reason: "button and clicks require \"pointer\": \"mouse\"")
            }
            let id = try finger
            return type == "down"
                ? .touchBegan(id: id, at: position) : type == "move" ? .touchMoved(id: id, to: position) : .touchEnded(id: id, at: position)
        }
        let button: PointerButton = try choice("button", ScriptedEvent.buttonNames, otherwise: "left")
        switch type {
        case "down": return .pointerPressed(button, at: position, clicks: try integer("clicks", otherwise: 1))
        case "move": return .pointerMoved(to: position)
        default: return .pointerReleased(button, at: position)
        }
    }

    private func gamepadEvent() throws(Failure) -> GamepadEvent {
        switch type {
        case "padConnected": return .connected
        case "padDisconnected": return .disconnected
        case "stick":
            let isLeft = try choice("side", [("left", true), ("right", false)], otherwise: "left")
            return isLeft ? .leftStick(try position()) : .rightStick(try position())
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
    private func has(_ name: StaticString) -> Bool { fields[name] != nil }

    private func integer(_ name: StaticString, otherwise: Int) throws(Failure) -> Int {
        try fields.value(name) { value throws(GLTFError) in try value.integer() } ?? otherwise
    }

    private func text(_ name: StaticString) throws(Failure) -> String? {
        try fields.value(name) { value throws(GLTFError) in try value.string() }
    }

    /// Returns a coordinate. `null` stands for a coordinate that is not a number, which devices may report.
    private func number(_ name: StaticString, otherwise: Float? = nil) throws(Failure) -> Float {
        guard has(name) else {
            if let otherwise { return otherwise }
            throw Failure(reason: "\"\(name)\" is missing")
        }
        return try fields.value(name) { value throws(GLTFError) in try value.float() } ?? .nan
    }

    private func position() throws(Failure) -> Vector2 { Vector2(try number("x"), try number("y")) }

    /// Whether the pointer is "mouse"; fingers have numbers.
    private var isMouse: Bool {
        get throws(Failure) {
            guard let value = fields["pointer"], let name = try? value.string() else { return false }
            guard name == "mouse" else { throw Failure(reason: "\"pointer\": \"\(name)\" is neither \"mouse\" nor the number of a finger") }
            return true
        }
    }

    private var finger: Int64 {
        get throws(Failure) {
            Int64(try integer("pointer", otherwise: 0))
        }
    }

    private func quaternion() throws(Failure) -> Quaternion {
        let numbers = try fields.value("quaternion") { value throws(GLTFError) in
            try value.requireArray()
            return try value.floats()
        }
        guard let numbers, numbers.count == 4 else { throw Failure(reason: "\"quaternion\" must be [x, y, z, w]") }
        let vector = Vector4(numbers[0], numbers[1], numbers[2], numbers[3])
        guard length(vector) > 0.5, length(vector) < 2 else {
            throw Failure(reason: "\"quaternion\" is not a rotation: its length must be 1")
        }
        return Quaternion(vector: vector).normalized
    }

    private func key() throws(Failure) -> Key {
        let name = try text("key") ?? ""
        if let named = ScriptedEvent.keyNames.first(where: { $0.0 == name })?.1 { return named }
        if name.count == 1, let character = name.lowercased().first { return .character(character) }
        if name.first == "f", let number = Int(name.dropFirst()), (1...12).contains(number) { return .function(number) }
        let names = ScriptedEvent.keyNames.map(\.0).joined(separator: ", ")
        throw Failure(reason: "\"key\" must be one character, f1 to f12, or one of \(names)")
    }

    private func choice<Value>(_ name: StaticString, _ choices: [(String, Value)], otherwise: String? = nil) throws(Failure) -> Value {
        guard let chosen = try text(name) ?? otherwise else {
            throw Failure(reason: "\"\(name)\" is missing")
        }
        return try ScriptedEvent.choice(chosen, name, choices)
    }

    private static func choice<Value>(_ chosen: String, _ name: StaticString, _ choices: [(String, Value)]) throws(Failure) -> Value {
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

extension JSONValue {
    /// Returns a member, converted; nil if it is missing or null.
    fileprivate func value<Value>(
        _ name: StaticString, _ convert: (JSONValue) throws(GLTFError) -> Value
    ) throws(ScriptedEvent.Failure) -> Value? {
        guard let member = self[name], member.kind != .null else { return nil }
        do throws(GLTFError) {
            return try convert(member)
        } catch {
            throw ScriptedEvent.Failure(reason: "\"\(name)\" \(error.reason)")
        }
    }

    fileprivate func strings() throws(GLTFError) -> [String] {
        try requireArray()
        var result: [String] = []
        for index in 0..<count { result.append(try self[index].string()) }
        return result
    }
}
