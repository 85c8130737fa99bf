import VitrineMath

/// One shadow map as shaders read it.
struct ShadowMapUniforms: ShaderStructure {
    /// The transform from the world to the atlas: u, v, reversed depth, w.
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
    /// 1 if shadows fade out at the edge of the map, otherwise 0.
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
    /// The taps for the distance of blockers and those of the filter, for each of the environment's maps.
    private let blockerTaps, filterTaps: UInt32

    /// Creates the uniforms that all maps share.
    ///
    /// - Parameter isPart: Whether the frame is one of several that are averaged, which smooths the noise of fewer taps.
    init(environmentFirst: Int, environmentCount: Int, isPart: Bool) {
        (self.environmentFirst, self.environmentCount) = (UInt32(environmentFirst), UInt32(environmentCount))
        (blockerTaps, filterTaps) = isPart ? (4, 6) : (12, 16)
    }

    static let name = "Shadows"
    static let fields: [ShaderField<ShadowUniforms>] = [
        .init("environmentFirst") { $0.environmentFirst }, .init("environmentCount") { $0.environmentCount },
        .init("blockerTaps") { $0.blockerTaps }, .init("filterTaps") { $0.filterTaps },
    ]
    static let trailingMembers: String? = "maps: array<ShadowMap>"
}

extension ShadowMapUniforms {
    /// Creates the uniforms of one map.
    ///
    /// - Parameters:
    ///   - atlas: Width and height of the atlas in texels.
    ///   - weight: Share of the environment's light; 0 for other lights.
    init(_ view: ShadowView, atlas: SIMD2<Int>, noiseOffset: Float, weight: Float) {
        let pixel = Vector2(1 / Float(atlas.x), 1 / Float(atlas.y))
        let corner = Vector2(Float(view.tile.x), Float(view.tile.y)) * pixel
        let size = pixel * Float(view.resolution)
        // −1…1 to the tile, y flipped.
        let atlasFromClip = Matrix4(
            Vector4(size.x / 2, 0, 0, 0), Vector4(0, -size.y / 2, 0, 0), Vector4(0, 0, 1, 0),
            Vector4(corner.x + size.x / 2, corner.y + size.y / 2, 0, 1))
        atlasFromWorld = ShaderMatrix4(atlasFromClip * view.clipFromWorld)
        let (low, high) = (corner + pixel / 2, corner + size - pixel / 2)
        bounds = Vector4(low.x, low.y, high.x, high.y)
        origin = view.origin
        (self.size, texel, depth, nearest) = (view.size, view.texel, view.depth, view.nearest)
        (fadesAtEdge, self.noiseOffset, self.weight) = (view.fadesAtEdge ? 1 : 0, noiseOffset, weight)
    }
}
