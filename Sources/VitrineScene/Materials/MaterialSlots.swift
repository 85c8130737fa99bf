import VitrineMath

/// A colour, multiplied by an optional texture (colour channels of integer formats are sRGB).
public struct ColorSlot {
    /// The linear colour, which multiplies the texture.
    public var factor: Vector4
    /// The texture; nil for the factor alone.
    public var map: TextureMap?
    /// A factor on the colour, 0…1; 0 is black.
    public var intensity: Float

    /// Creates a slot from a linear colour.
    public init(_ factor: Vector4, map: TextureMap? = nil, intensity: Float = 1) {
        (self.factor, self.map, self.intensity) = (factor, map, intensity)
    }

    /// Creates a slot from a colour.
    public init(_ color: Color, map: TextureMap? = nil) { self.init(color.linear, map: map) }
}

/// A number, multiplied by one channel of an optional texture (linear).
public struct ScalarSlot: ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral {
    /// The number, which multiplies the texture.
    public var factor: Float
    /// The texture; nil for the factor alone.
    public var map: TextureMap?
    /// The channel of the texture that contains the value.
    public var channel: TextureChannel
    /// A factor on the number, 0…1, as in SceneKit.
    public var intensity: Float

    /// Creates a slot from a number.
    public init(_ factor: Float, map: TextureMap? = nil, channel: TextureChannel = .red, intensity: Float = 1) {
        (self.factor, self.map, self.channel, self.intensity) = (factor, map, channel, intensity)
    }

    public init(floatLiteral value: Float) { self.init(value) }
    public init(integerLiteral value: Int) { self.init(Float(value)) }
}

/// A tangent-space normal map: red, green, blue 0…1 encode x, y, z −1…1; +y is up in the image.
public struct NormalSlot {
    /// The texture; nil for none.
    public var map: TextureMap?
    /// The factor on x and y: 0 is flat, 1 unchanged.
    public var scale: Float

    /// Creates a slot; without a map it has no effect.
    public init(map: TextureMap? = nil, scale: Float = 1) { (self.map, self.scale) = (map, scale) }
}

/// A height along the surface's normal, from one channel of a linear texture: `bias + scale · texel` metres. Stored for model files; not rendered.
public struct DisplacementSlot {
    /// The texture; nil for none.
    public var map: TextureMap?
    /// The channel of the texture that contains the value.
    public var channel: TextureChannel
    /// The difference in metres between texel 1 and texel 0.
    public var scale: Float
    /// The height in metres of texel 0.
    public var bias: Float

    /// Creates a slot; without a map it has no effect.
    public init(map: TextureMap? = nil, channel: TextureChannel = .red, scale: Float = 1, bias: Float = 0) {
        (self.map, self.channel, self.scale, self.bias) = (map, channel, scale, bias)
    }
}

// MARK: For renderers

extension ScalarSlot {
    /// Whether any texel gives a value above 0.
    package var hasEffect: Bool { factor * intensity > 0 }

    /// The factor in the channel that the map holds the value in, 0 in the others; in the first channel without a map. The dot product with a
    /// texel is the value, and a white texel gives the factor.
    package var channelFactors: Vector4 {
        var factors = Vector4(repeating: 0)
        factors[map == nil ? 0 : channel.rawValue] = factor * intensity
        return factors
    }
}

extension ColorSlot {
    /// Whether any texel gives a colour other than black.
    package var hasEffect: Bool { factor.xyz.max() * intensity > 0 }

    /// The colour times the intensity; w is 0.
    package var linear: Vector4 { Vector4(factor.xyz * intensity, 0) }
}

extension Volume {
    /// The rate per metre at which the logarithm of light falls, by channel; 0 if nothing is absorbed.
    package var attenuationRates: Vector3 {
        guard attenuationDistance > 0, attenuationDistance.isFinite else { return Vector3(repeating: 0) }
        var rates = Vector3(repeating: 0)
        for channel in 0..<3 { rates[channel] = -log(clamp(attenuationColor[channel], 1e-6, 1)) / attenuationDistance }
        return rates
    }
}

// MARK: Images

extension ColorSlot {
    /// The image of the slot's map; nil if there is no map, or if its content is not decoded yet.
    ///
    /// ```swift
    /// material.baseColor.image = try Image(contentsOf: url)
    /// ```
    ///
    /// Setting an image keeps the map's sampler, texture-coordinate set and transform, and does not affect other materials that share the old texture.
    /// Setting nil removes the map. To share one texture between materials, set `map`.
    public var image: Image? {
        get { map?.image }
        set { map = TextureMap(map, image: newValue) }
    }
}

extension ScalarSlot {
    /// The image of the slot's map, of which `channel` is used; see `ColorSlot.image`.
    public var image: Image? {
        get { map?.image }
        set { map = TextureMap(map, image: newValue) }
    }
}

extension NormalSlot {
    /// The image of the slot's map; see `ColorSlot.image`.
    public var image: Image? {
        get { map?.image }
        set { map = TextureMap(map, image: newValue) }
    }
}

extension TextureMap {
    fileprivate var image: Image? {
        if case .image(let image) = texture.content { image } else { nil }
    }

    /// Creates a copy of `map` with a new texture that contains `image`; nil without an image.
    fileprivate init?(_ map: TextureMap?, image: Image?) {
        guard let image else { return nil }
        let texture = Texture(image, sampler: map?.texture.sampler ?? Sampler())
        self.init(texture, set: map?.set ?? 0, transform: map?.transform ?? .identity)
    }
}
