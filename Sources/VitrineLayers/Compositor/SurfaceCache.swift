import VitrineGPU

/// Finished pictures of groups, kept from frame to frame as long as what they show stays as it is.
///
/// A picture that the last frame had too is kept, so what changes in every frame takes no memory.
final class SurfaceCache {
    /// Bytes that are kept at most.
    static let greatestMemory = 256 << 20

    private struct Entry {
        let content: SurfaceContent
        let surface: LayerSurface
    }

    private let pool: SurfacePool
    private var kept: [UInt64: Entry] = [:]
    /// Hashes of the last frame's contents, and of this one's.
    private var before: Set<UInt64> = []
    private var now: Set<UInt64> = []
    /// Bytes.
    private(set) var memory = 0

    init(_ pool: SurfacePool) { self.pool = pool }

    /// At the beginning of a frame: what it has no use for goes back to the pool.
    func begin(_ root: SurfacePlan, _ drawing: FrameDrawing) {
        (before, now) = (now, [])
        var wanted: Set<UInt64> = []
        for plan in root.innerPlans { look(at: plan, drawing, &wanted) }
        for hash in kept.keys.sorted() where !wanted.contains(hash) { drop(hash) }
    }

    /// Notes what a picture depends on; one that is there already needs none of those in it.
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

    /// Takes a picture that has been used in this frame: keeps it, or gives it back to the pool.
    func take(_ surface: LayerSurface, of plan: SurfacePlan) {
        guard let content = plan.content else { return pool.giveBack(surface) }
        let hash = content.hash
        if let entry = kept[hash], entry.surface.texture === surface.texture { return }
        let bytes = surface.bytes
        guard kept[hash] == nil, before.contains(hash), memory + bytes <= Self.greatestMemory else { return pool.giveBack(surface) }
        kept[hash] = Entry(content: content, surface: surface)
        memory += bytes
    }

    private func drop(_ hash: UInt64) {
        guard let entry = kept.removeValue(forKey: hash) else { return }
        memory -= entry.surface.bytes
        pool.giveBack(entry.surface)
    }

    func purge() {
        kept = [:]
        memory = 0
    }
}

extension LayerSurface {
    /// Eight a texel.
    fileprivate var bytes: Int { texture.width * texture.height * 8 }
}
