import Testing
import VitrineMath
import VitrineScene
import VitrineTestSupport

@testable import VitrineLayers

/// The built-in effects over one small surface: a capsule with a border, in points, two pixels per point.
@Suite struct EffectGoldenTests {
    static let size = (width: 192, height: 96)

    /// Distance to the capsule's edge in points, negative inside.
    private static func edge(_ p: Vector2) -> Float {
        let q = Vector2(max(abs(p.x - 48) - 22, 0), p.y - 24)
        return length(q) - 16
    }

    private static func coverage(_ distance: Float) -> Float { clamp(0.5 - 2 * distance, 0, 1) }

    /// A palette's colour by angle.
    private static func palette(_ p: Vector2) -> Vector3 {
        let a = atan2(p.y - 24, p.x - 48)
        return Vector3(0.55 + 0.45 * cos(a), 0.35 + 0.3 * cos(a + 2), 0.6 + 0.4 * cos(a - 2))
    }

    /// The capsule, filled.
    static let button = EffectBench.image(width: size.width, height: size.height) { x, y in
        let p = Vector2(x, y) / 2
        let stripes: Float = (p.x * 0.5).truncatingRemainder(dividingBy: 8) < 4 ? 1 : 0.7
        return Vector4(Vector3(0.05, 0.16, 0.4) * stripes, coverage(edge(p)))
    }

    /// Its border, four points wide.
    static let border = EffectBench.image(width: size.width, height: size.height) { x, y in
        let p = Vector2(x, y) / 2
        return Vector4(palette(p), coverage(abs(edge(p)) - 2))
    }

    private func check(_ effects: [ShaderEffect], over image: Image = Self.button, named name: String) throws {
        let bench = try EffectBench()
        let surface = try bench.draw(effects, over: image, scale: 2).surface
        try GoldenImage.check(bench.transfer.image(of: surface), named: "effect-\(name)")
    }

    @Test func glow() throws { try check([.glow(at: Vector2(70, 20), progress: 0.8)], over: Self.border, named: "glow") }

    @Test func ripple() throws {
        // Slower and higher than in life, so that a ring is seen in one frame.
        try check([.ripple(at: Vector2(40, 22), time: 0.3, amplitude: 4, frequency: 12, decay: 8, speed: 100)], named: "ripple")
    }

    @Test func pixellate() throws { try check([.distortion(ShaderLibrary.pixellate(.float2(5, 5)))], named: "pixellate") }

    @Test func wave() throws {
        try check([.distortion(ShaderLibrary.wave(.float(0.1), .float(3), .float(24)), maxSampleOffset: Vector2(0, 3))], named: "wave")
    }

    @Test func chromaticAberration() throws {
        try check([.layer(ShaderLibrary.chromaticAberration(.float2(2, 1)), maxSampleOffset: Vector2(2, 1))], named: "chromatic-aberration")
    }

    @Test func colors() throws {
        try check([.color(ShaderLibrary.hueRotation(.float(2.2)))], over: Self.border, named: "hue-rotation")
        try check([.color(ShaderLibrary.grayscale(.float(0.8)))], over: Self.border, named: "grayscale")
        try check([.color(ShaderLibrary.invert(.float(1)))], over: Self.border, named: "invert")
        try check([.color(ShaderLibrary.grain(.float(0.25), .float(1), .float(7)))], named: "grain")
    }
}
