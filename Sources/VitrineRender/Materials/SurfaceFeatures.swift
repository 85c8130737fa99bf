/// The parts of a surface's shader that frame and geometry switch on, compiled into its pipeline as bits of the constant `FEATURES`. The features
/// that the material determines are in its `SurfaceProgram`.
struct SurfaceFeatures: OptionSet, Hashable {
    var rawValue: UInt32

    /// All maps have the same size and coordinates: deferred shading reads them at one mip level.
    static let equalMaps = SurfaceFeatures(rawValue: 1 << 3)
    /// The `AttributeBuffer` also has what lights, their shadows and irradiance volumes need.
    static let attributePosition = SurfaceFeatures(rawValue: 1 << 4)
    /// The frame, one of a still, has shadow maps of the environment's light on surfaces.
    static let environmentShadows = SurfaceFeatures(rawValue: 1 << 5)
    /// Shades the attributes of an `AttributeBuffer`.
    static let deferred = SurfaceFeatures(rawValue: 1 << 8)
    /// The scene has an irradiance volume.
    static let irradianceVolume = SurfaceFeatures(rawValue: 1 << 6)
    /// Several materials are deferred: a `MaterialDepth` separates them.
    static let severalMaterials = SurfaceFeatures(rawValue: 1 << 7)
    /// Reads a kept `ReceivedShadow`.
    static let keptShadow = SurfaceFeatures(rawValue: 1 << 9)
    /// The scene has ambient lights.
    static let ambient = SurfaceFeatures(rawValue: 1 << 10)
    static let uvTransforms = SurfaceFeatures(rawValue: 1 << 12)
    static let secondUV = SurfaceFeatures(rawValue: 1 << 13)
    static let vertexColor = SurfaceFeatures(rawValue: 1 << 14)
    static let vertexNormals = SurfaceFeatures(rawValue: 1 << 15)
    static let vertexTangents = SurfaceFeatures(rawValue: 1 << 16)
    static let unlit = SurfaceFeatures(rawValue: 1 << 17)
    static let blended = SurfaceFeatures(rawValue: 1 << 19)
    static let doubleSided = SurfaceFeatures(rawValue: 1 << 20)
    static let punctualLights = SurfaceFeatures(rawValue: 1 << 21)
    static let environment = SurfaceFeatures(rawValue: 1 << 22)
    /// The target stores sRGB-encoded values in a linear format: the shader encodes.
    static let encodedOutput = SurfaceFeatures(rawValue: 1 << 23)
    /// Writes linear radiance, which a later pass tone maps.
    static let hdrOutput = SurfaceFeatures(rawValue: 1 << 24)
    /// Vertices carry directional occlusion (`VertexSemantic.occlusionHarmonics`).
    static let vertexOcclusion = SurfaceFeatures(rawValue: 1 << 25)
    /// The frame has shadow maps.
    static let shadows = SurfaceFeatures(rawValue: 1 << 26)
    /// A rectangle or a disc is among the lights.
    static let areaLights = SurfaceFeatures(rawValue: 1 << 27)
    /// Reads the result of `OcclusionPass`.
    static let screenOcclusion = SurfaceFeatures(rawValue: 1 << 28)
    /// The sky is blurred or projected onto a ground.
    static let softSky = SurfaceFeatures(rawValue: 1 << 29)
    /// A light with shadows has a size. A bit of its own, as is `cubeShadows`, because software GPUs pay for both sides of a branch.
    static let softShadows = SurfaceFeatures(rawValue: 1 << 30)
    /// A light with shadows shines in all directions.
    static let cubeShadows = SurfaceFeatures(rawValue: 1 << 31)

    /// The frame has more lights than `FrameBindings.mainLightCount`, or more shadow maps than `mainMapCount`: shaders then read storage buffers, too.
    static let manyLights = SurfaceFeatures(rawValue: 1 << 11)
    static let manyShadowMaps = SurfaceFeatures(rawValue: 1 << 18)

    /// Every feature and its name in WGSL.
    static let names: [(feature: SurfaceFeatures, name: String)] = [
        (.deferred, "DEFERRED"), (.equalMaps, "EQUAL_MAPS"), (.severalMaterials, "SEVERAL_MATERIALS"),
        (.attributePosition, "ATTRIBUTE_POSITION"),
        (.keptShadow, "KEPT_SHADOW"),
        (.environmentShadows, "ENVIRONMENT_SHADOWS"), (.irradianceVolume, "IRRADIANCE_VOLUME"), (.ambient, "AMBIENT"),
        (.uvTransforms, "UV_TRANSFORMS"), (.secondUV, "SECOND_UV"),
        (.vertexColor, "VERTEX_COLOR"), (.vertexNormals, "VERTEX_NORMALS"),
        (.vertexTangents, "VERTEX_TANGENTS"), (.unlit, "UNLIT"), (.blended, "BLENDED"), (.doubleSided, "DOUBLE_SIDED"),
        (.punctualLights, "PUNCTUAL_LIGHTS"), (.environment, "ENVIRONMENT"), (.encodedOutput, "ENCODED_OUTPUT"),
        (.hdrOutput, "HDR_OUTPUT"), (.vertexOcclusion, "VERTEX_OCCLUSION"), (.shadows, "SHADOWS"), (.areaLights, "AREA_LIGHTS"),
        (.screenOcclusion, "SCREEN_OCCLUSION"), (.softSky, "SOFT_SKY"), (.softShadows, "SOFT_SHADOWS"), (.cubeShadows, "CUBE_SHADOWS"),
        (.manyLights, "MANY_LIGHTS"), (.manyShadowMaps, "MANY_SHADOW_MAPS"),
    ]

    /// Declares the number of each feature's bit.
    static var wgsl: String {
        var text = ""
        for (feature, name) in names { text += "const \(name) = \(feature.rawValue.trailingZeroBitCount)u;\n" }
        return text
    }
}
