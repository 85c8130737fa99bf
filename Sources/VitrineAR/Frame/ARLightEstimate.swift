/// The estimated intensity and colour temperature of the ambient light.
public struct ARLightEstimate: Equatable, Sendable {
    /// The brightness of the scene. The neutral value 1000 is a linear mean luminance of 0.18. Default 1000.
    public let ambientIntensity: Float
    /// The colour temperature in kelvin; 6500 is white. Default 6500.
    public let ambientColorTemperature: Float

    /// Creates an estimate; neutral white light by default.
    public init(ambientIntensity: Float = 1000, ambientColorTemperature: Float = 6500) {
        (self.ambientIntensity, self.ambientColorTemperature) = (ambientIntensity, ambientColorTemperature)
    }
}
