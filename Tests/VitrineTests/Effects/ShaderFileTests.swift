import Foundation
import Testing
import VitrineGPU
import VitrineTestSupport

@testable import Vitrine

/// Shaders in files: their errors, and files that change while they are in use.
@Suite struct ShaderFileTests {
    private static func write(_ text: String, _ url: URL) throws { try AtomicFile.write(Array(text.utf8), to: url) }

    private static func source(_ body: String) -> String { "fn f(position: vec2f, color: vec4f) -> vec4f {\n    return \(body);\n}\n" }

    private static func refusal(_ change: LiveShaderLibrary.Change) -> String? {
        if case .refused(let error) = change { error.description } else { nil }
    }

    private static func isReloaded(_ change: LiveShaderLibrary.Change) -> Bool {
        if case .reloaded = change { true } else { false }
    }

    @Test func invalidShaderFilesThrow() throws {
        try withTemporaryDirectory { folder in
            let url = folder.appendingPathComponent("f.wgsl")
            #expect(throws: ShaderError.self) { try ShaderLibrary(url: url) }
            #expect(throws: ShaderError.self) { try ShaderLibrary(url: folder) }
            try AtomicFile.write([0x66, 0xFF, 0xC0], to: url)
            let error = #expect(throws: ShaderError.self) { try ShaderLibrary(url: url, name: "f.wgsl") }
            #expect(error?.description == "f.wgsl: is not text in UTF-8")
            try AtomicFile.write([UInt8](repeating: 0x20, count: (1 << 20) + 1), to: url)
            #expect(throws: ShaderError.self) { try ShaderLibrary(url: url) }
            #expect(throws: ShaderError.self) { try ShaderLibrary(named: "no-such-effects", in: nil) }
            try Self.write("// fine\n\n@fragment fn f() {}", url)
            let syntaxError = #expect(throws: ShaderError.self) { try ShaderLibrary(url: url, name: "f.wgsl") }
            #expect(syntaxError?.description.hasPrefix("f.wgsl:3:1: ") == true)
        }
    }

    @Test func compiledVersionsReplaceTheLibrary() throws {
        let device = try GPUDevice.make(.automatic)
        try withTemporaryDirectory { folder in
            let url = folder.appendingPathComponent("live.wgsl")
            try Self.write(Self.source("color"), url)
            let live = try LiveShaderLibrary(url: url)
            if case .unchanged = live.update(compilingOn: .automatic) {} else { Issue.record("unchanged file") }

            try Self.write(Self.source("color.bgra * 0.5"), url)
            #expect(Self.isReloaded(live.update(compilingOn: .automatic)))
            let good = live.library
            // Wrong for the compiler, then wrong for the parser, then gone: each is reported once, and the last good one stays.
            try Self.write(Self.source("colour"), url)
            #expect(Self.refusal(live.update(compilingOn: .automatic))?.contains("live.wgsl:2:12: ") == true)
            if case .unchanged = live.update(compilingOn: .automatic) {} else { Issue.record("reported twice") }
            #expect(live.error != nil && live.library.functions.count == 1)
            try Self.write("override x = 1;", url)
            #expect(Self.refusal(live.update())?.contains("live.wgsl:1:1: ") == true)
            try FileManager.default.removeItem(at: url)
            #expect(Self.refusal(live.update()) != nil)
            #expect(try Self.draw(live.library, device) == Self.draw(good, device))

            try Self.write(Self.source("color.grba"), url)
            #expect(Self.isReloaded(live.update(compilingOn: .automatic)))
            #expect(live.error == nil)
            #expect(try Self.draw(live.library, device) == [0, 255, 0, 255])
        }
    }

    /// The result of `f` for a red pixel.
    private static func draw(_ library: ShaderLibrary, _ device: GPUDevice) throws -> [UInt8] {
        let transfer = ImageTransfer(device)
        let surface = try transfer.surface(of: Image(width: 1, height: 1, format: .rgba8, bytes: [255, 0, 0, 255]))
        let encoder = try device.makeCommandEncoder("draw")
        let result = try EffectRenderer(device).apply([.color(library.f())], to: surface, with: encoder)
        device.queue.submit(try encoder.finish())
        return try transfer.image(of: result).bytes
    }
}
