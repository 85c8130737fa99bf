import CHarfBuzz
import VitrineMath
import VitrineScene

/// Collects the outlines of glyphs in a path.
final class GlyphOutlines {
    private(set) var path = Path()
    private var origin = Vector2(0, 0)
    private var scale: Float = 1
    private let functions: OpaquePointer?

    init() {
        functions = hb_draw_funcs_create()
        hb_draw_funcs_set_move_to_func(functions, { _, data, _, x, y, _ in GlyphOutlines.of(data).move(x, y) }, nil, nil)
        hb_draw_funcs_set_line_to_func(functions, { _, data, _, x, y, _ in GlyphOutlines.of(data).line(x, y) }, nil, nil)
        hb_draw_funcs_set_quadratic_to_func(
            functions, { _, data, _, cx, cy, x, y, _ in GlyphOutlines.of(data).quadratic(cx, cy, x, y) }, nil, nil)
        hb_draw_funcs_set_cubic_to_func(
            functions, { _, data, _, ax, ay, bx, by, x, y, _ in GlyphOutlines.of(data).cubic(ax, ay, bx, by, x, y) }, nil, nil)
        hb_draw_funcs_set_close_path_func(functions, { _, data, _, _ in GlyphOutlines.of(data).path.close() }, nil, nil)
        hb_draw_funcs_make_immutable(functions)
    }

    deinit { hb_draw_funcs_destroy(functions) }

    /// Adds a glyph.
    ///
    /// - Parameters:
    ///   - origin: The position of the glyph in metres.
    ///   - scale: The number of metres per font unit.
    func add(_ glyph: UInt32, of font: Font, at origin: Vector2, scale: Float) {
        (self.origin, self.scale) = (origin, scale)
        hb_font_get_glyph_shape(font.handle, glyph, functions, Unmanaged.passUnretained(self).toOpaque())
    }

    private static func of(_ data: UnsafeMutableRawPointer?) -> GlyphOutlines {
        Unmanaged<GlyphOutlines>.fromOpaque(data!).takeUnretainedValue()
    }

    private func point(_ x: Float, _ y: Float) -> Vector2 { origin + Vector2(x, y) * scale }
    private func move(_ x: Float, _ y: Float) { path.move(to: point(x, y)) }
    private func line(_ x: Float, _ y: Float) { path.line(to: point(x, y)) }
    private func quadratic(_ cx: Float, _ cy: Float, _ x: Float, _ y: Float) { path.quadratic(to: point(x, y), control: point(cx, cy)) }
    private func cubic(_ ax: Float, _ ay: Float, _ bx: Float, _ by: Float, _ x: Float, _ y: Float) {
        path.cubic(to: point(x, y), control1: point(ax, ay), control2: point(bx, by))
    }
}
