import VitrineMath
import VitrineScene

/// A frame's lights: the unbounded ones (directional, or without range), which reach every pixel, then those with a range, listed for each
/// cluster of the view that they reach (Olsson and others 2012).
struct LightList {
    static let maximumCount = 65_536

    private(set) var uniforms: [LightUniforms] = []
    private(set) var unboundedCount = 0
    private(set) var boundedCount = 0
    /// Radiance of the ambient lights, the same from everywhere.
    private(set) var ambient = Vector3(repeating: 0)
    private(set) var clusters = LightClusters()
    /// Whether any light is a rectangle or a disc.
    private(set) var hasAreaLights = false
    /// The lights that cast shadows, with their index in `uniforms` and their world transform.
    private(set) var shadowed: [(index: Int, light: Light, world: Matrix4)] = []

    var count: Int { unboundedCount + boundedCount }

    init(_ nodes: [(slot: Int32, node: Node)], _ store: NodeStore, _ frame: FrameView) throws(RenderError) {
        let visible = nodes.filter { $0.node.light != nil && store.worldOpacities[Int($0.slot)] > 0 }
        guard visible.count <= Self.maximumCount else { throw .tooMany(what: "lights", count: visible.count, limit: Self.maximumCount) }
        var volumes: [LightVolume] = []
        let viewFromWorld = frame.view.worldFromCamera.affineInverse
        for wantsBounds in [false, true] {
            for (slot, node) in visible {
                guard let light = node.light, (light.range != nil && light.kind != .directional) == wantsBounds else { continue }
                if light.kind == .ambient {
                    // Ambient light has neither position nor range.
                    if !wantsBounds { ambient += light.linearIntensity }
                    continue
                }
                let world = store.worldTransforms[Int(slot)]
                append(light, world)
                if wantsBounds { volumes.append(LightVolume(light, world, viewFromWorld)) }
            }
            if !wantsBounds { unboundedCount = uniforms.count }
        }
        boundedCount = volumes.count
        if !volumes.isEmpty { clusters.assign(volumes, first: unboundedCount, frame.view.camera, frame.aspectRatio) }
    }

    /// Sets where the shadow maps of the light at `index` are.
    mutating func setShadow(_ index: Int, _ shadow: ShadowReference) { uniforms[index].setShadow(shadow) }

    private mutating func append(_ light: Light, _ world: Matrix4) {
        if light.castsShadow { shadowed.append((uniforms.count, light, world)) }
        let made = LightUniforms(light, worldFromLocal: world)
        if made.shape != LightUniforms.Shape.none.rawValue { hasAreaLights = true }
        uniforms.append(made)
    }
}
