/// What a surface's shader does, compiled into its pipeline. The bits are those of `FEATURES` in WGSL.
struct SurfaceFeatures: OptionSet, Hashable {
    var rawValue: UInt32

    // A map in the slot, in the order of `MaterialSlot`.
    static func map(_ slot: MaterialSlot) -> SurfaceFeatures { SurfaceFeatures(rawValue: 1 << UInt32(slot.rawValue)) }
    /// Metalness is a channel of the roughness map: one sample for both.
    static let metalnessInRoughness = SurfaceFeatures(rawValue: 1 << 9)
    static let occlusionInRoughness = SurfaceFeatures(rawValue: 1 << 10)
    static let coatRoughnessInCoat = SurfaceFeatures(rawValue: 1 << 11)
    static let uvTransforms = SurfaceFeatures(rawValue: 1 << 12)
    static let secondUV = SurfaceFeatures(rawValue: 1 << 13)
    static let vertexColor = SurfaceFeatures(rawValue: 1 << 14)
    static let vertexNormals = SurfaceFeatures(rawValue: 1 << 15)
    static let vertexTangents = SurfaceFeatures(rawValue: 1 << 16)
    static let unlit = SurfaceFeatures(rawValue: 1 << 17)
    static let clearcoat = SurfaceFeatures(rawValue: 1 << 18)
    static let blended = SurfaceFeatures(rawValue: 1 << 19)
    static let doubleSided = SurfaceFeatures(rawValue: 1 << 20)
    static let punctualLights = SurfaceFeatures(rawValue: 1 << 21)
    static let environment = SurfaceFeatures(rawValue: 1 << 22)
    /// The target holds sRGB-encoded values without the GPU knowing.
    static let encodedOutput = SurfaceFeatures(rawValue: 1 << 23)
    /// Linear radiance, tone mapped by a later pass.
    static let hdrOutput = SurfaceFeatures(rawValue: 1 << 24)
    /// Vertices know from which directions light is kept off (`VertexSemantic.occlusionHarmonics`).
    static let vertexOcclusion = SurfaceFeatures(rawValue: 1 << 25)
}

/// The maps of a material, in the order of their bindings.
enum MaterialSlot: Int, CaseIterable {
    case baseColor, metalness, roughness, normal, occlusion, emission, coat, coatRoughness, coatNormal
}
