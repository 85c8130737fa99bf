import VitrineMath

/// One shadow map: a light's view of the scene, in a tile of the atlas.
struct ShadowView: Equatable {
    /// The projection from the world to the map. Depth is reversed: 1 at the near plane; 0 at the far plane, which perspective views have
    /// infinitely far away.
    let clipFromWorld: Matrix4
    /// The light's position and 1, or the direction towards the light and 0.
    let origin: Vector4
    /// The tangent of half the angular diameter of a directional light, or the radius of another light in metres.
    let size: Float
    /// Width of a texel in metres; of perspective views at a distance of 1 m.
    let texel: Float
    /// The distance in metres from the near plane to the far plane of a directional light, or to the near plane of another light.
    let depth: Float
    /// Other than directional lights: metres from the light to the nearest caster.
    let nearest: Float
    /// Whether there are casters beyond the map's edge, where shadows fade out or into the next map.
    let fadesAtEdge: Bool
    let resolution: Int
    /// The category bits of the light: only casters and receivers that share a bit are affected.
    let categories: UInt32
    /// Texels from the upper left corner of the atlas; set when it is packed.
    var tile = SIMD2<Int>(0, 0)

    /// Extra texels at the edges of a map, because filters read a little beyond it.
    static let border = 2
}

/// A light's range of shadow maps.
struct ShadowReference: Equatable {
    enum Kind: UInt32 {
        case none, cascades, single, cube
    }

    var kind = Kind.none
    var first = 0
    var count = 0

    static let none = ShadowReference()
}
