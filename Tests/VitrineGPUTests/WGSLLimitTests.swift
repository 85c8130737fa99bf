import Testing

@testable import VitrineGPU

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Sources that would overflow the compiler's stack are rejected with line and column; sources just inside the limits compile on a small stack.
@Suite struct WGSLLimitTests {
    /// A construct repeated or nested `count` times in a source; `limit` is the largest accepted count.
    struct Construct: CustomTestStringConvertible, Sendable {
        let name: String
        let limit: Int
        let text: @Sendable (Int) -> String
        var testDescription: String { name }
    }

    private static func many(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }

    private static func body(_ text: String, before: String = "") -> String {
        before + "@group(0) @binding(0) var<storage, read_write> o: array<f32>;\n"
            + "@compute @workgroup_size(1) fn main() {\n var x = o[0]; var i = i32(x); var b = x > 1.0;\n \(text)\n o[1] = x + f32(i) + f32(b); }\n"
    }

    private static func nested(_ name: String, _ open: String, _ middle: String, _ close: String, end: String = "", limit: Int = 150)
        -> Construct
    {
        Construct(name: name, limit: limit) {
            body(open.prefix(while: { $0 != "|" }) + many(String(open.drop { $0 != "|" }.dropFirst()), $0) + middle + many(close, $0) + end)
        }
    }

    static let constructs: [Construct] = [
        nested("parentheses", "x = |(", "x", ")", end: ";"), nested("calls", "x = |abs(", "x", ")", end: ";"),
        nested("brackets", "var q = array<i32, 2>(0, 1); i = |q[", "0", "]", end: ";"),
        nested("bitcasts", "x = |bitcast<f32>(", "x", ")", end: ";"),
        nested("constructors", "x = |vec4f(", "vec4f(x)", ")", end: ".x;"), nested("selections", "x = |select(x, ", "x", ", b)", end: ";"),
        nested("minus", "x = |- ", "x", "", end: ";", limit: 900), nested("not", "b = |!", "b", "", end: ";", limit: 900),
        nested("references", "x = |*&", "x", "", end: ";", limit: 450),
        nested("swizzles", "x = vec4f(x)|.xyzw", ".x", "", end: ";", limit: 900),
        nested("sum", "x = x|+x", "", "", end: ";", limit: 900), nested("and", "b = b|&&b", "", "", end: ";", limit: 450),
        nested("blocks", "|{", "x += 1.0;", "}", limit: 100), nested("ifs", "|if x > 0.0 {", "x += 1.0;", "}", limit: 100),
        nested("loops", "|loop {", "x += 1.0;", " break; }", limit: 50),
        nested("else ifs", "if b { x += 1.0; } |else if x > 2.0 { x += 2.0; }", "", "", limit: 150),
        nested("comparisons", "b = |(x<", "x", ")", end: "> x;", limit: 1),
        nested("loops in a row", "|for (var j = 0; j < 2; j++) { x += 1.0; }", "", "", limit: 200),
        Construct(name: "types", limit: 100) { "alias T = \(many("array<", $0))f32\(many(", 1>", $0));\n" + body("") },
        Construct(name: "functions", limit: 500) { count in
            (0..<count).map { "fn h\($0)(x: f32) -> f32 { return h\($0 + 1)(x) + 1.0; }\n" }.joined()
                + body("x = h0(x);", before: "fn h\(count)(x: f32) -> f32 { return x; }\n")
        },
        Construct(name: "constants", limit: 500) { count in
            (0..<count).map { "const c\($0) = c\($0 + 1) + 1.0;\n" }.joined() + body("x = c0;", before: "const c\(count) = 1.0;\n")
        },
    ]

    /// Compiles on a thread of 512 KiB, the smallest that callers have.
    private func compile(_ source: String) throws -> GPUError? {
        let device = try GPUDevice.make()
        var error: GPUError?
        let body = {
            do throws(GPUError) {
                let module = try device.makeShader("mine.wgsl", wgsl: source)
                if source.contains("fn main") { _ = try device.makeComputePipeline("mine", GPUShaderStage(module, "main")) }
            } catch let failure { error = failure }
        }
        onSmallStack(body)
        return error
    }

    private final class Job {
        let body: () -> Void
        init(_ body: @escaping () -> Void) { self.body = body }
    }

    private func onSmallStack(_ body: @escaping () -> Void) {
        let job = Job(body)
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        pthread_attr_setstacksize(&attributes, 512 << 10)
        #if canImport(Darwin)
            var thread: pthread_t?
            pthread_create(
                &thread, &attributes,
                {
                    Unmanaged<Job>.fromOpaque($0).takeUnretainedValue().body()
                    return nil
                }, Unmanaged.passUnretained(job).toOpaque())
            if let thread { pthread_join(thread, nil) }
        #else
            var thread = pthread_t()
            pthread_create(
                &thread, &attributes,
                {
                    Unmanaged<Job>.fromOpaque($0!).takeUnretainedValue().body()
                    return nil
                }, Unmanaged.passUnretained(job).toOpaque())
            pthread_join(thread, nil)
        #endif
        withExtendedLifetime(job) {}
    }

    @Test(arguments: constructs) func insideTheBoundsItCompiles(_ construct: Construct) throws {
        let error = try compile(construct.text(construct.limit))
        #expect(error == nil || construct.name == "comparisons", "\(error.map { $0.description.prefix(300) } ?? "")")
    }

    @Test(arguments: constructs) func shadersBeyondTheLimitsAreRefusedWithTheirLocation(_ construct: Construct) throws {
        let error = try compile(construct.text(20_000))
        guard case .shader(_, let messages) = error else {
            Issue.record("\(String(describing: error).prefix(300))")
            return
        }
        #expect(messages[0].line >= 1 && messages[0].text.hasPrefix("the shader exceeds the limit of "), "\(messages[0].text.prefix(200))")
    }

    /// Twice the calls at each step: two to the power of 40 when inlined.
    @Test func exponentialInliningIsRejected() throws {
        let text = (0..<40).map { "fn h\($0)(x: f32) -> f32 { return h\($0 + 1)(x) * h\($0 + 1)(x + 1.0); }\n" }.joined()
        let message = try #require(try compile(text + "fn h40(x: f32) -> f32 { return x; }\n")).description
        #expect(message.contains("including the functions that it calls"), "\(message)")
        // Recursion is left to the compiler.
        let recursion = try #require(try compile("fn a(x: f32) -> f32 { return b(x); }\nfn b(x: f32) -> f32 { return a(x); }")).description
        #expect(!recursion.contains("exceeds the limit"), "\(recursion)")
    }

    @Test func exponentialArraysAreRejected() throws {
        var text = "const a0 = array(1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0);\n"
        for index in 0..<8 {
            text += "const a\(index + 1) = array(" + Array(repeating: "a\(index)", count: 10).joined(separator: ", ") + ");\n"
        }
        #expect(try #require(try compile(text)).description.contains("elements in nested arrays"))
        #expect(
            try #require(try compile("var<private> a: array<f32, 100000000>;")).description.contains(
                "mine.wgsl:1:17: the shader exceeds the limit of 65536 elements per array"))
        #expect(try #require(try compile("var<private> a: array<f32, 0xfffffff>;")).description.contains("elements per array"))
        let table = "const table = array(" + Array(repeating: "vec2f(0.5, -0.25)", count: 1000).joined(separator: ", ") + ");\n"
        #expect(try compile(table) == nil)
    }

    @Test(arguments: [
        "alias A = array<f32, 65536>; alias B = array<A, 65536>; var<private> x: B;",
        "alias B = array<A, 65536>; alias A = array<f32, 65536>; var<private> x: B;",
        "var<private> x: array<array<f32, 1024>, 1024>;",
        "struct S { @align(16) a: array<f32, 300>, b: array<vec4f, 300,>, } var<workgroup> x: array<S, 200>;",
        "struct S { a: f32, b: T } struct T { c: array<u32, 65536> } fn f() { var x = array<S, 2>(); }",
        "const n = 256; const m = n * (n + 1); var<private> x: array<f32, m>;",
        "const n = 1u << 20u; var<private> x: array<f32, n>;", "override n: u32; var<workgroup> x: array<array<f32, 2>, n>;",
        "fn f(p: ptr<function, array<array<f32, 300>, 300>>) {}", "alias A = array<B, 2>; alias B = array<A, 2>;",
        "var<private> x: array<array<f32, 400>, max(400, 2)>;",
    ])
    func nestedArraysAreBoundedByTheirProduct(text: String) {
        #expect {
            try WGSLLimits.check(text)
        } throws: {
            ($0 as? WGSLLimits.Violation)?.text.contains("elements per array") == true
        }
    }

    @Test(arguments: [
        "alias A = array<f32, 256>; alias B = array<A, 256>; var<private> x: B;",
        "struct S { a: vec4f, b: vec4f, c: mat4x4f } @group(0) @binding(0) var<storage> x: array<S, 65536>;",
        "struct S { a: array<vec4f, 16>, b: array<vec4f, 16> } @group(0) @binding(0) var<storage> x: array<S>;",
        "const n = 512; var<workgroup> x: array<f32, n * n / 4 - 1>;", "override n: u32 = 64; var<workgroup> x: array<f32, n>;",
        "fn f(a: i32, b: i32) -> bool { var array = 1; return array<a && b > 3000000; }",
        "var<private> x: array<vec2<f32>, 0xFFFFu>;", "alias A = array<", "struct S {", "alias = ;", "const", "array<array<array<",
    ])
    func arraysInsideTheBoundsAreAccepted(text: String) throws { try WGSLLimits.check(text) }

    @Test func nestedArraysNameTheirLocation() throws {
        let text = "alias A = array<f32, 65536>;\n  alias B = array<A, 65536>;\nvar<private> x: B;"
        #expect(
            throws: WGSLLimits.Violation(
                line: 2, column: 13,
                text: "the shader exceeds the limit of 65536 elements per array, including nested arrays")
        ) { try WGSLLimits.check(text) }
    }

    /// The check continues after a comment, for each of the line breaks that WGSL allows.
    @Test func textAfterACommentIsChecked() throws {
        let deep = String(repeating: "(", count: 5000)
        for end in ["\n", "\r", "\u{B}", "\u{C}", "\u{85}", "\u{2028}", "\u{2029}", "\r\n"] {
            #expect(throws: WGSLLimits.Violation.self) { try WGSLLimits.check("// a\(end)\(deep)") }
        }
        for text in ["/* /* \(deep) */ */ fn f() {}", "// \(deep)\nfn f() {}", "/* \(deep)"] { try WGSLLimits.check(text) }
        #expect(
            throws: WGSLLimits.Violation(
                line: 3, column: 203, text: "the shader exceeds the limit of 200 nested brackets, template lists and else branches")
        ) {
            try WGSLLimits.check("fn f()\n\n é" + deep)
        }
    }

    @Test func sizes() throws {
        #expect(throws: WGSLLimits.Violation.self) { try WGSLLimits.check(String(repeating: "a", count: 2000)) }
        #expect(throws: WGSLLimits.Violation.self) { try WGSLLimits.check(String(repeating: "a ", count: 100_000)) }
        #expect(throws: WGSLLimits.Violation.self) { try WGSLLimits.check(String(repeating: " ", count: 3 << 20)) }
        try WGSLLimits.check("")
        try WGSLLimits.check(")]}>>,;{(")
    }
}
