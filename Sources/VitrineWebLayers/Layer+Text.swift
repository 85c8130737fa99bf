import CVitrineWeb
import VitrineLayers
import VitrineMath
import VitrineScene
import VitrineWeb

/// A font of the page.
public struct Font: Equatable, Hashable, Sendable {
    /// A font of CSS: families in order of preference.
    let families: String

    /// A font that the browser has, or that the page's styles load with `@font-face`.
    ///
    /// - Parameter name: The name of the family; nil: DejaVu Sans, otherwise the sans-serif font of the system.
    /// - Throws: Never; the browser replaces families that it does not have by its sans-serif font. The type is that of other platforms.
    public static func system(named name: String? = nil) throws(TextError) -> Font {
        guard let name else { return Font(families: "'DejaVu Sans', system-ui, sans-serif") }
        return Font(families: "'" + name.filter { $0 != "'" } + "', sans-serif")
    }
}

/// The reason for which a text cannot be drawn.
public enum TextError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The text is longer than 16,384 UTF-8 bytes.
    case tooLong(Int)
    /// The text covers more than the largest image of the browser.
    case tooLarge(String)

    public var description: String {
        switch self {
        case .tooLong(let count): "the text has \(count) bytes, more than 16384"
        case .tooLarge(let text): "the text '" + text + "' is too large for an image"
        }
    }
}

/// The alignment of lines of text.
public enum TextStyle {
    /// The alignment of lines within the bounds.
    public enum Alignment: Int32, Sendable { case left, center, right }
}

extension Layer {
    /// Creates a text layer. The browser draws the text, four pixels to a point: it is the mask of a rectangle with the fill. The bounds are those
    /// of its lines.
    ///
    /// - Parameters:
    ///   - font: The font; nil uses `Font.system()`.
    ///   - size: The size of an em in points.
    ///   - color: The fill. Set `fill` for gradients and images.
    ///   - alignment: The alignment of lines within the bounds.
    ///   - maximumWidth: The width in points at which lines are broken at spaces, and the width of the bounds.
    /// - Throws: `TextError`.
    public convenience init(
        text: String, font: Font? = nil, size: Float = 17, color: Color = .black, alignment: TextStyle.Alignment = .left,
        maximumWidth: Float? = nil
    ) throws(TextError) {
        self.init(name: text)
        fill = .color(color)
        try setText(text, font: font, size: size, alignment: alignment, maximumWidth: maximumWidth)
    }

    /// Sets the layer's mask to a text and its bounds to those of the lines. The anchor point stays in place.
    public func setText(
        _ text: String, font: Font? = nil, size: Float = 17, alignment: TextStyle.Alignment = .left, maximumWidth: Float? = nil
    ) throws(TextError) {
        guard text.utf8.count <= 16384 else { throw .tooLong(text.utf8.count) }
        var families: String
        if let font { families = font.families } else { families = try Font.system().families }
        var (text, numbers) = (text, [Double](repeating: 0, count: 4))
        text.withUTF8 { text in
            families.withUTF8 { families in
                numbers.withUnsafeMutableBufferPointer {
                    vitrine_page_draw_text(
                        text.baseAddress, text.count, families.baseAddress, families.count, size, alignment.rawValue,
                        maximumWidth ?? .infinity,
                        $0.baseAddress)
                }
            }
        }
        bounds = Rectangle(x: 0, y: 0, width: Float(numbers[0]), height: Float(numbers[1]))
        let (width, height) = (Int(numbers[2]), Int(numbers[3]))
        guard width > 0, height > 0 else {
            guard text.isEmpty || size <= 0 else { throw .tooLarge(text) }
            mask = Layer(name: "no text")
            return
        }
        let pixels = [UInt8](unsafeUninitializedCapacity: width * height * 4) { buffer, count in
            count = width * height * 4
            vitrine_page_take_text(buffer.baseAddress, count)
        }
        let shape = Layer(name: "text", frame: bounds)
        do throws(ImageError) {
            shape.fill = .image(try Image(width: width, height: height, format: .rgba8, bytes: pixels, name: text))
        } catch { throw .tooLarge(text) }
        mask = shape
    }
}
