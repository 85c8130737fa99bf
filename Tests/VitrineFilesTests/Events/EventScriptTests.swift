import Foundation
import Testing
import VitrineMath
import VitrineMotion

@testable import VitrineFiles

@Suite struct EventScriptTests {
    private func script(_ text: String) throws(EventScriptError) -> EventScript {
        try EventScript(json: Array(text.utf8), name: "touch.json")
    }

    private func error(_ text: String) -> EventScriptError? {
        do throws(EventScriptError) {
            _ = try script(text)
            return nil
        } catch { return error }
    }

    @Test func everyKindOfEvent() throws {
        let events = try script(
            """
            [
              {"time": 0, "type": "down", "x": 10, "y": 20},
              {"time": 0.1, "type": "move", "x": 1.5, "y": -2, "pointer": 3, "modifiers": ["shift", "alt"]},
              {"time": 0.1, "type": "up", "x": 5, "y": null},
              {"time": 0.2, "type": "cancel", "pointer": 3}, {"time": 0.2, "type": "cancel"},
              {"time": 1, "type": "down", "pointer": "mouse", "button": "right", "x": 1, "y": 2, "clicks": 2},
              {"time": 1, "type": "move", "pointer": "mouse", "x": 3, "y": 4},
              {"time": 1, "type": "up", "pointer": "mouse", "x": 3, "y": 4},
              {"time": 2, "type": "scroll", "dy": -1.5, "x": 7},
              {"time": 2, "type": "keyDown", "key": "left"}, {"time": 2, "type": "keyUp", "key": "R"}, {"time": 2, "type": "keyUp", "key": "f11"},
              {"time": 3, "type": "padConnected"}, {"time": 3, "type": "stick", "side": "right", "x": 0.5, "y": 1, "pad": 2},
              {"time": 3, "type": "trigger", "pull": 0.25}, {"time": 3, "type": "padDown", "button": "south"},
              {"time": 4e0, "type": "attitude", "quaternion": [0, 1, 0, 0]}
            ]
            """
        ).events
        #expect(events.count == 17)
        #expect(events[0] == InputEvent(.touchBegan(id: 0, at: Vector2(10, 20)), time: 0))
        #expect(events[1] == InputEvent(.touchMoved(id: 3, to: Vector2(1.5, -2)), modifiers: [.shift, .alt], time: 0.1))
        guard case .touchEnded(0, let position) = events[2].kind else { throw EventScriptError(file: "", reason: "no touch") }
        #expect(position.x == 5 && position.y.isNaN)
        #expect(events[3].kind == .touchCancelled(id: 3) && events[4].kind == .focusLost)
        #expect(events[5].kind == .pointerPressed(.right, at: Vector2(1, 2), clicks: 2))
        #expect(events[6].kind == .pointerMoved(to: Vector2(3, 4)) && events[7].kind == .pointerReleased(.left, at: Vector2(3, 4)))
        #expect(events[8].kind == .scrolled(Vector2(0, -1.5), at: Vector2(7, 0)))
        #expect(events[9].kind == .keyPressed(.left, isRepeat: false) && events[10].kind == .keyReleased(.character("r")))
        #expect(events[11].kind == .keyReleased(.function(11)) && events[12].kind == .gamepad(.connected, id: 0))
        #expect(events[13].kind == .gamepad(.rightStick(Vector2(0.5, 1)), id: 2))
        #expect(events[14].kind == .gamepad(.leftTrigger(0.25), id: 0))
        #expect(events[15].kind == .gamepad(.pressed(.south), id: 0) && events[16].time == 4)
        #expect(try script(" [ ] ").events.isEmpty)
    }

    @Test(
        arguments: [
            ("", 1, "the text ends"), ("{}", 1, "array"), ("[", 1, "ends inside an array"), ("[]\n[]", 2, "after the end"),
            ("[1]", 1, "object"),
            ("[\n{\"time\":0,\"type\":\"down\",\"x\":1,\"y\":1}\n\n{\"time\":1}]", 4, "expected ',' or ']'"),
            ("[\n\n{\"type\":\"down\"}]", 3, "\"time\" is missing"), ("[{\"time\":0}]", 1, "\"type\" is missing"),
            ("[{\"time\":0,\"type\":\"tap\"}]", 1, "is not one of down, move"),
            ("[{\"time\":0,\"type\":\"down\",\"x\":1}]", 1, "\"y\" is missing"),
            ("[{\"time\":0,\"type\":\"down\",\"x\":1,\"y\":1,\"z\":1}]", 1, "\"z\" is not a field"),
            ("[{\"time\":-1,\"type\":\"cancel\"}]", 1, "at least 0 seconds"), ("[{\"time\":\"now\",\"type\":\"cancel\"}]", 1, "\"time\""),
            ("[{\"time\":1,\"type\":\"cancel\"},\n{\"time\":0.5,\"type\":\"cancel\"}]", 2, "before"),
            ("[{\"time\":0,\"type\":\"keyDown\",\"key\":\"leftt\"}]", 1, "f1 to f12"),
            ("[{\"time\":0,\"type\":\"down\",\"x\":1,\"y\":1,\"pointer\":\"pen\"}]", 1, "mouse"),
            ("[{\"time\":0,\"type\":\"down\",\"x\":1,\"y\":1,\"pointer\":-2}]", 1, "at least 0"),
            ("[{\"time\":0,\"type\":\"down\",\"x\":1,\"y\":1,\"button\":\"left\"}]", 1, "require \"pointer\": \"mouse\""),
            ("[{\"time\":0,\"type\":\"attitude\",\"quaternion\":[0,0,0]}]", 1, "[x, y, z, w]"),
            ("[{\"time\":0,\"type\":\"cancel\",\"modifiers\":[\"fn\"]}]", 1, "shift, control"), ("[\n{\"a}]", 2, "ends inside a string"),
            ("[{\"time\":0,,}]", 1, "name in quotation marks"), ("[{\"a\":[[[[[[[[[[1]]]]]]]]]]}]", 1, "deeper"),
            ("[{\"a\":\"\\", 1, "ends inside a string"),
        ] as [(String, Int, String)])
    func mistakesAreNamedWithTheirLine(_ text: String, _ line: Int, _ reason: String) {
        let error = error(text)
        #expect(error?.line == line && error?.file == "touch.json" && error?.reason.contains(reason) == true, "\(error as Any)")
    }

    @Test func damagedScriptsAreErrors() {
        let good = Array("[{\"time\":0,\"type\":\"down\",\"x\":1,\"y\":\"}]\\\"\"},{\"time\":1,\"type\":\"cancel\"}]".utf8)
        var random = SplitMix64(seed: 2)
        for _ in 0..<3000 {
            var bytes = good
            for _ in 0...random.below(4) { bytes[random.below(bytes.count)] = UInt8(random.below(256)) }
            _ = try? EventScript(json: Array(bytes.prefix(random.below(bytes.count + 1))))
        }
    }

    @Test func filesThatAreNotThere() {
        #expect(throws: EventScriptError.self) { try EventScript(contentsOf: URL(fileURLWithPath: "/nowhere/touch.json")) }
    }
}
