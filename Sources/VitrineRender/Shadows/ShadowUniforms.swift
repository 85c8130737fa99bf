import VitrineMath

/// One shadow map as shaders read it.
struct ShadowMapUniforms: ShaderStructure {
    /// World to atlas: u, v, reversed depth, w.
    var atlasFromWorld = ShaderMatrix4()
    /// Least and greatest u and v of the tile, half a texel inside.
    var bounds = Vector4(repeating: 0)
    /// The light's position and 1, or the direction towards it and 0.
    var origin = Vector4(repeating: 0)
    /// Tangent of half the light's angular diameter (directional), or its radius in metres.
    var size: Float = 0
    /// Width of a texel in metres; of perspective maps at 1 m.
    var texel: Float = 0
    /// Depth of the whole map (directional), or of the near plane, in metres.
    var depth: Float = 0
    /// Distance of the nearest caster in metres; not for directional lights.
    var nearest: Float = 0
    /// 1 if shadows fade out at the edge of the map, else 0.
    var fadesAtEdge: Float = 0
    /// Rotates the filter taps from frame to frame, 0…1.
    var noiseOffset: Float = 0
    /// Share of the environment's light.
    var weight: Float = 0

    static let name = "ShadowMap"
    static let fields: [ShaderField<ShadowMapUniforms>] = [
        .init("atlasFromWorld") { $0.atlasFromWorld }, .init("bounds") { $0.bounds }, .init("origin") { $0.origin },
        .init("size") { $0.size }, .init("texel") { $0.texel }, .init("depth") { $0.depth }, .init("nearest") { $0.nearest },
        .init("fadesAtEdge") { $0.fadesAtEdge }, .init("noiseOffset") { $0.noiseOffset }, .init("weight") { $0.weight },
    ]
}

/// Begins the buffer of shadow maps: which of them are the environment's.
struct ShadowUniforms: ShaderStructure {
    var environmentFirst: UInt32
    var environmentCount: UInt32
    private var unused: (UInt32, UInt32) = (0, 0)

    init(environmentFirst: Int, environmentCount: Int) {
        (self.environmentFirst, self.environmentCount) = (UInt32(environmentFirst), UInt32(environmentCount))
    }

    static let name = "Shadows"
    static let fields: [ShaderField<ShadowUniforms>] = [
        .init("environmentFirst") { $0.environmentFirst }, .init("environmentCount") { $0.environmentCount },
        .init("unused0") { $0.unused.0 }, .init("unused1") { $0.unused.1 },
    ]
    static let trailingArray: String? = "maps: array<ShadowMap>"
}

extension ShadowMapUniforms {
    /// - Parameters:
    ///   - atlas: Texels along the edge of the atlas.
    ///   - weight: Share of the environment's light; 0 for other lights.
    init(_ view: ShadowView, atlas: Int, noiseOffset: Float, weight: Float) {
        let pixel = 1 / Float(atlas)
        let corner = Vector2(Float(view.tile.x), Float(view.tile.y)) * pixel
        let width = Float(view.resolution) * pixel
        // −1…1 to the tile, y flipped.
        let atlasFromClip = Matrix4(
            Vector4(width / 2, 0, 0, 0), Vector4(0, -width / 2, 0, 0), Vector4(0, 0, 1, 0),
            Vector4(corner.x + width / 2, corner.y + width / 2, 0, 1))
        atlasFromWorld = ShaderMatrix4(atlasFromClip * view.clipFromWorld)
        bounds = Vector4(corner.x + pixel / 2, corner.y + pixel / 2, corner.x + width - pixel / 2, corner.y + width - pixel / 2)
        origin = view.origin
        (size, texel, depth, nearest) = (view.size, view.texel, view.depth, view.nearest)
        (fadesAtEdge, self.noiseOffset, self.weight) = (view.fadesAtEdge ? 1 : 0, noiseOffset, weight)
    }
}
