import Testing

@testable import VitrineGLTF

struct JSONTests {
    private func parse(_ text: String, limits: GLTFLimits = GLTFLimits()) throws -> JSONValue {
        let bytes = Array(text.utf8)
        return try JSONParser.parse(bytes, range: 0..<bytes.count, name: "a.json", limits: limits).root
    }

    private func refusal(_ bytes: [UInt8], limits: GLTFLimits = GLTFLimits()) -> GLTFError? {
        do throws(GLTFError) {
            _ = try JSONParser.parse(bytes, range: 0..<bytes.count, name: "a.json", limits: limits)
            return nil
        } catch { return error }
    }

    @Test(arguments: [
        "{}", "[]", " \t\r\n[ ] ", "0", "-0", "-0.5e+10", "1E-2", "true", "false", "null", #""""#, #"{"":0}"#, "[[[]],{}]",
        #"{"a":1,"b":[1,2,{"c":null}]}"#, "\"\u{7F}\u{80}\u{10FFFF}\"",
    ])
    func accepts(_ text: String) throws { _ = try parse(text) }

    @Test(arguments: [
        "", " ", "{", "[", "[1,]", "[,1]", "[1 2]", "{,}", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, #"{a:1}"#, #"{"a" 1}"#, "{1:2}", "01", "-",
        "+1", ".5", "1.", "1e", "1e+", "0x1", "NaN", "Infinity", "tru", "truee", "nul", #"""#, #""\x""#, #""\u12""#, #""\ud800""#,
        #""\udc00\ud800""#, #""\ud800\u0041""#, "\"\n\"", "'a'", "[]]", "{}{}", "// a\n{}", "\u{FEFF}{}", "[1}", #"{"a":1]"#,
    ])
    func refuses(_ text: String) { #expect(refusal(Array(text.utf8)) != nil) }

    /// Overlong, surrogate, beyond Unicode, cut, lone continuation.
    @Test(
        arguments: [
            [0xC0, 0x80], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xC3], [0x80],
            [0xE2, 0x82],
            [0xF0, 0x8F, 0x80, 0x80], [0xFF],
        ] as [[UInt8]])
    func refusesWhatIsNotUTF8(_ bytes: [UInt8]) { #expect(refusal([0x22] + bytes + [0x22]) != nil) }

    @Test func namesLineAndColumn() {
        let error = refusal(Array("{\n  \"a\": 1,\n  \"b\": x\n}".utf8))
        #expect(error?.location == .line(3, column: 8))
        #expect(error?.description == "a.json:3:8: JSON: expected a value")
    }

    @Test func refusesEqualNames() {
        #expect(refusal(Array(#"{"a":1,"b":2,"a":3}"#.utf8))?.location == .line(1, column: 14))
        // An escape doesn't make another name.
        #expect(refusal(Array(#"{"a":1,"\u0061":3}"#.utf8)) != nil)
        let many = (0..<40).map { "\"k\($0)\":0" }
        #expect(refusal(Array("{\(many.joined(separator: ","))}".utf8)) == nil)
        #expect(refusal(Array("{\((many + ["\"k7\":1"]).joined(separator: ","))}".utf8)) != nil)
    }

    @Test func boundsDepthAndCount() {
        var limits = GLTFLimits()
        limits.jsonDepth = 4
        #expect(refusal(Array("[[[[]]]]".utf8), limits: limits) == nil)
        guard case .limit? = refusal(Array("[[[[[]]]]]".utf8), limits: limits)?.reason else {
            Issue.record("too deep, but taken")
            return
        }
        limits.jsonValues = 4
        #expect(refusal(Array("[1,2,3]".utf8), limits: limits) == nil)
        #expect(refusal(Array("[1,2,3,4]".utf8), limits: limits) != nil)
        // No recursion: a million brackets end with an error, not with the stack.
        #expect(refusal([UInt8](repeating: 0x5B, count: 1_000_000)) != nil)
    }

    @Test func strings() throws {
        let value = try parse(#"["a\"\\\/\b\f\n\r\t","\u00e9\u20AC\ud83D\uDE00","grün 😀"]"#)
        #expect(try value[0].string() == "a\"\\/\u{8}\u{C}\n\r\t")
        #expect(try value[1].string() == "é€😀")
        #expect(try value[2].string() == "grün 😀")
    }

    @Test func members() throws {
        let value = try parse(#"{"a":{"b~/":[10,{"c":true}]},"n":-1.5,"\u0062":"x"}"#)
        #expect(value["a"]?["b~/"]?[1]["c"]?.pointer == "/a/b~0~1/1/c")
        #expect(try value.float("n") == -1.5)
        #expect(try value.string("b") == "x")
        #expect(value["missing"] == nil && value["n"]?["x"] == nil)
        #expect(throws: GLTFError(file: "a.json", location: .property("/n"), reason: .invalid("must be an integer"))) {
            _ = try value.integer("n")
        }
        #expect(throws: GLTFError.self) { _ = try value.string("a") }
        #expect(throws: GLTFError.self) { _ = try value["a"]?["b~/"]?[0].index(below: 10) }
    }

    @Test func integersMayBeWrittenAsFloats() throws {
        let value = try parse("[1.0, 1e3, 9007199254740992, 1e400, 1.5]")
        #expect(try value[0].integer() == 1)
        #expect(try value[1].integer() == 1000)
        #expect(try value[2].integer() == 1 << 53)
        #expect(throws: GLTFError.self) { _ = try value[3].integer() }
        #expect(throws: GLTFError.self) { _ = try value[4].integer() }
        #expect(throws: GLTFError.self) { _ = try value[3].float() }
    }
}
