import VitrineMath

/// A light of a node: shines along the node's −Z from its origin. A point light by default, as in SceneKit.
///
/// ```swift
/// let spot = Node(name: "spot")
/// spot.light = Light(.spot(inner: .degrees(20), outer: .degrees(30)), intensity: 400)
/// spot.light?.castsShadow = true
/// spot.light?.radius = 0.05                         // a bulb of 10 cm: shadows have soft edges
/// ```
///
/// | kind | unit of `intensity` | attenuation with distance | size, for soft shadows |
/// | --- | --- | --- | --- |
/// | ambient | radiance (luminance, nits) | no | casts no shadow |
/// | directional | illuminance, lux, on a surface that faces it | no | `angularDiameter` |
/// | point, spot | luminous intensity, candela | `attenuation`: inverse square | `radius` |
/// | rectangle, disc | luminance, nits (candela per square metre) of the emitting side | by solid angle | its size |
public struct Light: Equatable, Sendable {
    /// The shape and direction of a light.
    public enum Kind: Equatable, Hashable, Sendable {
        /// Uniform light from all directions.
        case ambient
        /// Parallel light from infinitely far away.
        case directional
        /// Light from a point in all directions.
        case point
        /// Light from a point into a cone; full inside `inner`, none outside `outer` (angles from the axis, 0 ≤ inner < outer ≤ π/2).
        case spot(inner: Angle, outer: Angle)
        /// An emitting rectangle in the node's x and y around its origin, in metres; the −Z side emits uniformly in all directions (Lambert).
        case rectangle(width: Float, height: Float)
        /// An emitting disc in the node's x and y, radius in metres; the −Z side emits.
        case disc(radius: Float)
    }

    /// The attenuation of point and spot lights with the distance d in metres.
    public enum Attenuation: Equatable, Hashable, Sendable {
        /// Divides by d², as in a vacuum.
        case inverseSquare
        /// Divides by constant + linear · d + quadratic · d², as in OpenGL and COLLADA; all at least 0. `intensity` is then the illuminance in lux where
        /// that sum is 1.
        case polynomial(constant: Float, linear: Float, quadratic: Float)
    }

    /// The kind of light; a point light by default.
    public var kind: Kind
    /// The linear colour; alpha is ignored.
    public var color: Color
    /// The intensity, in the unit of the table above. White light of 1 lux on a white Lambert surface gives a linear value of 1/π, as in
    /// KHR_lights_punctual.
    public var intensity: Float
    /// The distance in metres at which the light has faded to zero, except for ambient and directional lights; nil for an unlimited range. With a
    /// range, a light is computed only within it, so that a scene can have thousands of lights.
    public var range: Float?
    /// The attenuation of point and spot lights. Default: inverse square.
    public var attenuation = Attenuation.inverseSquare
    /// The colour temperature in kelvins; the colour of a black body multiplies `color`. Default nil: `color` alone.
    public var temperature: Float?
    /// The categories of the light: it lights only nodes that share a bit, and only they cast shadows.
    public var categoryBitMask: UInt32
    /// Whether nodes cast shadows in this light. Default false, as in SceneKit: a shadow costs a rendering of the scene's depth from the light, six
    /// for a point light within the scene. Ambient light casts no shadows.
    public var castsShadow = false
    /// The radius in metres of the emitting sphere of point and spot lights. Larger values give softer edges of shadows; 0 gives hard edges. The
    /// light on surfaces stays that of a point. Default 0.
    public var radius: Float = 0
    /// The angular diameter of a directional light (of the sun: 0.53°). Larger values give softer edges of shadows; 0 gives hard edges. Default 0.
    public var angularDiameter: Angle = .zero
    /// The resolution and range of shadows.
    public var shadow = ShadowSettings()

    /// Creates a light; see the properties for units.
    public init(
        _ kind: Kind = .point, color: Color = .white, intensity: Float = 1, range: Float? = nil, temperature: Float? = nil,
        categoryBitMask: UInt32 = .max, castsShadow: Bool = false
    ) {
        (self.kind, self.color, self.intensity, self.range) = (kind, color, intensity, range)
        (self.temperature, self.categoryBitMask, self.castsShadow) = (temperature, categoryBitMask, castsShadow)
    }

    /// The linear colour times intensity, including the temperature.
    public var linearIntensity: Vector3 {
        let tint = temperature.map { linearColor(temperature: $0) } ?? Vector3(repeating: 1)
        return color.linear.xyz * tint * intensity
    }
}
