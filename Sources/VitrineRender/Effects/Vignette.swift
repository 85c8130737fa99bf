import VitrineMath

/// Darkens the corners, as lenses do (`RenderOptions.vignette`).
///
/// Light is multiplied by 1 − strength · (1 − cos⁴θ), where tan θ = r · tan(cornerAngle) and r is the distance from the centre of the image, 1 in
/// its corners: the cosine law of a thin lens. Also darkens the background colour.
public struct Vignette: Equatable, Sendable {
    /// The strength, from 0 for no vignette to 1 for the full effect. Default 1.
    public var strength: Float
    /// The angle between the axis and the corners of the image, 0…85°. Default 40°: the corners keep a third of their light.
    public var cornerAngle: Angle

    /// Creates a vignette; the default is that of a wide lens.
    public init(strength: Float = 1, cornerAngle: Angle = .degrees(40)) { (self.strength, self.cornerAngle) = (strength, cornerAngle) }

    /// The remaining share of the light.
    ///
    /// - Parameter r: Distance from the centre, 1 in the corners.
    public func factor(atDistance r: Float) -> Float {
        let slope = r * tan(cornerAngle.radians)
        let cosineSquared = 1 / (1 + slope * slope)
        return 1 - strength * (1 - cosineSquared * cosineSquared)
    }

    func validate() throws(RenderError) {
        guard strength >= 0, strength <= 1 else { throw .invalidOption(name: "vignette.strength", reason: "must lie in 0…1") }
        guard cornerAngle.radians >= 0, cornerAngle.radians <= Angle.degrees(85.001).radians else {
            throw .invalidOption(name: "vignette.cornerAngle", reason: "must lie in 0…85°")
        }
    }
}
