import VitrineMath

/// Maps linear radiance to displayable values.
///
/// Applied after exposure and before the transfer function of the target (sRGB). `apply` is the shader's function on the CPU.
///
/// | | middle grey 0.18 | white 1 | highlights | colours |
/// | --- | --- | --- | --- | --- |
/// | `none` | 0.18 | 1 | clipped | unchanged until they clip, then shifted |
/// | `neutral` | 0.14 | 0.87 | rolled off above 0.8 | kept below 0.8, then towards white |
/// | `agx` | 0.22 | 0.59 | rolled off over 6.5 stops above grey | softened everywhere, bright ones towards white |
/// | `aces` | 0.11 | 0.62 | rolled off | contrast raised, hues of bright colours shift |
public enum ToneMapping: Int, CaseIterable, Sendable {
    /// No tone mapping: values are only clamped. For measurements.
    case none = 0
    /// Khronos PBR Neutral (2024): keeps base colours unchanged.
    case neutral
    /// AgX (Sobotka 2022), the base look: its two matrices, its sigmoid over −10…6.5 stops around middle grey in closed form, and a
    /// display of gamma 2.2.
    case agx
    /// The ACES reference rendering for a Rec.709 display, by the fit of Hill (2016). Scene values are interpreted as in ACES: other programs
    /// brighten by 1 / 0.6 (0.74 stops) first.
    case aces

    /// The name on a command line.
    public var name: String {
        switch self {
        case .none: "none"
        case .neutral: "neutral"
        case .agx: "agx"
        case .aces: "aces"
        }
    }

    /// The tone mapping with this name, or nil.
    public init?(named name: String) {
        for mapping in ToneMapping.allCases where mapping.name == name {
            self = mapping
            return
        }
        return nil
    }

    /// Displayed linear light, 0…1, for exposed linear radiance (Rec.709, not negative).
    public func apply(_ radiance: Vector3) -> Vector3 {
        let mapped =
            switch self {
            case .none: radiance
            case .neutral: Self.neutral(radiance)
            case .agx: Self.agx(radiance)
            case .aces: Self.aces(radiance)
            }
        return mapped.clamped(lowerBound: Vector3(repeating: 0), upperBound: Vector3(repeating: 1))
    }

    // MARK: The curves

    private static func neutral(_ radiance: Vector3) -> Vector3 {
        let compressionStart: Float = 0.8 - 0.04
        let desaturation: Float = 0.15
        let low = radiance.min()
        // A dielectric's reflection of 4 % is subtracted, so that base colours stay unchanged.
        let color = radiance - (low < 0.08 ? low - 6.25 * low * low : 0.04)
        let peak = color.max()
        if peak < compressionStart { return color }
        let room = 1 - compressionStart
        let newPeak = 1 - room * room / (peak + room - compressionStart)
        let white = 1 - 1 / (desaturation * (peak - newPeak) + 1)
        return mix(color * (newPeak / peak), Vector3(repeating: newPeak), white)
    }

    private static func agx(_ radiance: Vector3) -> Vector3 {
        let inset = Matrix3(
            Vector3(0.842_479_06, 0.042_328_242, 0.042_375_655), Vector3(0.078_433_6, 0.878_468_64, 0.078_433_6),
            Vector3(0.079_223_745, 0.079_166_127, 0.879_142_97))
        let outset = Matrix3(
            Vector3(1.196_879, -0.052_896_852, -0.052_971_636), Vector3(-0.098_020_881, 1.151_903_1, -0.098_043_45),
            Vector3(-0.099_029_744, -0.098_961_177, 1.151_073_67))
        let color = inset * radiance
        let display = outset * Vector3(agxCurve(color.x), agxCurve(color.y), agxCurve(color.z))
        return Vector3(pow(max(display.x, 0), 2.2), pow(max(display.y, 0), 2.2), pow(max(display.z, 0), 2.2))
    }

    /// Slope 2 through (10/16.5, 1/2), bent to reach 0 and 1 at the ends with powers 3 (toe) and 3.25 (shoulder).
    private static func agxCurve(_ value: Float) -> Float {
        let x = clamp((log2(max(value, 1e-10)) + 12.473_931) / 16.5, 0, 1)
        let pivot: Float = 10 / 16.5
        let power: Float = x > pivot ? 3.25 : 3
        let distance = abs(x - pivot)
        let end = x > pivot ? 1 - pivot : pivot
        let bend = pow(4, power) - pow(end, -power)
        return 0.5 + 2 * (x - pivot) * pow(1 + bend * pow(distance, power), -1 / power)
    }

    private static func aces(_ radiance: Vector3) -> Vector3 {
        let input = Matrix3(Vector3(0.59719, 0.07600, 0.02840), Vector3(0.35458, 0.90834, 0.13383), Vector3(0.04823, 0.01566, 0.83777))
        let output = Matrix3(
            Vector3(1.60475, -0.10208, -0.00327), Vector3(-0.53108, 1.10813, -0.07276), Vector3(-0.07367, -0.00605, 1.07602))
        let v = input * radiance
        return output * ((v * (v + 0.024_578_6) - 0.000_090_537) / (v * (0.983_729 * v + 0.432_951) + 0.238_081))
    }
}

/// `ToneMapping.apply` in WGSL: `toneMapped(radiance: vec3f) -> vec3f`, exposed linear radiance to displayed linear light. The shader
/// that takes it in declares `override TONE_MAPPING: u32`, the raw value.
let toneMappingShader = """
    fn toneMapNeutral(radiance: vec3f) -> vec3f {
        let compressionStart = 0.8 - 0.04;
        let desaturation = 0.15;
        let low = min(radiance.r, min(radiance.g, radiance.b));
        let color = radiance - select(0.04, low - 6.25 * low * low, low < 0.08);
        let peak = max(color.r, max(color.g, color.b));
        if (peak < compressionStart) { return color; }
        let room = 1.0 - compressionStart;
        let newPeak = 1.0 - room * room / (peak + room - compressionStart);
        let white = 1.0 - 1.0 / (desaturation * (peak - newPeak) + 1.0);
        return mix(color * (newPeak / peak), vec3f(newPeak), white);
    }

    fn toneMapAgX(radiance: vec3f) -> vec3f {
        let inset = mat3x3f(0.84247906, 0.042328242, 0.042375655, 0.0784336, 0.87846864, 0.0784336, 0.079223745, 0.079166127, 0.87914297);
        let outset = mat3x3f(1.196879, -0.052896852, -0.052971636, -0.098020881, 1.1519031, -0.09804345, -0.099029744, -0.098961177, 1.15107367);
        let x = saturate((log2(max(inset * radiance, vec3f(1e-10))) + 12.473931) / 16.5);
        let pivot = 10.0 / 16.5;
        let isShoulder = x > vec3f(pivot);
        let power = select(vec3f(3.0), vec3f(3.25), isShoulder);
        // 4^p − end^−p for the toe and the shoulder.
        let bend = select(vec3f(59.507875), vec3f(69.862789), isShoulder);
        let display = 0.5 + 2.0 * (x - pivot) * pow(1.0 + bend * pow(abs(x - pivot), power), -1.0 / power);
        return pow(max(outset * display, vec3f(0.0)), vec3f(2.2));
    }

    fn toneMapACES(radiance: vec3f) -> vec3f {
        let v = mat3x3f(0.59719, 0.07600, 0.02840, 0.35458, 0.90834, 0.13383, 0.04823, 0.01566, 0.83777) * radiance;
        let fitted = (v * (v + 0.0245786) - 0.000090537) / (v * (0.983729 * v + 0.432951) + 0.238081);
        return mat3x3f(1.60475, -0.10208, -0.00327, -0.53108, 1.10813, -0.07276, -0.07367, -0.00605, 1.07602) * fitted;
    }

    fn toneMapped(radiance: vec3f) -> vec3f {
        switch TONE_MAPPING {
            case 1u: { return saturate(toneMapNeutral(radiance)); }
            case 2u: { return saturate(toneMapAgX(radiance)); }
            case 3u: { return saturate(toneMapACES(radiance)); }
            default: { return saturate(radiance); }
        }
    }
    """
