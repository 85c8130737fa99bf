import VitrineMath

/// Guesses how bright and how warm the light is from the camera's pictures.
///
/// Brightness: the picture's mean linear luminance, 0.18 (a grey card, rightly exposed) being 1000, divided by how far the camera opened up
/// for it, where that is known: by `CameraSample.gain`, else by the exposure over `Settings.neutralExposure`. Where neither is known, a
/// camera with automatic exposure shows every room alike.
///
/// Warmth: the correlated colour temperature of the picture's mean colour, each channel's by its sixth powers (Finlayson & Trezzi 2004): what is bright
/// counts most, since that is more often white than a room is grey on average. A red wall looks like warm light all the same, and a camera
/// that balances its white itself hides most of the light's colour. Pixels at the end of their range tell no colour and are left out. A grey
/// camera says 6500.
///
/// Both follow changes with `Settings.timeConstant`: after that many seconds 63 % of a change are told.
public struct LightEstimator: Sendable {
    public struct Settings: Equatable, Sendable {
        /// Seconds; 0 follows at once.
        public var timeConstant = 0.5
        /// Seconds of exposure that count as 1 where no gain is given.
        public var neutralExposure = 1.0 / 60
        /// About how many places of a picture are looked at.
        public var samples = 5_000

        public init() {}
    }

    public var settings: Settings
    /// The newest estimate; nil before the first picture.
    public private(set) var estimate: ARLightEstimate?
    private var intensity = 0.0
    /// Megakelvin⁻¹, in which steps look alike.
    private var mired = 0.0
    private var time = 0.0

    public init(settings: Settings = Settings()) { self.settings = settings }

    public mutating func reset() { estimate = nil }

    /// Takes in a picture.
    ///
    /// - Parameters:
    ///   - time: seconds; where it goes backward, the estimate begins anew.
    ///   - gain: the camera's sensitivity times its exposure against what is neutral; what isn't a positive number isn't used, nor is an
    ///     exposure.
    public mutating func update(time: Double, image: CapturedImage, exposureDuration: Double? = nil, gain: Double? = nil) -> ARLightEstimate
    {
        let seen = Self.measure(image, samples: settings.samples)
        let opening = Self.positive(gain) ?? Self.positive(exposureDuration).map { $0 / settings.neutralExposure } ?? 1
        let newIntensity = min(max(seen.luminance / 0.18 * 1000 / opening, 0), 1e6)
        let newMired = 1e6 / (seen.temperature ?? (estimate == nil ? 6500 : 1e6 / mired))
        let step = time - self.time
        if estimate == nil || !(step >= 0) {
            (intensity, mired) = (newIntensity, newMired)
        } else {
            let share = settings.timeConstant > 0 ? 1 - exp(-step / settings.timeConstant) : 1
            intensity += (newIntensity - intensity) * share
            mired += (newMired - mired) * share
        }
        self.time = time
        let result = ARLightEstimate(ambientIntensity: Float(intensity), ambientColorTemperature: Float(1e6 / mired))
        estimate = result
        return result
    }

    private static func positive(_ value: Double?) -> Double? { value.flatMap { $0 > 0 && $0.isFinite ? $0 : nil } }

    /// The mean linear luminance, and the mean colour's temperature in kelvin where enough of the picture tells one.
    static func measure(_ image: CapturedImage, samples: Int) -> (luminance: Double, temperature: Double?) {
        guard image.width > 0, image.height > 0 else { return (0, nil) }
        let step = max(1, Int((Double(image.width * image.height) / Double(max(1, samples))).squareRoot()))
        let levels = LightLevels(image)
        var (all, allCount, colored, coloredCount) = (SIMD3<Double>.zero, 0.0, SIMD3<Double>.zero, 0.0)
        for y in stride(from: min(step / 2, image.height - 1), to: image.height, by: step) {
            for x in stride(from: min(step / 2, image.width - 1), to: image.width, by: step) {
                let sample = image.light(x: x, y: y, levels)
                let color = SIMD3<Double>(sample.color)
                all += color
                allCount += 1
                if !sample.isClipped {
                    let squared = color * color
                    colored += squared * squared * squared
                    coloredCount += 1
                }
            }
        }
        let luminance = (all * SIMD3(0.2126, 0.7152, 0.0722)).sum() / allCount
        guard image.chroma != nil else { return (luminance, 6500) }
        return (luminance, coloredCount >= 0.02 * allCount ? temperature(ofLinear: sixthRoot(colored / coloredCount)) : nil)
    }

    private static func sixthRoot(_ powers: SIMD3<Double>) -> SIMD3<Double> {
        SIMD3(exp(log(powers.x) / 6), exp(log(powers.y) / 6), exp(log(powers.z) / 6))
    }

    /// Kelvin from linear Rec.709, 2000…25000: McCamy's cubic (1992), good to a few kelvin near daylight and to 2 % down to 2000; nil of black.
    static func temperature(ofLinear color: SIMD3<Double>) -> Double? {
        // Rec.709's primaries with D65 (IEC 61966-2-1).
        let x = (SIMD3(0.4124, 0.3576, 0.1805) * color).sum()
        let y = (SIMD3(0.2126, 0.7152, 0.0722) * color).sum()
        let z = (SIMD3(0.0193, 0.1192, 0.9505) * color).sum()
        let sum = x + y + z
        guard sum > 1e-9 else { return nil }
        let (u, v) = (x / sum - 0.3320, 0.1858 - y / sum)
        // Beyond all lamps, towards green and purple, the cubic means nothing; the nearest end is told.
        guard v < -1e-3 else { return 25000 }
        let n = u / v
        return min(max(((449 * n + 3525) * n + 6823.3) * n + 5520.33, 2000), 25000)
    }
}
