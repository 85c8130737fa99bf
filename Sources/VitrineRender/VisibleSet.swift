import VitrineMath
import VitrineScene

/// What of a draw list a view shows, in drawing order.
struct VisibleSet {
    /// What is drawn together, in this order.
    enum Layer: Int {
        /// Opaque and masked parts.
        case opaque
        /// Lets through what the opaque layer and the sky look like; hides what is behind it all the same.
        case transmissive
        /// Blended over what is behind.
        case blended
    }

    /// One instanced draw: `count` entries of `instances` from `first`.
    struct Draw {
        let batch: Int32
        let isMirrored: Bool
        let layer: Layer
        let first, count: Int
    }

    /// Layer by layer; opaque and transmissive batches nearest first, blended parts farthest first.
    private(set) var draws: [Draw] = []
    /// Records, in the order of the draws.
    private(set) var records: [UInt32] = []
    private(set) var culled = 0
    var hasBlended: Bool { draws.last?.layer == .blended }
    private(set) var hasTransmissive = false

    private var keys: [Int32] = []
    private var counts: [Int32] = []
    private var nearest: [Float] = []
    private var blended: [(record: UInt32, distance: Float)] = []

    /// - Parameter layers: by batch.
    mutating func find(in list: DrawList, _ store: NodeStore, clipFromWorld: Matrix4, forward: Vector4, layers: [Layer]) {
        draws.removeAll(keepingCapacity: true)
        blended.removeAll(keepingCapacity: true)
        classify(list, store, CullingPlanes(Frustum(clipFromWorld: clipFromWorld)), forward, layers)
        collect(list, layers)
        appendBlended(list)
    }

    /// Gives every visible opaque record its key (batch and handedness), and counts keys.
    private mutating func classify(_ list: DrawList, _ store: NodeStore, _ planes: CullingPlanes, _ forward: Vector4, _ layers: [Layer]) {
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
            guard planes.reach(sphere) else {
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

    /// Sorts by counting: nearest batches first, so that what they hide is not shaded.
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
    /// Where its parts are drawn while their nodes are not see-through themselves.
    var layer: VisibleSet.Layer {
        if isShadowCatcher { return .blended }
        if alphaMode == .blend { return .blended }
        let lets = lightingModel == .physicallyBased && transmission.factor.factor * transmission.factor.intensity > 0
        return lets ? .transmissive : .opaque
    }
}

/// A frustum's planes by component, so that a sphere is tested against all at once.
struct CullingPlanes {
    private let x, y, z, w: SIMD8<Float>

    init(_ frustum: Frustum) {
        let p = frustum.planes
        // Two more that hold everything.
        x = SIMD8(p.0.x, p.1.x, p.2.x, p.3.x, p.4.x, p.5.x, 0, 0)
        y = SIMD8(p.0.y, p.1.y, p.2.y, p.3.y, p.4.y, p.5.y, 0, 0)
        z = SIMD8(p.0.z, p.1.z, p.2.z, p.3.z, p.4.z, p.5.z, 0, 0)
        w = SIMD8(p.0.w, p.1.w, p.2.w, p.3.w, p.4.w, p.5.w, 1, 1)
    }

    /// Whether a sphere (center, radius) may reach into the frustum.
    @inline(__always) func reach(_ sphere: Vector4) -> Bool {
        let distances = x * sphere.x + y * sphere.y + (z * sphere.z + w)
        return all(distances .>= -sphere.w)
    }
}
