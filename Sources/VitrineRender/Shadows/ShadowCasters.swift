import VitrineMath
import VitrineScene

/// The parts that cast shadows, with a bounding sphere each.
struct ShadowCasters {
    struct Caster: Equatable {
        /// Index in the draw list.
        let record: UInt32
        /// Centre and radius in the world.
        let sphere: Vector4
        let categories: UInt32
        /// The box in the world frame; tighter than the sphere around flat parts, such as a floor.
        var box: BoundingBox?
        /// Whether the node's opacity is less than 1.
        var isTranslucent = false
    }

    private(set) var casters: [Caster] = []
    /// The source of the casters' meshes; nil in tests.
    private let source: (list: DrawList, store: NodeStore)?

    init(_ casters: [Caster]) { (self.casters, source) = (casters, nil) }

    /// The visible parts with triangles, finite bounds and a material that casts shadows, on nodes that do.
    init(_ list: DrawList, _ store: NodeStore) {
        source = (list, store)
        let casts = list.batches.map { $0.geometry.hasTriangles && $0.material.castsShadow }
        for record in 0..<list.recordCount {
            let slot = Int(list.slots[record])
            let sphere = list.worldSpheres[record]
            guard casts[Int(list.batchOfRecord[record])], store.worldOpacities[slot] > 0, store.castsShadow(at: list.slots[record]),
                sphere.w >= 0, sphere.w.isFinite, sphere.xyz.isFinite
            else { continue }
            casters.append(
                Caster(
                    record: UInt32(record), sphere: sphere, categories: store.categoryBitMasks[slot], box: store.worldBounds[slot],
                    isTranslucent: store.worldOpacities[slot] < 1))
        }
    }

    /// Bounding sphere (centre, radius) of all casters that share a bit; nil if there are none.
    func sphere(_ categories: UInt32) -> Vector4? {
        var box = BoundingBox.empty
        for caster in casters where caster.categories & categories != 0 {
            let radius = Vector3(repeating: caster.sphere.w)
            box.formUnion(BoundingBox(minimum: caster.sphere.xyz - radius, maximum: caster.sphere.xyz + radius))
        }
        guard !box.isEmpty else { return nil }
        let center = box.center
        var radius: Float = 0
        for caster in casters where caster.categories & categories != 0 {
            radius = max(radius, length(caster.sphere.xyz - center) + caster.sphere.w)
        }
        return Vector4(center, max(radius, 1e-6))
    }

    /// Distance from a point to the nearest caster: by sphere and box, and by the triangles of a small mesh around the point; 0 inside of another, infinity
    /// without casters.
    ///
    /// - Parameter axis: Casters behind the plane through the point across it do not count; nil: all do.
    func distance(to point: Vector3, ahead axis: Vector3? = nil, _ categories: UInt32) -> Float {
        var nearest = Float.infinity
        for caster in casters where caster.categories & categories != 0 {
            if let axis, dot(caster.sphere.xyz - point, axis) < -caster.sphere.w { continue }
            var distance = max(length(caster.sphere.xyz - point) - caster.sphere.w, caster.box?.distance(to: point) ?? 0)
            if distance <= 0, let triangles = triangles(of: caster) { distance = triangles.distance(to: point, ahead: axis) }
            nearest = min(nearest, distance)
        }
        return max(nearest, 0)
    }

    /// nil if the mesh is large, or moved by bones or morph targets.
    private func triangles(of caster: Caster) -> CasterTriangles? {
        guard let (list, store) = source else { return nil }
        let record = Int(caster.record)
        let batch = list.batches[Int(list.batchOfRecord[record])]
        guard batch.deformed < 0 else { return nil }
        return CasterTriangles(batch.geometry, worldFromLocal: store.worldTransforms[Int(list.slots[record])])
    }
}

extension BoundingBox {
    /// Distance to the box; 0 inside.
    fileprivate func distance(to point: Vector3) -> Float {
        guard !isEmpty else { return 0 }
        let outside = pointwiseMax(pointwiseMax(minimum - point, point - maximum), Vector3(repeating: 0))
        return length(outside)
    }
}

extension Geometry {
    /// Points and lines are too thin to cast shadows.
    fileprivate var hasTriangles: Bool {
        switch topology {
        case .points, .lines, .lineLoop, .lineStrip: false
        case .triangles, .triangleStrip, .triangleFan: true
        }
    }
}

extension Material {
    /// A shadow receiver shows shadows and casts none.
    fileprivate var castsShadow: Bool { !isShadowReceiver }
}
