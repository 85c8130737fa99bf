import VitrineMath
import VitrineScene

/// The fill of a shape.
public enum Fill {
    /// One colour.
    case color(Color)
    /// A gradient across the layer's bounds.
    case gradient(Gradient)
    /// An image in the layer's bounds: sRGB-encoded if its values are integers, linear if they are floats; straight alpha. Uploaded once per
    /// object. `magnification` is the filter for enlarged images; reduced ones always use mip levels.
    case image(Image, mode: ContentMode = .resize, magnification: FilterMode = .linear)
    /// Dynamic content in the layer's bounds, such as a 3D scene.
    case drawing(LayerDrawing)

    /// The drawing, if the fill is one.
    var drawing: LayerDrawing? { if case .drawing(let drawing) = self { drawing } else { nil } }
}

/// The layout of an image in its layer's bounds.
public enum ContentMode: Equatable, Hashable, Sendable {
    /// The image is stretched to fill the bounds.
    case resize
    /// The image is scaled to fit inside the bounds, centred; the rest is transparent.
    case aspectFit
    /// The image is scaled to cover the bounds, centred and clipped.
    case aspectFill
    /// The image is drawn with one pixel per point and centred.
    case center

    /// Returns the rectangle of an image of this size in `bounds`.
    func rectangle(_ width: Float, _ height: Float, in bounds: Rectangle) -> Rectangle {
        let size = Vector2(width, height)
        let ratio = bounds.size / size
        let placed: Vector2
        switch self {
        case .resize: return bounds
        case .aspectFit: placed = size * min(ratio.x, ratio.y)
        case .aspectFill: placed = size * max(ratio.x, ratio.y)
        case .center: placed = size
        }
        return Rectangle(origin: bounds.center - placed / 2, size: placed)
    }
}
