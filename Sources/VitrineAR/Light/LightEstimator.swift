import VitrineMath

/// Estimates the intensity and colour temperature of the ambient light from camera images.
///
/// Intensity: the image's mean linear luminance, where 0.18 (a correctly exposed grey card) is 1000, divided by the camera's gain if known:
/// `CameraSample.gain`, otherwise the exposure duration over `Settings.neutralExposure`. Without either, automatic exposure makes all rooms
/// look equally bright.
///
/// Colour temperature: the correlated colour temperature of the image's mean colour, with each channel's mean of sixth powers (Shades of Grey,
/// Finlayson & Trezzi 2004), which emphasizes bright surfaces: these are white more often than a room is grey on average. A red wall still looks
/// like warm light, and automatic white balance hides most of the light's colour. Clipped pixels are ignored. A monochrome camera gives 6500 K.
///
/// Both follow changes with `Settings.timeConstant`: 63 % of a change after that time.
package struct LightEstimator: Sendable {
    /// Parameters of the estimate.
    package struct Settings: Equatable, Sendable {
        /// The time constant in seconds; 0 disables smoothing. Default 0.5.
        package var timeConstant = 0.5
        /// The exposure duration in seconds that is equivalent to a gain of 1. Default 1/60.
        package var neutralExposure = 1.0 / 60
        /// The approximate number of pixels that are sampled. Default 5000.
        package var samples = 5_000

        package init() {}
    }

    /// The parameters of the estimate.
    package var settings: Settings
    /// The newest estimate; nil before the first image.
    package private(set) var estimate: ARLightEstimate?
    private var intensity = 0.0
    /// Megakelvin⁻¹, a perceptually uniform scale.
    private var mired = 0.0
    private var time = 0.0

    /// Creates an estimator without an estimate.
    package init(settings: Settings = Settings()) { self.settings = settings }

    /// Discards the estimate.
    package mutating func reset() { estimate = nil }

    /// Updates the estimate by an image.
    ///
    /// - Parameters:
    ///   - time: The time of the frame in seconds; a time that goes backward restarts the estimate.
    ///   - exposureDuration: The exposure time in seconds; ignored with a `gain`, and if it is not positive.
    ///   - gain: The camera's sensitivity times its exposure relative to neutral; ignored if it is not positive.
    package mutating func update(time: Double, image: CapturedImage, exposureDuration: Double? = nil, gain: Double? = nil)
        -> ARLightEstimate
    {
        let measured = Self.measure(image, samples: settings.samples)
        let gain = Self.positive(gain) ?? Self.positive(exposureDuration).map { $0 / settings.neutralExposure } ?? 1
        let newIntensity = min(max(measured.luminance / 0.18 * 1000 / gain, 0), 1e6)
        let newMired = 1e6 / (measured.temperature ?? (estimate == nil ? 6500 : 1e6 / mired))
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

    /// The mean linear luminance, and the mean colour's temperature in kelvin; nil if too many pixels are clipped.
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

    /// The correlated colour temperature of linear Rec.709 in kelvin, 2000…25000: McCamy's cubic (1992), accurate to a few kelvin near daylight
    /// and to 2 % down to 2000 K. nil for black.
    static func temperature(ofLinear color: SIMD3<Double>) -> Double? {
        // Rec.709's primaries with D65 (IEC 61966-2-1).
        let x = (SIMD3(0.4124, 0.3576, 0.1805) * color).sum()
        let y = (SIMD3(0.2126, 0.7152, 0.0722) * color).sum()
        let z = (SIMD3(0.0193, 0.1192, 0.9505) * color).sum()
        let sum = x + y + z
        guard sum > 1e-9 else { return nil }
        let (u, v) = (x / sum - 0.3320, 0.1858 - y / sum)
        // The cubic is undefined far from the Planckian locus; use the upper limit.
        guard v < -1e-3 else { return 25000 }
        let n = u / v
        return min(max(((449 * n + 3525) * n + 6823.3) * n + 5520.33, 2000), 25000)
    }
}
