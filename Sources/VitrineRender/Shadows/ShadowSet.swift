import VitrineMath
import VitrineScene

/// The casters in each of a frame's shadow maps, as instanced draws.
struct ShadowSet {
    struct Draw {
        /// The number of the view in the plan.
        let view: Int
        let batch: Int32
        /// The range in `records`.
        let first, count: Int
        /// Whether some of its nodes are not fully opaque.
        let isTranslucent: Bool
    }

    /// Map by map.
    private(set) var draws: [Draw] = []
    private(set) var records: [UInt32] = []

    init() {}

    init(_ plan: ShadowPlan, _ list: DrawList) {
        var counts = [Int32](repeating: 0, count: list.batches.count)
        for (index, view) in plan.views.enumerated() {
            let culler = FrustumCuller(Frustum(clipFromWorld: view.clipFromWorld))
            var seen: [UInt32] = []
            var used: [Int] = []
            var translucent: Set<Int> = []
            for caster in plan.casters.casters where caster.categories & view.categories != 0 && culler.intersects(sphere: caster.sphere) {
                seen.append(caster.record)
                let batch = Int(list.batchOfRecord[Int(caster.record)])
                if counts[batch] == 0 { used.append(batch) }
                counts[batch] += 1
                if caster.isTranslucent { translucent.insert(batch) }
            }
            append(seen, used, translucent, &counts, view: index, list)
        }
    }

    /// Sorts one map's records by batch, by counting; leaves the counts at 0.
    private mutating func append(
        _ seen: [UInt32], _ used: [Int], _ translucent: Set<Int>, _ counts: inout [Int32], view: Int, _ list: DrawList
    ) {
        var offsets = counts
        var next = records.count
        for batch in used {
            draws.append(
                Draw(
                    view: view, batch: Int32(batch), first: next, count: Int(counts[batch]), isTranslucent: translucent.contains(batch)))
            offsets[batch] = Int32(next)
            next += Int(counts[batch])
            counts[batch] = 0
        }
        records += [UInt32](repeating: 0, count: seen.count)
        for record in seen {
            let batch = Int(list.batchOfRecord[Int(record)])
            records[Int(offsets[batch])] = record
            offsets[batch] += 1
        }
    }
}
