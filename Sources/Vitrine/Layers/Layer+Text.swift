import VitrineLayers
import VitrineMath
import VitrineScene
import VitrineText

extension Layer {
    /// Creates a text layer. The text is a path, sharp at every size, scale and tilt. The bounds are those of its lines.
    ///
    /// ```swift
    /// let label = try Layer(text: "Pay", size: 17, color: .white)
    /// label.position = [80, 24]
    /// ```
    ///
    /// - Parameters:
    ///   - font: The font; nil for `Font.system()`.
    ///   - size: The size of an em in points.
    ///   - color: The fill. Set `fill` for gradients and images.
    ///   - alignment: The alignment of lines within the bounds.
    ///   - maximumWidth: The width in points at which lines are broken at spaces, and the width of the bounds.
    ///   - style: Spacing, features and other options. Its size, alignment, anchor and maximum width are ignored.
    /// - Throws: `TextError`.
    public convenience init(
        text: String, font: Font? = nil, size: Float = 17, color: Color = .black, alignment: TextStyle.Alignment = .left,
        maximumWidth: Float? = nil, style: TextStyle = TextStyle()
    ) throws(TextError) {
        self.init(name: text)
        fill = .color(color)
        try setText(text, font: font, size: size, alignment: alignment, maximumWidth: maximumWidth, style: style)
    }

    /// Sets the layer's shape to a text and its bounds to those of the lines. The anchor point does not move.
    public func setText(
        _ text: String, font: Font? = nil, size: Float = 17, alignment: TextStyle.Alignment = .left, maximumWidth: Float? = nil,
        style: TextStyle = TextStyle()
    ) throws(TextError) {
        var style = style
        (style.size, style.alignment, style.anchor, style.maximumWidth) = (size, alignment, .baseline, maximumWidth)
        let used: Font
        if let font { used = font } else { used = try .system() }
        let layout = try used.layout(text, style: style)
        let width = maximumWidth ?? layout.width
        let start: Float =
            switch alignment {
            case .left: 0
            case .center: width / 2
            case .right: width
            }
        bounds = Rectangle(x: 0, y: 0, width: width, height: layout.height)
        // Fonts have y up, layers y down.
        shape = .path(layout.path.mapPoints { Vector2(start + $0.x, layout.ascender - $0.y) })
    }
}
