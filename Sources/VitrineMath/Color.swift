/// A colour with linear Rec. 709 components and straight (not premultiplied) alpha. The components of light sources may exceed 1.
///
/// ```swift
/// let orange = Color(sRGB: 0xFF8000)
/// orange.linear   // SIMD4(1.0, 0.2159, 0.0, 1.0)
/// ```
public struct Color: Equatable, Hashable, Sendable {
    /// The components red, green and blue (linear Rec. 709) and alpha.
    public var linear: Vector4

    /// Creates a colour from linear red, green, blue and alpha.
    @inlinable public init(linear: Vector4) { self.linear = linear }

    /// Creates a colour from linear Rec. 709 components.
    @inlinable public init(linearRed red: Float, green: Float, blue: Float, alpha: Float = 1) { linear = Vector4(red, green, blue, alpha) }

    /// Creates a colour from sRGB-encoded components, 0…1.
    public init(red: Float, green: Float, blue: Float, alpha: Float = 1) {
        linear = Vector4(linearFromSRGB(red), linearFromSRGB(green), linearFromSRGB(blue), alpha)
    }

    /// Creates an opaque colour from an sRGB-encoded number 0xRRGGBB.
    public init(sRGB hex: UInt32) {
        self.init(red: Float((hex >> 16) & 255) / 255, green: Float((hex >> 8) & 255) / 255, blue: Float(hex & 255) / 255)
    }

    /// Creates a grey colour from an sRGB-encoded level, 0…1.
    public init(white: Float, alpha: Float = 1) { self.init(red: white, green: white, blue: white, alpha: alpha) }

    /// Opaque white: 1 in every component.
    public static let white = Color(linear: Vector4(1, 1, 1, 1))
    /// Opaque black.
    public static let black = Color(linear: Vector4(0, 0, 0, 1))
    /// Transparent black: 0 in every component.
    public static let clear = Color(linear: Vector4(0, 0, 0, 0))

    /// The relative luminance (Rec. 709 weights).
    @inlinable public var luminance: Float { dot(linear, Vector4(0.2126, 0.7152, 0.0722, 0)) }
    /// The linear components multiplied by alpha, as the renderer blends them.
    @inlinable public var premultiplied: Vector4 { Vector4(linear.xyz * linear.w, linear.w) }
}

/// Decodes an sRGB value: the inverse of the transfer function of IEC 61966-2-1, odd around zero.
public func linearFromSRGB(_ value: Float) -> Float {
    let magnitude = abs(value)
    let result = magnitude <= 0.04045 ? magnitude / 12.92 : pow((magnitude + 0.055) / 1.055, 2.4)
    return value < 0 ? -result : result
}

/// Encodes a linear value as sRGB: the transfer function of IEC 61966-2-1, odd around zero.
public func sRGBFromLinear(_ value: Float) -> Float {
    let magnitude = abs(value)
    let result = magnitude <= 0.003_130_8 ? magnitude * 12.92 : 1.055 * pow(magnitude, 1 / 2.4) - 0.055
    return value < 0 ? -result : result
}

/// Returns the linear colour of a black body, with a brightest component of 1.
///
/// Computes the Planckian locus in CIE 1931 xy by the cubic fit of Kim et al. (2002) and converts it to Rec. 709. `kelvin` is clamped to
/// 1,667…25,000, the range of the fit.
public func linearColor(temperature kelvin: Float) -> Vector3 {
    let t = clamp(kelvin, 1667, 25_000)
    let (t1, t2, t3) = (1e3 / t, 1e6 / (t * t), 1e9 / (t * t * t))
    let x =
        t <= 4000
        ? -0.266_123_9 * t3 - 0.234_358_9 * t2 + 0.877_695_6 * t1 + 0.179_910
        : -3.025_846_9 * t3 + 2.107_037_9 * t2 + 0.222_634_7 * t1 + 0.240_390
    let y: Float
    if t <= 2222 {
        y = -1.106_381_4 * x * x * x - 1.348_110_20 * x * x + 2.185_558_32 * x - 0.202_196_83
    } else if t <= 4000 {
        y = -0.954_947_6 * x * x * x - 1.374_185_93 * x * x + 2.091_370_15 * x - 0.167_488_67
    } else {
        y = 3.081_758_0 * x * x * x - 5.873_386_70 * x * x + 3.751_129_97 * x - 0.370_014_83
    }
    let xyz = Vector3(x / y, 1, (1 - x - y) / y)
    let rgb = Vector3(
        3.240_454_2 * xyz.x - 1.537_138_5 * xyz.y - 0.498_531_4 * xyz.z,
        -0.969_266_0 * xyz.x + 1.876_010_8 * xyz.y + 0.041_556_0 * xyz.z,
        0.055_643_4 * xyz.x - 0.204_025_9 * xyz.y + 1.057_225_2 * xyz.z)
    let positive = pointwiseMax(rgb, Vector3(repeating: 0))
    return positive / max(positive.max(), 1e-6)
}
