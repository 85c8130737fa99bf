import VitrineMath
import VitrineScene

/// A scene's parts as arrays: one record for every part of every node's mesh, grouped into batches of equal geometry and material.
///
/// Rebuilt when the scene's structure changes; otherwise only records that moved are updated.
struct DrawList {
    /// Records that one instanced draw can draw.
    struct Batch {
        let geometry: Geometry
        let material: Material
        let order: Int32
        /// The record that a skin or morph targets deform; its vertices are not shared. −1: not deformed.
        let deformed: Int32
    }

    private(set) var batches: [Batch] = []
    // By record.
    private(set) var slots: [Int32] = []
    private(set) var batchOfRecord: [Int32] = []
    private(set) var isMirrored: [Bool] = []
    /// Bounding spheres (centre, radius) in the local frame, and in the world frame.
    private var localSpheres: [Vector4] = []
    private(set) var worldSpheres: [Vector4] = []

    private(set) var lights: [(slot: Int32, node: Node)] = []
    /// Records with a skin or morph targets, with their nodes.
    private(set) var deformed: [(record: Int, node: Node, part: Int, isSkinned: Bool)] = []

    private var structureVersion: UInt64?
    private var meshVersions: [(mesh: Mesh, version: Int)] = []
    private var update: UInt64 = 0
    private var store: NodeStore?

    init() {}

    var recordCount: Int { slots.count }

    /// Updates the list from the scene, whose world transforms are up to date.
    ///
    /// - Returns: Whether the list was rebuilt.
    mutating func update(from scene: Scene) -> Bool {
        let store = scene.store
        var isStale = self.store !== store || structureVersion != store.structureVersion
        if !isStale { for (mesh, version) in meshVersions where mesh.version != version { isStale = true } }
        if isStale {
            rebuild(scene)
            self.store = store
            structureVersion = store.structureVersion
        }
        if isStale || update != store.updateCount { moveSpheres(store, all: isStale) }
        update = store.updateCount
        return isStale
    }

    private struct BatchKey: Hashable {
        let geometry, material: ObjectIdentifier
        let order: Int32
    }

    private mutating func rebuild(_ scene: Scene) {
        let store = scene.store
        self = DrawList()
        var known: [BatchKey: Int32] = [:]
        var meshes: Set<ObjectIdentifier> = []
        slots.reserveCapacity(store.order.count)
        for slot in store.order {
            let node = store.node(at: slot)
            if let node, node.light != nil { lights.append((slot, node)) }
            guard let mesh = store.meshes[Int(slot)] else { continue }
            if meshes.insert(ObjectIdentifier(mesh)).inserted { meshVersions.append((mesh, mesh.version)) }
            for (index, part) in mesh.parts.enumerated() {
                let order = store.renderingOrders[Int(slot)]
                let isSkinned = node?.skin != nil && part.geometry.isSkinned
                let isDeformed = !part.geometry.morphTargets.isEmpty || isSkinned
                if isDeformed, let node {
                    deformed.append((slots.count, node, index, isSkinned))
                    append(slot, batch: newBatch(part, order, deformed: Int32(slots.count)), part.geometry)
                    continue
                }
                let key = BatchKey(geometry: ObjectIdentifier(part.geometry), material: ObjectIdentifier(part.material), order: order)
                let batch = known[key] ?? newBatch(part, order, deformed: -1)
                known[key] = batch
                append(slot, batch: batch, part.geometry)
            }
        }
    }

    private mutating func newBatch(_ part: MeshPart, _ order: Int32, deformed: Int32) -> Int32 {
        batches.append(Batch(geometry: part.geometry, material: part.material, order: order, deformed: deformed))
        return Int32(batches.count - 1)
    }

    private mutating func append(_ slot: Int32, batch: Int32, _ geometry: Geometry) {
        slots.append(slot)
        batchOfRecord.append(batch)
        isMirrored.append(false)
        let bounds = geometry.bounds
        localSpheres.append(bounds.isEmpty ? Vector4(0, 0, 0, -1) : Vector4(bounds.center, bounds.radius))
        worldSpheres.append(Vector4(repeating: 0))
    }

    private mutating func moveSpheres(_ store: NodeStore, all: Bool) {
        for record in slots.indices {
            let slot = Int(slots[record])
            guard all || store.movedInUpdate[slot] > update else { continue }
            let world = store.worldTransforms[slot]
            let local = localSpheres[record]
            let linear = world.linear
            worldSpheres[record] = Vector4(world.transform(point: local.xyz), local.w * linear.largestStretch)
            isMirrored[record] = linear.determinant < 0
        }
        // Deformed vertices may leave the local sphere: the store has bounds that contain all of them.
        for (record, _, _, isSkinned) in deformed {
            let bounds = store.worldBounds[Int(slots[record])]
            worldSpheres[record] = bounds.isEmpty ? Vector4(0, 0, 0, -1) : Vector4(bounds.center, bounds.radius)
            if isSkinned { isMirrored[record] = false }
        }
    }
}

extension Geometry {
    /// Whether it has joints and weights.
    var isSkinned: Bool { attribute(.joints(set: 0)) != nil && attribute(.weights(set: 0)) != nil }
}

extension Matrix3 {
    /// An upper bound of the greatest singular value, exact if the columns are perpendicular (Gershgorin's circles of MᵀM).
    var largestStretch: Float {
        let (xx, yy, zz) = (dot(x, x), dot(y, y), dot(z, z))
        let (xy, xz, yz) = (abs(dot(x, y)), abs(dot(x, z)), abs(dot(y, z)))
        return max(xx + xy + xz, yy + xy + yz, zz + xz + yz).squareRoot()
    }
}
