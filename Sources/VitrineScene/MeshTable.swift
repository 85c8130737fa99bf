import VitrineGeometry

/// The meshes of a scene's nodes without duplicates, with their bounds as of the last `refresh()`, so that a pass over 100,000 nodes accesses no
/// objects.
struct MeshTable {
    struct Entry {
        var mesh: Mesh?
        var useCount = 0
        var version = 0
        var bounds = BoundingBox.empty
        var hasMorphTargets = false

        init() {}

        init(_ mesh: Mesh) {
            self.mesh = mesh
            useCount = 1
            read(mesh)
        }

        mutating func read(_ mesh: Mesh) {
            version = mesh.version
            bounds = mesh.bounds
            hasMorphTargets = mesh.morphTargetCount > 0
        }
    }

    private(set) var entries: [Entry] = []
    private var indices: [ObjectIdentifier: Int32] = [:]
    private var free: [Int32] = []

    var count: Int { entries.count }

    func mesh(at index: Int32) -> Mesh? { index >= 0 && Int(index) < entries.count ? entries[Int(index)].mesh : nil }

    /// Adds a use of the mesh and returns its index.
    mutating func retain(_ mesh: Mesh) -> Int32 {
        if let index = indices[ObjectIdentifier(mesh)] {
            entries[Int(index)].useCount += 1
            return index
        }
        let entry = Entry(mesh)
        let index = free.popLast() ?? Int32(entries.count)
        if Int(index) < entries.count { entries[Int(index)] = entry } else { entries.append(entry) }
        indices[ObjectIdentifier(mesh)] = index
        return index
    }

    /// Removes a use of the mesh; releases the mesh with its last use.
    mutating func release(_ index: Int32) {
        entries[Int(index)].useCount -= 1
        guard entries[Int(index)].useCount == 0, let mesh = entries[Int(index)].mesh else { return }
        indices[ObjectIdentifier(mesh)] = nil
        entries[Int(index)] = Entry()
        free.append(index)
    }

    /// Updates the bounds of meshes whose parts were replaced since the last call.
    ///
    /// - Returns: For every index, whether the mesh changed; nil if no mesh changed.
    mutating func refresh() -> [Bool]? {
        var changed: [Bool]?
        for index in entries.indices {
            guard let mesh = entries[index].mesh, mesh.version != entries[index].version else { continue }
            entries[index].read(mesh)
            if changed == nil { changed = Array(repeating: false, count: entries.count) }
            changed?[index] = true
        }
        return changed
    }
}
