import VitrineGeometry

extension Scene {
    /// The nearest surface on the ray, or nil.
    ///
    /// Tests visible surfaces: not hidden nodes and culled back faces; skinned and morphed meshes in their current
    /// shape. Ignores points, lines, and the transparency of textures.
    ///
    /// ```swift
    /// if let hit = scene.pick(Ray(origin: [0, 0, 5], direction: [0, 0, -1])) { print(hit.node.name, hit.position) }
    /// ```
    ///
    /// The first pick of a geometry builds a tree of its triangles (a few microseconds for each, kept until the geometry leaves the scene);
    /// later ones take microseconds. A deforming mesh has no tree: each pick that comes near it takes time linear in its vertices.
    public func pick(_ ray: Ray, options: PickOptions = PickOptions()) -> PickHit? { picks(ray, options, all: false).first }

    /// Every surface on the ray, nearest first; equally near ones in the order of their nodes' slots, parts and triangles.
    public func pickAll(_ ray: Ray, options: PickOptions = PickOptions()) -> [PickHit] { picks(ray, options, all: true) }

    /// Returns the nearest surface under a point of the image.
    ///
    /// - Parameters:
    ///   - point: From the upper left corner of the image, +x right, +y down, in the units of `viewportSize`.
    ///   - worldFromCamera: The camera's pose.
    public func hitTest(
        _ point: Vector2, viewportSize: Vector2, camera: Camera, worldFromCamera: Matrix4, options: PickOptions = PickOptions()
    ) -> PickHit? {
        let ray = camera.ray(through: point, viewportSize: viewportSize, worldFromCamera: worldFromCamera)
        return pick(ray, options: options)
    }

    private func picks(_ ray: Ray, _ options: PickOptions, all: Bool) -> [PickHit] {
        guard ray.origin.isFinite, ray.direction.isFinite, ray.direction != Vector3(repeating: 0) else { return [] }
        update()
        pickingTrees.dropUnused(in: store)
        var query = PickQuery(ray: ray, options: options, wantsAll: all)
        for (near, slot) in candidates(ray, options) {
            // Sorted by where the ray enters their bounds: nothing nearer can follow.
            if near > query.limit { break }
            if let node = store.node(at: slot) { query.meet(node, trees: pickingTrees) }
        }
        return query.sortedHits(ray)
    }

    /// Nodes whose world bounds the ray meets, nearest bounds first.
    private func candidates(_ ray: Ray, _ options: PickOptions) -> [(near: Float, slot: Int32)] {
        var found: [(near: Float, slot: Int32)] = []
        for i in store.worldBounds.indices where store.meshIndices[i] >= 0 {
            guard store.categoryBitMasks[i] & options.categoryBitMask != 0 else { continue }
            guard options.includesHidden || store.worldOpacities[i] > 0 else { continue }
            guard let (near, _) = ray.intersection(with: store.worldBounds[i]), near <= options.maximumDistance else { continue }
            found.append((near, Int32(i)))
        }
        found.sort { ($0.near, $0.slot) < ($1.near, $1.slot) }
        return found
    }
}

/// The trees of geometries that were picked, by identity; each holds its geometry, so that an identity is not used again.
final class PickingTrees {
    private var trees: [ObjectIdentifier: (geometry: Geometry, tree: TriangleHierarchy)] = [:]
    private var structureVersion: UInt64 = 0

    var count: Int { trees.count }

    func tree(for geometry: Geometry) -> TriangleHierarchy {
        if let known = trees[ObjectIdentifier(geometry)] { return known.tree }
        let tree = TriangleHierarchy(geometry)
        trees[ObjectIdentifier(geometry)] = (geometry, tree)
        return tree
    }

    /// Lets go of the trees whose geometry no node of the scene shows any more.
    func dropUnused(in store: NodeStore) {
        guard structureVersion != store.structureVersion, !trees.isEmpty else { return }
        structureVersion = store.structureVersion
        var used: Set<ObjectIdentifier> = []
        for index in 0..<store.meshCount {
            for part in store.mesh(at: Int32(index))?.parts ?? [] { used.insert(ObjectIdentifier(part.geometry)) }
        }
        trees = trees.filter { used.contains($0.key) }
    }
}
