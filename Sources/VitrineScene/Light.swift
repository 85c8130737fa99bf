import VitrineMath

/// A light on a node: shines along the node's −Z from its origin. A point light by default, as in SceneKit.
///
/// ```swift
/// let spot = Node(name: "spot")
/// spot.light = Light(.spot(inner: .degrees(20), outer: .degrees(30)), intensity: 400)
/// spot.light?.castsShadow = true
/// spot.light?.radius = 0.05                         // a bulb of 10 cm: shadows have soft edges
/// ```
///
/// | kind | unit of `intensity` | falls with distance | size, for soft shadows |
/// | --- | --- | --- | --- |
/// | ambient | radiance (luminance, nits) | no | casts no shadow |
/// | directional | illuminance, lux, on a surface that faces it | no | `angularDiameter` |
/// | point, spot | luminous intensity, candela | `attenuation`: inverse square | `radius` |
/// | rectangle, disc | luminance, nits (candela per square metre) of the emitting side | by solid angle | its own |
public struct Light: Equatable, Sendable {
    /// The shape and direction of a light.
    public enum Kind: Equatable, Hashable, Sendable {
        /// The same from all directions.
        case ambient
        /// Parallel, from infinitely far.
        case directional
        /// From a point in all directions.
        case point
        /// From a point into a cone; full inside `inner`, none outside `outer` (angles from the axis, 0 ≤ inner < outer ≤ π/2).
        case spot(inner: Angle, outer: Angle)
        /// An emitting rectangle in the node's x and y, metres, around its origin; the −Z side emits evenly in all directions (Lambert).
        case rectangle(width: Float, height: Float)
        /// An emitting disc in the node's x and y, radius in metres; the −Z side emits.
        case disc(radius: Float)
    }

    /// How point and spot lights weaken with the distance d in metres.
    public enum Attenuation: Equatable, Hashable, Sendable {
        /// By d², as in a vacuum.
        case inverseSquare
        /// By constant + linear · d + quadratic · d², as in OpenGL and COLLADA; all at least 0. `intensity` is then the
        /// illuminance in lux where that sum is 1.
        case polynomial(constant: Float, linear: Float, quadratic: Float)
    }

    /// Default: a point light.
    public var kind: Kind
    /// Linear; alpha is not used.
    public var color: Color
    /// See the table above. White light of 1 lux on a white Lambert surface leaves a linear value of 1/π: units as in KHR_lights_punctual.
    public var intensity: Float
    /// Distance in metres at which the light has faded to zero, except for ambient and directional lights; nil: never. With a range, a light costs only where it
    /// arrives: a thousand of them are fine.
    public var range: Float?
    /// Attenuation of point and spot lights. Default: inverse square.
    public var attenuation = Attenuation.inverseSquare
    /// Kelvin; the colour of a black body multiplies `color`. Default nil: `color` alone.
    public var temperature: Float?
    /// Only nodes that share a bit are lit and cast shadows.
    public var categoryBitMask: UInt32
    /// Whether nodes cast shadows in this light. Default false, as in SceneKit: it costs a rendering of the scene's depth from
    /// the light, six for a point light within the scene. Ambient light casts no shadows.
    public var castsShadow = false
    /// Point and spot lights: radius of the emitting sphere in metres. The larger, the softer the edges of shadows; 0: hard. The light on a
    /// surface stays that of a point. Default 0.
    public var radius: Float = 0
    /// Directional light: angular diameter of the source (the sun: 0.53°). The larger, the softer the edges of shadows; 0: hard. Default 0.
    public var angularDiameter: Angle = .zero
    /// Resolution and range of shadows.
    public var shadow = ShadowSettings()

    /// Makes a light; see the properties for units.
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
