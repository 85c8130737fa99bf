import VitrineMath

/// A protective layer over the surface (KHR_materials_clearcoat): dielectric, index of refraction 1.5.
public struct Clearcoat {
    /// 0: none, 1: full.
    public var factor: ScalarSlot
    /// 0 mirror … 1 matte; perceptual.
    public var roughness: ScalarSlot
    /// The coat's own normal map; without one the coat has the surface's normals without its normal map.
    public var normal: NormalSlot

    /// Makes a coat; without arguments it has no effect.
    public init(factor: ScalarSlot = 0.0, roughness: ScalarSlot = 0.0, normal: NormalSlot = NormalSlot()) {
        (self.factor, self.roughness, self.normal) = (factor, roughness, normal)
    }
}

/// The highlight of the `phong` and `blinn` lighting models.
public struct Highlight {
    /// Linear; black: none.
    public var color: ColorSlot
    /// The exponent, at least 0: greater is smaller and sharper.
    public var shininess: Float

    /// Makes a highlight.
    public init(color: ColorSlot = ColorSlot(Vector4(1, 1, 1, 1)), shininess: Float = 30) {
        (self.color, self.shininess) = (color, shininess)
    }
}

/// The specular reflection of a dielectric (KHR_materials_specular).
public struct Specular {
    /// 0: no reflection, 1: as given by the index of refraction. In the texture's alpha.
    public var factor: ScalarSlot
    /// Tints the reflection at normal incidence; linear, above 1 allowed.
    public var color: ColorSlot

    /// Makes the reflection of the index of refraction.
    public init(factor: ScalarSlot = ScalarSlot(1, channel: .alpha), color: ColorSlot = ColorSlot(Vector4(1, 1, 1, 1))) {
        (self.factor, self.color) = (factor, color)
    }
}

/// Fine fibres over the surface, as of velvet (KHR_materials_sheen).
public struct Sheen {
    /// Linear; black: none.
    public var color: ColorSlot
    /// Perceptual, 0…1. In the texture's alpha.
    public var roughness: ScalarSlot

    /// Makes a sheen; without arguments it has no effect.
    public init(color: ColorSlot = ColorSlot(Vector4(0, 0, 0, 1)), roughness: ScalarSlot = ScalarSlot(0, channel: .alpha)) {
        (self.color, self.roughness) = (color, roughness)
    }
}

/// Light that passes through the surface without being scattered inside (KHR_materials_transmission, KHR_materials_dispersion).
public struct Transmission {
    /// 0: opaque, 1: all light that is not reflected is transmitted. In the texture's red.
    public var factor: ScalarSlot
    /// Dispersion in a volume: 20 / Abbe number; 0: none.
    public var dispersion: Float

    /// Makes a transmission; without arguments it has no effect.
    public init(factor: ScalarSlot = 0.0, dispersion: Float = 0) { (self.factor, self.dispersion) = (factor, dispersion) }
}

/// The volume below the surface (KHR_materials_volume).
public struct Volume {
    /// Metres in the mesh's local frame; 0: a thin wall without refraction. In the texture's green.
    public var thickness: ScalarSlot
    /// Metres after which white light has `attenuationColor`; infinite: clear.
    public var attenuationDistance: Float
    /// Linear, 0…1.
    public var attenuationColor: Vector3

    /// Makes a volume; without arguments a thin wall.
    public init(
        thickness: ScalarSlot = ScalarSlot(0, channel: .green), attenuationDistance: Float = .infinity,
        attenuationColor: Vector3 = Vector3(1, 1, 1)
    ) {
        (self.thickness, self.attenuationDistance, self.attenuationColor) = (thickness, attenuationDistance, attenuationColor)
    }
}

/// A thin film whose colour changes with the angle, as of soap bubbles (KHR_materials_iridescence).
public struct Iridescence {
    /// 0: none, 1: full. In the texture's red.
    public var factor: ScalarSlot
    /// The film's index of refraction.
    public var ior: Float
    /// Nanometres where the texture is 0, and where it is 1 or absent.
    public var thickness: (minimum: Float, maximum: Float)
    /// The thickness between the two; in green.
    public var thicknessMap: TextureMap?

    /// Makes a film; without arguments it has no effect. Thicknesses are in nanometres.
    public init(
        factor: ScalarSlot = 0.0, ior: Float = 1.3, thickness: (minimum: Float, maximum: Float) = (100, 400),
        thicknessMap: TextureMap? = nil
    ) {
        (self.factor, self.ior, self.thickness, self.thicknessMap) = (factor, ior, thickness, thicknessMap)
    }
}

/// Reflections stretched along a direction, as on brushed metal (KHR_materials_anisotropy).
public struct Anisotropy {
    /// 0: isotropic, 1: most stretched.
    public var strength: Float
    /// The direction in tangent space, counter-clockwise from the tangent.
    public var rotation: Angle
    /// Red and green −1…1: the direction, rotated by `rotation`; blue 0…1: multiplies `strength`.
    public var map: TextureMap?

    /// Makes an anisotropy; without arguments it has no effect.
    public init(strength: Float = 0, rotation: Angle = .zero, map: TextureMap? = nil) {
        (self.strength, self.rotation, self.map) = (strength, rotation, map)
    }
}
