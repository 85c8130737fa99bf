import VitrineLayers
import VitrineMath
import VitrineScene
import VitrineText

extension Layer {
    /// A text, as a path: sharp at every size, scale and tilt. Its bounds are the room that its lines take.
    ///
    /// ```swift
    /// let label = try Layer(text: "Pay", size: 17, color: .white)
    /// label.position = [80, 24]
    /// ```
    ///
    /// - Parameters:
    ///   - font: nil: `Font.system()`.
    ///   - size: Points of an em.
    ///   - color: Change `fill` for gradients and pictures.
    ///   - alignment: Of lines, within the bounds.
    ///   - maximumWidth: Points; longer lines are broken at spaces, and the bounds are as wide as this.
    ///   - style: Spacing, features, and what else the other parameters don't say.
    /// - Throws: `TextError`.
    public convenience init(
        text: String, font: Font? = nil, size: Float = 17, color: Color = .black, alignment: TextStyle.Alignment = .left,
        maximumWidth: Float? = nil, style: TextStyle = TextStyle()
    ) throws(TextError) {
        self.init(name: text)
        fill = .color(color)
        try setText(text, font: font, size: size, alignment: alignment, maximumWidth: maximumWidth, style: style)
    }

    /// Makes a text the layer's shape, and its room the bounds' size. The anchor point stays where it is.
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
        // Letters stand on baselines with y up; here y goes down.
        shape = .path(layout.path.mapPoints { Vector2(start + $0.x, layout.ascender - $0.y) })
    }
}
