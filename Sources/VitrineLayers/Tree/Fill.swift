import VitrineMath
import VitrineScene

/// What a shape is filled with.
public enum Fill {
    case color(Color)
    case gradient(Gradient)
    /// A picture, laid out in the layer's bounds.
    case image(ImageFill)
    /// Something that draws itself, as a 3D scene, in the layer's bounds.
    case drawing(LayerDrawing)

    /// The drawing, if the fill is one.
    var drawing: LayerDrawing? { if case .drawing(let drawing) = self { drawing } else { nil } }

    /// A picture stretched to the bounds, or laid out as `mode` says.
    public static func image(_ image: Image, mode: ContentMode = .resize) -> Fill { .image(ImageFill(image, mode: mode)) }
}

/// A picture in a layer.
public struct ImageFill {
    /// sRGB-encoded if its values are integers, linear if they are floats; straight alpha. Uploaded once, by identity.
    public var image: Image
    public var mode: ContentMode
    /// How texels become larger; when they become smaller, mip levels are used in any case.
    public var magnification: FilterMode

    public init(_ image: Image, mode: ContentMode = .resize, magnification: FilterMode = .linear) {
        (self.image, self.mode, self.magnification) = (image, mode, magnification)
    }
}

/// How a picture is laid out in its layer's bounds.
public enum ContentMode: Equatable, Hashable, Sendable {
    /// Stretched to fill the bounds.
    case resize
    /// As large as fits, in the middle; around it nothing.
    case aspectFit
    /// As small as covers, in the middle; what sticks out is cut off.
    case aspectFill
    /// A pixel a point, in the middle.
    case center

    /// Where in `bounds` a picture of this size lies.
    func place(_ width: Float, _ height: Float, in bounds: Rectangle) -> Rectangle {
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
