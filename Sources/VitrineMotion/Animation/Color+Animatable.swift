import VitrineMath

/// Colours are animated as light: linear and premultiplied, so that transparent colours contribute no colour.
extension Color: Animatable {
    /// Returns the difference of the premultiplied linear components.
    public func offset(from origin: Color) -> Vector4 { premultiplied - origin.premultiplied }

    /// Returns the colour whose premultiplied linear components differ by `offset`; negative alpha becomes 0.
    public func moved(by offset: Vector4) -> Color {
        if offset == Vector4(repeating: 0) { return self }
        let light = premultiplied + offset
        let alpha = max(light.w, 0)
        return Color(linear: Vector4(alpha > 1e-6 ? light.xyz / alpha : linear.xyz, alpha))
    }
}
