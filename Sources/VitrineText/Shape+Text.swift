import VitrineMath
import VitrineScene

extension Shape {
    /// Creates extruded letters, centred on the plane z = 0. Sides: front, back, side, frontBevel, backBevel.
    ///
    /// ```swift
    /// let sign = try Shape.text("Vitrine", style: TextStyle(size: 0.3), depth: 0.06, bevel: Bevel(radius: 0.008))
    /// let gilded = Mesh(shape: sign) { $0 == .front ? gold : brass }
    /// ```
    ///
    /// - Parameters:
    ///   - text: The text; lines end at line feeds.
    ///   - font: The font; nil for `Font.system()`.
    ///   - style: Size, alignment, spacing and line breaks. By default, the centre of all letters is at the origin.
    ///   - depth: The size along z in metres; 0 for flat letters that face +Z.
    ///   - bevel: The bevel of the letters' edges, which is reduced in thin letters.
    ///   - flatness: The largest distance of the shape from the letters' curves in metres; nil for 1/400 of the size.
    /// - Throws: `TextError`.
    public static func text(
        _ text: String, font: Font? = nil, style: TextStyle = TextStyle(), depth: Float = 0.2, bevel: Bevel = .none, flatness: Float? = nil
    ) throws(TextError) -> Shape {
        let path = try Font.chosen(font).path(for: text, style: style)
        do throws(PathError) {
            return try extruded(path, depth: depth, bevel: bevel, flatness: flatness ?? style.size / 400)
        } catch {
            throw .path(error)
        }
    }
}

extension Geometry {
    /// Creates extruded letters as one geometry, centred on the plane z = 0; see `Shape.text`.
    ///
    /// - Parameters:
    ///   - text: The text; lines end at line feeds.
    ///   - font: The font; nil for `Font.system()`.
    ///   - style: Size, alignment, spacing and line breaks. By default, the centre of all letters is at the origin.
    ///   - depth: The size along z in metres; 0 for flat letters that face +Z.
    ///   - bevel: The bevel of the letters' edges, which is reduced in thin letters.
    ///   - flatness: The largest distance of the shape from the letters' curves in metres; nil for 1/400 of the size.
    /// - Throws: `TextError`.
    public static func text(
        _ text: String, font: Font? = nil, style: TextStyle = TextStyle(), depth: Float = 0.2, bevel: Bevel = .none, flatness: Float? = nil
    ) throws(TextError) -> Geometry {
        let path = try Font.chosen(font).path(for: text, style: style)
        do throws(PathError) {
            return try extruded(path, depth: depth, bevel: bevel, flatness: flatness ?? style.size / 400)
        } catch {
            throw .path(error)
        }
    }
}

extension Font {
    fileprivate static func chosen(_ font: Font?) throws(TextError) -> Font {
        if let font { return font }
        return try system()
    }
}
