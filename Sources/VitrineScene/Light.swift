import VitrineMath

/// A light on a node: shines along the node's −Z from its origin. A point light unless told otherwise, as in SceneKit.
///
/// ```swift
/// let lamp = Node(name: "lamp")
/// lamp.light = Light(.spot(inner: .degrees(20), outer: .degrees(30)), intensity: 400)
/// lamp.light?.castsShadow = true
/// lamp.light?.radius = 0.05                         // a bulb of 10 cm: shadows have soft edges
/// ```
///
/// | kind | unit of `intensity` | falls with distance | size, for soft shadows |
/// | --- | --- | --- | --- |
/// | ambient | radiance (luminance, nits) | no | casts no shadow |
/// | directional | illuminance, lux, on a surface that faces it | no | `angularDiameter` |
/// | point, spot | luminous intensity, candela | `attenuation`: inverse square | `radius` |
/// | rectangle, disc | luminance, nits (candela per square metre) of the lit side | by the angle it fills | its own |
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
        /// A glowing rectangle in the node's x and y, metres, around its origin; the side towards −Z shines, evenly in all directions (Lambert).
        case rectangle(width: Float, height: Float)
        /// A glowing disc in the node's x and y, radius in metres; the side towards −Z shines.
        case disc(radius: Float)
    }

    /// How point and spot lights weaken with the distance d, metres.
    public enum Attenuation: Equatable, Hashable, Sendable {
        /// By d², as light in empty space does.
        case inverseSquare
        /// By constant + linear · d + quadratic · d², as OpenGL's and COLLADA's lights do; none of them below 0. `intensity` is then the
        /// illuminance, lux, where that sum is 1.
        case polynomial(constant: Float, linear: Float, quadratic: Float)
    }

    public var kind: Kind
    /// Linear; alpha is not used.
    public var color: Color
    /// See the table above. White light of 1 lux on a white Lambert surface leaves a linear value of 1/π: units as in KHR_lights_punctual.
    public var intensity: Float
    /// Metres at which all but ambient and directional lights have faded to nothing; nil: never. With a range a light costs only where it
    /// reaches: a thousand of them are fine.
    public var range: Float?
    /// Of point and spot lights. Inverse square by default.
    public var attenuation = Attenuation.inverseSquare
    /// Kelvin; nil: `color` alone. The black body's colour multiplies `color`.
    public var temperature: Float?
    /// Only nodes that share a bit are lit, and throw shadows.
    public var categoryBitMask: UInt32
    /// Whether nodes keep this light from what lies behind them. False by default, as in SceneKit: it costs a picture of the scene from
    /// the light, six for a point light amid the scene. Ambient light casts none.
    public var castsShadow = false
    /// Point and spot lights: the radius of the glowing ball, metres. The greater, the softer the edges of shadows; 0: hard. The light on a
    /// surface stays that of a point. Default 0.
    public var radius: Float = 0
    /// Directional light: how large the source looks (the sun: 0.53°). The greater, the softer the edges of shadows; 0: hard. Default 0.
    public var angularDiameter: Angle = .zero
    /// How finely shadows are drawn.
    public var shadow = ShadowSettings()

    public init(
        _ kind: Kind = .point, color: Color = .white, intensity: Float = 1, range: Float? = nil, temperature: Float? = nil,
        categoryBitMask: UInt32 = .max, castsShadow: Bool = false
    ) {
        (self.kind, self.color, self.intensity, self.range) = (kind, color, intensity, range)
        (self.temperature, self.categoryBitMask, self.castsShadow) = (temperature, categoryBitMask, castsShadow)
    }

    /// Linear colour times intensity, temperature applied.
    public var linearIntensity: Vector3 {
        let tint = temperature.map { linearColor(temperature: $0) } ?? Vector3(repeating: 1)
        return color.linear.xyz * tint * intensity
    }
}
