/// How a layer blends with its backdrop: W3C Compositing and Blending Level 1 (2024), sections 9 and 10.
///
/// The blend functions use sRGB-encoded colours, as CSS and Core Animation do; alpha compositing is linear. `plusLighter` adds light.
public enum BlendMode: UInt32, Equatable, Hashable, Sendable, CaseIterable {
    case normal, multiply, screen, overlay, darken, lighten, colorDodge, colorBurn, hardLight, softLight, difference, exclusion
    // Not separable: they use all three channels.
    case hue, saturation, color, luminosity
    case plusLighter
}
