/// How a layer's colour is mixed with what is behind it: W3C Compositing and Blending Level 1 (2024), sections 9 and 10.
///
/// Colours are mixed sRGB-encoded, as in CSS, Core Animation and painting programs; what alpha covers is added up in linear light, as
/// everywhere here. `plusLighter` is the sum of light.
public enum BlendMode: UInt32, Equatable, Hashable, Sendable, CaseIterable {
    case normal, multiply, screen, overlay, darken, lighten, colorDodge, colorBurn, hardLight, softLight, difference, exclusion
    // Not separable: they look at all three channels.
    case hue, saturation, color, luminosity
    case plusLighter
}
