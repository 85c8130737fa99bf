/// Colours and text of the overlay.
enum CaptureStyle {
    static let panel = Color(red: 0.06, green: 0.07, blue: 0.08, alpha: 0.62)
    static let ink = Color(white: 1, alpha: 0.96)
    static let soft = Color(white: 1, alpha: 0.62)
    static let faint = Color(white: 1, alpha: 0.22)
    static let accent = Color(sRGB: 0x5DE0A0)
    static let accentInk = Color(sRGB: 0x06281A)
    static let problem = Color(sRGB: 0xFFC247)
}

/// A line of text in a layer; laid out again only if it changes.
final class CaptureLabel {
    let layer = Layer(name: "label")
    private let size: Float
    private let font: Font?
    private var text = ""
    var color: Color { didSet { if color != oldValue { layer.fill = .color(color) } } }

    init(size: Float, color: Color = CaptureStyle.ink, font: Font?) {
        (self.size, self.font, self.color) = (size, font, color)
        layer.fill = .color(color)
        layer.allowsHitTesting = false
    }

    /// The width in points.
    var width: Float { layer.bounds.size.x }

    func set(_ new: String) {
        guard new != text else { return }
        text = new
        var style = TextStyle()
        style.drawsMissingGlyphs = true
        // Without a font on the machine all but the text is drawn.
        try? layer.setText(new, font: font, size: size, style: style)
    }
}
