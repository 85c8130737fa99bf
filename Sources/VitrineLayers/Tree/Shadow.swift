import VitrineMath

/// A shadow: a blurred, coloured copy of the layer's alpha behind it.
public struct Shadow: Equatable, Sendable {
    /// The colour of the shadow.
    public var color: Color
    /// The standard deviation of the Gaussian blur, in points.
    public var radius: Float
    /// The offset in the layer's plane, in points.
    public var offset: Vector2
    /// The opacity, 0…1.
    public var opacity: Float

    /// Creates a shadow.
    public init(_ color: Color = .black, radius: Float = 3, offset: Vector2 = Vector2(0, 3), opacity: Float = 0.3) {
        (self.color, self.radius, self.offset, self.opacity) = (color, radius, offset, opacity)
    }
}
