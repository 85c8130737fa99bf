import CHarfBuzz
import VitrineMath
import VitrineScene

/// A line of positioned glyphs, in font units.
struct ShapedLine {
    struct Glyph {
        var number: UInt32
        var origin: Vector2
    }

    private(set) var glyphs: [Glyph] = []
    private(set) var width: Float = 0
    /// Characters that the font does not have.
    private(set) var missing: [Unicode.Scalar] = []

    /// - Parameter letterSpacing: The space after each cluster of glyphs in font units.
    init(_ line: [Unicode.Scalar], font: Font, features: [hb_feature_t], letterSpacing: Float) {
        for run in TextRun.runs(of: line) { add(run, font, features, letterSpacing) }
        if !glyphs.isEmpty { width -= letterSpacing }
    }

    private mutating func add(_ run: TextRun, _ font: Font, _ features: [hb_feature_t], _ letterSpacing: Float) {
        let buffer = hb_buffer_create()
        defer { hb_buffer_destroy(buffer) }
        let values = run.scalars.map(\.value)
        hb_buffer_add_utf32(buffer, values, Int32(values.count), 0, Int32(values.count))
        hb_buffer_set_direction(buffer, run.isRightToLeft ? HB_DIRECTION_RTL : HB_DIRECTION_LTR)
        hb_buffer_guess_segment_properties(buffer)
        hb_shape(font.handle, buffer, features, UInt32(features.count))
        var count: UInt32 = 0
        let infos = UnsafeBufferPointer(start: hb_buffer_get_glyph_infos(buffer, &count), count: Int(count))
        let positions = UnsafeBufferPointer(start: hb_buffer_get_glyph_positions(buffer, &count), count: Int(count))
        for (index, (info, position)) in zip(infos, positions).enumerated() {
            if info.codepoint == 0 { missing.append(run.scalars[Int(info.cluster)]) }
            glyphs.append(
                Glyph(number: info.codepoint, origin: Vector2(width + Float(position.x_offset), Float(position.y_offset))))
            width += Float(position.x_advance)
            let endsCluster = index + 1 == infos.count || infos[index + 1].cluster != info.cluster
            if endsCluster { width += letterSpacing }
        }
    }
}
