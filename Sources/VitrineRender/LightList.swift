import VitrineMath
import VitrineScene

/// A frame's lights as the shader reads them: those without bounds (directional, or without range) first, which reach every pixel, then
/// those with a range, listed for each cluster of the view that they reach into (Olsson and others 2012).
///
/// A cluster is a tile of the picture between two depths; depths are spaced evenly on a logarithmic scale.
struct LightList {
    static let tilesAcross = 16
    static let tilesDown = 9
    static let sliceCount = 24
    static let clusterCount = tilesAcross * tilesDown * sliceCount
    static let maximumCount = 65_536

    /// Four vectors a light, as `Light` in WGSL.
    private(set) var lights: [Vector4] = []
    private(set) var unboundedCount = 0
    private(set) var boundedCount = 0
    /// Radiance from everywhere.
    private(set) var ambient = Vector3(repeating: 0)
    /// First index and count, by cluster.
    private(set) var clusters: [SIMD2<UInt32>] = []
    private(set) var indices: [UInt32] = []
    /// slice = log2(distance ahead) · x + y
    private(set) var sliceScale = Vector2(0, 0)

    var count: Int { unboundedCount + boundedCount }

    /// A light's sphere in the view frame, −z ahead.
    private struct Reach {
        let center: Vector3
        let radius: Float
    }

    init(_ nodes: [(slot: Int32, node: Node)], _ store: NodeStore, view: View, aspectRatio: Float) throws(RenderError) {
        let visible = nodes.filter { $0.node.light != nil && store.worldOpacities[Int($0.slot)] > 0 }
        guard visible.count <= Self.maximumCount else { throw .tooMany(what: "lights", count: visible.count, limit: Self.maximumCount) }
        var reaches: [Reach] = []
        let viewFromWorld = view.worldFromCamera.affineInverse
        for wantsBounds in [false, true] {
            for (slot, node) in visible {
                guard let light = node.light, (light.range != nil && light.kind != .directional) == wantsBounds else { continue }
                if light.kind == .ambient {
                    // Ambient light has no place and no range.
                    if !wantsBounds { ambient += light.linearIntensity }
                    continue
                }
                let world = store.worldTransforms[Int(slot)]
                append(light, world)
                if wantsBounds, let range = light.range {
                    reaches.append(Reach(center: viewFromWorld.transform(point: world.translation), radius: max(range, 0)))
                }
            }
            if !wantsBounds { unboundedCount = lights.count / 4 }
        }
        boundedCount = reaches.count
        if !reaches.isEmpty { assign(reaches, view.camera, aspectRatio) }
    }

    private mutating func append(_ light: Light, _ world: Matrix4) {
        let forward = normalize(-world.z.xyz)
        var position = Vector4(world.translation, 0)
        if light.kind == .directional { position = Vector4(-forward, -1) }
        if let range = light.range, light.kind != .directional { position.w = 1 / max(range * range, 1e-12) }
        // A cone's falloff as KHR_lights_punctual has it: saturate(cos · scale + offset)²; none for others.
        var (scale, offset): (Float, Float) = (0, 1)
        if case .spot(let inner, let outer) = light.kind {
            let (cosInner, cosOuter) = (cos(inner.radians), cos(outer.radians))
            scale = 1 / max(cosInner - cosOuter, 1e-4)
            offset = -cosOuter * scale
        }
        lights.append(position)
        lights.append(Vector4(light.linearIntensity, scale))
        lights.append(Vector4(forward, offset))
        lights.append(Vector4(Float(bitPattern: light.categoryBitMask), 0, 0, 0))
    }

    private mutating func assign(_ reaches: [Reach], _ camera: Camera, _ aspectRatio: Float) {
        let near = max(camera.near, 1e-4)
        let far = reaches.reduce(near * 2) { max($0, -$1.center.z + $1.radius) }
        let scale = Float(Self.sliceCount) / log2(far / near)
        sliceScale = Vector2(scale, -log2(near) * scale)
        var pairs: [(cluster: Int32, light: UInt32)] = []
        let projection = camera.clipFromView(aspectRatio: aspectRatio)
        for (index, reach) in reaches.enumerated() {
            forEachCluster(of: reach, near: near, projection) { pairs.append((Int32($0), UInt32(unboundedCount + index))) }
        }
        clusters = [SIMD2<UInt32>](repeating: SIMD2(0, 0), count: Self.clusterCount)
        for pair in pairs { clusters[Int(pair.cluster)].y += 1 }
        var first: UInt32 = 0
        var next = [Int](repeating: 0, count: Self.clusterCount)
        for cluster in clusters.indices {
            clusters[cluster].x = first
            next[cluster] = Int(first)
            first += clusters[cluster].y
        }
        indices = [UInt32](repeating: 0, count: pairs.count)
        for pair in pairs {
            indices[next[Int(pair.cluster)]] = pair.light
            next[Int(pair.cluster)] += 1
        }
    }

    private func forEachCluster(of reach: Reach, near: Float, _ projection: Matrix4, _ body: (Int) -> Void) {
        let (nearest, farthest) = (-reach.center.z - reach.radius, -reach.center.z + reach.radius)
        guard farthest > 0 else { return }
        let isPerspective = projection.z.w != 0
        func slice(_ depth: Float) -> Int {
            Int(clamp(log2(max(depth, 1e-6)) * sliceScale.x + sliceScale.y, 0, Float(Self.sliceCount - 1)))
        }
        for slice in slice(nearest)...slice(farthest) {
            // The part of the light's depths in this slice; the first slice begins at the eye, the last has no end.
            let low = slice == 0 ? nearest : exp2((Float(slice) - sliceScale.y) / sliceScale.x)
            let high = slice == Self.sliceCount - 1 ? farthest : exp2((Float(slice + 1) - sliceScale.y) / sliceScale.x)
            let (a, b) = (max(low, nearest, near * 0.5), max(min(high, farthest), near * 0.5))
            let (wa, wb) = isPerspective ? (a, b) : (1, 1)
            func tiles(_ center: Float, _ scale: Float, _ offset: Float, _ count: Int) -> ClosedRange<Int>? {
                let (low, high) = ((center - reach.radius) * scale, (center + reach.radius) * scale)
                let from = min(low / wa, low / wb) + offset
                let to = max(high / wa, high / wb) + offset
                guard to >= -1, from <= 1 else { return nil }
                func tile(_ ndc: Float) -> Int { Int(clamp((ndc * 0.5 + 0.5) * Float(count), 0, Float(count - 1))) }
                return tile(from)...tile(to)
            }
            // Tiles count from the top: y is turned.
            guard let across = tiles(reach.center.x, projection.x.x, 0, Self.tilesAcross),
                let down = tiles(-reach.center.y, projection.y.y, 0, Self.tilesDown)
            else { continue }
            for y in down { for x in across { body(x + Self.tilesAcross * (y + Self.tilesDown * slice)) } }
        }
    }
}
