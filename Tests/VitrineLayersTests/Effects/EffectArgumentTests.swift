import Testing
import VitrineMath
import VitrineScene

@testable import VitrineLayers

/// Every kind of argument arrives as it was given.
@Suite struct EffectArgumentTests {
    static let blank = EffectBench.image(width: 4, height: 1) { _, _ in Vector4(0, 0, 0, 0) }

    static func drawn(_ shader: Shader) throws -> Texels { try EffectBench().draw([.color(shader)], over: blank).texels }

    @Test func numbers() throws {
        let library = try ShaderLibrary(
            source: """
                fn numbers(position: vec2f, color: vec4f, a: f32, b: vec2f, c: vec3f, d: vec4f, e: vec4f) -> vec4f {
                    if position.x < 1.0 { return vec4f(a, b, 1.0); }
                    if position.x < 2.0 { return vec4f(c, 1.0); }
                    return select(e, d, position.x < 3.0);
                }
                """, workingSpace: .linear)
        let texels = try Self.drawn(
            library.numbers(
                .float(0.5), .float2(Vector2(1, 2)), .float3(3, 4, 5), .float4(6, 7, 8, 0.5),
                .color(Color(linearRed: 0.5, green: 1, blue: 2, alpha: 0.5))))
        #expect(texels.values == [Vector4(0.5, 1, 2, 1), Vector4(3, 4, 5, 1), Vector4(6, 7, 8, 0.5), Vector4(0.25, 0.5, 1, 0.5)])
    }

    @Test func arrays() throws {
        let library = try ShaderLibrary(
            source: """
                fn sums(position: vec2f, color: vec4f, floats: FloatArray, colors: ColorArray, none: FloatArray) -> vec4f {
                    var sum = 0.0;
                    for (var i = 0; i < floats.count; i++) { sum += floatAt(floats, i); }
                    if position.x < 1.0 { return vec4f(sum, f32(floats.count), f32(colors.count), f32(none.count)); }
                    if position.x < 2.0 { return colorAt(colors, 1); }
                    if position.x < 3.0 { return colorAt(colors, 2) + vec4f(floatAt(none, 0) + floatAt(floats, -1) + floatAt(floats, 99)); }
                    return vec4f(floatAt(floats, 4) * 0.125);
                }
                """, workingSpace: .linear)
        let texels = try Self.drawn(
            library.sums(.floatArray([1, 2, 3, 4, 5]), .colorArray([.white, Color(linearRed: 0, green: 1, blue: 0)]), .floatArray([])))
        #expect(texels.values == [Vector4(15, 5, 2, 0), Vector4(0, 1, 0, 1), .zero, Vector4(repeating: 0.625)])
    }

    @Test func data() throws {
        let library = try ShaderLibrary(
            source: """
                fn bytes(position: vec2f, color: vec4f, data: Data) -> vec4f {
                    if position.x < 1.0 { return vec4f(f32(data.count), f32(byteAt(data, 3)), f32(byteAt(data, 4)), f32(byteAt(data, 5))); }
                    return vec4f(bitcast<f32>(wordAt(data, 0)), f32(wordAt(data, 1)), f32(wordAt(data, 2)), 1.0);
                }
                """, workingSpace: .linear)
        let texels = try Self.drawn(library.bytes(.data([0, 0, 0x20, 0x40, 7])))
        #expect(texels[0, 0] == Vector4(5, 64, 7, 0))
        #expect(texels[1, 0] == Vector4(2.5, 7, 0, 1))
    }

    @Test func images() throws {
        let library = try ShaderLibrary(
            source: """
                fn upper(image: Image) -> vec4f { return sampleImage(image, vec2f(0.25, 0.5)); }
                fn both(position: vec2f, color: vec4f, a: Image, x: f32, b: texture_2d<f32>) -> vec4f {
                    if position.x < 1.0 { return upper(a) * x; }
                    if position.x < 2.0 { return upper(b); }
                    return select(sampleImage(b, vec2f(0.5)), vec4f(imageSize(b), imageSize(a)), position.x < 3.0);
                }
                """, workingSpace: .linear)
        // sRGB with straight alpha: half covered red, and white.
        let first = try Image(width: 2, height: 1, format: .rgba8, bytes: [255, 0, 0, 51, 255, 255, 255, 255])
        let second = EffectBench.image(width: 2, height: 2) { x, _ in Vector4(x < 1 ? 0 : 1, 0.5, 0.25, 1) }
        let texels = try Self.drawn(library.both(.image(first), .float(2), .image(second)))
        #expect(distance(texels[0, 0], Vector4(0.4, 0, 0, 0.4)) < 1e-3)
        #expect(distance(texels[1, 0], Vector4(0, 0.5, 0.25, 1)) < 1e-3)
        #expect(texels[2, 0] == Vector4(2, 2, 2, 1))
        #expect(distance(texels[3, 0], Vector4(0.5, 0.5, 0.25, 1)) < 1e-3)
    }

    @Test func levelsSurviveARoundTrip() throws {
        let bench = try EffectBench()
        let bytes = (0..<1024).map { index in index % 4 == 3 ? UInt8(255) : UInt8(truncatingIfNeeded: index / 4) }
        let eight = try Image(width: 256, height: 1, format: .rgba8, bytes: bytes)
        #expect(try bench.transfer.image(of: bench.transfer.surface(of: eight)).bytes == bytes)
        let straight = try Image(width: 1, height: 1, format: .rgba8, bytes: [200, 100, 50, 128])
        #expect(try bench.transfer.image(of: bench.transfer.surface(of: straight)).bytes == straight.bytes)
        let sixteen = try Image(width: 1, height: 1, format: .rgba16, bytes: [0x34, 0x12, 0xFF, 0xFF, 0, 0, 0xFF, 0xFF])
        let back = try bench.transfer.image(of: bench.transfer.surface(of: sixteen), format: .rgba16).bytes
        #expect(abs(Int(back[0]) + Int(back[1]) << 8 - 0x1234) < 16 && Array(back[2...]) == Array(sixteen.bytes[2...]))
    }
}
