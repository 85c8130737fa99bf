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
    ///   - text: Lines end at line feeds.
    ///   - font: nil: `Font.system()`.
    ///   - style: Size, alignment, spacing, line breaks; the middle of all letters lies in the origin unless it says otherwise.
    ///   - depth: Along z, metres; 0: flat letters that face +Z.
    ///   - bevel: Of the letters' edges; narrowed in letters that are too thin for it.
    ///   - flatness: How far the shape may lie from the letters' curves, metres; nil: a 400th of the size.
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
    ///   - text: Lines end at line feeds.
    ///   - font: nil: `Font.system()`.
    ///   - style: Size, alignment, spacing, line breaks; the middle of all letters lies in the origin unless it says otherwise.
    ///   - depth: Along z, metres; 0: flat letters that face +Z.
    ///   - bevel: Of the letters' edges; narrowed in letters that are too thin for it.
    ///   - flatness: How far the shape may lie from the letters' curves, metres; nil: a 400th of the size.
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
