import VitrineMath
import VitrineScene

/// The shadow maps of a frame: views, resolutions, and tiles in the atlas.
///
/// A light gets as few maps as possible. Only casters must lie in a map: points beside all casters, as seen from the light, are lit. So a
/// light of any kind that sees all casters from outside gets one map around them, which does not depend on the camera.
struct ShadowPlan {
    private(set) var views: [ShadowView] = []
    /// Whether one of the lights shines all around.
    private(set) var hasCubes = false
    /// Texels along the atlas' edge; 0: there are no maps.
    private(set) var atlasSize = 0

    let casters: ShadowCasters
    /// The point of each light from which the maps are drawn.
    let sample: LightSample

    init(_ casters: ShadowCasters, sample: LightSample = .center) { (self.casters, self.sample) = (casters, sample) }

    /// Adds the maps of a light.
    ///
    /// - Parameters:
    ///   - world: the light's node, `worldFromLocal`.
    ///   - camera: for cascades.
    mutating func add(_ light: Light, _ world: Matrix4, seenBy camera: ViewDepths) -> ShadowReference {
        guard light.castsShadow, let sphere = casters.sphere(light.categoryBitMask) else { return .none }
        let first = views.count
        let kind: ShadowReference.Kind
        switch light.kind {
        case .ambient: return .none
        case .directional:
            views += directional(light, world, around: sphere, camera)
            kind = .cascades
        case .point, .spot, .rectangle, .disc:
            let made = perspective(light, world, around: sphere)
            views += made
            kind = made.count > 1 ? .cube : .single
            if kind == .cube { hasCubes = true }
        }
        return ShadowReference(kind: kind, first: first, count: views.count - first)
    }

    mutating func append(_ view: ShadowView) { views.append(view) }

    /// Gives every map its tile.
    ///
    /// - Parameter limit: Texels along the largest atlas; reduces the maps' resolution until they fit.
    mutating func pack(limit: Int) throws(RenderError) {
        guard !views.isEmpty else { return }
        var shift = 0
        while true {
            let sizes = views.map { max($0.resolution >> shift, ShadowAtlas.minimumTile) }
            if let packed = ShadowAtlas(tiles: sizes, limit: limit) {
                for index in views.indices { views[index] = views[index].placed(at: packed.corners[index], resolution: sizes[index]) }
                atlasSize = packed.size
                return
            }
            guard sizes.contains(where: { $0 > ShadowAtlas.minimumTile }) else {
                let room = limit / ShadowAtlas.minimumTile
                throw .tooMany(what: "shadow maps", count: views.count, limit: room * room)
            }
            shift += 1
        }
    }

    func resolution(_ light: Light, default fallback: Int) -> Int {
        Self.tile(light.shadow.resolution ?? fallback)
    }

    /// A map's size as atlases have it.
    static func tile(_ resolution: Int) -> Int {
        let wanted = min(max(resolution, 64), 4096)
        var size = 64
        while size < wanted { size *= 2 }
        return size
    }
}

/// One of several points of a light's surface that cast shadows: their mean has exact penumbras.
struct LightSample: Equatable {
    var index: Int
    var count: Int

    static let center = LightSample(index: 0, count: 1)

    /// A point of the unit disc, evenly distributed over all samples (Vogel 1979); the centre if there is only one.
    var onDisc: Vector2 {
        guard count > 1 else { return Vector2(0, 0) }
        let radius = ((Float(index) + 0.5) / Float(count)).squareRoot()
        let angle = Float(index) * 2.399_963_2
        return Vector2(cos(angle), sin(angle)) * radius
    }

    /// A point of the square −1…1, evenly distributed over all samples: Roberts' sequence of the plastic number.
    var onSquare: Vector2 {
        guard count > 1 else { return Vector2(0, 0) }
        func part(_ step: Float) -> Float {
            let value = 0.5 + step * Float(index + 1)
            return (value - value.rounded(.down)) * 2 - 1
        }
        return Vector2(part(0.754_877_67), part(0.569_840_3))
    }

    /// Radius of each sample's share of the light, as a factor of the light's radius.
    var scale: Float { 1 / Float(count).squareRoot() }
}

extension ShadowView {
    /// In its tile, with as many texels as fit there.
    fileprivate func placed(at corner: SIMD2<Int>, resolution: Int) -> ShadowView {
        var placed = ShadowView(
            clipFromWorld: clipFromWorld, origin: origin, size: size, texel: texel * Float(self.resolution) / Float(resolution),
            depth: depth, nearest: nearest, fadesAtEdge: fadesAtEdge, resolution: resolution, categories: categories)
        placed.tile = corner
        return placed
    }
}
