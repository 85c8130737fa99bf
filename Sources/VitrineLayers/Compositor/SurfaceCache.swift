import VitrineGPU

/// Caches the surfaces of groups between frames while their content is unchanged.
///
/// A surface is cached if the previous frame had the same content, so that groups that change in every frame take no memory.
final class SurfaceCache {
    /// The largest memory of cached surfaces in bytes.
    static let greatestMemory = 256 << 20

    private struct Entry {
        let content: SurfaceContent
        let surface: LayerSurface
    }

    private let pool: SurfacePool
    private var kept: [UInt64: Entry] = [:]
    /// The hashes of the contents of the previous and the current frame.
    private var before: Set<UInt64> = []
    private var now: Set<UInt64> = []
    /// The memory in bytes.
    private(set) var memory = 0

    init(_ pool: SurfacePool) { self.pool = pool }

    /// Starts a frame: returns surfaces that the frame does not use to the pool.
    func begin(_ root: SurfacePlan, _ drawing: FrameDrawing) {
        (before, now) = (now, [])
        var wanted: Set<UInt64> = []
        for plan in root.innerPlans { look(at: plan, drawing, &wanted) }
        for hash in kept.keys.sorted() where !wanted.contains(hash) { drop(hash) }
    }

    /// Records the content of a surface. A cached surface does not need its inner surfaces.
    private func look(at plan: SurfacePlan, _ drawing: FrameDrawing, _ wanted: inout Set<UInt64>) {
        let content = SurfaceContent(plan, drawing)
        let hash = content.hash
        plan.content = content
        now.insert(hash)
        wanted.insert(hash)
        if kept[hash]?.content == content { return }
        for inner in plan.innerPlans { look(at: inner, drawing, &wanted) }
    }

    func surface(of plan: SurfacePlan) -> LayerSurface? {
        guard let content = plan.content, let entry = kept[content.hash], entry.content == content else { return nil }
        return entry.surface
    }

    /// Stores a surface after its use in this frame: caches it, or returns it to the pool.
    func take(_ surface: LayerSurface, of plan: SurfacePlan) {
        guard let content = plan.content else { return pool.recycle(surface) }
        let hash = content.hash
        if let entry = kept[hash], entry.surface.texture === surface.texture { return }
        let bytes = surface.bytes
        guard kept[hash] == nil, before.contains(hash), memory + bytes <= Self.greatestMemory else { return pool.recycle(surface) }
        kept[hash] = Entry(content: content, surface: surface)
        memory += bytes
    }

    private func drop(_ hash: UInt64) {
        guard let entry = kept.removeValue(forKey: hash) else { return }
        memory -= entry.surface.bytes
        pool.recycle(entry.surface)
    }

    func purge() {
        kept = [:]
        memory = 0
    }
}

extension LayerSurface {
    /// The size in bytes, eight per texel.
    fileprivate var bytes: Int { texture.width * texture.height * 8 }
}
