import VitrineMath

/// One of the directions from which a still's frame draws the environment's shadows, as shaders read it.
struct EnvironmentShadowMapUniforms: ShaderStructure {
    /// The transform from the world to the atlas: u, v, reversed depth.
    var atlasFromWorld = ShaderRows()
    /// Least and greatest u and v of the tile, half a texel inside.
    var bounds = Vector4(repeating: 0)
    /// Its irradiance on a surface that faces it, and the tangent of half the angle that it fills.
    var light = Vector4(repeating: 0)

    static let name = "EnvironmentShadowMap"
    static let fields: [ShaderField<EnvironmentShadowMapUniforms>] = [
        .init("atlasFromWorld") { $0.atlasFromWorld }, .init("bounds") { $0.bounds }, .init("light") { $0.light },
    ]

    /// Creates the uniforms of one map.
    ///
    /// - Parameters:
    ///   - map: Where the map lies.
    ///   - light: The light of its direction.
    ///   - intensity: Factor on the environment's light.
    init(_ map: ShadowMapUniforms, _ light: EnvironmentShadowLights.Light, intensity: Float) {
        let m = map.atlasFromWorld
        atlasFromWorld = ShaderRows(Matrix4(m.x, m.y, m.z, m.w))
        bounds = map.bounds
        self.light = Vector4(light.color * intensity, light.size)
    }
}

/// What all directions of the environment's shadows share.
struct EnvironmentShadowUniforms: ShaderStructure {
    var count: UInt32 = 0
    /// Width of a texel in metres.
    var texel: Float = 0
    /// Depth of each map in metres.
    var depth: Float = 0
    /// Luminance of the light of all directions: its irradiance on surfaces that face it.
    var light: Float = 0
    /// Turns the points of soft edges from frame to frame, 0…1.
    var noiseOffset: Float = 0
    private let padding0: UInt32 = 0, padding1: UInt32 = 0, padding2: UInt32 = 0

    /// The largest number of directions: shaders have a bit for each.
    static let maximumCount = 16

    static let name = "EnvironmentShadows"
    static let fields: [ShaderField<EnvironmentShadowUniforms>] = [
        .init("count") { $0.count }, .init("texel") { $0.texel }, .init("depth") { $0.depth }, .init("light") { $0.light },
        .init("noiseOffset") { $0.noiseOffset }, .init("padding0") { $0.padding0 }, .init("padding1") { $0.padding1 },
        .init("padding2") { $0.padding2 },
    ]
    static let trailingMembers: String? = "maps: array<EnvironmentShadowMap, \(maximumCount)>"
}
