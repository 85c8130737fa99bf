/// What a surface's shader does that the frame and the geometry decide, compiled into its pipeline as constants. The bits are those of
/// `FEATURES` in WGSL. What the material decides is in its `SurfaceProgram`.
struct SurfaceFeatures: OptionSet, Hashable {
    var rawValue: UInt32

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
    /// The target holds sRGB-encoded values without the GPU knowing.
    static let encodedOutput = SurfaceFeatures(rawValue: 1 << 23)
    /// Linear radiance, tone mapped by a later pass.
    static let hdrOutput = SurfaceFeatures(rawValue: 1 << 24)
    /// Vertices know from which directions light is kept off (`VertexSemantic.occlusionHarmonics`).
    static let vertexOcclusion = SurfaceFeatures(rawValue: 1 << 25)
    /// The frame has shadow maps.
    static let shadows = SurfaceFeatures(rawValue: 1 << 26)
    /// A rectangle or a disc is among the lights.
    static let areaLights = SurfaceFeatures(rawValue: 1 << 27)
    /// What near surfaces keep off was found in the picture's depth (`OcclusionPass`).
    static let screenOcclusion = SurfaceFeatures(rawValue: 1 << 28)
    /// The sky is unsharp or stands on a ground.
    static let softSky = SurfaceFeatures(rawValue: 1 << 29)
    /// Among the shadow maps is one of a light that has a size, and one of a light that shines all around. A software GPU works through every branch of
    /// a shader: what no map needs is left out.
    static let softShadows = SurfaceFeatures(rawValue: 1 << 30)
    static let cubeShadows = SurfaceFeatures(rawValue: 1 << 31)
}
