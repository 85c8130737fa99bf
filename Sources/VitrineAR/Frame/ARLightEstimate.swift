/// How bright and how warm the light of the room is, guessed from the picture and its exposure.
public struct ARLightEstimate: Equatable, Sendable {
    /// 1000 is neutral: a linear mean luminance of 0.18.
    public let ambientIntensity: Float
    /// In kelvin; 6500 is white.
    public let ambientColorTemperature: Float

    public init(ambientIntensity: Float = 1000, ambientColorTemperature: Float = 6500) {
        (self.ambientIntensity, self.ambientColorTemperature) = (ambientIntensity, ambientColorTemperature)
    }
}
