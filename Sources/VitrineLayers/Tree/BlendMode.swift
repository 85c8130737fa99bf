/// The mode in which a layer blends with its backdrop, after W3C Compositing and Blending Level 1 (2024), sections 9 and 10.
///
/// The blend functions use sRGB-encoded colours, as CSS and Core Animation do; alpha compositing is linear. `plusLighter` adds light.
public enum BlendMode: UInt32, Equatable, Hashable, Sendable, CaseIterable {
    /// The layer covers its backdrop.
    case normal
    /// The product of both colours: darkens.
    case multiply
    /// The complement of the product of the complements: lightens.
    case screen
    /// `hardLight` with layer and backdrop exchanged: preserves the backdrop's highlights and shadows.
    case overlay
    /// The darker value of each channel.
    case darken
    /// The lighter value of each channel.
    case lighten
    /// Brightens the backdrop to reflect the layer; black leaves it unchanged.
    case colorDodge
    /// Darkens the backdrop to reflect the layer; white leaves it unchanged.
    case colorBurn
    /// `multiply` where the layer is dark, `screen` where it is light: a harsh spotlight.
    case hardLight
    /// Darkens or lightens like a diffuse spotlight.
    case softLight
    /// The absolute difference of both colours.
    case difference
    /// Similar to `difference`, with lower contrast.
    case exclusion
    /// The layer's hue with the backdrop's saturation and luminosity.
    case hue
    /// The layer's saturation with the backdrop's hue and luminosity.
    case saturation
    /// The layer's hue and saturation with the backdrop's luminosity.
    case color
    /// The layer's luminosity with the backdrop's hue and saturation.
    case luminosity
    /// The sum of both colours in linear light.
    case plusLighter
}
