import VitrineMath

/// A light on a node: shines along the node's −Z from its origin.
public struct Light: Equatable, Sendable {
    public enum Kind: Equatable, Hashable, Sendable {
        /// From everywhere alike.
        case ambient
        /// Parallel, from infinitely far.
        case directional
        /// From a point to all sides.
        case point
        /// From a point into a cone; full inside `inner`, none outside `outer` (angles from the axis, 0 ≤ inner < outer ≤ π/2).
        case spot(inner: Angle, outer: Angle)
    }

    public var kind: Kind
    /// Linear; alpha is not used.
    public var color: Color
    /// Ambient: radiance. Directional: illuminance, lux. Point and spot: luminous intensity, candela.
    /// White light of 1 lux on a white Lambert surface leaves a linear value of 1/π: units as in KHR_lights_punctual.
    public var intensity: Float
    /// Metres at which point and spot lights have faded to nothing; nil: never.
    public var range: Float?
    /// Kelvin; nil: `color` alone. The black body's colour multiplies `color`.
    public var temperature: Float?
    /// Only nodes that share a bit are lit.
    public var categoryBitMask: UInt32

    public init(
        _ kind: Kind = .point, color: Color = .white, intensity: Float = 1, range: Float? = nil, temperature: Float? = nil,
        categoryBitMask: UInt32 = .max
    ) {
        (self.kind, self.color, self.intensity, self.range) = (kind, color, intensity, range)
        (self.temperature, self.categoryBitMask) = (temperature, categoryBitMask)
    }

    /// Linear colour times intensity, temperature applied.
    public var linearIntensity: Vector3 {
        let tint = temperature.map { linearColor(temperature: $0) } ?? Vector3(repeating: 1)
        return color.linear.xyz * tint * intensity
    }
}
