import VitrineMath
import VitrineScene

/// The parts of a draw list that a view shows, in drawing order.
struct VisibleSet {
    /// Layers are drawn in this order.
    enum Layer: Int {
        /// Opaque and masked parts.
        case opaque
        /// Refracts the opaque layer and the sky; occludes surfaces behind it.
        case transmissive
        /// Blended over the layers before.
        case blended
    }

    /// An instanced draw: `count` entries of `instances` from `first`.
    struct Draw {
        let batch: Int32
        let isMirrored: Bool
        let layer: Layer
        let first, count: Int
    }

    /// Layer by layer; opaque and transmissive batches nearest first, blended parts farthest first.
    private(set) var draws: [Draw] = []
    /// Indices in the draw list, in the order of the draws.
    private(set) var records: [UInt32] = []
    /// Number of parts outside the view.
    private(set) var culled = 0
    var hasBlended: Bool { draws.last?.layer == .blended }
    private(set) var hasTransmissive = false

    private var keys: [Int32] = []
    private var counts: [Int32] = []
    private var nearest: [Float] = []
    private var blended: [(record: UInt32, distance: Float)] = []

    /// Culls the records of a draw list and sorts them.
    ///
    /// - Parameters:
    ///   - forward: dot(xyz, point) + w is the distance ahead of the camera.
    ///   - layers: The layer of each batch.
    mutating func update(from list: DrawList, _ store: NodeStore, clipFromWorld: Matrix4, forward: Vector4, layers: [Layer]) {
        draws.removeAll(keepingCapacity: true)
        blended.removeAll(keepingCapacity: true)
        classify(list, store, FrustumCuller(Frustum(clipFromWorld: clipFromWorld)), forward, layers)
        collect(list, layers)
        appendBlended(list)
    }

    /// Assigns every visible opaque record its key (batch and handedness), and counts keys.
    private mutating func classify(_ list: DrawList, _ store: NodeStore, _ culler: FrustumCuller, _ forward: Vector4, _ layers: [Layer]) {
        let keyCount = list.batches.count * 2
        counts = [Int32](repeating: 0, count: keyCount)
        nearest = [Float](repeating: .infinity, count: keyCount)
        if keys.count != list.recordCount { keys = [Int32](repeating: -1, count: list.recordCount) }
        var outside = 0
        for record in 0..<list.recordCount {
            keys[record] = -1
            let opacity = store.worldOpacities[Int(list.slots[record])]
            let sphere = list.worldSpheres[record]
            guard opacity > 0, sphere.w >= 0 else { continue }
            guard culler.intersects(sphere: sphere) else {
                outside += 1
                continue
            }
            let batch = Int(list.batchOfRecord[record])
            let distance = dot(forward, Vector4(sphere.xyz, 1))
            if layers[batch] == .blended || opacity < 1 {
                blended.append((UInt32(record), distance))
                continue
            }
            let key = batch * 2 + (list.isMirrored[record] ? 1 : 0)
            keys[record] = Int32(key)
            counts[key] += 1
            nearest[key] = min(nearest[key], sphere.w.isFinite ? distance - sphere.w : distance)
        }
        culled = outside
    }

    /// Counting sort, nearest batches first, so that occluded fragments are not shaded.
    private mutating func collect(_ list: DrawList, _ layers: [Layer]) {
        var used: [Int] = []
        for key in counts.indices where counts[key] > 0 { used.append(key) }
        let nearest = self.nearest
        used.sort { a, b in
            let (layerA, layerB) = (layers[a / 2], layers[b / 2])
            if layerA != layerB { return layerA.rawValue < layerB.rawValue }
            let (orderA, orderB) = (list.batches[a / 2].order, list.batches[b / 2].order)
            if orderA != orderB { return orderA < orderB }
            return nearest[a] != nearest[b] ? nearest[a] < nearest[b] : a < b
        }
        var offsets = [Int](repeating: 0, count: counts.count)
        var total = 0
        for key in used {
            offsets[key] = total
            draws.append(
                Draw(batch: Int32(key / 2), isMirrored: key & 1 == 1, layer: layers[key / 2], first: total, count: Int(counts[key])))
            total += Int(counts[key])
        }
        hasTransmissive = draws.last?.layer == .transmissive
        records = [UInt32](unsafeUninitializedCapacity: total + blended.count) { out, initialized in
            for record in keys.indices where keys[record] >= 0 {
                let key = Int(keys[record])
                out[offsets[key]] = UInt32(record)
                offsets[key] += 1
            }
            initialized = total
        }
    }

    private mutating func appendBlended(_ list: DrawList) {
        blended.sort { a, b in
            let (orderA, orderB) = (
                list.batches[Int(list.batchOfRecord[Int(a.record)])].order, list.batches[Int(list.batchOfRecord[Int(b.record)])].order
            )
            if orderA != orderB { return orderA < orderB }
            return a.distance != b.distance ? a.distance > b.distance : a.record < b.record
        }
        for (record, _) in blended {
            draws.append(
                Draw(
                    batch: list.batchOfRecord[Int(record)], isMirrored: list.isMirrored[Int(record)], layer: .blended,
                    first: records.count, count: 1))
            records.append(record)
        }
    }
}

extension Material {
    /// The layer of its parts on nodes that are fully opaque.
    var layer: VisibleSet.Layer {
        if isShadowReceiver { return .blended }
        if alphaMode == .blend { return .blended }
        let transmits = lightingModel == .physicallyBased && transmission.factor.factor * transmission.factor.intensity > 0
        return transmits ? .transmissive : .opaque
    }
}
